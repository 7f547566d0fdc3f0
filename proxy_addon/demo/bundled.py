"""The bundled turns, one JSON file each: what the demo's application asks, and what its provider streams.

All of it is made up: names, addresses, keys. Knows neither sockets nor processes.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import resources

from replay.families import FAMILIES
from replay.wire.framing import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledTurn:
    """One exchange of the demo. `verdict` is the status that replay has to give it; `secrets` must be in no file."""

    case: str
    says: str
    profile: str
    path: str
    verdict: str
    whole: bool  # False: the provider drops the connection behind the last event
    secrets: Sequence[str]
    request: Mapping[str, object]
    events: Sequence[Mapping[str, object]]

    @property
    def provider(self) -> str:
        """The provider whose API the turn is of, and so the prefix at which the recorder is asked for it."""
        return FAMILIES[self.profile].provider

    @property
    def key(self) -> str:
        """What names the turn on the wire. Its case cannot: a case name that repeats its request is not used."""
        return sha256(self.case.encode()).hexdigest()[:12]

    def request_body(self) -> bytes:
        """The body that the application sends."""
        return json.dumps(self.request, ensure_ascii=False).encode()

    def response_body(self) -> bytes:
        """The body that the provider streams, in the framing of its family."""
        texts = [json.dumps(event, ensure_ascii=False, separators=(",", ":")) for event in self.events]
        family = FAMILIES[self.profile]
        names = [str(event["type"]) if family.named else "" for event in self.events]
        frames = [Frame(data=text, event=name) for text, name in zip(texts, names, strict=True)]
        end = family.framing.end_marker() if self.whole and family.done else b""
        return b"".join(map(family.framing.render, frames)) + end


def bundled() -> list[BundledTurn]:
    """Every turn that is shipped, in the order in which the demo plays them."""
    folder = resources.files(__package__) / "turns"
    found = [
        BundledTurn(**json.loads(entry.read_text("utf-8")))
        for entry in folder.iterdir()
        if entry.name.endswith(".json")
    ]
    families = list(FAMILIES)
    return sorted(found, key=lambda turn: (families.index(turn.profile), KINDS.index(_kind(turn))))


# The order of the story: families as their table has them, then from good to bad.
KINDS = ("one-call", "interleaved", "colliding", "truncated", "text-only")


def _kind(turn: BundledTurn) -> str:
    return turn.case.removeprefix(turn.profile + "-")

"""The bundled turns, one JSON file each: what the demo's application asks, and what its provider streams.

All of it is made up: names, addresses, keys. Knows neither sockets nor processes.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import resources

from replay.families import FAMILIES, Family
from replay.wire.aws_event_stream import AWS_EVENT_STREAM, message
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

    @property
    def content_type(self) -> str:
        """The content type of what the provider streams."""
        return FAMILIES[self.profile].framing.content_type

    def response_body(self) -> bytes:
        """The body that the provider streams, in the framing of its family."""
        family = FAMILIES[self.profile]
        frames = [_frame(family, event) for event in self.events]
        end = family.framing.end_marker() if self.whole and family.done else b""
        return b"".join(map(family.framing.render, frames)) + end


def _frame(family: Family, event: Mapping[str, object]) -> Frame:
    """An event as the framing of its family has it."""
    text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    if family.framing is AWS_EVENT_STREAM:
        found = message(event, text)
        assert found is not None, "each bundled event of this framing has one member, its type"
        return found
    return Frame(data=text, event=str(event["type"]) if family.named else "")


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

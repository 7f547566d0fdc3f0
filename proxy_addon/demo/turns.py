"""The bundled turns, one JSON file each: what the demo's application asks, and what its provider streams.

All of it is made up: names, addresses, keys. Knows neither sockets nor processes.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from replay.wire import render


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One exchange. `verdict` is what replay is expected to say of it; `secrets` must be in no file written."""

    case: str
    says: str
    profile: str
    path: str
    verdict: str
    whole: bool  # False: the provider drops the connection behind the last event
    secrets: Sequence[str]
    request: Mapping[str, object]
    events: Sequence[Mapping[str, object]]

    def request_body(self) -> bytes:
        """What the application sends."""
        return json.dumps(self.request, ensure_ascii=False).encode()

    def response_body(self) -> bytes:
        """What the provider streams, in the framing of its family."""
        texts = [json.dumps(event, ensure_ascii=False, separators=(",", ":")) for event in self.events]
        named = [str(event.get("type", "")) for event in self.events] if self.profile == "anthropic" else ()
        done = 1 if self.whole and self.profile != "anthropic" else 0
        return b"".join(render.sse(texts, event_names=named, done=done))


def bundled() -> list[Turn]:
    """Every turn that is shipped, in the order in which the demo plays them."""
    folder = resources.files(__package__) / "turns"
    found = [Turn(**json.loads(entry.read_text("utf-8"))) for entry in folder.iterdir() if entry.name.endswith(".json")]
    return sorted(found, key=lambda turn: (PROFILES.index(turn.profile), KINDS.index(_kind(turn))))


# The order of the story: families as the README names them, then from good to bad.
PROFILES = ("openai", "anthropic", "mistral")
KINDS = ("one-call", "interleaved", "colliding", "truncated", "text-only")


def _kind(turn: Turn) -> str:
    return turn.case.removeprefix(turn.profile + "-")

"""What a search says: a line for each find and one for the whole, in words or as JSON.

unsafe: identity_collision, 3 events (reused-index): toolreel show found/gateway_adapter-drive-1.json
913 streams in 22 s, 42 a second; 5 found.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from replay.shell import quoted
from replay.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from .looking import Find


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """The client that is searched: how the command line names it, and its version."""

    name: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A find, and the file that it was written to."""

    find: Find = field(repr=False)
    path: Path

    @property
    def codes(self) -> list[str]:
        """The codes of the verdict on it."""
        return sorted({one.code.value for one in self.find.short.report.findings})


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What a whole search did."""

    streams: int
    seconds: float
    found: int


@dataclass(frozen=True, slots=True)
class Style:
    """One way to say it."""

    of_find: Callable[[Client, Written], str]
    of_whole: Callable[[Client, Searched], str]


def _find_in_words(_: Client, one: Written) -> str:
    codes = ", ".join(one.codes) or "a legal stream"
    word = printable(quoted(str(one.path)))
    find = one.find
    return f"{find.outcome.value}: {codes}, {find.short.after} events ({find.plan.kind}): toolreel show {word}"


def _whole_in_words(_: Client, done: Searched) -> str:
    pace = done.streams / max(done.seconds, 0.001)
    return f"{done.streams} streams in {done.seconds:.0f} s, {pace:.0f} a second; {done.found} found."


def _find_as_json(client: Client, one: Written) -> str:
    find = one.find
    return json.dumps(
        {
            "adapter": client.name,
            "version": client.version,
            "profile": find.short.report.profile,
            "outcome": find.outcome.value,
            "status": find.short.report.status.value,
            "codes": one.codes,
            "events": find.short.after,
            "kind": find.plan.kind,
            "twins": list(find.plan.twins),
            "damages": [[damage.what, damage.at] for damage in find.plan.damages],
            "fixture": str(one.path),
        }
    )


def _whole_as_json(client: Client, done: Searched) -> str:
    return json.dumps(
        {
            "adapter": client.name,
            "version": client.version,
            "streams": done.streams,
            "seconds": round(done.seconds, 1),
            "found": done.found,
        }
    )


STYLES: Final[Mapping[str, Style]] = {
    "text": Style(_find_in_words, _whole_in_words),
    "jsonl": Style(_find_as_json, _whole_as_json),
}

"""One judged turn as data to be drawn: lanes, and what each event did in each of them.

A lane is a call, the text, the reasoning, or the turn itself (its start, its finish, its end). `drawing` makes these
values of a fixture. Knows no file, no terminal, no HTML.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.validator import Finding, Report, State

# What a stream end is called where the fixture says none.
COMPLETE: Final = "complete"


@unique
class Kind(StrEnum):
    """What a lane is about, in the order in which lanes stand."""

    TURN = "turn"
    REASONING = "reasoning"
    TEXT = "text"
    CALL = "call"


@unique
class Did(StrEnum):
    """What an event did in a lane. The value is the word that is shown."""

    OPENED = "opened"
    ID = "id"
    NAME = "name"
    ARGUMENTS = "arguments"
    LATE = "late arguments"  # the call was over, so they are no part of it
    NOT_TAKEN = "arguments not taken"  # no call takes them, or a limit was passed
    CLOSED = "closed"
    BLOCKED = "blocked"
    REASONING = "reasoning"
    TEXT = "text"
    FINISH = "finish"
    NOTHING = "nothing"  # for any lane


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One row of a picture. `id`, `name` and `text` are what it had at the end: captured text, in no repr."""

    kind: Kind
    choice: int | None = None
    slot: int | None = None
    label: str
    id: str | None = field(default=None, repr=False)
    name: str | None = field(default=None, repr=False)
    text: str = field(default="", repr=False)
    state: State | None = None  # of a call, at the end


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """What one event did in one lane. `text` is the piece that it brought: arguments, words, an id, a finish reason."""

    lane: int
    did: tuple[Did, ...]
    text: str = field(default="", repr=False)
    size: int = 0  # of the text, in bytes of UTF-8

    @property
    def brings(self) -> bool:
        """Whether the text is a piece of what the lane puts together."""
        return Did.ARGUMENTS in self.did or Did.TEXT in self.did or Did.REASONING in self.did

    @property
    def is_fragment(self) -> bool:
        """Whether the text is a piece of a text, of one that takes it or of none."""
        return self.brings or Did.LATE in self.did or Did.NOT_TAKEN in self.did


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event: what kind of payload, its bytes as sent, and what it did. `at` is when it came, in milliseconds."""

    number: int
    label: str
    raw: bytes = field(repr=False)
    acts: tuple[Act, ...]
    at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A finding, and the lane that it concerns: that of its slot, or of the turn."""

    finding: Finding
    lane: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A turn, judged and taken apart. Holds captured text, which no repr shows."""

    report: Report = field(repr=False)
    model: str | None
    stream_end: str
    lanes: tuple[Lane, ...]
    events: tuple[Event, ...]
    marks: tuple[Marked, ...]
    tail: tuple[bytes, ...] = field(repr=False)  # what was sent after the last event
    done: int = 0  # how many end markers are in it
    half: bool = False  # whether half an event is

    def calls(self) -> Iterator[tuple[int, Lane]]:
        """The lanes that are calls, each with its number."""
        return ((at, lane) for at, lane in enumerate(self.lanes) if lane.kind is Kind.CALL)

    def ending(self) -> tuple[str, ...]:
        """How the stream ended, and what came after the last event, in words."""
        told = [f"stream {self.stream_end}"]
        if self.done:
            told.append("end marker" if self.done == 1 else f"{self.done:,} end markers")
        return (*told, "half an event") if self.half else tuple(told)

    def marks_at(self, event: int | None) -> tuple[Marked, ...]:
        """The findings that arose at an event; those of the end for None."""
        return tuple(mark for mark in self.marks if mark.finding.event == event)

"""Two turns side by side, or a turn and its pin: what is the same, what moved, what changed. Values; draws nothing.

A call is compared with the call of the same choice and slot. A finding is compared with that of the same code at the
same slot; at another event it moved. Events are laid beside each other by what they did, so that one more event
at the beginning leaves the others the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import SequenceMatcher
from enum import StrEnum, unique
from typing import TYPE_CHECKING

from .model import Did

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from replay.validator import Call, Finding, Report

    from .model import Event, Picture
    from .reading import Shown


@unique
class How(StrEnum):
    """How the two sides of a line compare."""

    SAME = "same"
    MOVED = "moved"  # the same thing, at another event; or the same text, in other fragments
    CHANGED = "changed"
    LEFT = "only left"
    RIGHT = "only right"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One thing, as each side has it; a side that has none is empty. Captured text, in no repr."""

    how: How
    what: str
    left: str = field(default="", repr=False)
    right: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The lines about one kind of thing."""

    title: str
    lines: tuple[Line, ...]

    @property
    def differs(self) -> bool:
        """Whether any line is not the same on both sides."""
        return any(line.how is not How.SAME for line in self.lines)


def turns(left: Shown, right: Shown) -> tuple[Section, ...]:
    """Two turns beside each other."""
    one, other = left.picture, right.picture
    return (
        _section(
            "verdict", [*_verdict(one.report, other.report), _value("stream end", one.stream_end, other.stream_end)]
        ),
        _section("calls", [*_calls(one.report, other.report), *_cuts(one, other)]),
        _section("findings", _findings(one.report.findings, other.report.findings)),
        _section("events", _events(one, other)),
    )


def with_pin(pinned: Report, found: Report) -> tuple[Section, ...]:
    """A pin on the left, and what its turn is now on the right; a pin has no events."""
    return (
        _section("verdict", _verdict(pinned, found)),
        _section("calls", _calls(pinned, found)),
        _section("findings", _findings(pinned.findings, found.findings)),
    )


def _section(title: str, lines: Iterator[Line] | list[Line]) -> Section:
    return Section(title=title, lines=tuple(lines))


def _value(what: str, left: str, right: str) -> Line:
    return Line(how=How.SAME if left == right else How.CHANGED, what=what, left=left, right=right)


def _verdict(left: Report, right: Report) -> Iterator[Line]:
    yield _value("status", left.status.value, right.status.value)
    yield _value("profile", left.profile or "none", right.profile or "none")
    uses = [", ".join(use.name.value for use in report.allowances) for report in (left, right)]
    if any(uses):
        yield _value("allowances", *uses)


def _calls(left: Report, right: Report) -> Iterator[Line]:
    ours, theirs = _by_place(left), _by_place(right)
    for place in sorted(ours.keys() | theirs.keys()):
        what = f"choice {place[0]}, slot {place[1]}"
        one, other = ours.get(place), theirs.get(place)
        if one is None or other is None:
            how = How.RIGHT if one is None else How.LEFT
            yield Line(how=how, what=what, left=_told(one), right=_told(other))
        elif one == other:
            yield Line(how=How.SAME, what=what, left=_told(one), right=_told(other))
        else:
            values = ((name, getattr(one, name), getattr(other, name)) for name in ("name", "id", "arguments"))
            for name, mine, its in (*values, ("state", one.state.value, other.state.value)):
                if mine != its:
                    yield Line(how=How.CHANGED, what=f"{what}, {name}", left=mine or "", right=its or "")


def _by_place(report: Report) -> Mapping[tuple[int, int], Call]:
    return {(call.choice, call.slot): call for call in report.calls}


def _told(call: Call | None) -> str:
    return "" if call is None else f"{call.name or 'no name'} {call.arguments}"


def _cuts(left: Picture, right: Picture) -> Iterator[Line]:
    """Calls whose text is the same and came in other fragments."""
    ours, theirs = _fragments(left), _fragments(right)
    for place in sorted(ours.keys() & theirs.keys()):
        mine, its = ours[place], theirs[place]
        if mine != its and "".join(mine) == "".join(its):
            what = f"choice {place[0]}, slot {place[1]}, fragments"
            yield Line(how=How.MOVED, what=what, left=_lengths(mine), right=_lengths(its))


def _fragments(picture: Picture) -> dict[tuple[int, int], list[str]]:
    found: dict[tuple[int, int], list[str]] = {}
    for event in picture.events:
        for act in event.acts:
            lane = picture.lanes[act.lane]
            if lane.choice is not None and lane.slot is not None and Did.ARGUMENTS in act.did:
                found.setdefault((lane.choice, lane.slot), []).append(act.text)
    return found


def _lengths(pieces: Sequence[str]) -> str:
    return f"{len(pieces)}: " + " ".join(str(len(piece)) for piece in pieces)


def _findings(left: Sequence[Finding], right: Sequence[Finding]) -> Iterator[Line]:
    ours, theirs = ({_key(finding): finding for finding in those} for those in (left, right))
    for key in dict.fromkeys([*ours, *theirs]):
        one, other = ours.get(key), theirs.get(key)
        how = How.RIGHT if one is None else How.LEFT if other is None else How.SAME
        if one is not None and other is not None and one.event != other.event:
            how = How.MOVED
        yield Line(how=how, what=_place(one or other), left=_when(one), right=_when(other))


def _key(finding: Finding) -> tuple[str, int | None, int | None, str | None]:
    return finding.code.value, finding.choice, finding.slot, finding.path


def _place(finding: Finding | None) -> str:
    assert finding is not None, "one of the two is there"
    choice = "" if finding.choice is None else f", choice {finding.choice}"
    slot = "" if finding.slot is None else f", slot {finding.slot}"
    return f"{finding.code.value}{choice}{slot}"


def _when(finding: Finding | None) -> str:
    if finding is None:
        return ""
    return "at the end" if finding.event is None else f"event {finding.event}"


def _events(left: Picture, right: Picture) -> list[Line]:
    ours = [_deed(left, event) for event in left.events]
    theirs = [_deed(right, event) for event in right.events]
    found: list[Line] = []
    for kind, start, end, other_start, other_end in SequenceMatcher(a=ours, b=theirs, autojunk=False).get_opcodes():
        pairs = min(end - start, other_end - other_start)
        how = How.SAME if kind == "equal" else How.CHANGED
        for step in range(pairs):
            at, there = start + step, other_start + step
            found.append(Line(how=how, what=f"{at} : {there}", left=ours[at], right=theirs[there]))
        found += [Line(how=How.LEFT, what=str(at), left=ours[at]) for at in range(start + pairs, end)]
        found += [Line(how=How.RIGHT, what=str(at), right=theirs[at]) for at in range(other_start + pairs, other_end)]
    return _with_moves(found)


def _with_moves(lines: Sequence[Line]) -> list[Line]:
    """An event that is only left, and one that did the same and is only right, are one that moved."""
    waiting: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        if line.how is How.RIGHT:
            waiting.setdefault(line.right, []).append(at)
    gone: set[int] = set()
    found: dict[int, Line] = {}
    for at, line in enumerate(lines):
        if line.how is How.LEFT and waiting.get(line.left):
            there = waiting[line.left].pop(0)
            gone.add(there)
            found[at] = Line(
                how=How.MOVED, what=f"{line.what} : {lines[there].what}", left=line.left, right=lines[there].right
            )
    return [found.get(at, line) for at, line in enumerate(lines) if at not in gone]


def _deed(picture: Picture, event: Event) -> str:
    """What an event did, in one line; two events that did the same have the same."""
    marks = picture.marks_at(event.number)
    told = []
    for act in event.acts:
        did = [one.value for one in act.did if one is not Did.NOTHING and not (one is Did.BLOCKED and marks)]
        if did:
            piece = f" ‹{act.text}›" if act.text else ""
            told.append(f"{picture.lanes[act.lane].label} {', '.join(did)}{piece}")
    return "; ".join([*told, *(f"finding {mark.finding.code.value}" for mark in marks)]) or event.label

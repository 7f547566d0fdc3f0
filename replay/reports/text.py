"""The report of a replay for people: what is not as pinned, what to do about it, and one summary line."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from replay.judging.results import EXIT_CODES, Outcome
from replay.terminal import printable
from replay.validator import Status

from . import verdict_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from replay.judging.comparison.timeline import Moment
    from replay.judging.results import Change, Result

    from .totals import Totals

HEADLINES: Final[Mapping[Outcome, str]] = {
    Outcome.AS_PINNED: "as pinned",
    Outcome.CHANGED: "changed",
    Outcome.UNPINNED: "unpinned",
    Outcome.OUTDATED: "pinned by older rules",
    Outcome.EMPTY: "without an event",
    Outcome.ORPHAN: "pin without fixture",
    Outcome.NOT_INVARIANT: "not invariant under cutting",
    Outcome.REPINNED: "pinned anew",
    Outcome.PINNED: "pinned",
    Outcome.PRUNED: "pin removed",
    Outcome.ERROR: "error",
}
STATUSES: Final[Mapping[Status, str]] = {
    Status.PASS: "executable",
    Status.BLOCKED: "blocked",
    Status.NOT_APPLICABLE: "not applicable",
    Status.INVALID: "invalid",
}


class Paint(Enum):
    """Whether the lines of a report have colours."""

    NONE = 0
    ANSI = 1


# Outcomes that concern a pin, so that the pin is named.
_OF_A_PIN: Final = (Outcome.ORPHAN, Outcome.PRUNED)
_RED: Final = "\x1b[31m"
_GREEN: Final = "\x1b[32m"
_BOLD: Final = "\x1b[1m"
_PLAIN: Final = "\x1b[0m"


class Report:
    """The report line by line, as results come in. Painted are the headlines, and the lines that differ."""

    def __init__(self, paint: Paint = Paint.NONE) -> None:
        self._paint = paint
        self._codes: dict[str, None] = {}

    def begin(self) -> Iterator[str]:
        """Nothing stands before the first result."""
        yield from ()

    def result(self, one: Result) -> Iterator[str]:
        """The lines of one result."""
        if one.outcome is not Outcome.AS_PINNED and one.found is not None:
            self._codes |= dict.fromkeys(finding.code.value for finding in one.found.findings)
        for at, line in enumerate(result(one)):
            yield self._painted(line, one.outcome if at == 0 else None)

    def end(self, totals: Totals) -> Iterator[str]:
        """The command that explains the codes above, and the summary."""
        if self._codes:
            yield f"Explained by: toolreel rules {' '.join(self._codes)}"
        line = summary(totals)
        yield line if self._paint is Paint.NONE else f"{_RED if totals.exit_code else _GREEN}{line}{_PLAIN}"

    def _painted(self, line: str, outcome: Outcome | None) -> str:
        if self._paint is Paint.NONE:
            return line
        if outcome is not None:
            return f"{_BOLD}{_RED if EXIT_CODES[outcome] else _GREEN}{line}{_PLAIN}"
        colour = {"  -": _RED, "  +": _GREEN, "  >": _BOLD}.get(line[:3])
        return line if colour is None else f"{colour}{line}{_PLAIN}"


def result(one: Result) -> Iterator[str]:
    """The lines of one result; none where it is as pinned and all of its pin is needed.

    An error is a line by itself, told elsewhere.
    """
    if one.outcome is Outcome.ERROR or (one.outcome is Outcome.AS_PINNED and not one.advice):
        return
    path = one.pin if one.outcome in _OF_A_PIN else one.fixture
    yield f"{HEADLINES[one.outcome]}: {printable(path)}"
    yield from (f"  {line}" for line in _adapters(one))
    if one.found is not None and one.pinned is not None:
        yield from (f"  {line}" for line in verdict_lines.difference(one.pinned, one.found))
        yield from _timelines(one)
    elif one.found is not None:
        yield from (f"  + {line}" for line in verdict_lines.verdict(one.found))
    yield from (f"  {printable(line)}" for line in (one.hint, one.advice) if line)


def _adapters(one: Result) -> Iterator[str]:
    """The client that the fixture was recorded from, where the pin and the fixture do not agree on it."""
    old, new = one.adapters
    if one.pinned is None or old == new:
        return
    for sign, adapter in (("-", old), ("+", new)):
        if adapter is not None:
            yield f"{sign} recorded from {printable(adapter.name)} {printable(adapter.version)}"


def _timelines(one: Result) -> Iterator[str]:
    for how, changes in (("new", one.new), ("gone", one.gone)):
        for change in changes:
            if change.moments:
                yield f"  {_where(how, change)}"
                yield from (f"  {line}" for line in timeline(change.moments))
    for call in one.calls:
        yield f"  differs: choice {call.choice}, slot {call.slot}, line {call.line} of the fixture:"
        yield from (f"  {line}" for line in timeline(call.moments))


def _where(how: str, change: Change) -> str:
    return f"{how}: {change.finding.code.value}, line {change.line} of the fixture:"


def timeline(moments: tuple[Moment, ...]) -> Iterator[str]:
    """What happened around a finding, one payload a line, the finding's own marked with `>`."""
    many = len({(moment.choice, moment.slot) for moment in moments}) > 1
    events = ["end" if moment.event is None else f"event {moment.event}" for moment in moments]
    width = max(map(len, events))
    for event, moment in zip(events, moments, strict=True):
        place = f"  {_place(moment)}" if many else ""
        words = ", ".join(moment.words)
        fragment = "" if moment.fragment is None else f"  {verdict_lines.quoted(moment.fragment, shown=40)}"
        yield f"{'>' if moment.here else ' '} {event:<{width}}{place}  {words}{fragment}".rstrip()


def _place(moment: Moment) -> str:
    if moment.choice is None:
        return "turn"
    slot = "" if moment.slot is None else f" slot {moment.slot}"
    return f"choice {moment.choice}{slot}"


def summary(totals: Totals) -> str:
    """How many fixtures, how they compare with their pins, and what their verdicts are."""
    compared = [
        f"{totals.outcomes[outcome]:,} {words}" for outcome, words in HEADLINES.items() if totals.outcomes[outcome]
    ] or ["nothing to compare"]
    judged = [f"{totals.statuses[status]:,} {words}" for status, words in STATUSES.items()]
    noun = "fixture" if totals.fixtures == 1 else "fixtures"
    return f"{totals.fixtures:,} {noun}: {', '.join(compared)}. Verdicts: {', '.join(judged)}."

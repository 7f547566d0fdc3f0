"""The report of a replay for people: what is not as pinned, what to do about it, and one summary line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replay.runner import Outcome
from replay.terminal import printable
from replay.validator import Status

from . import lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from replay.runner import Result

    from .tally import Tally

HEADLINES: Final[Mapping[Outcome, str]] = {
    Outcome.AS_PINNED: "as pinned",
    Outcome.CHANGED: "changed",
    Outcome.UNPINNED: "unpinned",
    Outcome.ORPHAN: "pin without fixture",
    Outcome.REPINNED: "pinned anew",
    Outcome.PINNED: "pinned",
    Outcome.ERROR: "error",
}
STATUSES: Final[Mapping[Status, str]] = {
    Status.PASS: "executable",
    Status.BLOCKED: "blocked",
    Status.NOT_APPLICABLE: "not applicable",
    Status.INVALID: "invalid",
}


def result(one: Result) -> Iterator[str]:
    """The lines of one result; none where it is as pinned. An error is a line by itself, told elsewhere."""
    if one.outcome in (Outcome.AS_PINNED, Outcome.ERROR):
        return
    path = one.pin if one.outcome is Outcome.ORPHAN else one.fixture
    yield f"{HEADLINES[one.outcome]}: {printable(str(path))}"
    if one.found is not None and one.pinned is not None:
        yield from (f"  {line}" for line in lines.difference(one.pinned, one.found))
    elif one.found is not None:
        yield from (f"  + {line}" for line in lines.verdict(one.found))
    if one.advice:
        yield f"  {printable(one.advice)}"


def summary(tally: Tally) -> str:
    """How many fixtures, how they compare with their pins, and what their verdicts are."""
    compared = [
        f"{tally.outcomes[outcome]:,} {words}" for outcome, words in HEADLINES.items() if tally.outcomes[outcome]
    ]
    judged = [f"{tally.statuses[status]:,} {words}" for status, words in STATUSES.items()]
    noun = "fixture" if tally.fixtures == 1 else "fixtures"
    return f"{tally.fixtures:,} {noun}: {', '.join(compared)}. Verdicts: {', '.join(judged)}."

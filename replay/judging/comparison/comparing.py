"""A verdict held against the pin: the outcome, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from replay.errors import ToolreelError
from replay.judging.results import Outcome
from replay.validator import Status
from replay.validator.envelope import FIXTURE_VERSION

from . import unneeded
from .pinning import UPGRADE, outdated, unpinned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replay.corpus.loading import Loaded
    from replay.corpus.pins import Pin
    from replay.judging.verdicts import Verdict

    from .pinning import PinFile, Pinned

# What an outcome becomes when the pin is written.
WRITTEN: Final[Mapping[Outcome, Outcome]] = {
    Outcome.CHANGED: Outcome.REPINNED,
    Outcome.OUTDATED: Outcome.REPINNED,
    Outcome.UNPINNED: Outcome.PINNED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How a verdict compares with the pin. `advice` is one line with the next step; "" where nothing is to be done."""

    outcome: Outcome
    advice: str
    verdict: Verdict
    pin: Pin | None  # as it was before this run


def compare(fixture: str, loaded: Loaded, verdict: Verdict, pinned: Pinned, update: str) -> Comparison:
    """The comparison of the verdict with what is pinned; `update` is the command that accepts the verdict.

    A fixture of a later format is an error, unless its verdict is the pinned one: what this version does not read of
    it did not matter then.
    """
    pin = pinned.pin
    same = pin is not None and pin.report == verdict.pin.report
    if loaded.newer is not None and not same:
        raise ToolreelError(
            f"{fixture}: written in version {loaded.newer} of the fixture format, and this toolreel reads version "
            f"{FIXTURE_VERSION}; upgrade it: {UPGRADE}"
        )
    if pinned.older:
        outcome, advice = Outcome.OUTDATED, outdated(pinned.older, update)
    elif pin is None:
        outcome, advice = Outcome.UNPINNED, unpinned(update)
    elif not same:
        outcome, advice = Outcome.CHANGED, f"to accept the new verdict: {update}"
    else:
        outcome, advice = Outcome.AS_PINNED, unneeded.of_pin(pin, verdict.report, update)
    if advice and verdict.report.status is Status.INVALID:
        # Whoever pins half a file does not know that it is one.
        advice = f"{verdict.report.findings[0].message}: mend the file or leave it out; {advice}"
    return Comparison(outcome=outcome, advice=advice, verdict=verdict, pin=pin)


def write(file: PinFile, comparison: Comparison) -> Comparison:
    """Write the pin of the verdict where it differs; the comparison as it is then.

    The client that the fixture was recorded from is no part of the verdict, and neither is an acceptance that changes
    nothing. A pin that differs in them alone is written anew as well.
    """
    pin, new = comparison.pin, comparison.verdict.pin
    if comparison.outcome is not Outcome.AS_PINNED:
        outcome = WRITTEN[comparison.outcome]
    elif pin is not None and (pin.adapter, pin.accept) != (new.adapter, new.accept):
        outcome = Outcome.REPINNED
    else:
        return comparison
    file.write(new)
    return replace(comparison, outcome=outcome, advice="")

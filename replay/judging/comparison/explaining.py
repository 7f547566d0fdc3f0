"""What differs between a verdict and its pin, with the lines of the fixture and what happened around each place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from replay.corpus.loading import line_of
from replay.judging.results import CallChange, Change, Outcome, Result
from replay.validator import InvalidFixture, Limits, command

from .timeline import around, parting

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from replay.corpus.loading import Loaded
    from replay.corpus.pins import Pin
    from replay.validator import Finding, Report

    from .comparing import Comparison
    from .timeline import Moment

# Findings of one fixture that are placed, and told with what happened around them. One that is judged in a wholly
# different way has many, and the first say why.
MAX_CHANGES: Final = 100
MAX_TIMELINES: Final = 3


def explain(fixture: str, loaded: Loaded, comparison: Comparison) -> Result:
    """The result of one fixture: the comparison, and each finding and call that only one of the two verdicts has."""
    found, pin = comparison.verdict.pin, comparison.pin
    if comparison.outcome is Outcome.AS_PINNED:
        return as_pinned(fixture, found, comparison.advice)
    old = pin.report if pin else None
    pinned = old.findings if old else ()
    new = _changes(loaded, comparison.verdict.report.findings, pinned, found)
    gone = _changes(loaded, pinned, found.report.findings, found)
    explained = {(change.finding.choice, change.finding.slot) for change in new + gone}
    calls = _changed_calls(loaded, old, found, explained)
    return Result(
        fixture=fixture,
        outcome=comparison.outcome,
        pinned=old,
        found=found.report,
        advice=comparison.advice,
        line=min([change.line for change in new + gone] + [call.line for call in calls], default=1),
        new=new,
        gone=gone,
        calls=calls,
        adapters=(pin.adapter if pin else None, found.adapter),
        hint=_hint(loaded, found),
    )


def _hint(loaded: Loaded, judged: Pin) -> str:
    if isinstance(loaded.envelope, InvalidFixture):
        return ""
    return command.hint(loaded.envelope, judged.report, accept=judged.accept, limits=Limits(**judged.limits))


def as_pinned(fixture: str, found: Pin, advice: str = "") -> Result:
    """The result of a fixture whose verdict is the pinned one; `advice` is about what of its pin changes nothing."""
    return Result(fixture=fixture, outcome=Outcome.AS_PINNED, pinned=found.report, found=found.report, advice=advice)


def _changes(loaded: Loaded, those: Iterable[Finding], others: Iterable[Finding], judged: Pin) -> tuple[Change, ...]:
    """The findings of `those` that `others` lack, with what happened around the first few."""
    known = {replace(finding, message="") for finding in others}
    changed = [finding for finding in those if replace(finding, message="") not in known]
    found = []
    for at, finding in enumerate(changed[:MAX_CHANGES]):
        moments: tuple[Moment, ...] = ()
        if at < MAX_TIMELINES and not isinstance(loaded.envelope, InvalidFixture):
            moments = around(loaded.envelope, finding, accept=judged.accept, limits=Limits(**judged.limits))
        found.append(Change(finding=finding, line=line_of(loaded, finding.event), moments=moments))
    return tuple(found)


def _changed_calls(
    loaded: Loaded, old: Report | None, judged: Pin, explained: Collection[tuple[int | None, int | None]]
) -> tuple[CallChange, ...]:
    """The first few calls that both verdicts have in one slot and that differ, where no finding explains the slot."""
    if old is None or isinstance(loaded.envelope, InvalidFixture):
        return ()
    pinned = {(call.choice, call.slot): call for call in old.calls}
    found: list[CallChange] = []
    for call in judged.report.calls:
        place = (call.choice, call.slot)
        other = pinned.get(place, call)
        if call != other and place not in explained and len(found) < MAX_TIMELINES:
            event, moments = parting(loaded.envelope, other, call, accept=judged.accept, limits=Limits(**judged.limits))
            found.append(CallChange(choice=call.choice, slot=call.slot, line=line_of(loaded, event), moments=moments))
    return tuple(found)

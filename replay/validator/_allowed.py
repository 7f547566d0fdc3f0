"""The allowances that a fixture names and with which its blocked turn would pass: what a reader is told on the spot."""

from collections.abc import Collection
from typing import Final

from replay.validator._machine.turn import judge
from replay.validator.codes import Allowance, Status
from replay.validator.envelope import Envelope
from replay.validator.findings import Report
from replay.validator.limits import DEFAULT_LIMITS, Limits

__all__ = ["hint", "passes_with"]

_OPTION: Final = "--accept"


def passes_with(
    envelope: Envelope,
    report: Report,
    *,
    accept: Collection[Allowance] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Allowance, ...]:
    """The named allowances that the turn of this report lacks to pass, in the order of their uses.

    Empty where the turn is not blocked, and where it would not pass with all that the fixture names.
    """
    lacking = frozenset(envelope.allow) - frozenset(accept)
    if report.status is not Status.BLOCKED or not lacking:
        return ()
    found = judge(envelope, accept={*accept, *lacking}, limits=limits)
    if found.status is not Status.PASS:
        return ()
    return tuple(dict.fromkeys(use.name for use in found.allowances if use.name in lacking))


def hint(
    envelope: Envelope,
    report: Report,
    *,
    accept: Collection[Allowance] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> str:
    """What is said of them: ``with `--accept named_choice_stop` it passes``; "" where there are none."""
    names = passes_with(envelope, report, accept=accept, limits=limits)
    options = " ".join(f"{_OPTION} {name.value}" for name in names)
    return f"with `{options}` it passes" if options else ""

"""A fixture to its verdict, and to the pin that says this verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from replay import validator
from replay.corpus import pins
from replay.validator import InvalidFixture, Limits, invalid_report
from replay.validator.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from replay.corpus.loading import Loaded
    from replay.validator import Report

    from .run_options import Options


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict on one fixture: the whole report, its messages included, and the pin that would be written of it."""

    report: Report
    pin: pins.Pin


def judge(loaded: Loaded, options: Options, pin: pins.Pin | None = None) -> Verdict:
    """The verdict on a fixture, with the allowances and limits of the run and of the fixture's own pin together.

    The verdict's pin names the allowances that were used; the others that were accepted changed nothing. A limit of
    the run counts before that of the pin.
    """
    pinned = pin.accept if pin else frozenset()
    limits = {**(pin.limits if pin else {}), **options.limits}
    envelope = loaded.envelope
    if isinstance(envelope, InvalidFixture):
        report = invalid_report(envelope)
    else:
        accept = options.accept | pinned
        report = validator.judge(envelope, accept=accept, limits=Limits(**limits) if limits else DEFAULT_LIMITS)
    used = frozenset(use.name for use in report.allowances)
    made = pins.Pin(report=pins.bare(report), adapter=loaded.adapter, accept=used, limits=limits)
    return Verdict(report=report, pin=made)

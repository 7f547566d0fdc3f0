"""What is told of a recorded turn beside a test that fails with it: why it may not be executed, or what may be."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from replay.judging.comparison.timeline import around
from replay.reports import text, verdict_lines
from replay.terminal import printable
from replay.validator import InvalidFixture, Limits, judge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.corpus.loading import Loaded
    from replay.corpus.pins import Pin
    from replay.validator import Envelope, Finding

# A turn that is wholly otherwise has many findings, and the first say why.
MAX_FINDINGS: Final = 3
TITLE: Final = "recorded turn"


def note(test: pytest.Item, shown: str, loaded: Loaded, pin: Pin) -> None:
    """Keep the turn for a report on the test, should it fail. Its lines are made then."""
    test.stash.setdefault(_TURNS, []).append((shown, loaded, pin))


_TURNS: Final = pytest.StashKey[list[tuple[str, "Loaded", "Pin"]]]()


def add(test: pytest.Item, report: pytest.TestReport) -> None:
    """Add what there is to tell to the report of a test that failed."""
    for shown, loaded, pin in test.stash.get(_TURNS, ()):
        report.sections.append((TITLE, "\n".join(_lines(shown, loaded, pin))))


def _lines(shown: str, loaded: Loaded, pin: Pin) -> Iterator[str]:
    may = "may be executed" if pin.report.executable else "may not be executed"
    yield printable(f"{shown}: the turn {may}")
    # Each finding stands below, with its message.
    yield from (f"  {line}" for line in verdict_lines.verdict(replace(pin.report, findings=())))
    envelope = loaded.envelope
    if isinstance(envelope, InvalidFixture):
        return
    limits = Limits(**pin.limits)
    found = judge(envelope, accept=pin.accept, limits=limits).findings
    for finding in found[:MAX_FINDINGS]:
        yield from _why(envelope, finding, pin, limits)
    codes = dict.fromkeys(finding.code.value for finding in found)
    if codes:
        yield f"  explained by: toolreel rules {' '.join(codes)}"


def _why(envelope: Envelope, finding: Finding, pin: Pin, limits: Limits) -> Iterator[str]:
    """The message of a finding, and what happened around it, one payload a line."""
    yield printable(f"  {finding.code.value} ({verdict_lines.place(finding)}): {finding.message}")
    yield from (f"  {line}" for line in text.timeline(around(envelope, finding, accept=pin.accept, limits=limits)))

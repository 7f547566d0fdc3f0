"""The report as JUnit XML: a suite, a case for each fixture, no times, so that equal runs give equal files.

The totals stand in front of the cases, so the cases wait in a temporary file: memory does not grow with their number.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from replay.judging.results import EXIT_CODES, Outcome
from replay.terminal import printable

from . import file_annotations, verdict_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.judging.results import Change, Result

    from .totals import Totals

# Kept in memory up to here; past it on disk.
_SPOOLED: Final = 1 << 20


class Report:
    """The document: its cases are kept as they come in, and written behind the totals at the end."""

    def __init__(self) -> None:
        self._cases = tempfile.SpooledTemporaryFile(max_size=_SPOOLED, mode="w+", encoding="utf-8", newline="\n")  # noqa: SIM115 - closed at the end
        self._total = 0

    def begin(self) -> Iterator[str]:
        """Nothing can be said before the totals are known."""
        yield from ()

    def result(self, one: Result) -> Iterator[str]:
        """Keep one case."""
        self._total += 1
        self._cases.writelines(f"{line}\n" for line in _case(one))
        yield from ()

    def end(self, totals: Totals) -> Iterator[str]:
        """The whole document."""
        errors = totals.outcomes[Outcome.ERROR]
        failures = sum(count for outcome, count in totals.outcomes.items() if EXIT_CODES[outcome] == 1)
        counted = f'tests="{self._total}" failures="{failures}" errors="{errors}"'
        yield '<?xml version="1.0" encoding="UTF-8"?>'
        yield f'<testsuites name="toolreel replay" {counted}>'
        yield f' <testsuite name="toolreel replay" {counted}>'
        self._cases.seek(0)
        yield from (line.rstrip("\n") for line in self._cases)
        self._cases.close()
        yield " </testsuite>"
        yield "</testsuites>"


def _lines(one: Result) -> Iterator[str]:
    """What differs by codes and places: which event of the file, and no word of the turn."""
    if one.found is not None:
        yield from verdict_lines.published(one.pinned, one.found)
    for how, changes in (("new", one.new), ("gone", one.gone)):
        for change in changes:
            yield f"{how}: {change.finding.code.value}, line {change.line} of the fixture: {_place(change)}"
    yield from file_annotations.steps(one)


def _place(change: Change) -> str:
    return verdict_lines.place(change.finding)


def _case(one: Result) -> Iterator[str]:
    """The element of one result, its lines printable and therefore legal in XML."""
    path = Path(one.pin if one.outcome in (Outcome.ORPHAN, Outcome.PRUNED) else one.fixture)
    folder = printable(str(path.parent))
    names = f"classname={quoteattr(folder)} name={quoteattr(printable(path.name))}"
    found = list(file_annotations.of(one))
    if not found:
        yield f"  <testcase {names}/>"
        return
    element = "error" if one.outcome is Outcome.ERROR else "failure"
    yield f"  <testcase {names}>"
    message = f"type={quoteattr(found[0].rule)} message={quoteattr(found[0].message)}"
    body = "\n".join(_lines(one)) or found[0].message
    yield f"   <{element} {message}>{escape(body)}</{element}>"
    yield "  </testcase>"

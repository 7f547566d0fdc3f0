"""The report of a replay as Markdown: a table of what is not as pinned, for the summary of a CI job."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from replay.judging.results import Outcome
from replay.terminal import printable

from .text import HEADLINES, STATUSES, summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.judging.results import Result
    from replay.validator import Report as Verdict

    from .totals import Totals

# What would be markup in a cell, or end it.
_ESCAPED: Final = str.maketrans({character: f"\\{character}" for character in "\\`*_{}[]()#+!|<>~$&@"})
# A summary of GitHub holds a megabyte; past so many rows nobody reads on.
MAX_ROWS: Final = 500


class Report:
    """The table, a row for each result that is not as pinned."""

    def __init__(self) -> None:
        self._rows = 0

    def begin(self) -> Iterator[str]:
        """The title."""
        yield "### toolreel replay"
        yield ""

    def result(self, one: Result) -> Iterator[str]:
        """The row of one result; before the first one the head of the table."""
        if one.outcome is Outcome.AS_PINNED:
            return
        if self._rows == 0:
            yield "| fixture | compared with its pin | verdict | findings |"
            yield "|---|---|---|---|"
        self._rows += 1
        if self._rows <= MAX_ROWS:
            verdict = STATUSES[one.found.status] if one.found else ""
            cells = (_cell(one.fixture), HEADLINES[one.outcome], verdict, _findings(one.found))
            yield f"| {' | '.join(cells)} |"

    def end(self, tally: Totals) -> Iterator[str]:
        """How many rows are left out, and the summary."""
        if self._rows > MAX_ROWS:
            yield f"| and {self._rows - MAX_ROWS:,} more | | | |"
        if self._rows:
            yield ""
        yield summary(tally)


def _findings(verdict: Verdict | None) -> str:
    codes = Counter(finding.code.value for finding in verdict.findings) if verdict else Counter[str]()
    return ", ".join(f"`{code}`" if count == 1 else f"{count} `{code}`" for code, count in codes.items())


def _cell(text: str) -> str:
    return printable(text).translate(_ESCAPED)

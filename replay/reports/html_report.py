"""The report of a replay as one page of HTML, written by `toolreel show`'s room from the fixtures that were judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replay.show import report
from replay.show.pages.source import Of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.judging.results import Result
    from replay.validator import Allowance

    from .totals import Totals


class Report:
    """The page of every fixture of the run."""

    def __init__(self) -> None:
        self._fixtures: dict[str, frozenset[Allowance]] = {}

    def begin(self) -> Iterator[str]:
        """Nothing stands before the page."""
        yield from ()

    def result(self, one: Result) -> Iterator[str]:
        """Nothing yet: the page has all of them. What was accepted is known by its use."""
        if one.found is not None:
            self._fixtures[one.fixture] = frozenset(use.name for use in one.found.allowances)
        yield from ()

    def end(self, totals: Totals) -> Iterator[str]:  # noqa: ARG002 - one shape for all reports
        """The page."""
        yield report.html(self._fixtures, Of.REPLAY).rstrip("\n")

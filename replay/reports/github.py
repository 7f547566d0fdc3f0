"""The report as workflow commands of GitHub Actions: an annotation for each problem, at the file and the line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replay.terminal import printable

from . import file_annotations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.judging.results import Result

    from .totals import Totals


class Report:
    """One `::error` a problem."""

    def begin(self) -> Iterator[str]:
        """Nothing stands before the first result."""
        yield from ()

    def result(self, one: Result) -> Iterator[str]:
        """The annotations of one result."""
        for problem in file_annotations.of(one):
            place = f"file={_property(printable(problem.path))},line={problem.line}"
            yield f"::error {place},title={_property(problem.title)}::{_message(problem.message)}"

    def end(self, totals: Totals) -> Iterator[str]:  # noqa: ARG002 - one shape for all reports
        """Nothing stands behind the last one."""
        yield from ()


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")

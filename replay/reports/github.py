"""The report as workflow commands of GitHub Actions: an `::error` at a file and a line for each annotation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replay.terminal import printable

from . import file_annotations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.judging.results import Result

    from .totals import Totals


class Report:
    """The lines `::error` of a run; there is nothing around them."""

    def begin(self) -> Iterator[str]:
        """Nothing stands before the first result."""
        yield from ()

    def result(self, one: Result) -> Iterator[str]:
        """The annotations of one result."""
        for annotation in file_annotations.of(one):
            yield error(annotation.path, line=annotation.line, title=annotation.title, message=annotation.message)

    def end(self, totals: Totals) -> Iterator[str]:  # noqa: ARG002 - one shape for all reports
        """Nothing stands behind the last one."""
        yield from ()


def error(path: str, *, line: int, title: str, message: str) -> str:
    """The workflow command that marks this line of a file as one with an error."""
    return f"::error file={_property(path)},line={line},title={_property(title)}::{_message(message)}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(printable(text)).replace(":", "%3A").replace(",", "%2C")

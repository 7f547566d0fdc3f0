"""The styles that a replay can be reported in, several at once, each to standard output or to a file.

A style's module is loaded when it is asked for, so that a plain run pays for none of the others.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum, unique
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from replay.corpus import files
from replay.errors import ToolreelError
from replay.terminal import printable

from .text import Paint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import TracebackType

    from replay.judging.results import Result

    from .totals import Totals


@unique
class Style(StrEnum):
    """The styles, by the name that the option has."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"
    JUNIT = "junit"
    SARIF = "sarif"
    GITHUB = "github"
    MARKDOWN = "markdown"
    HTML = "html"
    PARQUET = "parquet"


NAMES: Final = tuple(style.value for style in Style)
# Styles of single lines that mean something wherever they stand, so that they may share one output.
_SHARING: Final = frozenset({Style.TEXT, Style.GITHUB})


class Report(Protocol):
    """One style of report. Each method gives the lines that are to be written now."""

    def begin(self) -> Iterator[str]:
        """What stands in front."""

    def result(self, one: Result) -> Iterator[str]:
        """What one result adds."""

    def end(self, totals: Totals) -> Iterator[str]:
        """What stands behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One report that was asked for; standard output where it names no file."""

    style: Style
    file: Path | None = None


def wanted(settings: Sequence[str]) -> list[Wanted]:
    """What the texts `STYLE` and `STYLE=FILE` ask for. Text on standard output, unless something else stands there."""
    found: list[Wanted] = []
    for setting in settings:
        name, equals, file = setting.partition("=")
        if name not in NAMES or (equals and not file):
            raise ToolreelError(
                f"--report {printable(setting)}: must be STYLE or STYLE=FILE; styles are {', '.join(NAMES)}"
            )
        if name == Style.PARQUET and not file:
            raise ToolreelError("--report parquet: a table is no text; write it to a file: parquet=FILE")
        found.append(Wanted(style=Style(name), file=Path(file) if equals else None))
    files_named = [os.path.realpath(one.file) for one in found if one.file is not None]
    if len(set(files_named)) < len(files_named):
        raise ToolreelError("--report: two reports cannot be written to one file; name another file for one of them")
    shown = {one.style for one in found if one.file is None}
    if len(shown) > 1 and not shown <= _SHARING:
        raise ToolreelError(
            f"--report: {' and '.join(sorted(style.value for style in shown))} cannot share standard output; "
            "write one of them to a file: STYLE=FILE"
        )
    if not shown:
        found.insert(0, Wanted(style=Style.TEXT))
    return list(dict.fromkeys(found))


def _table(asked: Wanted, opening: ExitStack) -> Report:
    """A table, which opens and places its file itself."""
    from . import parquet_report

    assert asked.file is not None, "a table is written to a file"
    return opening.enter_context(parquet_report.Report(asked.file))


def report(style: Style, paint: Paint) -> Report:
    """A new report of this style."""
    if style is Style.TEXT:
        from . import text

        return text.Report(paint)
    if style is Style.JUNIT:
        from . import junit

        return junit.Report()
    if style is Style.SARIF:
        from . import sarif

        return sarif.Report()
    if style is Style.GITHUB:
        from . import github

        return github.Report()
    if style is Style.MARKDOWN:
        from . import markdown_report

        return markdown_report.Report()
    if style is Style.HTML:
        from . import html_report

        return html_report.Report()
    from . import json_report

    return json_report.Document() if style is Style.JSON else json_report.Lines()


class Reports:
    """All reports of one run. Files are put in place at its end, whole; where the run does not come to it, none is.

    `show` writes one line to standard output.
    """

    def __init__(self, asked: Iterable[Wanted], *, show: Callable[[str], None], paint: Paint) -> None:
        self._stack = ExitStack()
        self._outputs: list[tuple[Report, Callable[[str], None]]] = []
        self._replacements: list[files.Replacement] = []
        with ExitStack() as opening:
            for one in asked:
                line = show
                if one.style is Style.PARQUET:
                    self._outputs.append((_table(one, opening), show))
                    continue
                if one.file is not None:
                    replacement = opening.enter_context(files.Replacement(one.file))
                    self._replacements.append(replacement)
                    line = replacement.line
                made = report(one.style, paint if one.file is None else Paint.NONE)
                self._outputs.append((made, line))
            self._stack = opening.pop_all()

    def __enter__(self) -> Reports:
        for one, line in self._outputs:
            _write(one.begin(), line)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def add(self, result: Result) -> None:
        """Report one result."""
        for one, line in self._outputs:
            _write(one.result(result), line)

    def finish(self, totals: Totals) -> None:
        """Write what stands behind, and put the files in place."""
        for one, line in self._outputs:
            _write(one.end(totals), line)
        for replacement in self._replacements:
            replacement.commit()


def _write(lines: Iterable[str], line: Callable[[str], None]) -> None:
    for text in lines:
        line(text)

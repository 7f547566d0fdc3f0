"""Fixtures collected as tests: each one's verdict must be as pinned, and a pin must have its fixture.

What is collected is what `toolreel replay` judges: it is found by `discovery`, not on pytest's own walk, which passes
over folders by other rules. Each process of a distributed run finds it by itself.
"""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from replay import ci
from replay.config import replay_settings
from replay.corpus import discovery
from replay.corpus.files import write
from replay.errors import ToolreelError, translated
from replay.judging import runner
from replay.judging.results import EXIT_CODES, Outcome
from replay.judging.run_options import Mode, Options
from replay.reports import text
from replay.terminal import printable

from . import MARKER, paths, unused

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from replay.judging.results import Result


class Source(Enum):
    """What names the fixtures; the value is how a message calls it."""

    OPTION = "--toolreel"
    INI = "the setting toolreel"
    SETTINGS = "paths in [replay]"


def register(config: pytest.Config) -> None:
    """Collect what the option names, or else the setting of pytest, or else the settings of toolreel."""
    with translated(ToolreelError, lambda error: pytest.UsageError(printable(str(error)))):
        settings = replay_settings(config.rootpath)
    update = config.getoption("toolreel_update")
    if update and not config.getoption("toolreel_in_ci"):
        with translated(ToolreelError, lambda error: pytest.UsageError(str(error))):
            ci.refuse_to_write("--toolreel-update", meant="--toolreel-in-ci")
    named = config.getoption("toolreel")
    if "" in named:
        raise pytest.UsageError(f"--toolreel: {discovery.EMPTY}")
    if named:
        source, places = Source.OPTION, [paths.of_option(config, path) for path in named]
    elif config.getini("toolreel"):
        source, places = Source.INI, [paths.below_root(config, path) for path in config.getini("toolreel")]
    else:
        source, places = Source.SETTINGS, [paths.on_this_machine(path) for path in settings.paths]
    if config.getoption("toolreel_unused") and not places:
        raise pytest.UsageError("--toolreel-unused looks at what --toolreel PATH names; name it")
    if not places and not update:
        return
    if not places:
        raise pytest.UsageError("--toolreel-update writes the pins of what --toolreel PATH names; name it")
    with translated(ToolreelError, lambda error: pytest.UsageError(printable(f"{source.value}: {error}"))):
        plan = discovery.find(places)
    found = [Path(os.path.abspath(file)) for file in (*plan.fixtures, *plan.alone)]  # noqa: PTH100 - as in discovery
    mode = Mode.UPDATE if update else Mode.CHECK
    options = Options(mode=mode, accept=settings.accept, limits=settings.limits, settings=settings)
    config.pluginmanager.register(Collecting(found, source, options), "toolreel-collecting")
    if config.getoption("toolreel_unused"):
        fixtures = [file for file in found if not discovery.is_beside(file.name)]
        config.pluginmanager.register(unused.Unused(fixtures), "toolreel-unused")
    page = config.getoption("toolreel_html")
    if page and not hasattr(config, "workerinput"):  # the workers of a distributed run leave it to the one that leads
        config.pluginmanager.register(Page(found, Path(os.path.abspath(page))), "toolreel-page")  # noqa: PTH100 - as above


class Collecting:
    """The hooks that put fixtures among the tests. The paths of `files` are whole ones."""

    def __init__(self, files: Sequence[Path], source: Source, options: Options) -> None:
        self._files = dict.fromkeys(files)
        self._source = source
        self._options = options

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """A fixture that pytest was told to run by its name, as `reels/a.json::verdict` does."""
        if file_path in self._files and parent.session.isinitpath(file_path):
            return FixtureFile.of(parent, file_path, self._options)
        return None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """All others stand behind what pytest was told to run."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            report.result = [*(report.result or ()), *self._folders(collector)]
        return report

    def _folders(self, session: pytest.Session) -> Iterator[Folder]:
        others = [file for file in self._files if not session.isinitpath(file)]
        if self._source is not Source.OPTION and len(others) < len(self._files):
            return  # the setting is for runs that do not name fixtures themselves
        folders: dict[Path, list[Path]] = {}
        for file in others:
            folders.setdefault(file.parent, []).append(file)
        for path, files in folders.items():
            inside = path.is_relative_to(session.config.rootpath)
            # Of a folder elsewhere pytest knows no name but the last.
            name = None if inside else Path(os.path.relpath(path, session.config.rootpath)).as_posix()
            folder: Folder = Folder.from_parent(session, path=path, name=name)
            folder.files = files
            folder.options = self._options
            yield folder


class Page:
    """The hook that writes the page of all that is collected, once the run is over and the pins are what they are."""

    def __init__(self, files: Sequence[Path], target: Path) -> None:
        self._files = files
        self._target = target

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write it."""
        from replay.show import report  # only a run that wants the page pays for it
        from replay.show.pages import source

        shown = [paths.shown(session.config, file) for file in self._files]
        fixtures = {name: () for name in shown if not discovery.is_beside(name)}
        write(self._target, report.html(fixtures, source.Of.PYTEST).encode())

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say where it is."""
        terminalreporter.write_line(f"toolreel: {printable(str(self._target))} shows each turn")


class Folder(pytest.Directory):
    """The fixtures of one folder. A directory of pytest's, so that the hooks of its `conftest.py` count for them."""

    files: Sequence[Path]
    options: Options

    def collect(self) -> Iterable[pytest.Collector]:
        """A file each."""
        for file in self.files:
            yield FixtureFile.of(self, file, self.options)


class FixtureFile(pytest.File):
    """A fixture or an orphan pin."""

    options: Options

    @classmethod
    def of(cls, parent: pytest.Collector, path: Path, options: Options) -> FixtureFile:
        """The file at `path`, judged with `options`."""
        file: FixtureFile = cls.from_parent(parent, path=path)
        file.options = options
        return file

    def collect(self) -> Iterable[pytest.Item]:
        """The one test of the file: that its verdict is as pinned."""
        item: FixtureItem = FixtureItem.from_parent(self, name="verdict")
        item.options = self.options
        item.add_marker(MARKER)
        yield item


class FixtureItem(pytest.Item):
    """The test that the verdict is as pinned."""

    options: Options

    def runtest(self) -> None:
        """Judge the fixture, and compare the verdict with its pin."""
        path = paths.shown(self.config, self.path)
        if discovery.is_beside(path):
            [result] = runner.orphans([path], self.options)
        else:
            [result] = runner.fixtures([path], self.options)
        if EXIT_CODES[result.outcome]:
            raise NotAsPinnedError(result)
        told = "\n".join(text.result(result))
        if told:
            self.add_report_section("call", "toolreel", told)
        if result.outcome is Outcome.AS_PINNED and result.advice:
            self.warn(pytest.PytestWarning(printable(f"{result.fixture}: {result.advice}")))

    def repr_failure(  # type: ignore[override]  # pytest lets it be any text
        self, excinfo: pytest.ExceptionInfo[BaseException], style: str | None = None
    ) -> object:
        """The lines on what differs, with the next step; for any other exception, the traceback of our bug."""
        if isinstance(excinfo.value, NotAsPinnedError):
            return "\n".join(_told(excinfo.value.result))
        return super().repr_failure(excinfo, style)  # type: ignore[arg-type]

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the fixture stands."""
        return self.path, 0, f"verdict of {printable(self.path.name)}"


class NotAsPinnedError(Exception):
    """The outcome of a fixture is one that fails a run; `result` has what differs."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.outcome.value)
        self.result = result


def _told(result: Result) -> Iterator[str]:
    lines = list(text.result(result))
    yield from lines or [printable(result.advice)]

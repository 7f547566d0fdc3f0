"""Fixtures collected as tests: each one's verdict must be as pinned, and a pin must have its fixture."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from replay import discovery, runner
from replay.reports import text
from replay.terminal import is_ci, printable

from . import MARKER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from replay.runner import Result


def register(config: pytest.Config) -> None:
    """Have pytest look at the paths of the option, and collect what it finds there."""
    update = config.getoption("toolreel_update")
    if update and is_ci(os.environ) and not config.getoption("toolreel_in_ci"):
        raise pytest.UsageError(
            "--toolreel-update changes pins, and this is a CI job (CI is set): run it on your machine and commit what "
            "it writes, or say that it is meant: --toolreel-in-ci"
        )
    paths = [Path(os.path.normpath(config.invocation_params.dir / path)) for path in config.getoption("toolreel")]
    for path in paths:
        if not path.exists():
            raise pytest.UsageError(f"--toolreel {path}: no such file or folder; check the path")
    # Whole, so that the workers of a distributed run find the same files.
    config.option.toolreel = [str(path) for path in paths]
    if not hasattr(config, "workerinput"):  # a worker is given the paths that its controller collects
        config.args += [str(path) for path in paths if str(path) not in config.args]
    mode = runner.Mode.UPDATE if update else runner.Mode.CHECK
    config.pluginmanager.register(Collecting(paths, runner.Options(mode=mode)), "toolreel-collecting")


class Collecting:
    """The hook that knows a fixture when pytest comes across one."""

    def __init__(self, paths: Sequence[Path], options: runner.Options) -> None:
        """`paths` are whole; nothing outside of them is collected."""
        self._paths = paths
        self._options = options

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """A fixture, or a pin without one."""
        name = file_path.name
        if not name.endswith(discovery.FIXTURE_SUFFIX) or name.endswith(discovery.OUTCOMES_SUFFIX) or name[0] == ".":
            return None
        if not any(file_path.is_relative_to(path) for path in self._paths):
            return None
        if name.endswith(discovery.PIN_SUFFIX) and not discovery.is_orphan(str(file_path)):
            return None
        file: FixtureFile = FixtureFile.from_parent(parent, path=file_path)
        file.options = self._options
        return file


class FixtureFile(pytest.File):
    """A fixture or an orphan pin."""

    options: runner.Options

    def collect(self) -> Iterable[pytest.Item]:
        """The one test of the file."""
        item: FixtureItem = FixtureItem.from_parent(self, name="verdict")
        item.options = self.options
        item.add_marker(MARKER)
        yield item


class FixtureItem(pytest.Item):
    """The test that the verdict is as pinned."""

    options: runner.Options

    def runtest(self) -> None:
        """Judge and compare."""
        path = os.path.relpath(self.path)
        if path.endswith(discovery.PIN_SUFFIX):
            [result] = runner.orphans([path], self.options)
        else:
            [result] = runner.fixtures([path], self.options)
        if runner.EXIT_CODES[result.outcome]:
            raise NotAsPinnedError(result)
        told = "\n".join(text.result(result))
        if told:
            self.add_report_section("call", "toolreel", told)

    def repr_failure(  # type: ignore[override]  # pytest lets it be any text
        self, excinfo: pytest.ExceptionInfo[BaseException], style: str | None = None
    ) -> object:
        """What differs, and the next step; for anything else, the traceback of our bug."""
        if isinstance(excinfo.value, NotAsPinnedError):
            return "\n".join(_told(excinfo.value.result))
        return super().repr_failure(excinfo, style)  # type: ignore[arg-type]

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the fixture stands."""
        return self.path, 0, f"verdict of {printable(self.path.name)}"


class NotAsPinnedError(Exception):
    """The outcome of a fixture is a failure."""

    def __init__(self, result: Result) -> None:
        """`result` says what is wrong."""
        super().__init__(result.outcome.value)
        self.result = result


def _told(result: Result) -> Iterator[str]:
    lines = list(text.result(result))
    yield from lines or [printable(result.advice)]

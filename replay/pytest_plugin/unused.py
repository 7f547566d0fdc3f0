"""`--toolreel-unused`: the fixtures that no test used, told at the end of the run, which then fails.

A fixture is used where a test takes it as `toolreel_reel`, or by a fixture of pytest that is made of that. The test
that `--toolreel` makes of each one does not count: it looks at the verdict, and at no adapter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from replay.terminal import printable

from . import paths

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

USED: Final = pytest.StashKey[set[str]]()
# Under this name the workers of a distributed run say what their tests used.
_KEY: Final = "toolreel_used"


def note(config: pytest.Config, path: Path) -> None:
    """A test uses the fixture at this whole path."""
    config.stash.setdefault(USED, set()).add(str(path))


class Unused:
    """The hooks that compare what was used with all that there is."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        self._unused: list[str] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        """A worker has ended, and says what its tests used."""
        said = getattr(node, "workeroutput", {}).get(_KEY, ())
        config: pytest.Config = node.config  # type: ignore[attr-defined]
        config.stash.setdefault(USED, set()).update(said)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Say it to the one who leads, or fail the run."""
        used = session.config.stash.get(USED, set())
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_KEY] = sorted(used)
            return
        self._unused = [paths.shown(session.config, file) for file in self._files if str(file) not in used]
        if self._unused and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name them, and what to do."""
        if not self._unused:
            return
        count = len(self._unused)
        terminalreporter.section("toolreel: fixtures that no test used")
        for name in self._unused:
            terminalreporter.write_line(printable(name))
        noun = "fixture" if count == 1 else "fixtures"
        terminalreporter.write_line(
            f"{count} {noun}: name them in a test, @pytest.mark.toolreel('PATH') with toolreel_reel, or delete them"
        )

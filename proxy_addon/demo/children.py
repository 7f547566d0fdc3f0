"""The real commands as child processes: `toolreel record` for as long as it is needed, `toolreel replay` to its end.

No child outlives the `with` block that started it, however the block is left. Nor does the recorder outlive this
process, however that ends: its standard input is a pipe that closes then.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from proxy_addon.ending_signals import ending_signals
from replay.errors import ToolreelError

# The command itself, by this interpreter and from this installation, whatever the current folder holds.
_PYTHON: Final = (sys.executable, "-P", "-c")
_COMMAND: Final = "from replay.cli import main; main()"
_TIED: Final = f"from proxy_addon.demo.parent_watch import watch; watch(); {_COMMAND}"
_INSTALLED_IN: Final = str(Path(__file__).resolve().parents[2])

# A stopped recorder finishes what is queued; the bundled turns take it a second.
_STOP_SECONDS: Final = 15.0
_REPLAY_SECONDS: Final = 60.0

# After each step of ending a recorder that nobody waits for any more.
_GONE_SECONDS: Final = 2.0


def _environment() -> dict[str, str]:
    path = os.pathsep.join(part for part in (_INSTALLED_IN, os.environ.get("PYTHONPATH", "")) if part)
    # Without CI: what the demo pins is the demo's own, and `toolreel replay` pins nothing in a CI job.
    return {name: value for name, value in os.environ.items() if name != "CI"} | {"PYTHONPATH": path}


@contextlib.contextmanager
def _signals_held() -> Iterator[None]:
    """Put off the signals that end the demo.

    One that came after a child was started, and before it was noted, would leave the child without its demo.
    """
    came: list[int] = []
    before = {number: signal.signal(number, lambda one, _frame: came.append(one)) for number in ending_signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for one in came[:1]:
            signal.raise_signal(one)


class Recorder:
    """`toolreel record` as a child, ready within the `with` block; `stop` gives its summary.

    `upstreams` are the providers to stand in front of, name to URL.
    """

    def __init__(self, *, out: Path, upstreams: Mapping[str, str]) -> None:
        options = [part for name, url in upstreams.items() for part in ("--upstream", f"{name}={url}")]
        self._arguments: Final = ["record", "--out", str(out), "--port", "0", "--report", "json", *options]
        self._process: subprocess.Popen[str] | None = None
        self._tie: int | None = None  # the writing end of its standard input, never written to
        self.base_urls: Mapping[str, str] = {}

    def __enter__(self) -> Self:
        """Start the recorder and wait for its ready line; end it where it does not come to that."""
        try:
            with _signals_held():
                self._start()
            assert self._process is not None
            return self._once_ready(self._process)
        except BaseException:
            self._end()
            raise

    def _start(self) -> None:
        its_end, self._tie = os.pipe()  # neither is inherited but as standard input
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own command, no shell
                [*_PYTHON, _TIED, *self._arguments],
                stdin=its_end,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=_environment(),
            )
        finally:
            os.close(its_end)

    def _once_ready(self, process: subprocess.Popen[str]) -> Self:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("ready "):
                self.base_urls = json.loads(line.removeprefix("ready "))["base_urls"]
                return self
        _, errors = process.communicate()
        raise ToolreelError(f"toolreel demo: the recorder did not start: {_last_line(errors)}")

    def stop(self) -> Mapping[str, object]:
        """End the recorder as Ctrl-C does; the numbers that it ends with."""
        assert self._process is not None
        self._process.send_signal(signal.SIGINT)
        output, errors = self._process.communicate(timeout=_STOP_SECONDS)
        if self._process.returncode:
            raise ToolreelError(f"toolreel demo: the recorder failed: {_last_line(errors)}")
        summary: Mapping[str, object] = json.loads(output.splitlines()[-1])
        return summary

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        """Ask the recorder to stop, then to stop at once, then kill it."""
        process = self._process
        if process is not None:
            for stop in (process.terminate, process.terminate, process.kill):
                if process.poll() is None:
                    stop()
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.communicate(timeout=_GONE_SECONDS)
        if self._tie is not None:
            os.close(self._tie)
            self._tie = None


def replay(arguments: Iterable[str]) -> tuple[int, str]:
    """The exit code of `toolreel replay` with `arguments`, and what it printed."""
    return _run("replay", *arguments)


def show(folder: Path, page: Path) -> int:
    """The exit code of `toolreel show`, which writes the page of each turn in the folder, by their bare names."""
    code, _ = _run("show", ".", "--html", str(page.absolute()), within=folder)
    return code


def _run(*arguments: str, within: Path | None = None) -> tuple[int, str]:
    done = subprocess.run(  # noqa: S603 - our own command, no shell
        [*_PYTHON, _COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=within,
        env=_environment(),
        timeout=_REPLAY_SECONDS,
        check=False,
    )
    return done.returncode, done.stdout


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].removeprefix("Error: ") if lines else "it said nothing"

"""A real `toolreel record` process for tests: started, waited for, stopped, with everything that it said."""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from signal import SIGINT, Signals
from typing import IO, Final

import pytest
from support.processes.command import PATIENCE, TOOLREEL, Process, piped

COMMAND: Final = (*TOOLREEL, "record")


class Recorder:
    """A running recorder on a free port, writing into `out`. Leaving the `with` block kills what has not ended."""

    def __init__(self, out: Path, *options: str, variables: Mapping[str, str] | None = None) -> None:
        self.out: Final = out
        self._variables: Final = variables or {}
        one = () if "--redactors" in options else ("--redactors", "1")  # on every machine
        self._words = ["record", "--out", str(out), "--port", "0", "--report", "json", *one, *options]
        self._said: list[str] = []
        self._complained: list[str] = []
        self._ready = threading.Event()
        self.port = 0
        self.admin = ""

    def __enter__(self) -> "Recorder":
        self.process, output, errors = self._started()
        self._readers = [
            threading.Thread(target=self._read_output, args=(output,), daemon=True),
            threading.Thread(target=self._read_errors, args=(errors,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        self._ready.wait(PATIENCE)
        if not self.port:
            self.__exit__()
            pytest.fail(f"the recorder did not start: {self.errors}")
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        for reader in self._readers:
            reader.join(PATIENCE)

    def _started(self) -> tuple[Process, IO[str], IO[str]]:
        return piped(*self._words, folder=self.out.parent, variables=self._variables)

    def _read_output(self, output: IO[str]) -> None:
        with output as stream:
            for line in stream:
                self._said.append(line)
                if line.startswith("ready "):
                    ready = json.loads(line.removeprefix("ready "))
                    self.port, self.admin = ready["port"], ready.get("admin", "")
                    self._ready.set()
        self._ready.set()

    def _read_errors(self, errors: IO[str]) -> None:
        with errors as stream:
            self._complained.extend(stream)

    @property
    def output(self) -> str:
        """Standard output so far."""
        return "".join(self._said)

    @property
    def errors(self) -> str:
        """Standard error so far."""
        return "".join(self._complained)

    def decisions(self, count: int) -> list[dict[str, object]]:
        """The first `count` lines of `--log json` that are about captures, once they are there."""
        return self._lines(count, lambda line: not str(line["event"]).startswith("not_recorded"))

    def not_recorded(self, count: int) -> list[dict[str, object]]:
        """The first `count` lines of `--log json` about kinds that are not recorded, once they are there."""
        return self._lines(count, lambda line: str(line["event"]).startswith("not_recorded"))

    def _lines(self, count: int, wanted: Callable[[dict[str, object]], bool]) -> list[dict[str, object]]:
        deadline = time.monotonic() + PATIENCE
        while len(found := [one for one in map(json.loads, self._complained[:]) if wanted(one)]) < count:
            assert time.monotonic() < deadline, f"only {len(found)} of {count} lines: {self.errors}"
            time.sleep(0.01)
        return found[:count]

    def url(self, upstream: str) -> str:
        """The base URL of an upstream."""
        return f"http://127.0.0.1:{self.port}/{upstream}"

    @property
    def redaction(self) -> int:
        """The process that redacts, by its parent; only where /proc tells."""
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                if stat.read_text().rpartition(")")[2].split()[1] == str(self.process.pid):
                    return int(stat.parent.name)
        pytest.skip("no /proc on this system")

    def signal(self, number: Signals = SIGINT) -> None:
        """Send a signal and do not wait."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    def ended(self) -> int:
        """Wait for the end of the process and of its output; the exit code."""
        code = self.process.wait(PATIENCE)
        for reader in self._readers:
            reader.join(PATIENCE)
        return code

    def stop(self, number: Signals = SIGINT) -> dict[str, object]:
        """Stop it as a user would; the final summary."""
        self.signal(number)
        code = self.ended()
        assert code == 0, f"exit {code}: {self.errors}"
        return self.summary()

    def summary(self) -> dict[str, object]:
        """The final summary of a recorder that has ended."""
        found = json.loads(self._said[-1])
        assert isinstance(found, dict)
        return found

    def files(self) -> dict[str, bytes]:
        """Everything in the output folder, hidden files included."""
        return {path.name: path.read_bytes() for path in sorted(self.out.iterdir())}

"""The driver of one adapter, run in its own interpreter: turns in, one a line; the calls that it hands over out.

    TOOLREEL_TURNS=PIPE TOOLREEL_CALLS=PIPE PYTHON driver.py MODULE:CALLABLE

Standard library only, Python 3.10 or newer; toolreel need not be installed here. Before anything of the adapter is
imported, the process is shut in: it can reach the loopback interface and start no program. Errors are told by their
type; their text goes to standard error alone, which nobody reads without `--debug`.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.metadata
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
import types
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# The name under which `task` and the modules of `clients` are imported: it shadows nothing that a client imports.
PACKAGE: Final = "toolreel_adapters"
# After the last turn, for calls of threads that Python would not wait for. Idle ones cost so much of every run.
LINGER_SECONDS: Final = 1.0
# Past the end of the input, whoever asked ends what is left of the process. This is for when that one is gone.
ENDING_SECONDS: Final = 10.0
IDLE_SECONDS: Final = 1.0
# Errors that are a bug by their type. Any other one is a refusal: someone meant to raise it.
BROKEN: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    BufferError,
    LookupError,
    MemoryError,
    NameError,
    RecursionError,
    SystemError,
    TypeError,
)


def shut_in() -> None:
    """Shut the process in: `guard.py`, run with names and built-in functions that are known to nothing else."""
    file = Path(__file__).with_name("guard.py")
    names: dict[str, Any] = {"__name__": f"{PACKAGE}.guard", "__builtins__": dict(vars(builtins))}
    exec(compile(file.read_bytes(), str(file), "exec"), names)  # noqa: S102 - a file beside this one
    names["shut_in"]()


def load(name: str) -> Any:
    """The module of that name that comes with this one: a package of their own, which shadows nothing of a client's."""
    if PACKAGE not in sys.modules:
        here = Path(__file__).parent
        package = types.ModuleType(PACKAGE)
        package.__path__ = [str(here / "clients"), str(here)]
        sys.modules[PACKAGE] = package
        # The script's own folder comes first in the path; its modules are reached through the package alone.
        sys.path[0] = str(Path.cwd())
    return importlib.import_module(f"{PACKAGE}.{name}")


def speaks(adapter: object, known: Iterable[str]) -> list[str]:
    """The APIs that the adapter says it speaks, all where it says nothing; none where they are not said as a list."""
    profiles = getattr(adapter, "profiles", tuple(known))
    listed = isinstance(profiles, (list, tuple, set, frozenset)) and all(isinstance(name, str) for name in profiles)
    return list(profiles) if listed else []


def version(adapter: object) -> str:
    """The version of the adapter's client; where it is several distributions, the versions of all that are here."""
    versions = []
    for name in getattr(adapter, "distributions", ()):
        try:
            versions.append(importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            continue
    return "+".join(versions) or "unversioned"


def drive(adapter: Callable[[Any], object], turn: Any, say: Callable[[dict[str, object]], None]) -> None:
    """Drive one turn: say each call that is handed over, then how it ended. The text of an error is never said."""
    returned = load("returned")
    end, error = "returned", None
    try:
        for call in returned.calls(adapter(turn)):
            turn.hand_over(call["name"], call["arguments"], **({"id": call["id"]} if "id" in call else {}))
    except returned.NoCallsError as raised:
        end, error = "no_calls", raised.kind
    except BaseException as raised:  # SystemExit, KeyboardInterrupt, and what groups them, are no refusals either
        meant = isinstance(raised, Exception) and not isinstance(raised, BROKEN)
        end, error = "refused" if meant else "broken", type(raised).__name__
        traceback.print_exc()
    say({"end": end, "error": error})


class Lines:
    """The lines that go out, in ASCII. Each line of a turn begins with its number, since a call may come late.

    The number comes first, so that a line which cannot be read as JSON still says whose it is.
    """

    def __init__(self, output: IO[str]) -> None:
        self._output = output
        self._lock = threading.Lock()

    def line(self, text: str) -> None:
        """Write one line, whole, whichever thread it comes from."""
        with self._lock:
            self._output.write(text + "\n")
            self._output.flush()

    def of_turn(self, number: int) -> Callable[[str], None]:
        """The function that writes a line of this turn; it takes the members besides the number, as JSON."""
        return lambda text: self.line(f'{{"turn": {number}, {text.removeprefix("{")}')


class Requests:
    """The turns to drive, one request a line. A thread reads them, so their end is noticed while the adapter hangs.

    Whoever asks closes the input when nothing is being driven. Where it ends before, whoever asked is gone.
    """

    def __init__(self, source: IO[str]) -> None:
        self._source = source
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._idle = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def __iter__(self) -> Iterator[Any]:
        self._idle.set()
        while (line := self._lines.get()) is not None:
            self._idle.clear()
            yield json.loads(line)
            self._idle.set()

    def _read(self) -> None:
        for line in self._source:
            self._lines.put(line)
        self._lines.put(None)
        # The last turn may have been said to have ended a moment ago, and not be over here.
        if self._idle.wait(IDLE_SECONDS):
            time.sleep(ENDING_SECONDS)
        end_at_once()


def end_at_once() -> None:
    """End this process, and those that it forked where they are a group of their own."""
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def pipes() -> tuple[IO[str], IO[str]]:
    """The pipes of requests and results: no other part of the process has them, and nothing is printed to them."""
    names = (os.environ.pop("TOOLREEL_TURNS"), os.environ.pop("TOOLREEL_CALLS"))
    ends = (os.open(names[0], os.O_RDONLY), os.open(names[1], os.O_WRONLY))
    return os.fdopen(ends[0], encoding="ascii"), os.fdopen(ends[1], "w", encoding="ascii", newline="\n")


def main() -> None:
    """Say what is here, then drive one turn after the other until the input ends."""
    source, output = pipes()
    requests, lines = Requests(source), Lines(output)
    # Of what is printed, nothing is to be missing where the process is ended in the middle of a turn.
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    shut_in()
    starting, task = load("starting"), load("task")
    try:
        adapter = starting.find(sys.argv[1])
        profiles = speaks(adapter, task.MODELS)
        if not profiles:
            names = ", ".join(task.MODELS)
            raise starting.NoAdapterError(f"its `profiles` must be a list of the APIs that it speaks: {names}")
    except starting.NoAdapterError as error:
        traceback.print_exc()
        lines.line(json.dumps(error.members))
        return
    ready = {"version": version(adapter), "profiles": profiles}
    lines.line(json.dumps({"ready": ready}))
    for asked in requests:
        record = lines.of_turn(asked["turn"])
        turn = task.Task(base_url=asked["base_url"], profile=asked["profile"], tools=asked["tools"], record=record)
        drive(adapter, turn, lambda members, record=record: record(json.dumps(members)))  # type: ignore[misc]
    _linger()


def _linger() -> None:
    """Let threads that are still at work hand over what they will; those that nothing waits for get a moment."""
    until = time.monotonic() + LINGER_SECONDS
    # This thread, and the one that reads requests.
    while threading.active_count() > 2 and time.monotonic() < until:
        time.sleep(0.01)


if __name__ == "__main__":
    main()

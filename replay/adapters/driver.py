"""The driver of one adapter, run in its own interpreter: turns in, one a line; the calls that it hands over out.

    PYTHON driver.py MODULE:CALLABLE

Standard library only, Python 3.10 or newer; toolreel need not be installed here. Before anything of the adapter is
imported, the process is shut in: it can reach the loopback interface and start no program.
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
import types
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# The name under which `task` and the modules of `clients` are imported: it shadows nothing that a client imports.
PACKAGE: Final = "toolreel_adapters"
GROUP: Final = "toolreel.adapters"
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


def find(target: str) -> Callable[[Any], object]:
    """The adapter of that name: one of `clients`, a function that can be imported here, or an entry point here.

    The modules of `clients`, and `task` beside them, are imported as one package, `toolreel_adapters`.
    """
    here = Path(__file__).parent
    package = types.ModuleType(PACKAGE)
    package.__path__ = [str(here / "clients"), str(here)]
    sys.modules[PACKAGE] = package
    # The script's own folder comes first in the path; its modules are reached through the package alone.
    sys.path[0] = str(Path.cwd())
    module, colon, attribute = target.partition(":")
    if not colon:
        for entry in importlib.metadata.entry_points(group=GROUP):
            if entry.name == target:
                module, _, attribute = entry.value.partition(":")
    found: Any = importlib.import_module(module)
    for name in attribute.split("."):
        found = getattr(found, name)
    return found  # type: ignore[no-any-return]  # whatever is called is called as an adapter


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
    end, error = "returned", None
    try:
        handed = adapter(turn)
        for call in _returned(handed):
            turn.hand_over(call["name"], call["arguments"], **({"id": call["id"]} if "id" in call else {}))
    except BROKEN as raised:
        end, error = "broken", type(raised).__name__
    except Exception as raised:
        end, error = "refused", type(raised).__name__
    except BaseException as raised:  # SystemExit, KeyboardInterrupt, and what groups them
        end, error = "broken", type(raised).__name__
    say({"end": end, "error": error})


def _returned(handed: object) -> Iterable[dict[str, object]]:
    """An adapter may return its calls, each a mapping, instead of recording them one by one."""
    return handed if isinstance(handed, (list, tuple)) else ()


class Lines:
    """The lines that go out, in ASCII. Each line of a turn begins with its number, since a call may come late."""

    def __init__(self, output: IO[str]) -> None:
        self._output = output
        self._lock = threading.Lock()

    def line(self, text: str) -> None:
        """Write one line, whole, whichever thread it comes from."""
        with self._lock:
            self._output.write(text + "\n")
            self._output.flush()

    def of_turn(self, number: int) -> Callable[[str], None]:
        """The function that writes a line of this turn."""
        return lambda text: self.line(f"{number} {text}")


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


def main() -> None:
    """Say what is here, then drive one turn after the other until the input ends."""
    # Requests and results have pipes of their own: what a client reads and prints goes nowhere near them.
    requests = Requests(os.fdopen(os.dup(0), encoding="ascii"))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    lines = Lines(os.fdopen(os.dup(1), "w", encoding="ascii", newline="\n"))
    os.dup2(2, 1)
    shut_in()
    target = sys.argv[1]
    missing: str | None = None
    try:
        adapter = find(target)
    except ModuleNotFoundError as error:
        missing = error.name or ""
    except AttributeError:
        missing = target
    if missing is not None:
        lines.line(json.dumps({"missing": missing}))
        return
    task = importlib.import_module(f"{PACKAGE}.task")
    profiles = speaks(adapter, task.MODELS)
    if not profiles:
        lines.line(json.dumps({"profiles": None}))
        return
    ready = {"version": version(adapter), "profiles": profiles, "install": getattr(adapter, "install", None)}
    lines.line(json.dumps({"ready": ready}))
    for asked in requests:
        record = lines.of_turn(asked["number"])
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

"""The processes that a command runs in, as its option `--jobs` says: how many, how they start, and what ends a run."""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from typing import TYPE_CHECKING, Final, TypeVar

from replay import garbage
from replay.errors import ToolreelError, translated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from multiprocessing.context import BaseContext

Task = TypeVar("Task")
Result = TypeVar("Result")

# Processes at most. More than any machine has would be a slip of the keyboard.
MOST: Final = 1024
# Tasks of each process that are out, or whose results wait for their turn.
AHEAD: Final = 2

# The module that talks to an object store, once a path of the run has led there.
_STORE: Final = "replay.store.objects"


def number(text: str, *, most: int = MOST) -> int:
    """How many processes `--jobs` asks for: a number up to `most`, or `auto`."""
    if text == "auto":
        return os.cpu_count() or 1
    if text.isascii() and text.isdigit() and len(text) <= 9 and 1 <= int(text) <= most:
        return int(text)
    raise ToolreelError(f"--jobs {text}: must be an integer from 1 to {most}, or auto")


def context() -> BaseContext:
    """How the processes start.

    Where fork is the tradition it is quick and safe here, in a process of one thread. The default of newer Pythons, a
    server for forks, would listen on a local socket. The client of a store has threads of its own: a fork would leave
    them behind, and its requests wait for them.
    """
    import multiprocessing  # only a run in several processes pays for it

    forks = sys.platform == "linux" and _STORE not in sys.modules
    return multiprocessing.get_context("fork" if forks else "spawn")


def ordered(
    call: Callable[[Task], Result],
    tasks: Iterable[Task],
    *,
    jobs: int,
    begin: Callable[..., None],
    given: tuple[object, ...] = (),
    size: Callable[[Task], int] = lambda _: 0,
    held: int = 0,
    start: Callable[[], BaseContext] = context,
) -> Iterator[Result]:
    """What `call` makes of each task, in their order, by `jobs` processes that each began with `begin(*given)`.

    Few tasks are out at a time, so memory does not grow with their number; nor do those that are out have more than
    `held` bytes together, by `size`, unless one of them alone has. No socket: the processes talk through pipes.
    """
    from concurrent.futures import ProcessPoolExecutor  # only a run in several processes pays for these
    from concurrent.futures.process import BrokenProcessPool

    out: deque[tuple[int, Future[Result]]] = deque()
    pool = ProcessPoolExecutor(jobs, mp_context=start(), initializer=_begin, initargs=(begin, given))
    with pool, translated(BrokenProcessPool, killed):
        try:
            for task in tasks:
                out.append((size(task), pool.submit(call, task)))
                while len(out) >= jobs * AHEAD or (len(out) > 1 and sum(one for one, _ in out) > held > 0):
                    yield out.popleft()[1].result()
            while out:
                yield out.popleft()[1].result()
        finally:
            for _, future in out:
                future.cancel()


def _begin(begin: Callable[..., None], given: tuple[object, ...]) -> None:
    leave_signals()
    garbage.relax()
    begin(*given)


def leave_signals() -> None:
    """Leave the signals of the terminal to the parent, in a process that it started."""
    # Ctrl-C and its closing reach every process of the terminal; the parent alone answers, and the others end with it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def killed(_: Exception) -> ToolreelError:
    """The error about a process that has gone."""
    return ToolreelError("--jobs: a worker process was killed, for lack of memory perhaps; try fewer: --jobs 1")

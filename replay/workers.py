"""A replay in several processes, its results in the same order as in one.

Fixtures go out in small batches, and few batches are out at a time, so memory does not grow with their number.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TYPE_CHECKING, Final

from . import runner
from .errors import ToolreelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from .discovery import Plan

# Fixtures of one message to a worker: enough to make its cost small, few enough to keep all workers busy at the end.
BATCH: Final = 32
# Batches of each worker that are out or waiting for their turn in the report.
AHEAD: Final = 3


def replay(plan: Plan, options: runner.Options, *, jobs: int) -> Iterator[runner.Result]:
    """As `runner.replay`, by `jobs` processes. No socket: they are forked or spawned, and talk through pipes."""
    # Where fork is the tradition it is quick and safe here, in a process of one thread. The default of newer Pythons,
    # a server for forks, would listen on a local socket.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    broken = False
    waiting: deque[Future[list[runner.Result]]] = deque()
    with ProcessPoolExecutor(max_workers=jobs, mp_context=context, initializer=_left_to_the_parent) as pool:
        try:
            for batch in _batches(plan.fixtures):
                waiting.append(pool.submit(_batch, batch, options))
                if len(waiting) >= jobs * AHEAD:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        except BrokenProcessPool:
            broken = True
        finally:
            for future in waiting:
                future.cancel()
    if broken:
        raise ToolreelError("--jobs: a worker process was killed, for lack of memory perhaps; try fewer: --jobs 1")
    yield from runner.orphans(plan.orphans, options)


def _left_to_the_parent() -> None:
    """Ctrl-C reaches every process of the terminal; the parent alone answers, and the workers end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _batches(fixtures: Sequence[Path]) -> Iterator[list[Path]]:
    rest = iter(fixtures)
    while batch := list(islice(rest, BATCH)):
        yield batch


def _batch(paths: list[Path], options: runner.Options) -> list[runner.Result]:
    return list(runner.fixtures(paths, options))

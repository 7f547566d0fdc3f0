"""The processes that a command runs in, as its option `--jobs` says: how many, how they start, and what ends a run."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from replay.errors import ToolreelError

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

# The module that talks to an object store, once a path of the run has led there.
_STORE: Final = "replay.store.objects"


def number(text: str, *, most: int) -> int:
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


def killed(_: Exception) -> ToolreelError:
    """The error about a process that has gone."""
    return ToolreelError("--jobs: a worker process was killed, for lack of memory perhaps; try fewer: --jobs 1")

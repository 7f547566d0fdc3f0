"""The turns of one adapter, shared out among several processes, each of which drives a process of the adapter.

For example, with three of them the first is asked for the turns 0, 3, 6, the second for 1, 4, 7, the third for 2, 5, 8.
What is heard comes back in the order of the turns. This process takes the first share itself.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from replay import processes
from replay.errors import ToolreelError, translated

from .box import system
from .turns import Driver, Telling

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.connection import Connection

    from replay.serve.cutting import Cuts

    from .outcomes import Heard
    from .processes.adapter_command import Adapter
    from .turns import Detail, Turn

# Turns that another process is worth: it has to start, and its client in it, which takes as long as some turns.
FEWEST: Final = 8


class Crew:
    """One adapter, asked for turns by so many processes, where there are turns enough. `driver` is that of this one."""

    def __init__(self, adapter: Adapter, *, cuts: Cuts, seconds: float, telling: Telling, jobs: int) -> None:
        self._share: Final = _Share(adapter=adapter, cuts=cuts, seconds=seconds, detail=telling.detail)
        self._telling: Final = telling
        self._jobs: Final = jobs
        self.driver: Final = Driver(adapter, cuts=cuts, seconds=seconds, telling=telling)

    def heard(self, turns: Sequence[Turn]) -> list[Heard]:
        """What the adapter makes of each turn."""
        number = max(1, min(self._jobs, len(turns) // FEWEST))
        first, *rest = (turns[at::number] for at in range(number))
        others: list[_Other] = []
        try:
            others += (_Other(replace(self._share, turns=tuple(share))) for share in rest)
            told = [self.driver.heard(first), *(other.heard(self._telling) for other in others)]
        finally:
            for other in others:
                other.end()
        return [told[at % number][at // number] for at in range(len(turns))]

    def end(self) -> None:
        """End what is left of the adapter's process."""
        self.driver.end()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Share:
    """What another process is asked for, and how."""

    adapter: Adapter
    cuts: Cuts
    seconds: float
    detail: Detail
    turns: tuple[Turn, ...] = ()

    def heard(self, lines: list[str]) -> list[Heard]:
        """What the adapter makes of the turns; what is to be said goes to `lines`."""
        telling = Telling(say=lines.append, detail=self.detail)
        driver = Driver(self.adapter, cuts=self.cuts, seconds=self.seconds, telling=telling)
        try:
            return driver.heard(self.turns)
        finally:
            driver.end()


class _Other:
    """Another process, with its share."""

    def __init__(self, share: _Share) -> None:
        # Not forked: a copy of this process would hold the pipes of its adapter open.
        context = multiprocessing.get_context("spawn")
        self._answers, answers = context.Pipe(duplex=False)
        with answers:
            self._process = context.Process(target=_drive, args=(share, answers))
            self._process.start()

    def heard(self, telling: Telling) -> list[Heard]:
        """What it has heard, once it has heard everything."""
        with translated(EOFError, processes.killed):
            lines, found = self._answers.recv()
        for line in lines:
            telling.say(line)
        if isinstance(found, ToolreelError):
            raise found
        return list(found)

    def end(self) -> None:
        """End it, and with it the adapter's process, which ends where nobody asks it any more."""
        self._process.terminate()
        self._process.join()
        self._answers.close()


def _drive(share: _Share, answers: Connection) -> None:
    """Run the other process: hear everything, and answer once."""
    processes.leave_signals()
    system.hide_memory()
    with contextlib.suppress(OSError):
        system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
    lines: list[str] = []
    found: list[Heard] | ToolreelError
    try:
        found = share.heard(lines)
    except ToolreelError as error:
        found = error
    with contextlib.suppress(OSError):  # whoever asked may be gone
        answers.send((lines, found))

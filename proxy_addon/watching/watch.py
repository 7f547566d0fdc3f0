"""The watch: it looks at the parts of a recorder that runs, and gives their numbers. Any thread may ask it.

The parts count for themselves, each under its own lock or on its own thread. So a capture that moves from one to the
next while they are looked at can be counted twice, or not at all, and the watch looks again before it says so.
"""

import errno
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from proxy_addon.watching.numbers import FULL, Disk, Numbers, Phase, Room
from proxy_addon.writing.finished import Budget
from proxy_addon.writing.histogram import Buckets, Histogram
from proxy_addon.writing.outcomes.counts import Counts
from proxy_addon.writing.outcomes.journal import Journal
from proxy_addon.writing.waiting import Waiting

# How often, and after which pauses, a sum that does not add up is looked at again.
_LOOKS: Final = 10
_PAUSE_SECONDS: Final = 0.02

# In seconds, for what should be well under a millisecond.
DELAYS: Final = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What an event loop noted in some time, as one process tells it another. `held` is what its captures hold now."""

    received: Mapping[str, int]
    chunk_delay: Buckets
    loop_delay: Buckets
    held: int
    process: int


class Passing:
    """What the event loop notes of the bytes that pass through it."""

    def __init__(self) -> None:
        self.chunk_delay: Final = Histogram(DELAYS)
        self.loop_delay: Final = Histogram(DELAYS)
        self.received: Final = {"client": 0, "provider": 0}

    def taken(self, *, held: int) -> Passage:
        """What was noted since it was taken the last time. Called on the event loop."""
        received = dict(self.received)
        self.received.update(dict.fromkeys(received, 0))
        chunks, loops = self.chunk_delay.taken(), self.loop_delay.taken()
        return Passage(received=received, chunk_delay=chunks, loop_delay=loops, held=held, process=os.getpid())

    def add(self, other: Passage) -> None:
        """Note what another process noted. Called by one thread at a time."""
        for sender, size in other.received.items():
            self.received[sender] += size
        self.chunk_delay.add(other.chunk_delay)
        self.loop_delay.add(other.loop_delay)


class Watch:
    """Looks at a recorder. `receiving`, `phase` and `workers` are set when its parts are there.

    `may_hold` is the bound of what all captures hold, in bytes. Where other processes carry the traffic, `workers` are
    what each of them said last.
    """

    def __init__(
        self,
        *,
        counts: Counts,
        budget: Budget,
        journal: Journal,
        waiting: Waiting[Any],
        redaction: Callable[[], Iterable[int]],
        folder: Path,
        may_hold: int,
    ) -> None:
        self._counts: Final = counts
        self._budget: Final = budget
        self._journal: Final = journal
        self._waiting: Final = waiting
        self._redaction: Final = redaction
        self._folder: Final = folder
        self._may_hold: Final = may_hold
        self.passing: Final = Passing()
        self.receiving: Callable[[], int] = lambda: 0
        self.phase: Callable[[], Phase] = lambda: Phase.STARTING
        self.workers: Callable[[], Sequence[Passage]] = lambda: ()

    def numbers(self) -> Numbers:
        """The numbers now, or a moment later, when a capture that was on its way between two parts has come there."""
        for _ in range(_LOOKS - 1):
            found = self._look()
            if found.unaccounted == 0:
                return found
            time.sleep(_PAUSE_SECONDS)
        return self._look()

    def _look(self) -> Numbers:
        workers = self.workers()
        return Numbers(
            phase=self.phase(),
            totals=self._counts.totals(),
            receiving=self.receiving(),
            queued=self._waiting.length,
            queued_bytes=self._waiting.size,
            oldest=self._waiting.age,
            held=self._budget.limit - self._budget.left + sum(worker.held for worker in workers),
            may_hold=self._may_hold,
            received=dict(self.passing.received),
            chunk_delay=self.passing.chunk_delay.buckets(),
            loop_delay=self.passing.loop_delay.buckets(),
            writer_lag=self._waiting.lag.buckets(),
            lines_lost=self._journal.lost,
            redaction_memory=sum(map(memory_of, self._redaction())),
            workers_memory=sum(memory_of(worker.process) for worker in workers),
            room=room_in(self._folder),
        )


def memory_of(process: int) -> int:
    """The memory that a process has, in bytes; 0 where the system does not say it in /proc."""
    try:
        pages = Path(f"/proc/{process}/statm").read_text("ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def room_in(folder: Path) -> Room:
    """The state of a folder and of its disk."""
    try:
        found = os.statvfs(folder)
    except OSError as error:
        return Room(disk=Disk.GONE if error.errno == errno.ENOENT else Disk.CLOSED, free=0)
    free = found.f_bavail * found.f_frsize
    if not os.access(folder, os.W_OK | os.X_OK):
        return Room(disk=Disk.CLOSED, free=free)
    full = free < FULL or (found.f_files > 0 and found.f_favail == 0)
    return Room(disk=Disk.FULL if full else Disk.GOOD, free=free)

"""The numbers of a recorder that runs, at one moment, and whether they add up. Plain values; no socket, no mitmproxy.

The sum rule: each turn that was seen is written, of the same shape, left out, refused, dropped or no turn after all, or
it is on its way: still received, or handed to the writer. What is in none of these is lost, and that is a bug.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from proxy_addon.writing.histogram import Buckets
from proxy_addon.writing.outcomes.counts import Totals
from proxy_addon.writing.outcomes.settled import How


class Phase(Enum):
    """Where a recorder is between its start and its end."""

    STARTING = "starting"
    READY = "ready"
    DRAINING = "draining"


class Disk(Enum):
    """The state of the folder of fixtures."""

    GOOD = "ok"
    FULL = "full"
    CLOSED = "not writable"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The folder of fixtures: its state, and the bytes that its disk has left."""

    disk: Disk
    free: int


# How each outcome is told. What was seen as a turn and passed is none.
OUTCOMES: Final[Mapping[How, str]] = {**{how: how.value for how in How}, How.PASSED: "no_turn"}

# The bound at which a disk counts as full: a large fixture has no room then.
FULL: Final = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """All that is told of a recorder. Sizes are in bytes, times in seconds."""

    phase: Phase
    totals: Totals
    receiving: int  # turns whose stream has not ended, or whose number in their case is not known
    queued: int  # captures that the writer has, or redaction
    queued_bytes: int
    oldest: float  # since the oldest of them was handed over
    held: int  # by all captures
    may_hold: int
    received: Mapping[str, int]  # bytes, by who sent them
    chunk_delay: Buckets
    loop_delay: Buckets
    writer_lag: Buckets
    lines_lost: int
    redaction_memory: int
    workers_memory: int  # of the processes that carry traffic, where that are others
    room: Room

    @property
    def settled(self) -> Mapping[How, int]:
        """How many captures were settled in each way."""
        found = dict.fromkeys(How, 0)
        for outcome, count in self.totals.outcomes.items():
            found[outcome.how] += count
        return found

    @property
    def seen(self) -> int:
        """How many turns were seen."""
        return sum(self.totals.seen.values())

    @property
    def unaccounted(self) -> int:
        """How many turns were seen, and neither settled nor are on their way. 0 where the sum rule holds."""
        return self.seen - sum(self.totals.outcomes.values()) - self.receiving - self.queued

    @property
    def healthy(self) -> bool:
        """Whether the recorder takes requests, and accounts for every turn."""
        return self.phase is Phase.READY and self.unaccounted == 0


def health(numbers: Numbers) -> dict[str, object]:
    """What `/healthz` says."""
    settled = {OUTCOMES[how]: count for how, count in numbers.settled.items()}
    return {
        "healthy": numbers.healthy,
        "ready": numbers.phase is Phase.READY,
        "draining": numbers.phase is Phase.DRAINING,
        "captures": {
            "seen": numbers.seen,
            **settled,
            "receiving": numbers.receiving,
            "queued": numbers.queued,
            "unaccounted": numbers.unaccounted,
        },
        "queue": {
            "length": numbers.queued,
            "bytes": numbers.queued_bytes,
            "oldest_seconds": round(numbers.oldest, 3),
            "held_bytes": numbers.held,
            "max_memory_bytes": numbers.may_hold,
        },
        "disk": {"state": numbers.room.disk.value, "free_bytes": numbers.room.free},
    }

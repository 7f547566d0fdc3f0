"""How many cores this process may use: those of the machine, less what its owner or its container takes away."""

import contextlib
import os
from pathlib import Path
from typing import Final

# Each redaction process has some 60 MB, and four of them keep pace with more turns than one event loop can carry.
MOST_REDACTORS: Final = 4

# Where Linux says how much processor time a container may have: microseconds in a period of so many microseconds.
_QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")


def cores(quota: Path = _QUOTA) -> int:
    """The cores that this process may use, 1 at least."""
    found = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with contextlib.suppress(OSError, ValueError, ZeroDivisionError):
        allowed, _, period = quota.read_text("ascii").partition(" ")
        found = min(found, int(allowed) // int(period))  # `max` where there is no quota
    return max(found, 1)


def redactors(found: int) -> int:
    """As many redaction processes as so many cores allow, where one of them is left to the traffic."""
    return min(max(found - 1, 1), MOST_REDACTORS)

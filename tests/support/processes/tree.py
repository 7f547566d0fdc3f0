"""A process with all that it has started, as /proc knows them, for figures about the whole of a recorder."""

import contextlib
from pathlib import Path

from support.processes import load


def tree(pid: int) -> list[int]:
    """The process, its children, their children and so on."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found = [pid]
    for one in found:
        found.extend(child for child, parent in parents.items() if parent == one)
    return found


def cpu_seconds(pid: int) -> float:
    """What all of them have used so far; nothing of those that have ended."""
    return sum(load.cpu_seconds(one) for one in tree(pid))

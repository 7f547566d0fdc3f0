"""Processes whose parent is killed: whether they end too."""

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Final

SECONDS: Final = 30


def outlive(process: subprocess.Popen[bytes], pids: Path) -> list[int]:
    """End `process` once there is a line of process ids in the file `pids`; those that are still there in the end."""
    until = time.monotonic() + SECONDS
    while not (pids.exists() and pids.read_text().endswith("\n")):
        assert time.monotonic() < until, "the adapter was not run"
        time.sleep(0.02)
    found = [int(word) for word in pids.read_text().split()]
    assert all(map(_runs, found))
    process.kill()
    assert process.wait(SECONDS) == -signal.SIGKILL
    until = time.monotonic() + SECONDS
    while any(map(_runs, found)) and time.monotonic() < until:
        time.sleep(0.02)
    left = [pid for pid in found if _runs(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # One that has ended and that nobody has waited for is not running.
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"

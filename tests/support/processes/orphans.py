"""Processes whose parent is killed: whether they end too."""

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Final

import pytest

SECONDS: Final = 30
_PROC: Final = Path("/proc/self/stat").exists()


def outlive(process: subprocess.Popen[bytes], folder: Path, *, count: int = 1) -> list[int]:
    """End `process` once so many drivers of adapters run in `folder`; those that are still there in the end.

    They may live in a namespace of their own, so they are looked for from here: by the folder that they work in.
    """
    found = wait_for(folder, count=count)
    process.kill()
    assert process.wait(SECONDS) == -signal.SIGKILL
    until = time.monotonic() + SECONDS
    while any(map(runs, found)) and time.monotonic() < until:
        time.sleep(0.02)
    left = [pid for pid in found if runs(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left


def wait_for(folder: Path, *, count: int) -> list[int]:
    """The drivers of adapters that run in `folder`, once there are so many."""
    if not Path("/proc/self/cwd").exists():
        pytest.skip("there is no /proc to find the processes in")
    until = time.monotonic() + SECONDS
    while len(found := _drivers(folder)) < count:
        assert time.monotonic() < until, "the adapter was not run"
        time.sleep(0.02)
    return found


def _drivers(folder: Path) -> list[int]:
    """The processes in that folder that run a driver, and those that an adapter forked from one."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cwd").readlink() == folder.resolve():
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if any(word.endswith((b"driver.py", b"driver.cjs")) for word in words[1:2]):
                    found.append(int(entry.name))
        except OSError:
            continue
    return found


def runs(pid: int) -> bool:
    """Whether a process with this number runs: one that has ended and that nobody has waited for does not."""
    try:
        os.kill(pid, 0)
        return not _PROC or ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (ProcessLookupError, FileNotFoundError):  # it may end while we look
        return False

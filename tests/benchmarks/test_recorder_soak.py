"""A soak: a recorder at the highest rate that the machine holds, with all that goes amiss in weeks, in minutes.

A hundred streams at a time, some cut by the provider, some by the client; the recorder starts anew, and its disk is
full for a while in each of its lives. Every turn is accounted for, what has room again is written, and the memory stays
flat.

At night for half a minute, and for as long as you say:

    TOOLREEL_SOAK=300 pytest tests/benchmarks/test_recorder_soak.py -s
"""

import os
import random
import statistics
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import request
from support.nightly import NIGHTLY
from support.processes import load
from support.processes.recorder import Recorder
from support.processes.tree import tree
from support.sockets.wire import post

RECORDED: Final = "/openai/v1/chat/completions"
SECONDS: Final = float(os.environ.get("TOOLREEL_SOAK", "30"))
LIVES: Final = 3
AT_ONCE: Final = 100
MAY_DROP: Final = {"writer behind, queue full", "file not written (ENOSPC)", "captures over --max-memory"}

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.nightly,
    pytest.mark.timeout(7200),
    pytest.mark.skipif(
        "TOOLREEL_SOAK" not in os.environ and not NIGHTLY, reason="a soak, at night or with TOOLREEL_SOAK=SECONDS"
    ),
]


@contextmanager
def a_disk(folder: Path) -> Iterator[Path]:
    """A small file system of its own, of which a file takes all the room while it is there."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted here (needs root and the right to mount)")
    try:
        yield folder / "filler"
    finally:
        subprocess.run(["umount", "-l", folder], check=False, capture_output=True)


def fill(filler: Path) -> None:
    with filler.open("wb") as file:
        try:
            while True:
                file.write(bytes(1 << 20))
                file.flush()
        except OSError:
            pass
    with filler.open("ab", buffering=0) as file:
        try:
            while True:
                file.write(bytes(512))
        except OSError:
            pass


class Waves:
    """The clients: wave after wave of streams, of which the sequence is always the same."""

    def __init__(self) -> None:
        self._chance: Final = random.Random(7)
        self.sent = 0
        self._cases = 0

    def send(self, port: int) -> None:
        """One wave; every tenth turn has a case of its own, and so a file."""
        connections, leaving = [], []
        for _ in range(AT_ONCE):
            kind = self._chance.random()
            turns = 1 if kind < 0.3 else self._chance.randrange(1, 4)
            connections.append([self._turn(("X-Cut: 1",) if kind < 0.15 else ()) for _ in range(turns)])
            leaving.append(2 if 0.15 <= kind < 0.3 else None)
            self.sent += turns
        load.run(port, connections, leave_after=leaving)

    def _turn(self, cut: tuple[str, ...]) -> bytes:
        case: tuple[str, ...] = ()
        if self._chance.random() < 0.1:
            self._cases += 1
            case = (f"X-Toolreel-Case: case-{self._cases}",)
        chunks = f"X-Chunks: {self._chance.randrange(4, 80)}"
        return post(RECORDED, request(), chunks, "X-Pace: 0", *cut, *case, close=False)


def soaked(recorder: Recorder, waves: Waves, filler: Path, seconds: float) -> list[float]:
    """Waves for so long, in the middle third on a full disk; the memory of the recorder after each."""
    start, memory = time.monotonic(), []
    while (over := (time.monotonic() - start) / seconds) < 1 or len(memory) < 3:
        full = 1 / 3 <= over < 2 / 3 or len(memory) == 1
        if full and not filler.exists():
            fill(filler)
        elif not full:
            filler.unlink(missing_ok=True)
        waves.send(recorder.port)
        memory.append(sum(load.memory(pid) for pid in tree(recorder.process.pid)))
    filler.unlink(missing_ok=True)
    return memory


def accounted(summary: dict[str, Any], sent: int) -> Counter[str]:
    """The outcomes of one life, which are as many as the turns that were sent."""
    outcomes = Counter(written=int(summary["written"]), same_shape=int(summary["same_shape"]))
    for part in ("left_out", "refused", "dropped"):
        outcomes.update(summary[part])
    assert outcomes.total() == summary["captured"] == sent, summary
    assert (summary["bugs"], summary["refused"], summary["left_out"]) == ({}, {}, {})
    assert set(summary["dropped"]) <= MAY_DROP
    return outcomes


@pytest.mark.parametrize("workers", [1, 2])
def test_a_soak_ends_with_every_turn_accounted_for_and_flat_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], workers: int
) -> None:
    totals: Counter[str] = Counter()
    waves, sent = Waves(), 0
    with load.provider() as provider, a_disk(tmp_path / "out") as filler:
        options = (f"--upstream=openai=http://127.0.0.1:{provider}", "--log=none", f"--workers={workers}")
        for _ in range(LIVES):
            with Recorder(tmp_path / "out", *options) as recorder:
                start = time.monotonic()
                memory = soaked(recorder, waves, filler, SECONDS / LIVES)
                rate = (waves.sent - sent) / (time.monotonic() - start)
                summary: dict[str, Any] = recorder.stop()
            totals += accounted(summary, waves.sent - sent)
            sent = waves.sent
            with capsys.disabled():
                print(
                    f"\n  {workers} workers, {rate:.0f} turns a second, MiB in all: {memory[0]:.0f} … {memory[-1]:.0f}"
                )
            if len(memory) >= 9:
                third = len(memory) // 3
                early, late = statistics.median(memory[third : 2 * third]), statistics.median(memory[-third:])
                assert late < early * 1.2 + 32
        files = sorted((tmp_path / "out").glob("*.json"))
        assert len(files) == totals["written"]
        assert totals["file not written (ENOSPC)"] > 0
        assert not list((tmp_path / "out").glob(".toolreel-[0-9]*"))
    with capsys.disabled():
        print(f"  soak: {sent} turns, {dict(totals)}")

"""A replay on a real cluster: a scheduler and workers of dask.distributed as processes, started and stopped here."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from support.nightly import nightly
from support.processes.command import environment, run
from support.shared import ROOT

pytest.importorskip("distributed", reason="distributed is not installed")

CASES: Final = ROOT / "tests" / "data" / "cases"
PATIENCE: Final = 90.0
# What another version of the rules is, to the one that asks.
_OTHER: Final = (
    "import replay.validator, sys; replay.validator.RULES = 0; from distributed.cli.dask_worker import main; main()"
)


def _started(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, *words], env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def _worker(address: str, *before: str) -> subprocess.Popen[bytes]:
    return _started(
        *(before or ("-m", "distributed.cli.dask_worker")), address, "--nthreads=1", "--no-nanny", "--no-dashboard"
    )


def _port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _stopped(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(5)
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """A scheduler that answers, and no worker."""
    port = _port()
    words = ("-m", "distributed.cli.dask_scheduler", "--host=127.0.0.1", f"--port={port}", "--no-dashboard")
    process = _started(*words)
    try:
        end = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert time.monotonic() < end
            time.sleep(0.1)
        yield f"tcp://127.0.0.1:{port}"
    finally:
        _stopped(process)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Some fixtures with their pins, one of which differs, and one that is no fixture."""
    monkeypatch.chdir(tmp_path)
    Path("reels").mkdir()
    for path in sorted(CASES.glob("anthropic-*.json"))[:40]:
        shutil.copy(path, "reels")
    shutil.copytree("reels", "some")
    Path("reels/zz.json").write_text("{")
    return tmp_path


def report(*options: str) -> tuple[int, list[object]]:
    """The exit code, and the results in their order."""
    done = run("replay", str(Path("reels").absolute()), "--report", "json", *options)
    assert done.stderr == "", done.stderr
    return done.returncode, json.loads(done.stdout)["results"]


def test_a_cluster_without_a_worker_is_one_clear_line(scheduler: str) -> None:
    done = run("replay", "reels", "--dask", scheduler)
    assert (done.returncode, done.stderr) == (
        2,
        f"Error: --dask {scheduler}: the scheduler has no worker; start some with: dask worker ADDRESS\n",
    )


@nightly  # a scheduler has 20 seconds to come up
def test_a_scheduler_that_is_not_there_is_one_clear_line() -> None:
    nobody = run("replay", "reels", "--dask", "tcp://127.0.0.1:9")
    assert nobody.returncode == 2
    assert nobody.stderr.startswith("Error: --dask tcp://127.0.0.1:9: no scheduler answers there; ")
    assert nobody.stderr.count("\n") == 1


def test_the_results_are_those_of_one_process_and_a_killed_worker_costs_none(scheduler: str, folder: Path) -> None:
    mine = [_worker(scheduler) for _ in range(2)]
    try:
        _until(scheduler, 2)
        assert report("--dask", scheduler) == report()
        for number in range(6):
            shutil.copytree("some", f"reels/copy-{number}")
        killer = threading.Timer(1.5, lambda: os.kill(mine[0].pid, signal.SIGKILL))
        killer.start()
        assert report("--dask", scheduler) == report()
        killer.join()
    finally:
        for process in mine:
            _stopped(process)
    assert folder.exists()


def test_a_worker_with_other_rules_is_named_before_anything_is_judged(scheduler: str) -> None:
    other = _worker(scheduler, "-c", _OTHER)
    try:
        _until(scheduler, 1)
        done = run("replay", "reels", "--dask", scheduler)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert "with version 0 of the rules" in done.stderr
        assert "install the same there" in done.stderr
    finally:
        _stopped(other)


def _until(address: str, number: int) -> None:
    """Wait until the scheduler has exactly so many workers."""
    import distributed

    with distributed.Client(address, set_as_default=False) as client:
        end = time.monotonic() + PATIENCE
        while len(client.scheduler_info(n_workers=-1)["workers"]) != number:
            assert time.monotonic() < end
            time.sleep(0.1)

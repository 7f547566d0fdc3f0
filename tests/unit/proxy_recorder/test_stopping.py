"""The signals of the recorder, counted; and in a process of its own, sent."""

import signal
import subprocess
import sys
import time

import pytest
from support.processes.command import PATIENCE, environment

from proxy_addon.recorder.stopping import Stopping


@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_signal_asks_and_the_second_asks_at_once(first: int, second: int) -> None:
    stopping = Stopping()
    stopping.signal(first)
    assert (stopping.asked.is_set(), stopping.at_once.is_set()) == (True, False)
    stopping.signal(second)
    assert stopping.at_once.is_set()


def test_a_terminal_that_closes_twice_does_not_ask_at_once() -> None:
    stopping = Stopping()
    for _ in range(3):
        stopping.signal(signal.SIGHUP)
    assert (stopping.asked.is_set(), stopping.at_once.is_set()) == (True, False)


PROCESS = """
import asyncio, sys, time
from proxy_addon.recorder.stopping import Stopping
stopping = Stopping(late_seconds=float(sys.argv[1]))
async def run():
    with stopping.listening():
        print("ready", flush=True)
        await stopping.asked.wait()  # nothing else wakes this loop
asyncio.run(run())
print("over", flush=True)
time.sleep(float(sys.argv[2]))
stopping.ignore()
print("done", flush=True)
sys.stdin.read()
"""


def started(*arguments: str, before: str = "", process: str = PROCESS) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", before + process, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_wakes_the_loop_and_none_behind_it_changes_anything(number: int) -> None:
    with started("60", "0.2") as process:
        assert line(process) == "ready"
        process.send_signal(number)
        assert line(process) == "over"
        process.send_signal(number)
        assert line(process) == "done"
        process.send_signal(number)
        assert process.communicate(timeout=PATIENCE) == ("", "")
    assert process.returncode == 0


def test_who_asks_much_later_ends_what_hangs() -> None:
    with started("0.1", "3600") as process:
        assert line(process) == "ready"
        process.terminate()
        assert line(process) == "over"
        while process.poll() is None:
            process.terminate()
            time.sleep(0.5)  # while an interpreter ends, one more signal does what it does by default
    assert process.returncode == 143


def test_a_process_that_is_to_outlive_its_terminal_does() -> None:
    ignoring = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
    with started("60", "0", before=ignoring) as process:
        assert line(process) == "ready"
        process.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        assert process.poll() is None
        process.terminate()
        assert (line(process), line(process)) == ("over", "done")
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


@pytest.mark.parametrize("handling", ["SIG_DFL", "SIG_IGN"], ids=["at a terminal", "with nohup"])
def test_a_hang_up_opens_a_log_file_anew_in_every_phase_and_ends_nothing(handling: str) -> None:
    before = f"import signal; signal.signal(signal.SIGHUP, signal.{handling})\n"
    reopening = PROCESS.replace("async def", 'stopping.reopen = lambda: print("anew", flush=True)\nasync def', 1)
    early = reopening.replace(
        "asyncio.run(", 'stopping.note()\nprint("noted", flush=True)\ntime.sleep(0.5)\nasyncio.run(', 1
    )
    with started("60", "0.5", before=before, process=early) as process:
        for phase in ("noted", "ready"):
            assert line(process) == phase
            process.send_signal(signal.SIGHUP)
            assert line(process) == "anew"
        process.terminate()
        assert line(process) == "over"
        process.send_signal(signal.SIGHUP)
        assert line(process) == "anew"
        assert (line(process), process.communicate(timeout=PATIENCE)) == ("done", ("", ""))
    assert process.returncode == 0

"""`toolreel diff --jobs`: several processes report what a single one does, and end with the command."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Final

import pytest
from support import shared
from support.builders import verdicts
from support.processes import command, orphans

from replay.diff.crew import FEWEST

KINDS: Final = shared.ROOT / "tests" / "support" / "kinds.py"
# Enough for three processes.
COUNT: Final = 3 * FEWEST + 1


def fixture(number: int) -> bytes:
    """A turn of one call. Every fifth is cut off, and the seventh calls the tool at which some adapters die."""
    tool = "dies" if number == 7 else "say"
    call = verdicts.call('{"text": "hi"}', slot=0, identity=f"call_{number}", name=tool)
    end = [] if number % 5 == 0 else [verdicts.chunk({}, "tool_calls")]
    return verdicts.fixture(verdicts.chunk(call), *end, tool_schemas={tool: {}})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "reels").mkdir()
    for number in range(COUNT):
        (tmp_path / "reels" / f"{number:02}.json").write_bytes(fixture(number))
    shutil.copy(KINDS, tmp_path / "kinds.py")
    return tmp_path


def diff(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return command.run("diff", "reels", "--timeout", "3", *arguments, folder=folder)


def test_several_processes_report_the_same_in_the_same_order(folder: Path) -> None:
    chosen = [
        word for name in ("faithful", "eager", "second_dies_third_hangs") for word in ("--adapter", f"kinds:{name}")
    ]
    one = diff(folder, *chosen, "--report", "json")
    two = diff(folder, *chosen, "--report", "json", "--jobs", "3")
    assert one.returncode == 1
    assert all(f'"observed": "{outcome}"' in one.stdout for outcome in ("agree", "unsafe", "crash"))
    assert (two.returncode, two.stdout, two.stderr) == (one.returncode, one.stdout, one.stderr)


def test_the_outcomes_that_are_pinned_are_the_same(folder: Path) -> None:
    first, second = folder / "reels", folder / "others"
    shutil.copytree(first, second)
    assert diff(folder, "--adapter", "kinds:eager", "--update", "--in-ci").returncode == 0
    first.rename(folder / "kept")
    second.rename(first)
    assert diff(folder, "--adapter", "kinds:eager", "--update", "--in-ci", "--jobs", "2").returncode == 0
    kept = {path.name: path.read_bytes() for path in (folder / "kept").iterdir()}
    assert len(kept) == 2 * COUNT
    assert {path.name: path.read_bytes() for path in first.iterdir()} == kept


def test_what_each_process_has_to_tell_is_told(folder: Path) -> None:
    done = diff(folder, "--adapter", "kinds:noisy", "--debug", "--jobs", "3")
    for number in range(COUNT):
        assert f"debug: kinds:noisy, reels/{number:02}.json: served to POST " in done.stderr


@pytest.mark.parametrize("jobs", ["0", "two", "1025"])
def test_a_number_of_processes_that_is_none_is_refused_in_words(jobs: str, folder: Path) -> None:
    done = diff(folder, "--adapter", "kinds:faithful", "--jobs", jobs)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"Error: --jobs {jobs}: must be an integer from 1 to 1024, or auto\n"


def begun(folder: Path) -> tuple[subprocess.Popen[bytes], Path]:
    """A run in three processes whose adapter hangs, and the folder of its temporary files."""
    scratch = folder / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [*command.TOOLREEL, "diff", "reels", "--adapter", "kinds:hanging", "--timeout", "60", "--jobs", "3"],
        cwd=folder,
        env={**command.environment(), "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    return process, scratch


def emptied(scratch: Path) -> bool:
    until = time.monotonic() + orphans.SECONDS
    while any(scratch.iterdir()) and time.monotonic() < until:
        time.sleep(0.05)
    return not any(scratch.iterdir())


def test_a_run_that_is_killed_leaves_no_process_and_no_file(folder: Path) -> None:
    process, scratch = begun(folder)
    assert orphans.outlive(process, folder, count=3) == []
    process.communicate(timeout=30)
    assert emptied(scratch)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_is_ended_says_nothing_more_and_leaves_nothing(number: int, code: int, folder: Path) -> None:
    process, scratch = begun(folder)
    orphans.wait_for(folder, count=3)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # as a terminal does
    else:
        process.send_signal(number)
    said, told = process.communicate(timeout=30)
    assert (process.returncode, said) == (code, b"")
    assert b"Traceback" not in told
    assert emptied(scratch)

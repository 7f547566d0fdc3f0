"""A recorder that writes its lines into a file: which is opened anew when it was renamed, without a line lost."""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request
from support.processes.command import PATIENCE, run
from support.processes.recorder import Recorder
from support.sockets.provider import Answer, Provider
from support.sockets.wire import ask, post

CHAT: Final = "/openai/v1/chat/completions"
EXAMPLE: Final = Path(__file__).parents[3] / "docs" / "examples" / "service" / "toolreel.logrotate"
TURN: Final = (*call('{"city": "Oslo"}'), DONE)


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def numbers(*files: Path) -> list[int]:
    return [json.loads(line)["number"] for file in files for line in file.read_text().splitlines()]


def test_a_file_that_is_renamed_is_opened_anew_and_no_line_is_lost(tmp_path: Path) -> None:
    log = tmp_path / "toolreel.log"
    renamed = [tmp_path / f"toolreel.log.{number}" for number in range(4)]
    options = ("--log", "json", "--log-file", str(log))
    with (
        Provider(Answer(pieces=TURN)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", *options) as recorder,
    ):
        for old in renamed:
            for _ in range(3):
                ask(recorder.port, post(CHAT, request()))
            until(lambda: log.stat().st_size > 0)
            log.rename(old)  # while further lines may be on their way
            ask(recorder.port, post(CHAT, request()))
            recorder.signal(signal.SIGHUP)
            until(log.exists)
        ask(recorder.port, post(CHAT, request()))
        summary = recorder.stop()
    assert (summary["captured"], summary["lines_lost"]) == (17, 0)
    assert numbers(*renamed, log) == list(range(1, 18))
    assert all(numbers(file) for file in renamed)
    assert recorder.errors == ""
    assert stat.S_IMODE(log.stat().st_mode) & ~0o640 == 0


@pytest.mark.skipif(shutil.which("logrotate") is None, reason="logrotate is not installed")
def test_logrotate_takes_the_example_and_rotates_the_file_of_a_recorder(tmp_path: Path) -> None:
    log, settings = tmp_path / "toolreel.log", tmp_path / "toolreel.logrotate"
    with Recorder(tmp_path / "out", "--log-file", str(log)) as recorder:
        ask(recorder.port, post("/nowhere", b""))
        until(lambda: log.stat().st_size > 0)
        text = EXAMPLE.read_text().replace("/var/log/toolreel/toolreel.log", str(log))
        text, signals = re.subn(r"systemctl kill .+", f"kill -HUP {recorder.process.pid}", text)
        assert signals == 1
        settings.write_text(text)
        settings.chmod(0o644)
        words = ("logrotate", "--force", "--state", tmp_path / "state", settings)
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        until(log.exists)
        ask(recorder.port, post("/openai/v1/files", b""))
        recorder.stop()
    assert "no upstream for the path" in (tmp_path / "toolreel.log.1").read_text()
    assert "openai: files: not recorded" in log.read_text()


def test_lines_go_to_the_end_of_a_file_and_stay_in_it_where_it_cannot_be_opened_anew(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    log = folder / "toolreel.log"
    log.write_text("before\n")
    with Recorder(tmp_path / "out", "--log-file", str(log)) as recorder:
        folder.rename(tmp_path / "old")
        for _ in range(2):  # it ends nothing, however often it comes
            recorder.signal(signal.SIGHUP)
        moved = tmp_path / "old" / log.name
        until(lambda: moved.read_text().count("\n") >= 2)
        recorder.stop(signal.SIGTERM)
    said = "toolreel: --log-file: cannot be opened anew (No such file or directory); lines go on into the old file"
    assert moved.read_text().splitlines()[:2] == ["before", said]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_not_be_written_is_an_error(tmp_path: Path) -> None:
    log = tmp_path / "toolreel.log"
    log.touch(0o400)
    done = run("record", "--out", tmp_path / "out", "--log-file", log)
    assert (done.returncode, "cannot be written (Permission denied)" in done.stderr) == (2, True)


def test_what_cannot_be_a_log_file_is_an_error_with_the_next_step(tmp_path: Path) -> None:
    for words, said in (
        (("--log-file", tmp_path), "cannot be written (Is a directory); name another file"),
        (("--log-file", tmp_path / "none" / "a.log"), "cannot be written (No such file or directory)"),
        (("--log-file", tmp_path / "a.log", "--log", "none"), "--log none writes no lines; leave one of the two out"),
    ):
        done = run("record", "--out", tmp_path / "out", *words)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr
        assert "Traceback" not in done.stderr

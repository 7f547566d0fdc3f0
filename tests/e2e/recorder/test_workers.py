"""Several workers on one port: one folder, one summary, and nothing that is lost when one of them dies."""

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request
from support.processes.command import PATIENCE, TOOLREEL, environment
from support.processes.recorder import Recorder
from support.sockets.provider import Answer, Provider, Wait
from support.sockets.wire import Client, ask, post

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a port is shared by copies of a process")

CHAT: Final = "/openai/v1/chat/completions"
TURN: Final = (*call('{"ci', 'ty": "Oslo"}'), DONE)


def parents() -> dict[int, int]:
    """The parent of each process."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            found[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    return found


def workers(recorder: Recorder) -> list[int]:
    """The workers: children of the template, which is the child of the recorder that has children of its own."""
    if not Path("/proc").exists():
        pytest.skip("no /proc on this system")
    of = parents()
    children = [pid for pid, parent in of.items() if parent == recorder.process.pid]
    return sorted(pid for pid, parent in of.items() if parent in children)


def until(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_two_workers_write_one_folder_in_which_each_shape_stands_once(tmp_path: Path) -> None:
    with (
        Provider(Answer(pieces=TURN)) as provider,
        Recorder(tmp_path / "out", f"--upstream=openai={provider.url}", "--workers=2", "--log=json") as recorder,
    ):
        assert len(workers(recorder)) == 2
        clients = [Client(recorder.port) for _ in range(8)]
        for client in clients:
            client.send(post(CHAT, request()))
        for client in clients:
            assert client.read_all().endswith(b"0\r\n\r\n")
            client.close()
        for number in range(3):
            ask(recorder.port, post(CHAT, request(), "X-Toolreel-Case: c", f"X-Turn: {number}"))
        ask(recorder.port, post(CHAT, request(), "X-Toolreel-Case: no case!"))
        ask(recorder.port, post("/openai/v1/embeddings", b"{}"))
        recorder.decisions(12)
        summary = recorder.stop()
        files = recorder.files()
    assert (summary["captured"], summary["written"], summary["same_shape"]) == (12, 4, 8)
    assert sorted(name for name in files if name.startswith("c")) == ["c+2.json", "c+3.json", "c.json"]
    assert (summary["bad_case_names"], summary["bugs"], summary["dropped"]) == (1, {}, {})
    assert summary["passed"] == {"path or method not recognised": 1}


def test_a_worker_that_dies_is_started_again_and_its_open_captures_are_counted(tmp_path: Path) -> None:
    waits = [Wait() for _ in range(4)]
    given = iter([*waits, None])

    def answer(_: object) -> Answer:
        wait = next(given, None)
        return Answer(pieces=TURN if wait is None else (TURN[0], wait, *TURN[1:]))

    with (
        Provider(answer) as provider,
        Recorder(tmp_path / "out", f"--upstream=openai={provider.url}", "--workers=2", "--log=json") as recorder,
    ):
        clients = [Client(recorder.port) for _ in waits]
        for client in clients:
            client.send(post(CHAT, request()))
            client.read_until(TURN[0])
        first = workers(recorder)
        for pid in first:
            os.kill(pid, signal.SIGKILL)
        until(lambda: len(now := workers(recorder)) == 2 and not set(now) & set(first))
        for wait in waits:
            wait.go.set()
        dropped = [line for line in recorder.decisions(6) if line["event"] == "dropped"]
        assert [line["why"] for line in dropped] == ["worker of the recorder ended"] * 4
        assert ask(recorder.port, post(CHAT, request())).endswith(b"0\r\n\r\n")
        for client in clients:
            client.close()
        summary = recorder.stop()
    assert (summary["captured"], summary["written"]) == (5, 1)
    assert summary["dropped"] == {"worker of the recorder ended": 4}


def test_a_second_recorder_does_not_join_the_port(tmp_path: Path) -> None:
    with Recorder(tmp_path / "out", "--workers=2") as recorder:
        done = subprocess.run(
            [*TOOLREEL, "record", "--out", tmp_path / "other", "--workers", "2", "--port", str(recorder.port)],
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert "is in use; name another" in done.stderr
        recorder.stop()


def test_live_streams_are_served_to_the_end_when_the_recorder_is_stopped(tmp_path: Path) -> None:
    wait = Wait()
    with (
        Provider(Answer(pieces=(TURN[0], wait, *TURN[1:]))) as provider,
        Recorder(tmp_path / "out", f"--upstream=openai={provider.url}", "--workers=2", "--drain=60") as recorder,
        Client(recorder.port) as client,
    ):
        client.send(post(CHAT, request()))
        client.read_until(TURN[0])
        recorder.signal()
        until(lambda: not listens(recorder.port))
        wait.go.set()
        assert client.read_all().endswith(b"0\r\n\r\n")
        assert recorder.ended() == 0
        summary = recorder.summary()
    assert (summary["captured"], summary["written"]) == (1, 1)


def listens(port: int) -> bool:
    """Whether a client is connected. One that is neither connected nor refused waits in vain, and is an error."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except ConnectionError:
        return False
    return True


def test_the_second_signal_ends_workers_at_once_and_a_killed_recorder_leaves_none(tmp_path: Path) -> None:
    with (
        Provider(Answer(pieces=(TURN[0], Wait()))) as provider,
        Recorder(tmp_path / "out", f"--upstream=openai={provider.url}", "--workers=2", "--drain=3600") as recorder,
        Client(recorder.port) as client,
    ):
        client.send(post(CHAT, request()))
        client.read_until(TURN[0])
        recorder.signal()
        until(lambda: not listens(recorder.port))
        recorder.signal(signal.SIGTERM)
        assert recorder.ended() == 0
        assert json.dumps(recorder.summary()).count("recorder stopped at once") <= 1
        assert recorder.summary()["captured"] == 1
    with Recorder(tmp_path / "out", "--workers=2") as recorder:
        ours = workers(recorder)
        recorder.process.kill()
        until(lambda: not set(ours) & parents().keys())

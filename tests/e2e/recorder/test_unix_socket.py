"""A recorder on a Unix socket: who may connect, what is recorded, and what becomes of the file."""

import json
import signal
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request
from support.processes.command import PATIENCE, Process, piped, run
from support.sockets.provider import Answer, Provider
from support.sockets.wire import post

CHAT: Final = "/v1/chat/completions"
TURN: Final = (*call('{"city": "Oslo"}'), DONE)


@contextmanager
def recorder(folder: Path, path: Path, url: str) -> Iterator[tuple[Process, dict[str, Any]]]:
    """A recorder on the socket, and its ready line."""
    words = ("record", "--out", folder / "out", "--listen", f"unix:{path}", "--upstream", f"openai={url}")
    process, output, errors = piped(*words, "--log", "none", folder=folder)
    with output, errors:
        line = next((line for line in output if line.startswith("ready ")), "")
        assert line, errors.read()
        try:
            yield process, json.loads(line.removeprefix("ready "))
        finally:
            process.kill()
            process.wait(PATIENCE)


def ask(path: Path, raw: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(PATIENCE)
        client.connect(str(path))
        client.sendall(raw)
        received = b""
        while piece := client.recv(65536):
            received += piece
        return received


def test_turns_come_over_the_socket_which_is_this_users_alone_and_goes_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "r.sock"
    with Provider(Answer(pieces=TURN)) as provider, recorder(tmp_path, path, provider.url) as (process, ready):
        assert ready["socket"] == str(path)
        assert ready["base_urls"]["openai"] == "http://localhost/openai"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        for case in ("one", "two"):
            answer = ask(path, post(f"/openai{CHAT}", request(), f"X-Toolreel-Case: {case}"))
            assert answer.startswith(b"HTTP/1.1 200 ")
            assert TURN[-1] in answer
        assert b"toolreel_foreign_page" in ask(path, post(f"/openai{CHAT}", request(), "Origin: https://other.example"))
        taken = run("record", "--out", tmp_path / "other", "--listen", f"unix:{path}")
        assert (taken.returncode, "is in use; name another path" in taken.stderr) == (2, True)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
    assert not path.exists()
    assert {"one.json", "two.json"} <= {found.name for found in (tmp_path / "out").iterdir()}


def test_a_socket_that_a_killed_recorder_left_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "r.sock"
    with Provider(Answer(pieces=TURN)) as provider:
        with recorder(tmp_path, path, provider.url) as (process, _):
            process.kill()
            process.wait(PATIENCE)
        assert path.exists()
        with recorder(tmp_path, path, provider.url):
            assert ask(path, post(f"/openai{CHAT}", request())).startswith(b"HTTP/1.1 200 ")


def test_what_cannot_be_a_socket_is_an_error_and_stays(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file")
    for value, said in (
        (f"unix:{tmp_path / 'file'}", "something else is there"),
        (f"unix:{tmp_path / 'none' / 'r.sock'}", "cannot be listened on (No such file or directory)"),
        (f"unix:/{'x' * 200}", "cannot be listened on (the path is too long)"),
        ("0.0.0.0:8100", "expected unix:PATH"),
    ):
        done = run("record", "--out", tmp_path / "out", "--listen", value)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr
        assert "Traceback" not in done.stderr
    assert (tmp_path / "file").read_text() == "a file"

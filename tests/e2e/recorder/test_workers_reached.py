"""Workers behind other ways to a recorder: a Unix socket, and a command of the recorder's own."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request
from support.processes.command import PATIENCE, TOOLREEL, environment
from support.sockets.provider import Answer, Provider

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a port is shared by copies of a process")

TURN: Final = (*call('{"ci', 'ty": "Oslo"}'), DONE)

# A client that asks once at the base URL that the recorder gives it.
CLIENT: Final = """
import os, sys, urllib.request
asked = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", data=sys.argv[1].encode())
print(b"[DONE]" in urllib.request.urlopen(asked).read())
"""


def test_a_command_is_run_with_the_variables_of_the_shared_port(tmp_path: Path) -> None:
    with Provider(Answer(pieces=TURN)) as provider:
        done = subprocess.run(
            [
                *(*TOOLREEL, "record", "--out", tmp_path / "out", f"--upstream=openai={provider.url}", "--workers=2"),
                *("--require-recorded=openai", "--", sys.executable, "-c", CLIENT, request().decode()),
            ],
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
    assert len(list((tmp_path / "out").iterdir())) == 1


def test_a_unix_socket_is_shared_by_workers_and_gone_in_the_end(tmp_path: Path) -> None:
    path = tmp_path / "s"
    client = (
        "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); "
        "s.sendall(sys.stdin.buffer.read()); print(b'[DONE]' in b''.join(iter(lambda: s.recv(65536), b'')))"
    )
    with Provider(Answer(pieces=TURN)) as provider:
        recorder = subprocess.Popen(
            [
                *(*TOOLREEL, "record", "--out", tmp_path / "out", f"--upstream=openai={provider.url}", "--workers=2"),
                *("--listen", f"unix:{path}"),
            ],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert recorder.stdout is not None
        assert any(line.startswith("ready ") for line in recorder.stdout)
        asked = b"POST /openai/v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        asked += b"Content-Length: %d\r\n\r\n" % len(request()) + request()
        done = subprocess.run([sys.executable, "-c", client, path], input=asked, capture_output=True, check=True)
        assert done.stdout == b"True\n", shlex.join(map(str, done.args))
        recorder.terminate()
        said, _ = recorder.communicate(timeout=PATIENCE)
    assert "captured 1: 1 written" in said
    assert not path.exists()

"""The server as a fixture of the pytest plugin, in a run of pytest of its own."""

import os
import subprocess
import sys
from pathlib import Path

from support import shared
from support.builders import verdicts

TEST = """
import json, socket, urllib.request
import pytest

def ask(url):
    body = json.dumps({"stream": True}).encode()
    with urllib.request.urlopen(urllib.request.Request(url + "/v1/chat/completions", body)) as response:
        return response.read()

@pytest.mark.toolreel("reels", network="loopback", cuts="all")
def test_a_client_gets_the_recorded_stream(toolreel_server, toolreel_reel):
    assert ask(toolreel_server.url) == toolreel_reel.body
    assert ask(toolreel_server.url_of(toolreel_reel.path.stem)) == toolreel_reel.body

@pytest.mark.toolreel("reels/good.json")
def test_without_loopback_it_cannot_be_reached(toolreel_server):
    host, _, port = toolreel_server.url.removeprefix("http://").partition(":")
    with socket.socket() as client, pytest.raises(RuntimeError, match="network='loopback'"):
        client.connect((host, int(port)))

@pytest.mark.toolreel("reels/good.json", network="loopback", cuts="some")
def test_wrong_cuts_are_said(toolreel_server):
    pass
"""


def test_a_test_of_a_client_has_the_stream_served(tmp_path: Path) -> None:
    (tmp_path / "reels").mkdir()
    (tmp_path / "reels" / "good.json").write_bytes(verdicts.PASS)
    (tmp_path / "test_client.py").write_text(TEST)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(shared.ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run(
        [sys.executable, "-m", "replay.cli", "replay", "--update", "reels"],
        cwd=tmp_path,
        env=environment,
        check=True,
        capture_output=True,
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "replay.pytest_plugin", "-W", "error", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 passed, 1 error" in done.stdout, done.stdout
    assert "--cuts some: must be all, reads, frames, a number" in done.stdout

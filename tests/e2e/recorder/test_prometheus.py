"""A real Prometheus scrapes a real recorder by the settings of docs/examples, and answers what the dashboard asks."""

import json
import re
import shutil
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request
from support.nightly import nightly
from support.processes.command import PATIENCE
from support.processes.recorder import Recorder
from support.shared import ROOT
from support.sockets.provider import Answer, Provider
from support.sockets.wire import ask, post

SERVICE: Final = ROOT / "docs" / "examples" / "service"
TURN: Final = (*call('{"city": "Oslo"}'), DONE)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def asked(port: int, expression: str) -> list[dict[str, Any]]:
    url = f"http://127.0.0.1:{port}/api/v1/query?{urllib.parse.urlencode({'query': expression})}"
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        found = json.load(answer)
    assert found["status"] == "success"
    return list(found["data"]["result"])


def until(port: int, expression: str) -> list[dict[str, Any]]:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            if found := asked(port, expression):
                return found
        except OSError:  # it starts
            pass
        assert time.monotonic() < deadline, expression
        time.sleep(0.2)


@nightly
@pytest.mark.skipif(shutil.which("prometheus") is None, reason="Prometheus is not installed")
def test_prometheus_scrapes_a_recorder_and_answers_every_panel(tmp_path: Path) -> None:
    with (
        Provider(Answer(pieces=TURN)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", "--admin", "127.0.0.1:0") as recorder,
    ):
        settings = (SERVICE / "prometheus.yml").read_text().replace("127.0.0.1:9464", recorder.admin.rpartition("/")[2])
        (tmp_path / "prometheus.yml").write_text(settings.replace("15s", "1s"))
        shutil.copy(SERVICE / "alerts.yml", tmp_path)
        port = free_port()
        words = ("--config.file=prometheus.yml", f"--web.listen-address=127.0.0.1:{port}", "--storage.tsdb.path=data")
        nothing = subprocess.DEVNULL
        process = subprocess.Popen(["prometheus", *words], cwd=tmp_path, stdout=nothing, stderr=nothing)
        try:
            ask(recorder.port, post("/openai/v1/chat/completions", request()))
            (seen,) = until(port, "toolreel_turns_seen_total == 1")
            assert (seen["metric"]["job"], seen["metric"]["upstream"]) == ("toolreel", "openai")
            assert until(port, "toolreel_captures_unaccounted == 0")
            until(port, "count_over_time(toolreel_info[1m]) > 2")  # two scrapes, so that there are rates
            for panel in json.loads((SERVICE / "grafana.json").read_text())["panels"]:
                for target in panel["targets"]:
                    expression = re.sub(r"=~\"\$\w+\"", '=~".*"', target["expr"]).replace("$__rate_interval", "1m")
                    assert asked(port, expression) or panel["title"] == "Not recorded", expression
            assert asked(port, "ALERTS") == []
        finally:
            process.terminate()
            process.wait(PATIENCE)

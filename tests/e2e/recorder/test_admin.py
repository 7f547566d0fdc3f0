"""The admin listener of a real recorder: its health, and metrics that Prometheus' own parser reads."""

import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

pytest.importorskip("mitmproxy")

from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families
from support.builders.turns import DONE, call, request
from support.processes.command import PATIENCE, run
from support.processes.recorder import Recorder
from support.sockets.provider import Answer, Provider, Wait
from support.sockets.wire import Client, ask, body_of, post, status_of

CHAT: Final = "/openai/v1/chat/completions"
TURN: Final = (*call('{"city": "Oslo"}'), DONE)
PAGE: Final = Path(__file__).parents[3] / "docs" / "service.md"
CANARY: Final = "mara-lindqvist-7f3a"

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def get(where: str, target: str, *headers: str) -> bytes:
    """The raw answer of an admin listener."""
    raw = "\r\n".join((f"GET {target} HTTP/1.0", "Host: localhost", *headers, "", "")).encode()
    if where.startswith("unix:"):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(PATIENCE)
            client.connect(where.removeprefix("unix:"))
            client.sendall(raw)
            return b"".join(iter(lambda: client.recv(65536), b""))
    return ask(int(where.rpartition(":")[2]), raw)


def health(recorder: Recorder) -> tuple[int, dict[str, Any]]:
    answer = get(recorder.admin, "/healthz")
    return status_of(answer), json.loads(body_of(answer))


def samples(recorder: Recorder) -> Samples:
    answer = get(recorder.admin, "/metrics")
    assert b"Content-Type: text/plain; version=" in answer
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(body_of(answer).decode())
        for sample in family.samples
    }


def one(found: Samples, name: str, **labels: str) -> float:
    return found[f"toolreel_{name}", frozenset(labels.items())]


def until(recorder: Recorder, captures: int) -> dict[str, Any]:
    """The health, once so many captures are settled."""
    deadline = time.monotonic() + PATIENCE
    while True:
        _, found = health(recorder)
        counted = found["captures"]
        if sum(counted[how] for how in ("written", "same_shape", "left_out", "refused", "dropped")) == captures:
            return found
        assert time.monotonic() < deadline, found
        time.sleep(0.02)


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider(Answer(pieces=TURN)) as found:
        yield found


def test_metrics_tell_each_outcome_and_nothing_of_what_was_said(provider: Provider, tmp_path: Path) -> None:
    options = ("--upstream", f"openai={provider.url}", "--admin", "127.0.0.1:0", "--sample", "3", "--log", "json")
    with Recorder(tmp_path / "out", *options) as recorder:
        first = samples(recorder)
        for _ in range(4):  # the first and the last of them are in the sample
            ask(recorder.port, post(CHAT, request()))
        ask(recorder.port, post(f"/openai/v1/{CANARY}?key={CANARY}", CANARY.encode(), f"X-Toolreel-Case: {CANARY}"))
        ask(recorder.port, post("/nowhere", b""))
        counted = until(recorder, 4)["captures"]
        found = samples(recorder)
        text = body_of(get(recorder.admin, "/metrics")).decode()
        other = get(recorder.admin, "/metrics", "Accept: application/openmetrics-text; version=1.0.0")
        summary = recorder.stop()
    assert (counted["seen"], counted["written"], counted["same_shape"], counted["left_out"]) == (4, 1, 1, 2)
    assert counted["unaccounted"] == counted["receiving"] == counted["queued"] == 0
    assert one(found, "turns_seen_total", upstream="openai") == 4
    assert one(found, "captures_total", upstream="openai", outcome="written", reason="") == 1
    assert one(found, "captures_total", upstream="openai", outcome="same_shape", reason="") == 1
    assert one(found, "captures_total", upstream="openai", outcome="left_out", reason="sample") == 2
    assert one(found, "turns_recorded_total", upstream="openai", profile="openai") == 2
    assert one(found, "captures_unaccounted") == 0
    assert (
        one(found, "not_recorded_total", upstream="openai", what="a stream at another path", reason="other_path") == 1
    )
    assert one(found, "not_recorded_total", upstream="request", what="another request", reason="unknown_prefix") == 1
    for name in ("queue_captures", "queue_bytes", "queue_oldest_seconds", "held_bytes", "bugs_total"):
        assert one(found, name) == 0
    assert one(found, "ready") == 1
    assert one(found, "held_limit_bytes") == 512 * 1024 * 1024
    sent = sum(map(len, TURN))
    assert one(found, "received_bytes_total", sender="provider") >= 5 * sent
    assert one(found, "received_bytes_total", sender="client") > 4 * len(request())
    assert one(found, "chunk_delay_seconds_count") >= 5
    assert 0 < one(found, "chunk_delay_seconds_sum") < PATIENCE
    assert one(found, "writer_lag_seconds_count") == 2
    assert one(found, "loop_delay_seconds_count") >= one(first, "loop_delay_seconds_count")
    assert one(found, "folder_free_bytes") > 0
    if Path("/proc/self/statm").exists():
        assert found["process_resident_memory_bytes", frozenset()] > 10_000_000
        assert one(found, "redaction_memory_bytes") > 10_000_000
    assert CANARY not in text
    assert "Oslo" not in text
    assert {family.name for family in openmetrics(body_of(other).decode())} >= {"toolreel_captures", "toolreel_info"}
    assert summary["captured"] == 4
    if shutil.which("promtool") is not None:  # which comes with Prometheus, and finds names that break its habits
        linted = subprocess.run(
            ["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False
        )
        assert (linted.returncode, linted.stderr) == (0, "")
    listed = set(re.findall(r"^\| `(toolreel_\w+)`", PAGE.read_text(), re.MULTILINE))
    told = {name for name, _ in found if name.startswith("toolreel_")}
    assert {re.sub(r"(?<=_seconds)_(bucket|count|sum)$", "", name) for name in told} == listed


def test_health_tells_of_turns_on_their_way_and_of_the_end(tmp_path: Path) -> None:
    held = Wait()
    pieces = (TURN[0], held, *TURN[1:])
    with (
        Provider(lambda _: Answer(pieces=pieces)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", "--admin", "127.0.0.1:0") as recorder,
        Client(recorder.port) as client,
    ):
        client.send(post(CHAT, request()))
        client.read_until(TURN[0])
        status, found = health(recorder)
        assert (status, found["ready"], found["draining"], found["healthy"]) == (200, True, False, True)
        assert (found["captures"]["seen"], found["captures"]["receiving"]) == (1, 1)
        assert found["queue"]["held_bytes"] > 0
        assert found["disk"]["state"] == "ok"
        recorder.signal(signal.SIGINT)
        deadline = time.monotonic() + PATIENCE
        while health(recorder)[0] == 200:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        status, found = health(recorder)
        assert (status, found["ready"], found["draining"], found["captures"]["unaccounted"]) == (503, False, True, 0)
        held.go.set()
        assert client.read_all().endswith(b"0\r\n\r\n")
        assert recorder.ended() == 0


def test_a_folder_that_cannot_be_written_is_told_and_the_turns_are_accounted_for(
    provider: Provider, tmp_path: Path
) -> None:
    options = ("--upstream", f"openai={provider.url}", "--admin", "127.0.0.1:0")
    with Recorder(tmp_path / "out", *options) as recorder:
        (tmp_path / "out").rmdir()
        ask(recorder.port, post(CHAT, request()))
        found = until(recorder, 1)
        assert (found["healthy"], found["disk"]["state"], found["captures"]["dropped"]) == (True, "gone", 1)
        numbers = samples(recorder)
        assert one(numbers, "captures_total", upstream="openai", outcome="dropped", reason="write") == 1
        assert one(numbers, "folder_writable") == 0


def test_a_unix_socket_is_this_users_alone_and_goes_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "admin.sock"
    with Recorder(tmp_path / "out", "--admin", f"unix:{path}") as recorder:
        assert recorder.admin == f"unix:{path}"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert health(recorder)[0] == 200
        assert samples(recorder)["toolreel_ready", frozenset()] == 1
        recorder.stop()
    assert not path.exists()


def test_the_listener_has_two_pages_for_this_machine_and_no_page_in_a_browser(tmp_path: Path) -> None:
    with Recorder(tmp_path / "out", "--admin", "[::1]:0") as recorder:
        port = re.fullmatch(r"http://\[::1\]:(\d+)", recorder.admin)
        assert port is not None
        with urllib.request.urlopen(f"{recorder.admin}/healthz", timeout=PATIENCE) as answer:
            assert answer.status == 200
        for target, headers, status in (
            ("/", (), 404),
            ("/openai/v1/models", (), 404),
            ("/metrics", ("Origin: https://other.example",), 403),
            ("/healthz", ("Host: rebound.example",), 403),
        ):
            with socket.create_connection(("::1", int(port[1])), PATIENCE) as client:
                client.sendall("\r\n".join((f"GET {target} HTTP/1.0", *headers, "", "")).encode())
                assert status_of(b"".join(iter(lambda: client.recv(65536), b""))) == status
        with socket.create_connection(("::1", int(port[1])), PATIENCE) as client:
            client.sendall(b"POST /healthz HTTP/1.0\r\n\r\n")
            assert status_of(b"".join(iter(lambda: client.recv(65536), b""))) == 501


def test_what_cannot_be_an_admin_listener_is_an_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for value, said in (
            ("0.0.0.0:9464", "expected a loopback address with a port"),
            ("10.0.0.5:9464", "expected a loopback address with a port"),
            ("127.0.0.1", "expected a loopback address with a port"),
            ("127.0.0.1:99999", "expected a loopback address with a port"),
            ("unix:", "expected a loopback address with a port"),
            (f"localhost:{port}", f"--admin 127.0.0.1:{port}: is in use; name another port"),
            (f"unix:{tmp_path / 'none' / 's'}", "cannot be listened on (No such file or directory)"),
        ):
            done = run("record", "--out", tmp_path / "out", "--port", "0", "--admin", value)
            assert (done.returncode, said in done.stderr) == (2, True), (value, done.stderr)
            assert "Traceback" not in done.stderr


def test_without_the_extra_a_line_says_how_to_get_the_metrics_and_health_is_told(tmp_path: Path) -> None:
    hidden = tmp_path / "hidden" / "prometheus_client"
    hidden.mkdir(parents=True)
    (hidden / "__init__.py").write_text("raise ModuleNotFoundError('prometheus_client')")
    paths = {"PYTHONPATH": f"{hidden.parent}:{Path(__file__).parents[3]}"}
    with Recorder(tmp_path / "out", "--admin", "127.0.0.1:0", variables=paths) as recorder:
        assert health(recorder)[0] == 200
        answer = get(recorder.admin, "/metrics")
        assert (status_of(answer), b"pip install 'toolreel[metrics]'" in answer) == (501, True)
        recorder.stop()
    assert "toolreel: /metrics: no page: prometheus-client is not installed" in recorder.errors


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a port is shared by copies of a process")
def test_several_workers_have_one_page_of_metrics(provider: Provider, tmp_path: Path) -> None:
    options = ("--upstream", f"openai={provider.url}", "--admin", "127.0.0.1:0", "--workers", "2")
    with Recorder(tmp_path / "out", *options) as recorder:
        for _ in range(6):
            ask(recorder.port, post(CHAT, request()))
        assert until(recorder, 6)["captures"]["unaccounted"] == 0
        deadline = time.monotonic() + PATIENCE
        while one(found := samples(recorder), "chunk_delay_seconds_count") < 6:  # they say it each second
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert one(found, "turns_seen_total", upstream="openai") == 6
        assert one(found, "received_bytes_total", sender="provider") >= 6 * sum(map(len, TURN))
        assert one(found, "held_limit_bytes") == 512 * 1024 * 1024
        if Path("/proc/self/statm").exists():
            assert one(found, "workers_memory_bytes") > 2 * 10_000_000
        recorder.stop()

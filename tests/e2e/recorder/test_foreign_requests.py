"""Requests that no client of this machine sent: they reach no provider, and no fixture is served to them."""

import http.client
import http.server
import json
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from support.builders.turns import DONE, call, request
from support.processes.recorder import Recorder
from support.sockets.provider import Answer, Framing, Provider

pytest.importorskip("mitmproxy")

from replay.corpus.loading import load
from replay.serve.answers import Answers
from replay.serve.matching import FixtureMatcher, ServedFixture
from replay.serve.server import Server

CHAT: Final = "/v1/chat/completions"
TURN: Final = Answer(pieces=(*call('{"city": "Oslo"}'), DONE), framing=Framing.LENGTH)
FIXTURE: Final = b'{"profile": "openai", "tool_schemas": {}, "chunks": [{"id": "x"}]}'
FOREIGN: Final = (
    {"Host": "rebound.example:8100"},
    {"Host": "127.0.0.1.example"},
    {"Host": "localhost", "Origin": "https://news.example"},
    {"Host": "localhost", "Origin": "null", "Content-Type": "text/plain"},
    {"Host": "localhost", "Sec-Fetch-Site": "cross-site"},
)
LOCAL: Final = (
    {"Host": "localhost:1"},
    {"Host": "[::1]:8100"},
    {"Host": "127.0.0.1", "Origin": "http://localhost:3000", "Sec-Fetch-Site": "cross-site"},
    {"Host": "dev.internal"},
    {"Host": "localhost", "Origin": "https://app.example", "Sec-Fetch-Site": "cross-site"},
)
ALLOWED: Final = ("--allow-host", "dev.internal", "--allow-origin", "https://app.example")
NAMED: Final = os.environ.get("TOOLREEL_CHROMIUM")
CHROMIUM: Final = NAMED or shutil.which("chromium")


def asked(port: int, target: str, headers: dict[str, str]) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", target, request(), headers)
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def test_the_recorder_sends_on_what_clients_of_this_machine_ask_and_nothing_else(tmp_path: Path) -> None:
    with (
        Provider(TURN) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", *ALLOWED, "--log", "json") as recorder,
    ):
        for headers in FOREIGN:
            status, body = asked(recorder.port, f"/openai{CHAT}", headers)
            assert status == 403
            assert json.loads(body)["error"]["type"].startswith("toolreel_foreign_")
            assert b"example" not in body.replace(b"ORIGIN", b"")
        assert not provider.requests
        for headers in LOCAL:
            assert asked(recorder.port, f"/openai{CHAT}", headers) == (200, TURN.body)
        upstream = provider.url.removeprefix("http://")
        assert [one.header("host") for one in provider.requests] == [[upstream]] * len(LOCAL)
        summary = recorder.stop()
    lines = [line for line in map(json.loads, recorder.errors.splitlines()) if line["event"] == "not_recorded"]
    assert [line["why"] for line in lines] == list(summary["passed"])
    assert "example" not in json.dumps(lines)
    assert summary["passed"] == {
        "Host that is no loopback name (refused)": 2,
        "page of another site in a browser (refused)": 3,
    }
    assert (summary["captured"], summary["written"], summary["bugs"]) == (len(LOCAL), 1, {})


def test_serve_answers_clients_of_this_machine_and_no_others() -> None:
    fixture = ServedFixture(name="one", profile="openai", upstream="openai", loaded=load(FIXTURE))
    with Server(Answers(FixtureMatcher([fixture]))) as server:
        port = int(server.url.rpartition(":")[2])
        for headers in FOREIGN:
            status, body = asked(port, f"/openai{CHAT}", headers)
            assert status == 403
            assert json.loads(body)["error"]["type"].startswith("toolreel_foreign_")
        for headers in LOCAL[:3]:
            assert asked(port, f"/openai{CHAT}", headers)[0] == 200
    assert [one.fixture for one in server.served] == [None] * len(FOREIGN) + ["one"] * 3


class _Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>page</title>")

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def page_port() -> Iterator[int]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Page) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        yield found.server_address[1]
        found.shutdown()


# What a page does: a request that no preflight goes before, as a form or a script of any site can send it.
SEND: Final = """async ([url, body]) => {
    try { await fetch(url, {method: "POST", mode: "no-cors", headers: {"Content-Type": "text/plain"}, body}) }
    catch (error) { return String(error) }
}"""


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")
def test_a_real_browser_is_refused_from_other_sites_and_by_rebound_names(tmp_path: Path, page_port: int) -> None:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    # `news.example` and `rebound.example` lead to this machine, as a name server of theirs would have it.
    flags = "--no-sandbox --disable-gpu --no-first-run --disable-background-networking".split()
    flags += ["--host-resolver-rules=MAP *.example 127.0.0.1", "--disable-features=LocalNetworkAccessChecks"]
    with (
        Provider(TURN) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
        sync_api.sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=flags)
        body = request().decode()
        for site, host in (
            (f"http://news.example:{page_port}", "127.0.0.1"),
            (f"http://rebound.example:{recorder.port}", "rebound.example"),
        ):
            page = browser.new_page()
            page.goto(site)
            page.evaluate(SEND, [f"http://{host}:{recorder.port}/openai{CHAT}", body])
        assert not provider.requests
        page = browser.new_page()
        page.goto(f"http://localhost:{page_port}")
        page.evaluate(SEND, [f"http://127.0.0.1:{recorder.port}/openai{CHAT}", body])
        browser.close()
        summary = recorder.stop()
        assert len(provider.requests) == 1
    assert summary["passed"]["page of another site in a browser (refused)"] == 1
    assert summary["passed"]["Host that is no loopback name (refused)"] >= 2  # the page itself, and its request
    assert summary["captured"] == 1

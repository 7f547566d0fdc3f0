"""The changes to mitmproxy's HTTP/1 layer, each where it can be seen without sockets."""

import asyncio
from collections.abc import Iterator
from typing import ClassVar

import pytest

pytest.importorskip("mitmproxy")

from mitmproxy.proxy import events, server
from mitmproxy.proxy.layers.http import HttpStream, _http1
from mitmproxy.test import tflow

from proxy_addon.recorder.patches.http1 import _without_interim, repair


@pytest.fixture(autouse=True)
def repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    """Repaired for one test only."""
    monkeypatch.setattr(server, "TCP_TIMEOUT", 600, raising=False)
    for name in ("make_error_response", "make_body_reader"):
        monkeypatch.setattr(_http1, name, getattr(_http1, name))
    monkeypatch.setattr(_http1.Http1Client, "read_headers", _http1.Http1Client.read_headers)
    monkeypatch.setattr(HttpStream, "check_body_size", HttpStream.check_body_size)
    monkeypatch.setattr(server.ConnectionHandler, "on_timeout", server.ConnectionHandler.on_timeout)
    for _ in range(2):
        repair(("/openai",), idle=7, cut=CUT.append)
    CUT.clear()


CUT: list[str] = []


@pytest.mark.skipif(not hasattr(server, "TCP_TIMEOUT"), reason="an option of this mitmproxy")
def test_a_silent_connection_lives_as_long_as_it_is_told_to() -> None:
    assert server.TCP_TIMEOUT == 7


def test_a_connection_that_was_silent_for_too_long_is_told_once_and_then_cut() -> None:
    class Handler:
        """As much of a connection as the change looks at."""

        client = tflow.tclient_conn()
        transports: ClassVar[dict[object, object]] = {}

    asyncio.run(server.ConnectionHandler.on_timeout(Handler()))  # type: ignore[arg-type]
    assert len(CUT) == 1
    assert CUT[0] == Handler.client.id


def test_an_error_page_quotes_nothing() -> None:
    page = _http1.make_error_response(502, "unexpected server response: b'CANARY'")
    assert page.startswith(b"HTTP/1.1 502 ")
    assert b"toolreel_bad_response" in page
    assert b"CANARY" not in page


@pytest.mark.parametrize("cut", range(1, 30))
def test_trailers_are_read_and_left_out_wherever_the_bytes_are_cut(cut: int) -> None:
    raw = b"3\r\nabc\r\n0\r\nA: 1\r\nB: 2\r\n\r\n"
    reader = _http1.make_body_reader(None)
    buffer = _http1.ReceiveBuffer()
    found = []
    for piece in (raw[:cut], raw[cut:]):
        buffer += piece
        while (event := reader(buffer)) is not None:
            found.append(event)
            if not hasattr(event, "data"):
                break
    assert b"".join(bytes(event.data) for event in found[:-1]) == b"abc"
    assert found[-1].headers == []


class Layer:
    """As much of mitmproxy's client side as the change looks at."""

    def __init__(self) -> None:
        self.buf = _http1.ReceiveBuffer()
        self.request = tflow.tflow().request


def heads_left(raw: bytes) -> bytes:
    layer = Layer()
    layer.buf += raw
    seen = []

    def original(self: Layer, _: object) -> Iterator[None]:
        seen.append(bytes(self.buf))
        yield None

    list(_without_interim(original)(layer, events.DataReceived(tflow.tserver_conn(), raw)))
    return seen[0]


FINAL = b"HTTP/1.1 200 OK\r\nA: 1\r\n\r\n"


@pytest.mark.parametrize(
    ("raw", "left"),
    [
        (FINAL, FINAL),
        (b"HTTP/1.1 103 Early Hints\r\nLink: x\r\nA: 1\r\n\r\n" + FINAL, FINAL),
        (b"HTTP/1.1 100\r\n\r\nHTTP/1.1 102 P\n\n" + FINAL, FINAL),
        (b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n"),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\nraw", b"HTTP/1.1 101 Switching Protocols\r\n\r\nraw"),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n", b""),
    ],
)
def test_whole_interim_heads_are_taken_away_and_nothing_else(raw: bytes, left: bytes) -> None:
    assert heads_left(raw) == left


def test_a_hostile_interim_head_is_read_in_linear_time() -> None:
    raw = b"HTTP/1.1 103 Early Hints\r\n" + b"A: 1\r\n" * 100_000
    assert heads_left(raw) == raw

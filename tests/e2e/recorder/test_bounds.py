"""What a peer sends without an end is not held, a silent connection ends, and other traffic is served meanwhile."""

import contextlib
import re
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

import pytest
from support.builders.turns import DONE, call, request
from support.nightly import at_night, nightly
from support.processes.recorder import Recorder
from support.sockets.provider import Answer, Framing, Provider, Request
from support.sockets.wire import Client, ask, body_of, post, status_of

pytest.importorskip("mitmproxy")

from proxy_addon.recorder.patches.bounds import FIRST_REQUEST_SECONDS

CHAT: Final = "/openai/v1/chat/completions"
TURN: Final = Answer(pieces=(*call('{"city": "Oslo"}'), DONE), framing=Framing.LENGTH)
MEBIBYTE: Final = 1024 * 1024
PIECE: Final = b"x" * 65_536
# What is sent of that which has no end, and what of it may be held beside the rest of a recorder that grows warm.
SENT: Final = 96 * MEBIBYTE
HELD: Final = 24 * MEBIBYTE

CHUNKED: Final = f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
# What a client sends before that which has no end.
OF_CLIENTS: Final = {
    "a head": f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nX-Long: ".encode(),
    "a request line": b"POST /openai/",
    "a chunk extension": CHUNKED + b"2;name=",
    "trailers": CHUNKED + b"2\r\n{}\r\n0\r\nX-Long: ",
}
ANSWERED: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
# And a provider.
OF_PROVIDERS: Final = {
    "a head": ANSWERED + b"X-Long: ",
    "a chunk line": ANSWERED + b"Transfer-Encoding: chunked\r\n\r\n2;name=",
    "trailers": ANSWERED + b"Transfer-Encoding: chunked\r\n\r\n2\r\n\n\n\r\n0\r\nX-Long: ",
}


def memory(recorder: Recorder) -> int:
    """The most memory that the recorder has had, in bytes."""
    status = Path(f"/proc/{recorder.process.pid}/status")
    if not status.exists():
        pytest.skip("no /proc on this system")
    (found,) = re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())
    return int(found) * 1024


def endless(send: Callable[[bytes], None]) -> int:
    """Sends until that comes to an end; how many bytes went."""
    went = 0
    with contextlib.suppress(OSError):
        while went < SENT:
            send(PIECE)
            went += len(PIECE)
    return went


def is_served(recorder: Recorder) -> bool:
    return body_of(ask(recorder.port, post(CHAT, request()))) == TURN.body


@pytest.mark.parametrize("kind", at_night(OF_CLIENTS, but=("a head",)))
def test_what_a_client_sends_without_an_end_is_not_held(tmp_path: Path, kind: str) -> None:
    with Provider(TURN) as provider, Recorder(tmp_path / "out", f"--upstream=openai={provider.url}") as recorder:
        assert is_served(recorder)
        before = memory(recorder)
        with Client(recorder.port) as client:
            client.send(OF_CLIENTS[kind])
            assert endless(client.send) < SENT
            with contextlib.suppress(OSError):  # a reset may take the answer with it
                said = client.read_all()
                assert not said or status_of(said) in (400, 431)
        assert is_served(recorder)
        assert memory(recorder) - before < HELD
        assert recorder.stop()["bugs"] == {}


@pytest.mark.parametrize("kind", at_night(OF_PROVIDERS, but=("a chunk line",)))
def test_what_a_provider_sends_without_an_end_is_not_held(tmp_path: Path, kind: str) -> None:
    went = []

    def talk(connection: socket.socket, _: BinaryIO) -> None:
        went.append(endless(connection.sendall))

    def answer(seen: Request) -> Answer:
        return Answer(raw_head=OF_PROVIDERS[kind], talk=talk) if seen.header("x-endless") else TURN

    with Provider(answer) as provider, Recorder(tmp_path / "out", f"--upstream=openai={provider.url}") as recorder:
        assert is_served(recorder)
        before = memory(recorder)
        said = ask(recorder.port, post(CHAT, request(), "X-Endless: yes"))
        assert status_of(said) == (502 if kind == "a head" else 200)
        assert is_served(recorder)
        assert memory(recorder) - before < HELD
        assert recorder.stop()["bugs"] == {}
    assert went
    assert went[0] < SENT


def test_a_head_of_usual_size_passes_and_a_longer_one_is_refused_with_a_reason(tmp_path: Path) -> None:
    with Provider(TURN) as provider, Recorder(tmp_path / "out", f"--upstream=openai={provider.url}") as recorder:
        assert status_of(ask(recorder.port, post(CHAT, request(), f"X-Long: {'x' * 60_000}"))) == 200
        with Client(recorder.port) as client:
            client.send(OF_CLIENTS["a head"] + PIECE)
            said = client.read_all()
        assert status_of(said) == 431
        assert b"toolreel_head_too_long" in said


def test_requests_that_are_held_together_are_bounded_and_all_reach_the_provider(tmp_path: Path) -> None:
    body = request()[:-1] + b" " * 5 * MEBIBYTE + b"}"
    with (
        Provider(TURN) as provider,
        Recorder(tmp_path / "out", f"--upstream=openai={provider.url}", "--max-memory", "8") as recorder,
        contextlib.ExitStack() as stack,
    ):
        clients = [stack.enter_context(Client(recorder.port)) for _ in range(12)]
        for client in clients:
            client.send(CHUNKED.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            client.send(b"%x\r\n%b\r\n" % (len(body), body))
        for client in clients:
            client.send(b"0\r\n\r\n")
        assert [body_of(client.read_all()) for client in clients] == [TURN.body] * 12
        assert [seen.body for seen in provider.requests] == [body] * 12
        summary = recorder.stop()
    dropped = summary["dropped"]
    assert isinstance(dropped, dict)
    assert dropped.get("request over the limit of the recorder", 0) >= 10
    assert summary["bugs"] == {}


@nightly
@pytest.mark.timeout(300)
def test_a_thousand_connections_that_ask_for_nothing_end_and_hold_nobody_up(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with (
        Provider(TURN) as provider,
        Recorder(tmp_path / "out", f"--upstream=openai={provider.url}") as recorder,
        contextlib.ExitStack() as stack,
    ):
        assert is_served(recorder)
        before = memory(recorder)
        asked = stack.enter_context(Client(recorder.port))
        asked.send(post(CHAT, request(), close=False))
        asked.read_until(b"[DONE]")
        started = time.monotonic()
        silent = [stack.enter_context(Client(recorder.port)) for _ in range(1_024)]
        assert is_served(recorder)
        assert all(client.read_all() == b"" for client in silent)
        assert FIRST_REQUEST_SECONDS - 5 < time.monotonic() - started < 5 * FIRST_REQUEST_SECONDS
        assert memory(recorder) - before < 2 * HELD
        asked.send(post(CHAT, request()))  # it had asked before, and may be silent for as long as it likes
        assert asked.read_all().count(b"[DONE]") == 2
        assert recorder.stop()["bugs"] == {}

"""A client that closes its sending side behind its request gets all of the response; one that leaves is let go."""

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request
from support.processes.command import PATIENCE, piped, toolreel
from support.processes.recorder import Recorder
from support.sockets.certificates import authority
from support.sockets.provider import Answer, End, Framing, Provider, Request, Wait
from support.sockets.wire import Client, post

pytestmark = pytest.mark.skipif(
    not Path("/proc/net/tcp").exists(), reason="the system does not say whether a client that sends no more is there"
)

CHAT: Final = "/v1/chat/completions"
TARGET: Final = f"/openai{CHAT}"
TURN: Final = (*call('{"ci', 'ty": "Oslo"}'), DONE)


def slow(_: Request) -> Iterator[bytes]:
    """A turn whose pieces come while the client has long sent its end."""
    for piece in TURN:
        time.sleep(0.3)
        yield piece


def test_a_request_by_prefix_is_answered_to_the_end_and_recorded(tmp_path: Path) -> None:
    for framing in (Framing.CHUNKED, Framing.CLOSE):
        answer = lambda seen, framing=framing: Answer(pieces=slow(seen), framing=framing)  # noqa: E731
        out = tmp_path / framing.name
        with Provider(answer) as provider, Recorder(out, "--upstream", f"openai={provider.url}") as recorder:
            with Client(recorder.port) as client:
                client.send(post(TARGET, request(), close=False))
                client.half_close()
                received, reset = client.read_to_the_end()
            assert (received[:13], TURN[-1] in received, reset) == (b"HTTP/1.1 200 ", True, False)
            summary = recorder.stop()
        assert (summary["written"], summary["bugs"]) == (1, {})
        (fixture,) = recorder.files().values()
        assert json.loads(fixture)["capture"]["stream_end"] == "complete"


def test_a_half_close_in_the_middle_of_the_response_changes_nothing(tmp_path: Path) -> None:
    held = Wait()
    answer = Answer(pieces=(TURN[0], held, *TURN[1:]))
    with Provider(answer) as provider, Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder:
        with Client(recorder.port) as client:
            client.send(post(TARGET, request(), close=False))
            client.read_until(TURN[0])
            client.half_close()
            time.sleep(1)  # looked at several times, and left alone
            held.go.set()
            assert TURN[-1] in client.read_all()
        assert recorder.stop()["written"] == 1


def test_a_client_with_a_whole_url_is_answered_to_the_end(tmp_path: Path) -> None:
    with (
        Provider(lambda seen: Answer(pieces=slow(seen))) as provider,
        Recorder(tmp_path / "out", "--upstream", f"gw={provider.url}") as recorder,
        Client(recorder.port) as client,
    ):
        client.send(post(f"{provider.url}{CHAT}", request(), close=False))
        client.half_close()
        received, reset = client.read_to_the_end()
        assert (received[:13], TURN[-1] in received, reset) == (b"HTTP/1.1 200 ", True, False)
        assert recorder.stop()["written"] == 1


def test_a_client_of_a_tunnel_is_answered_to_the_end(tmp_path: Path) -> None:
    root, context = authority(tmp_path)
    variables = {"TOOLREEL_DATA": str(tmp_path / "data")}
    toolreel("ca", "rotate", variables=variables)
    options = ("--upstream-ca", str(root), "--upstream")
    with (
        Provider(lambda seen: Answer(pieces=slow(seen)), tls=context) as provider,
        Recorder(tmp_path / "out", *options, f"gw={provider.url}", variables=variables) as recorder,
        Client(recorder.port) as client,
    ):
        place = provider.url.removeprefix("https://")
        client.send(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode())
        client.read_until(b"\r\n\r\n")
        bundle = tmp_path / "data" / "authority" / "bundle.pem"
        client.wrap(ssl.create_default_context(cafile=bundle), "127.0.0.1")
        client.send(post(CHAT, request(), close=False))
        client.half_close()  # of the connection: within TLS nothing says so
        assert TURN[-1] in client.read_until(TURN[-1])
        client.read_until(b"0\r\n\r\n")
        client.close()
        assert recorder.stop()["written"] == 1


def test_requests_that_came_before_the_end_are_all_answered(tmp_path: Path) -> None:
    with (
        Provider(Answer(pieces=TURN)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
        Client(recorder.port) as client,
    ):
        client.send(post(TARGET, request(), close=False) * 3)
        client.half_close()
        received, reset = client.read_to_the_end()
        assert (received.count(TURN[-1]), reset) == (3, False)
        assert recorder.stop()["captured"] == 3


def test_a_client_of_a_unix_socket_is_answered_to_the_end_and_let_go_when_it_leaves(tmp_path: Path) -> None:
    path = tmp_path / "r.sock"
    ends = iter((End.WHOLE, End.HOLD))
    with Provider(lambda seen: Answer(pieces=slow(seen), end=next(ends))) as provider:
        options = ("--upstream", f"openai={provider.url}", "--listen", f"unix:{path}")
        process, output, errors = piped("record", "--out", tmp_path / "out", *options, folder=tmp_path)
        with output, errors:
            assert next((line for line in output if line.startswith("ready ")), "")
            try:
                with socket.socket(socket.AF_UNIX) as client:
                    client.settimeout(PATIENCE)
                    client.connect(str(path))
                    client.sendall(post(TARGET, request(), close=False))
                    client.shutdown(socket.SHUT_WR)
                    assert TURN[-1] in b"".join(iter(lambda: client.recv(65536), b""))
                assert not provider.gone.is_set()
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(str(path))
                    client.sendall(post(TARGET, request(), close=False))
                    client.shutdown(socket.SHUT_WR)
                    assert client.recv(1)
                assert provider.gone.wait(PATIENCE)
            finally:
                process.kill()
                process.wait(PATIENCE)


@pytest.mark.parametrize("early", [True, False], ids=["before the response", "in the middle"])
@pytest.mark.parametrize("leave", [Client.close, Client.reset])
def test_a_client_that_leaves_behind_a_half_close_is_let_go(
    tmp_path: Path, leave: Callable[[Client], None], *, early: bool
) -> None:
    over = threading.Event()

    def answer(_: Request) -> Answer:
        if early:
            over.wait(PATIENCE)
        return Answer(pieces=TURN[:2], end=End.HOLD)

    with Provider(answer) as provider, Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder:
        client = Client(recorder.port)
        client.send(post(TARGET, request(), close=False))
        if not early:
            client.read_until(TURN[1])
        client.half_close()
        time.sleep(0.6)
        assert not provider.gone.is_set()
        leave(client)
        time.sleep(1)
        over.set()
        assert provider.gone.wait(PATIENCE)
        summary = recorder.stop()
        assert summary["captured"] == (0 if early else 1)

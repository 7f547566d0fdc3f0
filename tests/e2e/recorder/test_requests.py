"""Requests that cannot be read or are too long to be held: they and their responses pass, and nothing is recorded."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from support.builders.turns import DONE, call, request
from support.processes.recorder import Recorder
from support.sockets.provider import Answer, Framing, Provider
from support.sockets.wire import Client, ask, body_of, post, status_of

pytest.importorskip("mitmproxy")

from proxy_addon.writing.redacting.exchanges import MAX_REQUEST_BYTES

CHAT: Final = "/v1/chat/completions"
TURN: Final = Answer(pieces=(*call('{"city": "Oslo"}'), DONE), framing=Framing.LENGTH)
MEBIBYTE: Final = 1024 * 1024
PIECE: Final = 64 * 1024

# What the body of a request over the limit begins and ends with; spaces between.
START: Final = request()[:-1]
END: Final = b"}"


def head(target: str, framing: str, *headers: str) -> bytes:
    lines = [f"POST {target} HTTP/1.1", "Host: localhost", framing, *headers, "Connection: close"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def filling(size: int) -> Iterator[bytes]:
    """The pieces of a body of `size` bytes: a request, padded."""
    yield START
    left = size - len(START) - len(END)
    while left > 0:
        yield b" " * min(PIECE, left)
        left -= PIECE
    yield END


def chunked(target: str, size: int, *headers: str) -> Iterator[bytes]:
    yield head(target, "Transfer-Encoding: chunked", *headers)
    for piece in filling(size):
        yield b"%x\r\n%b\r\n" % (len(piece), piece)
    yield b"0\r\n\r\n"


def with_length(target: str, size: int, *headers: str) -> Iterator[bytes]:
    yield head(target, f"Content-Length: {size}", *headers)
    yield from filling(size)


def send(port: int, pieces: Iterator[bytes]) -> bytes:
    with Client(port) as client:
        for piece in pieces:
            client.send(piece)
        return client.read_all()


def peak(recorder: Recorder) -> int:
    """The most memory that the recorder has had, in bytes."""
    status = Path(f"/proc/{recorder.process.pid}/status")
    if not status.exists():
        pytest.skip("no /proc on this system")
    (found,) = re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())
    return int(found) * 1024


@pytest.mark.parametrize("framed", [chunked, with_length])
def test_a_request_over_the_limit_reaches_the_provider_byte_for_byte_and_is_not_recorded(
    tmp_path: Path, framed: object
) -> None:
    assert callable(framed)
    size = MAX_REQUEST_BYTES + 1
    with (
        Provider(TURN) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", "--log", "json") as recorder,
    ):
        answer = send(recorder.port, framed(f"/openai{CHAT}", size, "X-Toolreel-Case: long"))
        assert body_of(answer) == TURN.body
        assert provider.requests[0].body == b"".join(filling(size))
        assert not provider.requests[0].header("x-toolreel-case")
        ask(recorder.port, post(f"/openai{CHAT}", request()))
        summary = recorder.stop()
        assert recorder.decisions(1)[0]["case"] == "long"
        assert summary["dropped"] == {"request over the limit of the recorder": 1}
        assert (summary["captured"], summary["written"], summary["bugs"]) == (2, 1, {})
        assert "long.json" not in recorder.files()


def test_a_chunked_request_of_the_longest_length_is_recorded(tmp_path: Path) -> None:
    with (
        Provider(TURN) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        answer = send(recorder.port, chunked(f"/openai{CHAT}", MAX_REQUEST_BYTES, "X-Toolreel-Case: fits"))
        assert body_of(answer) == TURN.body
        assert len(provider.requests[0].body) == MAX_REQUEST_BYTES
        assert recorder.stop()["written"] == 1
        assert list(recorder.files()) == ["fits.json"]


@pytest.mark.nightly
@pytest.mark.parametrize("prefix", ["openai", "nowhere"], ids=["passed on", "answered here"])
def test_the_memory_that_a_chunked_request_takes_has_a_bound(tmp_path: Path, prefix: str) -> None:
    size = 12 * MAX_REQUEST_BYTES
    got = []
    with (
        Provider(lambda seen: (got.append(len(seen.body)), TURN)[1]) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        before = peak(recorder)
        answer = send(recorder.port, chunked(f"/{prefix}{CHAT}", size))
        assert status_of(answer) == (200 if prefix == "openai" else 404)
        assert peak(recorder) - before < 8 * MAX_REQUEST_BYTES  # a few copies, at the moment when it goes on
        assert got == ([size] if prefix == "openai" else [])


def test_a_long_request_that_leads_nowhere_is_answered_as_a_short_one(tmp_path: Path) -> None:
    with Recorder(tmp_path / "out") as recorder:
        short = ask(recorder.port, post(f"/nowhere{CHAT}", request()))
        for framed in (chunked, with_length):
            assert send(recorder.port, framed(f"/nowhere{CHAT}", MAX_REQUEST_BYTES + 1)) == short
        summary = recorder.stop()
    assert summary["passed"] == {"no upstream for the path (answered here)": 3}
    assert summary["bugs"] == {}


BOMB: Final = gzip.compress(START + b" " * MAX_REQUEST_BYTES + END)


@pytest.mark.parametrize(
    ("coding", "body", "why"),
    [
        ("gzip", BOMB, "request over the limit of the recorder"),
        ("gzip", request(), "request that cannot be decoded"),
        ("gzip", gzip.compress(request())[:-9], "request that cannot be decoded"),
        ("x-own", request(), "request that cannot be decoded"),
    ],
    ids=["unpacks beyond the limit", "broken", "cut", "unknown"],
)
def test_a_request_that_cannot_be_decoded_passes_and_is_not_recorded(
    tmp_path: Path, coding: str, body: bytes, why: str
) -> None:
    with (
        Provider(TURN) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", "--log", "json") as recorder,
    ):
        answer = ask(recorder.port, post(f"/openai{CHAT}", body, f"Content-Encoding: {coding}"))
        assert body_of(answer) == TURN.body
        assert provider.requests[0].body == body
        (decision,) = recorder.decisions(1)
        assert (decision["event"], decision["why"]) == ("dropped", why)
        summary = recorder.stop()
        assert (summary["captured"], summary["dropped"]) == (1, {why: 1})
        assert recorder.files() == {}

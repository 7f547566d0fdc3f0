"""Coded bodies through a real recorder: passed on as they are, recorded as what they say, within bounds."""

import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("mitmproxy")

import brotli
from support.builders.turns import DONE, call, request
from support.processes.recorder import Recorder
from support.recorded.packed import zstd
from support.sockets.provider import EVENT_STREAM, Answer, Provider, Request
from support.sockets.wire import ask, body_of, post

CHAT = "/v1/chat/completions"
PIECES = (*call('{"ci', 'ty": "Oslo"}'), DONE)
TURN = b"".join(PIECES)
# So long, and so hard to compress, that half of its coded bytes say something; a block of zstd is 128 KiB.
LONG = b"".join(call(*[hashlib.sha256(b"%d" % number).hexdigest() for number in range(1500)]))


def packed(text: bytes) -> bytes:
    """As gzip, without the time of day: a response is compared with another one of the same text."""
    return gzip.compress(text, mtime=0)


def raw_deflate(text: bytes) -> bytes:
    coder = zlib.compressobj(wbits=-15)
    return coder.compress(text) + coder.flush()


def members(compress: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """A member or frame for each third of the text."""
    return lambda text: b"".join(compress(text[start : start + len(text) // 3 + 1]) for start in _thirds(text))


def _thirds(text: bytes) -> range:
    return range(0, len(text), len(text) // 3 + 1)


KINDS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "identity": ("identity", bytes),
    "gzip": ("gzip", packed),
    "gzip-members": ("gzip", members(packed)),
    "deflate-zlib": ("deflate", zlib.compress),
    "deflate-raw": ("deflate", raw_deflate),
    "br": ("br", brotli.compress),
    "zstd": ("zstd", zstd),
    "zstd-frames": ("zstd", members(zstd)),
}
WORDS = {name: coding for name, (coding, _) in KINDS.items()}


def answer(seen: Request) -> Answer:
    """What the headers of the request ask for."""
    (kind,) = seen.header("x-kind")
    coding, compress = KINDS[kind]
    (what,) = seen.header("x-what")
    text = {"torn": LONG, "bomb": b": " + bytes(3_000_000) + b"\n\n" + TURN}.get(what, TURN)
    body = compress(text)
    if what == "torn":
        body = body[: len(body) // 2]
    elif what == "broken":
        body = body[:5] + b"CANARY7f3" + body[5:]
    pieces = [body[start : start + 11] for start in range(0, len(body), 11)] if what == "whole" else [body]
    return Answer(
        pieces=pieces,
        headers=(*EVENT_STREAM, ("Content-Encoding", coding)),
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Provider, Recorder]]:
    """One recorder that holds bodies of at most 1 MiB."""
    out = tmp_path_factory.mktemp("codings") / "out"
    with (
        Provider(answer) as provider,
        Recorder(out, "--upstream", f"openai={provider.url}", "--log", "json", "--max-body", "1") as recorder,
    ):
        yield provider, recorder


def through(run: tuple[Provider, Recorder], kind: str, what: str) -> tuple[dict[str, Any], bytes]:
    """The decision on one turn, and the bytes of its response, which are those of the provider."""
    provider, recorder = run
    before = recorder.errors.count("\n")
    headers = (f"X-Kind: {kind}", f"X-What: {what}")
    direct = ask(provider.port, post(CHAT, request(), *headers))
    case = f"X-Toolreel-Case: {what}-{list(KINDS).index(kind)}"  # a case may not repeat what a header says
    received = ask(recorder.port, post(f"/openai{CHAT}", request(), *headers, case))
    assert received == direct
    return recorder.decisions(before + 1)[-1], body_of(received)


def fixture(run: tuple[Provider, Recorder], decision: dict[str, Any]) -> dict[str, Any]:
    found = json.loads((run[1].out / decision["file"]).read_bytes())
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_coded_turn_is_recorded_as_what_it_says(run: tuple[Provider, Recorder], kind: str) -> None:
    decision, _ = through(run, kind, "whole")
    assert (decision["event"], decision["status"], decision["calls"]) == ("written", "pass", 1)
    found = fixture(run, decision)
    assert found["capture"]["stream_end"] == "complete"
    assert found["transport"]["content_coding"] == WORDS[kind]
    plain, _ = through(run, "identity", "whole")
    assert found["chunks"] == fixture(run, plain)["chunks"]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "identity"])
def test_a_coding_that_ends_in_the_middle_is_a_stream_that_ended_early(
    run: tuple[Provider, Recorder], kind: str
) -> None:
    """Even where the HTTP message is whole."""
    decision, _ = through(run, kind, "torn")
    assert (decision["event"], decision["status"]) == ("written", "blocked")
    found = fixture(run, decision)
    assert found["capture"]["stream_end"] == "upstream_disconnected"
    assert 0 < len(found["chunks"]) < 1502


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "identity"])
def test_a_coding_that_fails_is_counted_and_nothing_of_it_written(run: tuple[Provider, Recorder], kind: str) -> None:
    decision, received = through(run, kind, "broken")
    assert b"CANARY7f3" in received
    assert (decision["event"], decision["why"].split(" (")[0]) == ("refused", "content coding unknown or broken")
    assert not list(run[1].out.glob("broken*"))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "identity"])
def test_a_bomb_is_stopped_at_the_bound_and_counted(run: tuple[Provider, Recorder], kind: str) -> None:
    """Its coded body is far below the bound, its text above."""
    decision, received = through(run, kind, "bomb")
    assert len(received) < 20_000
    assert (decision["event"], decision["why"].split(" (")[0]) == ("refused", "over the body limit")

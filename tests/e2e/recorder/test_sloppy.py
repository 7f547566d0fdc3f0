"""Sloppy providers: what clients read of them they get through the recorder as well, and it is recorded."""

import json
import signal
import tempfile
from pathlib import Path
from typing import Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request
from support.processes.recorder import Recorder
from support.sockets.certificates import authority
from support.sockets.provider import Answer, End, Framing, Provider
from support.sockets.wire import ask, body_of, post, status_of

CHAT: Final = "/v1/chat/completions"
TURN: Final = (*call('{"ci', 'ty": "Oslo"}'), DONE)
WHOLE: Final = b"".join(TURN)
CHUNKED: Final = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in TURN) + b"0\r\n\r\n"
STREAM: Final = "Content-Type: text/event-stream"


def head(*lines: str) -> bytes:
    return "\r\n".join(("HTTP/1.1 200 OK", *lines, "Connection: close", "", "")).encode()


SLOPPY: Final = {
    "length-beside-chunks": (head(STREAM, "Content-Length: 5", "Transfer-Encoding: chunked"), CHUNKED),
    "two-equal-lengths": (head(STREAM, f"Content-Length: {len(WHOLE)}", f"Content-Length: {len(WHOLE)}"), WHOLE),
    "length-said-twice": (head(STREAM, f"Content-Length: {len(WHOLE)}, {len(WHOLE)}"), WHOLE),
    "space-in-a-name": (head(STREAM, "X Rate Limit: 5", "Transfer-Encoding: chunked"), CHUNKED),
    "space-behind-a-name": (head(STREAM, "X-Rate-Limit : 5", f"Content-Length: {len(WHOLE)}"), WHOLE),
}


@pytest.mark.parametrize("kind", SLOPPY)
def test_what_clients_read_comes_through_as_it_is_and_is_recorded(tmp_path: Path, kind: str) -> None:
    start, body = SLOPPY[kind]
    with (
        Provider(Answer(raw_head=start + body, pieces=(), end=End.FIN)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        direct = ask(provider.port, post(CHAT, request()))
        assert direct == start + body
        assert ask(recorder.port, post(f"/openai{CHAT}", request(), "X-Toolreel-Case: one")) == direct
        assert recorder.stop()["written"] == 1
        assert json.loads(recorder.files()["one.json"])["capture"]["stream_end"] == "complete"


def test_lengths_that_differ_are_refused_as_clients_refuse_them(tmp_path: Path) -> None:
    start = head(STREAM, "Content-Length: 5", f"Content-Length: {len(WHOLE)}")
    with (
        Provider(Answer(raw_head=start + WHOLE, pieces=(), end=End.FIN)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        assert status_of(ask(recorder.port, post(f"/openai{CHAT}", request()))) == 502


@pytest.mark.parametrize(
    "headers",
    [("Transfer-Encoding: chunked",), ("Content-Length: 2",), ("X Name: 1",)],
    ids=["length-beside-chunks", "two-equal-lengths", "space-in-a-name"],
)
def test_a_request_that_is_as_sloppy_is_refused(tmp_path: Path, headers: tuple[str, ...]) -> None:
    with (
        Provider(Answer(pieces=TURN)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        assert status_of(ask(recorder.port, post(f"/openai{CHAT}", b"{}", *headers))) == 400
        assert not provider.requests


@pytest.mark.parametrize("named", ["text/plain", "text/plain; charset=utf-8", "application/octet-stream", ""])
def test_a_stream_with_a_type_that_says_nothing_is_looked_at(tmp_path: Path, named: str) -> None:
    headers = (("Content-Type", named),)
    bodies = {"stream": TURN, "json": (b'{"id": 1}',), "prose": (b"upstream busy\n",)}

    def answer(seen: object) -> Answer:
        (kind,) = seen.header("x-kind")  # type: ignore[attr-defined]
        return Answer(pieces=bodies[kind], headers=headers)

    with (
        Provider(answer) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        for kind, pieces in bodies.items():
            case = (f"X-Toolreel-Case: {kind}", f"X-Kind: {kind}")
            received = ask(recorder.port, post(f"/openai{CHAT}", request(), *case))
            assert pieces[-1] in body_of(received)
        unasked = ("X-Toolreel-Case: unasked", "X-Kind: stream")
        ask(recorder.port, post(f"/openai{CHAT}", request(stream=False), *unasked))
        assert recorder.stop()["passed"] == {"response is no event stream": 3}
        assert [name for name in recorder.files() if not name.startswith(".")] == ["stream.json"]


def test_a_recorder_that_is_killed_leaves_no_temporary_folder(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    root, context = authority(tmp_path)
    with Provider(Answer(pieces=TURN), tls=context) as provider:
        options = ("--upstream", f"openai={provider.url}", "--upstream-ca", str(root))
        with Recorder(tmp_path / "out", *options, variables={"TMPDIR": str(temporary)}) as recorder:
            assert status_of(ask(recorder.port, post(f"/openai{CHAT}", request()))) == 200
            recorder.signal(signal.SIGKILL)
            recorder.process.wait(30)
    assert not list(temporary.iterdir())
    assert tempfile.gettempdir() != str(temporary)


def test_turns_over_the_limits_of_the_rules_are_recorded_as_they_are_judged(tmp_path: Path) -> None:
    def chunk(index: int, arguments: str) -> bytes:
        function = {"name": "get_weather", "arguments": arguments}
        delta = {"tool_calls": [{"index": index, "id": f"call_{index}", "type": "function", "function": function}]}
        return b"data: " + json.dumps({"choices": [{"index": 0, "delta": delta}]}).encode() + b"\n\n"

    end = b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}\n\n'
    kinds = {
        "slots": (*(chunk(index, '{"city": "Oslo"}') for index in range(300)), end, DONE),
        "fragments": (*(chunk(0, part) for part in ('{"city": "', *["x" * 100_000] * 50, '"}')), end, DONE),
        "bytes": (chunk(0, json.dumps({"city": "x" * (5 * 1024 * 1024)})), end, DONE),
    }
    for kind, pieces in kinds.items():
        with (
            Provider(Answer(pieces=pieces, framing=Framing.CLOSE)) as provider,
            Recorder(tmp_path / kind, "--upstream", f"openai={provider.url}", "--log", "json") as recorder,
        ):
            ask(recorder.port, post(f"/openai{CHAT}", request()))
            (decision,) = recorder.decisions(1)
            assert (decision["event"], decision["codes"]) == ("written", ["limit_exceeded"]), (kind, decision)

"""Traffic through a real recorder: what either side gets, what is recorded and what is counted."""

import gzip
import http.client
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.builders.turns import DONE, call, request, text
from support.processes.recorder import Recorder
from support.sockets.provider import EVENT_STREAM, Answer, End, Framing, Provider, Request, Wait
from support.sockets.wire import Client, ask, body_of, post, status_of

pytest.importorskip("mitmproxy")

CHAT = "/v1/chat/completions"
STREAM = (*call('{"ci', 'ty": "Oslo"}'), DONE)
JSON = (("Content-Type", "application/json"),)


def fixtures(recorder: Recorder) -> dict[str, dict[str, object]]:
    return {name: json.loads(data) for name, data in recorder.files().items()}


ANSWERS = {
    "chunked": Answer(pieces=STREAM, framing=Framing.CHUNKED),
    "length": Answer(pieces=STREAM, framing=Framing.LENGTH),
    "until close": Answer(pieces=STREAM, framing=Framing.CLOSE),
    "odd bytes": Answer(pieces=(*STREAM[:1], b": \xff\x00 not text\r\n\r\n", b"\xef\xbb\xbf", *STREAM[1:])),
    "gzip": Answer(
        pieces=(gzip.compress(b"".join(STREAM))[:40], gzip.compress(b"".join(STREAM))[40:]),
        headers=(*EVENT_STREAM, ("Content-Encoding", "gzip"), ("X-Request-Id", "r1"), ("x-request-id", "r2")),
    ),
    "error": Answer(pieces=(b'{"error": {}}',), status=429, headers=JSON, framing=Framing.LENGTH),
    "no content": Answer(pieces=(), status=204, headers=(), framing=Framing.CLOSE),
    "large": Answer(pieces=(b"x" * 300_000,), headers=JSON, framing=Framing.LENGTH),
}


def test_the_client_gets_every_response_byte_for_byte_as_without_the_recorder(tmp_path: Path) -> None:
    def answer(seen: Request) -> Answer:
        return ANSWERS[seen.header("x-answer")[0]]

    with Provider(answer) as provider, Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder:
        for name in ANSWERS:
            direct = ask(provider.port, post(CHAT, request(), f"X-Answer: {name}"))
            through = ask(recorder.port, post(f"/openai{CHAT}", request(), f"X-Answer: {name}"))
            assert through == direct, name
        recorder.stop()


def test_each_piece_reaches_the_client_while_the_provider_waits_to_send_the_next(tmp_path: Path) -> None:
    waits = [Wait() for _ in STREAM]
    pieces = [part for pair in zip(STREAM, waits, strict=True) for part in pair]
    with (
        Provider(Answer(pieces=pieces)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
        Client(recorder.port) as client,
    ):
        client.send(post(f"/openai{CHAT}", request()))
        for piece, wait in zip(STREAM, waits, strict=True):
            client.read_until(piece)  # the provider sends nothing more before `go`
            wait.go.set()
        client.read_all()
        assert recorder.stop()["written"] == 1


def test_a_response_with_trailers_reaches_the_client_without_them(tmp_path: Path) -> None:
    """And not, as mitmproxy alone would have it, never."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in STREAM)
    answer = Answer(raw_head=head + body + b"0\r\nX-Sum: 1\r\nX-Two: 2\r\n\r\n", end=End.HOLD)
    with Provider(answer) as provider, Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder:
        assert ask(recorder.port, post(f"/openai{CHAT}", request())) == head + body + b"0\r\n\r\n"
        assert recorder.stop()["written"] == 1


def test_interim_responses_are_left_out_and_the_final_one_is_served(tmp_path: Path) -> None:
    body = b"".join(STREAM)
    final = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"
    with (
        Provider(Answer(raw_head=early + final, end=End.HOLD)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        assert ask(recorder.port, post(f"/openai{CHAT}", request())) == final
        assert recorder.stop()["written"] == 1


def test_one_connection_carries_several_requests_on_both_sides(tmp_path: Path) -> None:
    with Provider(Answer(pieces=STREAM)) as provider:
        with Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder:
            connection = http.client.HTTPConnection("127.0.0.1", recorder.port)
            for _ in range(3):
                connection.request("POST", f"/openai{CHAT}", request())
                assert connection.getresponse().read() == b"".join(STREAM)
            connection.close()
            summary = recorder.stop()
        assert provider.connections == 1
        assert (summary["written"], summary["same_shape"]) == (1, 2)


def test_the_provider_gets_the_request_as_sent_but_for_host_prefix_and_case_header(tmp_path: Path) -> None:
    body = gzip.compress(request())
    with Provider(Answer(pieces=STREAM)) as provider:
        with Recorder(tmp_path / "out", "--upstream", f"gate={provider.url}/base/,profile=openai") as recorder:
            headers = (
                "Content-Encoding: gzip",
                "X-Toolreel-Case: oslo",
                "Authorization: Bearer k",
                "X-Two: 1",
                "X-Two: 2",
            )
            ask(recorder.port, post(f"/gate{CHAT}?a=1&b=%20", body, *headers))
            recorder.stop()
            assert list(recorder.files()) == ["oslo.json"]
        (seen,) = provider.requests
    assert seen.method == "POST"
    assert seen.target == f"/base{CHAT}?a=1&b=%20"
    assert seen.body == body
    assert seen.headers == (
        ("Host", f"127.0.0.1:{provider_port(seen)}"),
        ("Content-Length", str(len(body))),
        ("Content-Encoding", "gzip"),
        ("Authorization", "Bearer k"),
        ("X-Two", "1"),
        ("X-Two", "2"),
        ("Connection", "close"),
    )


def provider_port(seen: Request) -> str:
    return seen.header("host")[0].rpartition(":")[2]


def test_streams_side_by_side_do_not_mix(tmp_path: Path) -> None:
    together = threading.Barrier(24)

    def pieces(number: int) -> Iterator[bytes]:
        together.wait(60)  # every stream has begun before any goes on
        yield from text([f"word{number}"] * (number + 1))
        yield DONE

    def answer(seen: Request) -> Answer:
        return Answer(pieces=pieces(int(seen.header("x-number")[0])))

    def exchange(number: int) -> bytes:
        headers = (f"X-Number: {number}", f"X-Toolreel-Case: case{number}")
        return ask(recorder.port, post(f"/openai{CHAT}", request(), *headers))

    with (
        Provider(answer) as provider,
        Recorder(tmp_path / "out", "--pieces=exact", f"--upstream=openai={provider.url}") as recorder,
    ):
        with ThreadPoolExecutor(24) as pool:
            responses = list(pool.map(exchange, range(24)))
        assert recorder.stop()["written"] == 24
        for number, response in enumerate(responses):
            assert response.count(b"word") == response.count(b'word%d"' % number) == number + 1
            assert len(json.loads(recorder.files()[f"case{number}.json"])["chunks"]) == number + 3


def test_a_case_names_its_fixture_and_each_further_turn_of_it_gets_a_number(tmp_path: Path) -> None:
    answers = iter([STREAM, STREAM, (*text(["a", "b"]), DONE), STREAM])
    with Provider(lambda _: Answer(pieces=next(answers))) as provider:
        with Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder:
            for case in ("weather", "weather", "weather", "Not A Case!"):
                ask(recorder.port, post(f"/openai{CHAT}", request(), f"X-Toolreel-Case: {case}"))
            summary = recorder.stop()
        assert sorted(recorder.files()) == ["weather+2.json", "weather+3.json", "weather.json"]
        assert (summary["written"], summary["same_shape"], summary["bad_case_names"]) == (3, 1, 1)
        assert all(not seen.header("x-toolreel-case") for seen in provider.requests)


def test_what_is_no_streamed_turn_passes_and_is_counted_by_kind(tmp_path: Path) -> None:
    def answer(seen: Request) -> Answer:
        if seen.header("x-status"):
            return Answer(pieces=(b'{"error": "x"}',), status=int(seen.header("x-status")[0]), headers=JSON)
        if seen.header("x-json"):
            return Answer(pieces=(b'{"choices": []}',), headers=JSON)
        return Answer(pieces=STREAM)

    with Provider(answer) as provider:
        with Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder:
            asked = [
                ask(recorder.port, post(f"/openai{CHAT}", request(), "X-Status: 429")),
                ask(recorder.port, post(f"/openai{CHAT}", request(), "X-Status: 503")),
                ask(recorder.port, post(f"/openai{CHAT}", request(stream=None), "X-Json: 1")),
                ask(recorder.port, post("/openai/v1/completions", request())),
                ask(recorder.port, post("/openai/v1/messages/count_tokens", request())),
            ]
            summary = recorder.stop()
        assert [status_of(one) for one in asked] == [429, 503, 200, 200, 200]
        assert summary["captured"] == 0
        assert summary["passed"] == {
            "status other than 200": 2,
            "response is no event stream": 1,
            "path or method not recognised": 2,
        }
        assert recorder.files() == {}


def test_a_stream_without_content_type_is_recorded_where_the_request_asked_for_one(tmp_path: Path) -> None:
    def answer(seen: Request) -> Answer:
        return Answer(pieces=(b'{"choices": []}',) if seen.header("x-json") else STREAM, headers=())

    with Provider(answer) as provider, Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder:
        ask(recorder.port, post(f"/openai{CHAT}", request()))
        ask(recorder.port, post(f"/openai{CHAT}", request(), "X-Json: 1"))
        ask(recorder.port, post(f"/openai{CHAT}", request(stream=False)))
        summary = recorder.stop()
    assert (summary["written"], summary["captured"]) == (1, 1)
    assert summary["passed"] == {"response is no event stream": 2}


def test_a_body_over_the_limit_reaches_the_client_and_is_not_recorded(tmp_path: Path) -> None:
    long = Answer(pieces=[b": " + b"x" * 65_000 + b"\n\n"] * 20 + [*STREAM], framing=Framing.LENGTH)
    options = ("--max-body", "1")
    with (
        Provider(long) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", *options) as recorder,
    ):
        assert ask(recorder.port, post(f"/openai{CHAT}", request())) == ask(provider.port, post(CHAT, request()))
        summary = recorder.stop()
        assert summary["dropped"] == {"response over --max-body": 1}
        assert recorder.files() == {}


def test_a_provider_that_cannot_be_reached_is_said_so_and_the_recorder_goes_on(tmp_path: Path) -> None:
    with Provider(Answer()) as gone:
        nowhere = gone.url
    with (
        Provider(Answer(pieces=STREAM)) as provider,
        Recorder(
            tmp_path / "out", "--upstream", f"openai={provider.url}", "--upstream", f"gone={nowhere},profile=openai"
        ) as recorder,
    ):
        failed = ask(recorder.port, post(f"/gone{CHAT}", request()))
        ask(recorder.port, post(f"/openai{CHAT}", request()))
        summary = recorder.stop()
    assert status_of(failed) == 502
    assert json.loads(body_of(failed))["error"]["type"] == "toolreel_upstream_unreachable"
    assert summary["passed"] == {"provider not reachable": 1}
    assert summary["written"] == 1


def test_a_provider_that_speaks_no_http_is_answered_for_without_an_echo_of_its_bytes(tmp_path: Path) -> None:
    junk = Answer(raw_head=b"HTTP/1.1 200 OK\r\nno-colon-CANARY7f3\r\n\r\n", pieces=())
    early = Answer(raw_head=b"CANARY7f3", pieces=(), end=End.FIN)
    smtp = Answer(raw_head=b"220 CANARY7f3 ESMTP\r\n\r\n", pieces=(), end=End.HOLD)
    silent = Answer(raw_head=b"", pieces=(), end=End.FIN)
    for answer, why in (
        (junk, "provider sent no valid HTTP/1.1 response"),
        (early, "provider sent no valid HTTP/1.1 response"),
        (smtp, "provider sent no valid HTTP/1.1 response"),
        (silent, "ended before a response"),
    ):
        with (
            Provider(answer) as provider,
            Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
        ):
            failed = ask(recorder.port, post(f"/openai{CHAT}", request()))
            summary = recorder.stop()
            assert status_of(failed) == 502
            assert b"CANARY7f3" not in failed
            assert summary["passed"] == {why: 1}
            assert recorder.errors.startswith(f"toolreel: openai: chat.completions: not recorded, {why}; ")
            assert recorder.errors.count("\n") == 1
            assert "CANARY7f3" not in recorder.output + recorder.errors

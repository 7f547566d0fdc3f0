"""Nothing raw gets out of the recorder but to the two sides it stands between; and it stands between no others."""

import base64
import json
from pathlib import Path

import pytest
from support.builders.turns import DONE, call, request, text
from support.processes.recorder import Recorder
from support.sockets.provider import EVENT_STREAM, Answer, Provider, Request
from support.sockets.wire import Client, ask, body_of, post, status_of

pytest.importorskip("mitmproxy")

CHAT = "/v1/chat/completions"
TURN = (*call("{}"), DONE)


def places(recorder: Recorder) -> dict[str, str]:
    """Everything that the recorder wrote anywhere, by where."""
    written = {name: data.decode("utf-8", "replace") for name, data in recorder.files().items()}
    return {**written, "names": " ".join(written), "stdout": recorder.output, "stderr": recorder.errors}


def test_a_canary_in_any_position_is_in_no_file_and_no_line(tmp_path: Path) -> None:
    canaries = {f"zq{number}x{number * 7919:05d}vk": number for number in range(1, 9)}
    authorization, basic, cookie, query, prompt, answered, argument, answer_header = canaries
    pieces = (*text(["It is ", answered, " there."])[:-1], *call('{"ci', f'ty": "{argument}"}}'), DONE)
    headers = (*EVENT_STREAM, ("X-Request-Id", answer_header), ("Set-Cookie", f"s={cookie}; Path=/"))
    sent = (
        f"Authorization: Bearer {authorization}",
        f"Proxy-Authorization: Basic {base64.b64encode(f'user:{basic}'.encode()).decode()}",
        f"Cookie: a=1; b={cookie}",
        f"X-Toolreel-Case: {query} {prompt}",
    )
    with (
        Provider(Answer(pieces=pieces, headers=headers)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        target = f"/openai{CHAT}?key={query}"
        assert answered.encode() in ask(recorder.port, post(target, request(content=prompt), *sent))
        assert recorder.stop()["written"] == 1
        found = places(recorder)
    assert [(canary, place) for canary in canaries for place, said in found.items() if canary in said] == []


@pytest.mark.parametrize(
    "raw",
    [
        b"POST /openai/v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization Bearer CANARY7f3\r\n\r\n",
        b"POST /openai/CANARY7f3 HTTP/9\r\nAuthorization: Bearer CANARY7f3\r\n\r\n",
        b"POST /openai/v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: CANARY7f3\r\n\r\n",
        b"POST /openai/v1/chat/completions HTTP/1.1\r\nAuthorization: Bearer CANARY7f3\r\nBad\xffName: 1\r\n\r\n",
        b"CANARY7f3\r\n\r\n",
        b"\x16\x03\x01\x00\x05CANARY7f3",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nCANARY7f3",
    ],
    ids=["no colon", "version", "length", "header name", "no request line", "TLS record", "HTTP/2"],
)
def test_a_malformed_request_with_secrets_logs_nothing_of_them_and_goes_nowhere(tmp_path: Path, raw: bytes) -> None:
    with (
        Provider(Answer(pieces=TURN)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        with Client(recorder.port) as client:
            client.send(raw)
            client.half_close()
            assert b"CANARY7f3" not in client.read_all()
        with Client(recorder.port) as client:  # and one that leaves in the middle of its head
            client.send(b"POST /openai/v1/chat/completions HTTP/1.1\r\nAuthorization: Bearer CANARY7f3\r\n")
        ask(recorder.port, post(f"/openai{CHAT}", request()))
        assert recorder.stop()["written"] == 1  # it is still there
        assert len(provider.requests) == 1
        assert [place for place, said in places(recorder).items() if "CANARY7f3" in said] == []


@pytest.mark.parametrize(
    "target",
    ["/", "/v1/chat/completions", "/openaix/v1", "/OPENAI/v1", "//openai/v1", "/%6fpenai/v1", "/openai%2fv1", "*"],
)
def test_a_path_that_fits_no_prefix_is_answered_here_with_the_prefixes(tmp_path: Path, target: str) -> None:
    with (
        Provider(Answer(pieces=TURN)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        response = ask(recorder.port, post(target, request()))
        assert status_of(response) == 404
        error = json.loads(body_of(response))["error"]
        assert error["type"] == "toolreel_unknown_prefix"
        assert error["message"].endswith("/openai, /anthropic, /mistral, /cohere, /gemini, /ollama")
        assert provider.requests == []
        assert recorder.stop()["passed"] == {"no upstream for the path (answered here)": 1}


def test_it_is_no_open_relay(tmp_path: Path) -> None:
    """Another server on this machine is reached by no form of request."""
    with (
        Provider(Answer(pieces=TURN)) as provider,
        Provider(Answer(pieces=TURN)) as other,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        there = f"127.0.0.1:{other.port}"
        absolute = ask(recorder.port, post(f"http://{there}/openai{CHAT}", request()))
        connect = ask(recorder.port, f"CONNECT {there} HTTP/1.1\r\nHost: {there}\r\n\r\n".encode())
        hosted = ask(recorder.port, post("/", request()).replace(b"Host: localhost", f"Host: {there}".encode()))
        routed = ask(recorder.port, post(f"/openai{CHAT}", b"").replace(b"Host: localhost", f"Host: {there}".encode()))
        assert [status_of(one) for one in (absolute, connect, hosted, routed)] == [403, 403, 404, 200]
        assert other.requests == []
        assert other.connections == 0
        assert len(provider.requests) == 1
        assert recorder.stop()["passed"] == {
            "host that is no upstream (refused)": 2,
            "no upstream for the path (answered here)": 1,
        }


def test_the_recorder_listens_on_the_loopback_address_only(tmp_path: Path) -> None:
    with Recorder(tmp_path / "out") as recorder:
        listening = Path("/proc/net/tcp")
        if not listening.exists():
            pytest.skip("no /proc/net/tcp on this system")
        local = [line.split()[1] for line in listening.read_text().splitlines()[1:] if line.split()[3] == "0A"]
        mine = [address for address in local if address.endswith(f":{recorder.port:04X}")]
        assert mine == [f"0100007F:{recorder.port:04X}"]
        recorder.stop()


def test_a_capture_without_a_fixture_leaves_no_trace_of_its_text(tmp_path: Path) -> None:
    """A body that cannot be decoded is refused, with a reason and no content."""

    def answer(_: Request) -> Answer:
        return Answer(pieces=(b"CANARY7f3",), headers=(*EVENT_STREAM, ("Content-Encoding", "gzip")))

    with Provider(answer) as provider, Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder:
        assert body_of(ask(recorder.port, post(f"/openai{CHAT}", request(content="CANARY7f3")))).count(b"CANARY7f3")
        summary = recorder.stop()
        assert summary["refused"] == {"content coding unknown or broken": 1}
        assert recorder.files() == {}
        assert [place for place, said in places(recorder).items() if "CANARY7f3" in said] == []

"""The recorder as a client's HTTPS proxy, on the port of the prefixes: what it reads, passes and refuses."""

import json
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request
from support.processes.command import toolreel
from support.processes.recorder import Recorder
from support.sockets.certificates import authority
from support.sockets.provider import Answer, End, Framing, Provider, Request
from support.sockets.wire import Client, ask, body_of, post, status_of, through

CHAT: Final = "/v1/chat/completions"
TURN: Final = (*call('{"ci', 'ty": "Oslo"}'), DONE)
BODY: Final = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in TURN) + b"0\r\n\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """One recorder with a TLS upstream of a private authority, another server, and the user's data folder."""

    recorder: Recorder
    upstream: Provider
    other: Provider
    data: Path
    root: Path

    @property
    def bundle(self) -> Path:
        return self.data / "authority" / "bundle.pem"


def answer(seen: Request) -> Answer:
    return Answer(pieces=TURN[:2] if seen.header("x-cut") else TURN, end=End.FIN if seen.header("x-cut") else End.WHOLE)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("tunnels")
    root, context = authority(folder)
    data = folder / "data"
    variables = {"TOOLREEL_DATA": str(data)}
    with Provider(answer, tls=context) as upstream, Provider(answer, tls=context) as other:
        options = ("--upstream", f"openai={upstream.url}", "--upstream-ca", str(root), "--log", "json")
        with Recorder(folder / "out", *options, variables=variables) as recorder:
            refused = _connect(recorder.port, upstream.port)
            assert status_of(refused) == 501  # there is no authority yet, and none is made by listening
            assert b"toolreel env" in refused
            assert not data.exists()
            toolreel("ca", "rotate", variables=variables)
            yield Bench(recorder=recorder, upstream=upstream, other=other, data=data, root=root)


def _connect(port: int, target: int) -> bytes:
    """Ask for a tunnel that is refused; the whole answer."""
    return ask(port, f"CONNECT 127.0.0.1:{target} HTTP/1.1\r\nHost: 127.0.0.1:{target}\r\n\r\n".encode())


def fixture(bench: Bench, case: str) -> Any:
    return json.loads((bench.recorder.out / f"{case}.json").read_bytes())


def decided(bench: Bench, case: str) -> dict[str, object]:
    """The decision on a case, once it is there."""
    count = 1
    while True:
        found = bench.recorder.decisions(count)[-1]
        if found.get("case") == case:
            return found
        count += 1


def test_a_tunnel_to_an_upstream_is_recorded_and_the_client_sees_the_same(bench: Bench) -> None:
    raw = post(CHAT, request(), "Authorization: Bearer k")
    direct = through_tls(bench.upstream.port, bench.root, raw)
    raw = post(CHAT, request(), "Authorization: Bearer k", "X-Toolreel-Case: tunnel")
    assert through(bench.recorder.port, bench.upstream.port, bench.bundle, raw) == direct
    assert decided(bench, "tunnel")["event"] == "written"
    found = fixture(bench, "tunnel")
    assert found["capture"]["mode"] == "forward"
    assert found["capture"]["stream_end"] == "complete"
    plain, tunnelled = bench.upstream.requests[-2:]
    assert tunnelled.target == CHAT
    assert [pair for pair in tunnelled.headers if pair[0] != "Host"] == [p for p in plain.headers if p[0] != "Host"]


def through_tls(port: int, trusted: Path, raw: bytes) -> bytes:
    with Client(port) as client:
        client.wrap(ssl.create_default_context(cafile=trusted), "127.0.0.1")
        client.send(raw)
        return client.read_all()


def test_both_ways_give_the_same_fixture_but_for_the_way(bench: Bench) -> None:
    through(bench.recorder.port, bench.upstream.port, bench.bundle, post(CHAT, request(), "X-Toolreel-Case: by-proxy"))
    ask(bench.recorder.port, post(f"/openai{CHAT}", request(), "X-Toolreel-Case: by-prefix"))
    assert {decided(bench, case)["event"] for case in ("by-proxy", "by-prefix")} == {"written"}
    proxied, prefixed = fixture(bench, "by-proxy"), fixture(bench, "by-prefix")
    assert (proxied["capture"].pop("mode"), prefixed["capture"].pop("mode")) == ("forward", "reverse")
    assert proxied == prefixed


def test_a_cut_in_a_tunnel_is_a_cut_for_the_client_and_in_the_fixture(bench: Bench) -> None:
    raw = post(CHAT, request(), "X-Toolreel-Case: cut", "X-Cut: 1")
    assert not through(bench.recorder.port, bench.upstream.port, bench.bundle, raw).endswith(b"0\r\n\r\n")
    assert decided(bench, "cut")["event"] == "written"
    assert fixture(bench, "cut")["capture"]["stream_end"] == "upstream_disconnected"


def test_a_client_that_does_not_trust_the_authority_gets_nothing_and_says_nothing(bench: Bench) -> None:
    before = len(bench.upstream.requests)
    with pytest.raises(ssl.SSLCertVerificationError):
        through(bench.recorder.port, bench.upstream.port, bench.root, post(CHAT, request()))
    assert len(bench.upstream.requests) == before


def test_no_certificate_is_made_for_a_host_that_is_not_the_tunnels(bench: Bench) -> None:
    target = f"127.0.0.1:{bench.upstream.port}"
    with Client(bench.recorder.port) as client:
        client.send(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
        assert status_of(client.read_until(b"\r\n\r\n")) == 200
        anything = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        anything.check_hostname, anything.verify_mode = False, ssl.CERT_NONE
        with pytest.raises(ssl.SSLError):
            client.wrap(anything, "api.openai.com")


def test_the_recorder_has_its_upstream_signed_for_and_says_that_clients_start_again(bench: Bench) -> None:
    assert any("start again the clients" in line for line in bench.recorder.errors.splitlines())
    assert "127.0.0.1" in toolreel("ca", "show", variables={"TOOLREEL_DATA": str(bench.data)})


def test_a_renewed_authority_is_taken_at_once(bench: Bench) -> None:
    old = bench.bundle.read_bytes()
    toolreel("ca", "rotate", variables={"TOOLREEL_DATA": str(bench.data)})
    (bench.data / "old.pem").write_bytes(old)
    with pytest.raises(ssl.SSLCertVerificationError):
        through(bench.recorder.port, bench.upstream.port, bench.data / "old.pem", post(CHAT, request()))
    assert BODY in through(bench.recorder.port, bench.upstream.port, bench.bundle, post(CHAT, request()))


@pytest.mark.parametrize(
    "asked",
    [
        "CONNECT 127.0.0.1:{other} HTTP/1.1\r\nHost: 127.0.0.1:{other}\r\n\r\n",
        "CONNECT 127.0.0.1:{other} HTTP/1.1\r\nHost: 127.0.0.1:{upstream}\r\n\r\n",
        "CONNECT localhost:{upstream} HTTP/1.1\r\nHost: 127.0.0.1:{upstream}\r\n\r\n",
        "GET http://127.0.0.1:{other}/ HTTP/1.1\r\nHost: 127.0.0.1:{upstream}\r\nConnection: close\r\n\r\n",
    ],
)
def test_a_host_that_is_no_upstream_is_refused_whatever_the_headers_say(bench: Bench, asked: str) -> None:
    before = bench.other.connections, bench.upstream.connections
    response = ask(bench.recorder.port, asked.format(other=bench.other.port, upstream=bench.upstream.port).encode())
    assert status_of(response) == 403
    assert json.loads(body_of(response))["error"]["type"] == "toolreel_host_not_recorded"
    assert (bench.other.connections, bench.upstream.connections) == before


def test_in_a_tunnel_no_other_host_is_reached(bench: Bench) -> None:
    before = bench.other.connections
    there = f"127.0.0.1:{bench.other.port}"
    for raw in (
        post(f"https://{there}{CHAT}", request()),
        f"CONNECT {there} HTTP/1.1\r\nHost: {there}\r\n\r\n".encode(),
    ):
        assert status_of(through(bench.recorder.port, bench.upstream.port, bench.bundle, raw)) in (400, 404, 501)
    hosted = post(CHAT, request()).replace(b"Host: localhost", f"Host: {there}".encode())
    assert status_of(through(bench.recorder.port, bench.upstream.port, bench.bundle, hosted)) == 200  # by the upstream
    assert bench.other.connections == before


def test_what_is_no_turn_passes_through_a_tunnel(bench: Bench) -> None:
    assert BODY in through(bench.recorder.port, bench.upstream.port, bench.bundle, post("/v1/other", request()))


def test_with_other_pass_a_tunnel_is_not_looked_into_and_a_plain_request_goes_on(tmp_path: Path) -> None:
    """The client sees the certificate of the server itself."""
    root, context = authority(tmp_path)
    with (
        Provider(answer, tls=context) as other,
        Provider(Answer(pieces=TURN, framing=Framing.LENGTH)) as plain,
        Recorder(tmp_path / "out", "--other", "pass", variables={"TOOLREEL_DATA": str(tmp_path / "data")}) as recorder,
    ):
        assert BODY in through(recorder.port, other.port, root, post(CHAT, request()))
        response = ask(recorder.port, post(f"{plain.url}{CHAT}?a=1", request(), "Proxy-Connection: keep-alive"))
        assert body_of(response) == b"".join(TURN)
        (seen,) = plain.requests
        assert seen.target == f"{CHAT}?a=1"
        assert seen.header("host") == [f"127.0.0.1:{plain.port}"]
        assert seen.header("proxy-connection") == []
        summary = recorder.stop()
        assert (summary["captured"], summary["bugs"]) == (0, {})
        assert summary["passed"] == {"host that is no upstream (--other pass)": 2}
        assert not (tmp_path / "data").exists()


def test_a_plain_request_to_a_plain_upstream_is_recorded(tmp_path: Path) -> None:
    with (
        Provider(Answer(pieces=TURN)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}/base") as recorder,
    ):
        assert BODY in ask(recorder.port, post(f"{provider.url}/base{CHAT}", request(), "X-Toolreel-Case: plain"))
        assert BODY in ask(recorder.port, post(f"{provider.url}/elsewhere{CHAT}", request()))
        summary = recorder.stop()
        assert (summary["written"], summary["passed"]) == (1, {"path or method not recognised": 1})
        assert provider.requests[0].target == f"/base{CHAT}"
        assert json.loads(recorder.files()["plain.json"])["capture"]["mode"] == "forward"

"""The recorder behind a real forward proxy: with and without TLS and credentials, and how each error is told."""

import base64
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request
from support.processes.command import run, toolreel
from support.processes.forward_proxy import ForwardProxy
from support.processes.recorder import Recorder
from support.sockets.certificates import authority
from support.sockets.provider import Answer, Provider
from support.sockets.tls_relay import TlsRelay
from support.sockets.wire import Client, ask, body_of, post, status_of

CHAT: Final = "/v1/chat/completions"
TURN: Final = (*call('{"city": "Oslo"}'), DONE)
# Nobody can look these names up, so that the recorder reaches them through its proxy or not at all.
PLAIN: Final = "http://provider.test"


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider(Answer(pieces=TURN)) as found:
        yield found


def recorded(tmp_path: Path, *options: str, variables: Mapping[str, str] | None = None) -> tuple[bytes, dict[str, Any]]:
    """The answer to one request through a recorder, and its summary."""
    with Recorder(tmp_path / "out", *options, variables=variables) as recorder:
        answer = ask(recorder.port, post(f"/gw{CHAT}", request(), "Authorization: Bearer theirs"))
        return answer, recorder.stop()


def test_the_variables_lead_through_the_proxy_and_the_clients_own_authorization_stays(
    tmp_path: Path, provider: Provider
) -> None:
    with ForwardProxy(tmp_path, leads_to=provider.port, credentials="user:p@ss word") as proxy:
        variables = {"http_proxy": f"http://user:p%40ss%20word@127.0.0.1:{proxy.port}"}
        answer, summary = recorded(tmp_path, "--upstream", f"gw={PLAIN}", variables=variables)
        assert proxy.asked == [{"host": "provider.test", "credentials": True}]
    assert (status_of(answer), TURN[-1] in answer, summary["written"]) == (200, True, 1)
    (seen,) = provider.requests
    assert seen.header("authorization") == ["Bearer theirs"]
    assert seen.header("proxy-authorization") == []
    assert (seen.target, seen.header("host")) == (CHAT, ["provider.test"])


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_an_upstream_and_its_proxy_with_tls(tmp_path: Path, scheme: str) -> None:
    root, context = authority(tmp_path, "provider.test")
    with (
        Provider(Answer(pieces=TURN), tls=context) as provider,
        ForwardProxy(tmp_path, leads_to=provider.port, credentials="user:word") as proxy,
        TlsRelay(context, behind=proxy.port) as relay,
    ):
        port = relay.port if scheme == "https" else proxy.port
        told = ("--upstream-proxy", f"{scheme}://user:word@127.0.0.1:{port}", "--upstream-ca", str(root))
        answer, summary = recorded(tmp_path, "--upstream", "gw=https://provider.test", *told)
        assert (status_of(answer), summary["written"]) == (200, 1)
        # The tunnel is opened, and whose certificate it is that is not trusted is the provider's.
        answer, summary = recorded(tmp_path, "--upstream", "gw=https://another.test", *told)
        assert json.loads(body_of(answer))["error"]["type"] == "toolreel_upstream_tls"
        assert summary["passed"] == {"TLS with the provider failed": 1}
        assert [one["host"] for one in proxy.asked] == ["provider.test", "another.test"]
        assert all(one["credentials"] for one in proxy.asked)


def test_a_proxy_whose_certificate_is_not_trusted_is_told_apart_from_the_provider(tmp_path: Path) -> None:
    _, context = authority(tmp_path)
    with Provider(Answer(pieces=TURN), tls=context) as untrusted:
        options = ("--upstream", f"gw={PLAIN}", "--upstream-proxy", untrusted.url)
        answer, summary = recorded(tmp_path, *options)
        assert json.loads(body_of(answer))["error"]["type"] == "toolreel_proxy_tls"
        assert summary["passed"] == {"proxy on the way to the provider not reachable": 1}
        assert (
            f"problem  proxy {untrusted.url}: has no certificate that is trusted here" in run("doctor", *options).stdout
        )


def test_a_connection_that_is_kept_serves_upstreams_with_a_proxy_and_without(
    tmp_path: Path, provider: Provider
) -> None:
    with ForwardProxy(tmp_path, leads_to=provider.port) as proxy:
        options = ("--upstream", f"gw={PLAIN}", "--upstream", f"here={provider.url}")
        variables = {"HTTP_PROXY": f"http://127.0.0.1:{proxy.port}"}
        with Recorder(tmp_path / "out", *options, variables=variables) as recorder:
            with Client(recorder.port) as client:
                for count, name in enumerate(("gw", "here", "gw", "gw")):
                    client.send(post(f"/{name}{CHAT}", request(), close=False))
                    while client.received.count(b"0\r\n\r\n") <= count:
                        client.received += client._socket.recv(65536)
            assert recorder.stop()["captured"] == 4
        assert {one["host"] for one in proxy.asked} == {"provider.test"}


def test_hosts_of_no_proxy_and_of_this_machine_are_reached_directly(tmp_path: Path, provider: Provider) -> None:
    with ForwardProxy(tmp_path, leads_to=provider.port) as proxy:
        variables = {"HTTP_PROXY": f"http://127.0.0.1:{proxy.port}", "NO_PROXY": ".test"}
        answer, summary = recorded(tmp_path, "--upstream", f"gw={PLAIN}", variables=variables)
        assert json.loads(body_of(answer))["error"]["type"] == "toolreel_upstream_unreachable"
        assert summary["passed"] == {"provider not reachable": 1}
        answer, summary = recorded(tmp_path, "--upstream", f"gw={provider.url}", variables=variables)
        assert (status_of(answer), summary["written"]) == (200, 1)
        assert not proxy.asked


@pytest.mark.parametrize(
    ("host", "user", "cause", "passed"),
    [
        ("provider.refused", "user:word", "toolreel_proxy_refused", "proxy on the way to the provider refused"),
        ("provider.test", "user:other", "toolreel_proxy_credentials", "proxy on the way to the provider refused"),
        ("provider.lost", "user:word", "toolreel_proxy_failed", "proxy could not reach the provider"),
    ],
)
def test_an_error_says_whether_the_proxy_or_the_provider_failed(
    tmp_path: Path, provider: Provider, host: str, user: str, cause: str, passed: str
) -> None:
    with ForwardProxy(tmp_path, leads_to=provider.port, credentials="user:word") as proxy:
        told = f"http://{user}@127.0.0.1:{proxy.port}"
        answer, summary = recorded(tmp_path, "--upstream", f"gw=http://{host}", "--upstream-proxy", told)
        assert status_of(answer) == 502
        assert json.loads(body_of(answer))["error"]["type"] == cause
        assert b"CANARY" not in answer
        assert summary["passed"] == {passed: 1}
        doctor = run("doctor", "--upstream", f"gw=http://{host}", "--upstream-proxy", told)
        line = next(line for line in doctor.stdout.splitlines() if "upstream gw" in line)
        assert line.startswith("problem")
        assert "the proxy does not lead to" in line
        assert user not in doctor.stdout + doctor.stderr


def test_a_proxy_that_is_not_there_is_told_apart_from_the_provider(tmp_path: Path) -> None:
    options = ("--upstream", f"gw={PLAIN}", "--upstream-proxy", "http://127.0.0.1:1")
    answer, summary = recorded(tmp_path, *options)
    assert json.loads(body_of(answer))["error"]["type"] == "toolreel_proxy_unreachable"
    assert summary["passed"] == {"proxy on the way to the provider not reachable": 1}
    said = run("doctor", *options).stdout
    assert "problem  proxy http://127.0.0.1:1: cannot be reached" in said
    assert f"problem  upstream gw: {PLAIN} was not tried: its proxy failed" in said


def test_the_doctor_reaches_a_provider_through_the_proxy(tmp_path: Path, provider: Provider) -> None:
    with ForwardProxy(tmp_path, leads_to=provider.port, credentials="user:word") as proxy:
        told = f"http://user:word@127.0.0.1:{proxy.port}"
        said = run("doctor", "--upstream", f"gw={PLAIN}", "--upstream-proxy", told).stdout
    assert f"ok       proxy http://127.0.0.1:{proxy.port}: can be reached" in said
    assert f"ok       upstream gw: {PLAIN} can be reached through the proxy" in said


def test_tunnels_that_pass_untouched_go_through_the_proxy_as_well(tmp_path: Path, provider: Provider) -> None:
    variables = {"TOOLREEL_DATA": str(tmp_path / "data")}
    with ForwardProxy(tmp_path, leads_to=provider.port) as proxy:
        options = ("--other", "pass", "--upstream-proxy", f"http://127.0.0.1:{proxy.port}")
        with Recorder(tmp_path / "out", *options, variables=variables) as recorder:
            toolreel("ca", "rotate", variables=variables)
            with Client(recorder.port) as client:
                client.send(b"CONNECT else.test:443 HTTP/1.1\r\nHost: else.test:443\r\n\r\n")
                client.read_until(b"\r\n\r\n")
                client.received = b""
                client.send(post(CHAT, request()))
                assert TURN[-1] in client.read_all()
            assert recorder.stop()["passed"] == {"host that is no upstream (--other pass)": 1}
        assert [one["host"] for one in proxy.asked] == ["else.test"]


@pytest.mark.parametrize("told", ["socks5://127.0.0.1:1080", "http://", "http://user:SECRET@x:99999", "ftp://x"])
def test_what_is_no_proxy_is_an_error_that_repeats_nothing(tmp_path: Path, told: str) -> None:
    done = run("record", "--out", tmp_path / "out", "--port", "0", "--upstream-proxy", told)
    assert done.returncode == 2
    assert "--upstream-proxy: expected the URL of an http or https proxy" in done.stderr
    assert "SECRET" not in done.stderr
    done = run("record", "--out", tmp_path / "out", "--port", "0", variables={"HTTPS_PROXY": told})
    assert (done.returncode, "HTTPS_PROXY: expected" in done.stderr, "SECRET" in done.stderr) == (2, True, False)


def test_the_credentials_are_in_nothing_that_is_printed_or_written(tmp_path: Path, provider: Provider) -> None:
    pair = "someone:CANARYword"
    with ForwardProxy(tmp_path, leads_to=provider.port, credentials=pair) as proxy:
        told = f"http://{pair}@127.0.0.1:{proxy.port}"
        with Recorder(tmp_path / "out", "--upstream", f"gw={PLAIN}", "--upstream-proxy", told) as recorder:
            ask(recorder.port, post(f"/gw{CHAT}", request()))
            recorder.stop()
            said = recorder.output + recorder.errors + repr(recorder.files())
    assert "CANARYword" not in said
    assert base64.b64encode(pair.encode()).decode() not in said

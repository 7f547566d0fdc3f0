"""Tunnels: which are opened, which pass, which are refused; the hooks called as mitmproxy calls them."""

import json
from collections.abc import Callable

import pytest

pytest.importorskip("mitmproxy")

from mitmproxy import http, tls
from mitmproxy.options import Options
from mitmproxy.proxy import context, layers
from mitmproxy.proxy.layer import NextLayer
from mitmproxy.proxy.layers import modes
from mitmproxy.proxy.layers.http import HTTPMode
from mitmproxy.test import tflow, tutils

from proxy_addon.recorder.routes import Routes
from proxy_addon.recorder.tunnels.forward import Other, Tunnels
from proxy_addon.recorder.tunnels.upstream_proxies import NO_PROXIES
from proxy_addon.recorder.tunnels.via import Via
from proxy_addon.upstreams import BUILT_IN
from proxy_addon.writing.outcomes.counts import Counts


class Run:
    """Tunnels with a count, and a client."""

    def __init__(self, *, other: Other = Other.REFUSE, authority: Callable[[], bool] = lambda: True) -> None:
        self.counts = Counts()
        routes = Routes(BUILT_IN.values())
        self.tunnels = Tunnels(
            routes=routes,
            other=other,
            counts=self.counts,
            authority=authority,
            passed=self.counts.passed,
            via=Via(NO_PROXIES),
        )

    def connect(self, host: str, port: int = 443) -> http.HTTPFlow:
        request = tutils.treq(method=b"CONNECT", host=host, port=port, authority=f"{host}:{port}".encode())
        flow = tflow.tflow(req=request)
        self.tunnels.http_connect(flow)
        return flow


def error_of(flow: http.HTTPFlow) -> str:
    assert flow.response is not None
    return str(json.loads(flow.response.content or b"")["error"]["type"])


@pytest.mark.parametrize("host", ["api.openai.com", "API.OpenAI.com", "api.anthropic.com", "api.mistral.ai"])
def test_a_tunnel_to_an_upstream_is_opened(host: str) -> None:
    run = Run()
    flow = run.connect(host)
    assert flow.response is None
    assert run.tunnels.opened(flow.client_conn.id)
    assert run.counts.summary().passed == {}


@pytest.mark.parametrize(
    ("host", "port"), [("example.com", 443), ("api.openai.com", 80), ("api.openai.com.evil.example", 443), ("", 443)]
)
def test_any_other_is_refused_or_passes_as_the_user_says(host: str, port: int) -> None:
    refusing = Run()
    flow = refusing.connect(host, port)
    assert flow.response is not None
    assert (flow.response.status_code, error_of(flow)) == (403, "toolreel_host_not_recorded")
    assert not refusing.tunnels.opened(flow.client_conn.id)
    assert refusing.counts.summary().passed == {"host that is no upstream (refused)": 1}

    passing = Run(other=Other.PASS)
    flow = passing.connect(host, port)
    assert flow.response is None
    assert not passing.tunnels.opened(flow.client_conn.id)
    assert passing.counts.summary().passed == {"host that is no upstream (--other pass)": 1}


def test_without_an_authority_no_tunnel_is_opened() -> None:
    run = Run(authority=lambda: False)
    flow = run.connect("api.openai.com")
    assert error_of(flow) == "toolreel_no_certificate_authority"
    assert not run.tunnels.opened(flow.client_conn.id)


def test_a_fault_leaves_the_tunnel_closed_and_is_counted_by_type_alone() -> None:
    def broken() -> bool:
        raise ValueError("CANARY")

    run = Run(authority=broken)
    flow = run.connect("api.openai.com")
    assert flow.response is not None
    assert not run.tunnels.opened(flow.client_conn.id)
    assert run.counts.summary().bugs == {"ValueError": 1}


def test_a_connection_that_is_gone_is_forgotten() -> None:
    run = Run()
    flow = run.connect("api.openai.com")
    run.tunnels.client_disconnected(flow.client_conn)
    assert not run.tunnels.opened(flow.client_conn.id)


@pytest.mark.parametrize("asked", ["bank.example", "api.openai.com.example", ""])
def test_no_certificate_is_made_for_another_host_than_that_of_the_tunnel(asked: str) -> None:
    run = Run()
    client = run.connect("API.openai.com").client_conn
    data = tls.TlsData(client, context.Context(client, Options()))
    for name in ("api.openai.com", "api.openai.com.", "API.OPENAI.COM"):
        client.sni = name
        run.tunnels.tls_start_client(data)
        assert (data.ssl_conn, client.sni) == (None, name)
    client.sni = None
    run.tunnels.tls_start_client(data)
    assert (data.ssl_conn, client.sni) == (None, "API.openai.com")
    client.sni = asked
    run.tunnels.tls_start_client(data)
    assert data.ssl_conn is not None
    run.tunnels.tls_failed_client(data)
    assert run.counts.summary().passed == {"TLS for another host than that of the tunnel (refused)": 1}


class Seen(NextLayer):
    """A place where a layer is to be chosen, with what the client has sent so far."""

    def __init__(self, where: context.Context, start: bytes) -> None:
        super().__init__(where)
        self._start = start

    def data_client(self) -> bytes:
        return self._start


@pytest.mark.parametrize(
    ("start", "regular", "whole_url"),
    [
        (b"CONNECT api.openai.com:443 HTTP/1.1\r\n", True, False),
        (b"CONN", True, False),
        (b"POST http://127.0.0.1/ HTTP/1.1\r\n", True, True),
        (b"GET https://api.openai.com/ HTTP/1.1\r\n", True, True),
        (b"POST /openai/v1/chat/completions HTTP/1.1\r\n", False, False),
        (b"POST /openai/v1?u=x http://x HTTP/1.1\r\n", False, False),
        (b"CONNECTED", False, False),
        (b"", False, False),
    ],
)
def test_only_requests_of_a_proxys_client_are_read_as_such(start: bytes, regular: bool, whole_url: bool) -> None:
    run = Run()
    where = context.Context(tflow.tclient_conn(), Options())
    modes.ReverseProxy(where)
    place = Seen(where, start)
    run.tunnels.next_layer(place)
    assert run.tunnels.whole_urls(where.client.id) is whole_url
    if not regular:
        assert place.layer is None  # mitmproxy chooses
        return
    assert isinstance(place.layer, layers.HttpLayer)
    assert place.layer.mode is HTTPMode.regular


def test_a_tunnel_that_passes_is_not_looked_into() -> None:
    run = Run(other=Other.PASS)
    flow = run.connect("example.com")
    place = Seen(context.Context(flow.client_conn, Options()), b"\x16\x03\x01")
    run.tunnels.next_layer(place)
    assert isinstance(place.layer, layers.TCPLayer)
    assert place.layer.flow is None  # nothing is kept of it, and no hook hears of it

"""The recorder as a client's HTTPS proxy: which hosts it connects to, and through which it looks.

A tunnel to an upstream is opened and read with a certificate of the user's own authority. A tunnel to any other host is
refused, or passed through untouched. Knows no captures: what comes through an opened tunnel is the recorder's to read.
"""

import re
from collections.abc import Callable
from enum import Enum
from typing import Any, Final

from mitmproxy import http, tls
from mitmproxy.net import tls as net_tls
from mitmproxy.proxy import layers
from mitmproxy.proxy.layer import NextLayer
from mitmproxy.proxy.layers import modes
from mitmproxy.proxy.layers.http import HTTPMode

from proxy_addon.recorder.requests.messages import lets_in
from proxy_addon.recorder.requests.other_apis import host_of
from proxy_addon.recorder.requests.own_answers import Cause, answer
from proxy_addon.recorder.routes import Routes
from proxy_addon.recorder.settings.tokens import Tokens
from proxy_addon.recorder.tunnels.http2 import PREFACE, NoHttp2
from proxy_addon.recorder.tunnels.via import Via
from proxy_addon.writing.outcomes.counts import Counts
from proxy_addon.writing.outcomes.settled import Passed
from proxy_addon.writing.outcomes.unrecorded import REQUEST, TUNNEL, Kind

# How a request for a tunnel begins.
CONNECT: Final = b"CONNECT "

# How a request with a whole URL begins, which only clients of a proxy send.
WHOLE_URL: Final = re.compile(rb"[A-Z]{1,16} https?://", re.IGNORECASE)


class Other(Enum):
    """What becomes of hosts that are no upstream; the value is what `--other` takes."""

    REFUSE = "refuse"
    PASS = "pass"  # noqa: S105 (what happens to a host, not a password)


class Tunnels:
    """The addon that opens tunnels, lets them pass or refuses them. A bug in a hook leaves a tunnel refused.

    `authority` makes the user's authority ready, and says whether there is one. `passed` hears of each tunnel that
    brings nothing to record.
    """

    name = "toolreel_tunnels"

    def __init__(
        self,
        *,
        routes: Routes,
        other: Other,
        counts: Counts,
        authority: Callable[[], bool],
        passed: Callable[[Kind], None],
        via: Via,
        tokens: Tokens | None = None,
    ) -> None:
        self._via: Final = via
        self._tokens: Final = tokens
        self._passed: Final = passed
        self._routes: Final = routes
        self._other: Final = other
        self._counts: Final = counts
        self._authority: Final = authority
        self._opened: dict[str, str] = {}  # by client connection, the host
        self._misnamed: set[str] = set()
        self._passing: set[str] = set()
        self._whole_urls: set[str] = set()

    def look(self) -> None:
        """Look at the authority on the disk: `toolreel env` asks for that before the clients start."""
        self._authority()

    def opened(self, client: str) -> bool:
        """Whether the requests of this connection come through a tunnel to an upstream."""
        return client in self._opened

    def whole_urls(self, client: str) -> bool:
        """Whether the requests of this connection name their host in the request line."""
        return client in self._whole_urls

    def next_layer(self, next_layer: NextLayer) -> None:
        """Choose what reads a connection where mitmproxy would choose otherwise.

        A listener with prefixes takes tunnels as well, and what passes through a tunnel untouched is not looked at.
        """
        context = next_layer.context
        if context.client.id in self._passing:
            next_layer.layer = self._via.passing(context)
            return
        if not isinstance(context.layers[-1], modes.ReverseProxy):
            return
        start: bytes = next_layer.data_client()[:64]  # type: ignore[no-untyped-call]
        if start.startswith(PREFACE):
            self._passed(Kind(upstream="request", what=REQUEST, why=Passed.HTTP_2))
            next_layer.layer = NoHttp2(context)
            return
        whole_url = WHOLE_URL.match(start) is not None
        if whole_url:
            self._whole_urls.add(context.client.id)
        if whole_url or (start and CONNECT.startswith(start[: len(CONNECT)])):
            next_layer.layer = layers.HttpLayer(context, HTTPMode.regular)

    def http_connect(self, flow: http.HTTPFlow) -> None:
        """Open a tunnel, let it pass, or refuse it."""
        try:
            cause = self._stranger(flow.request) or self._connect(
                flow.client_conn.id, flow.request.host, flow.request.port
            )
        except Exception as error:
            self._counts.bug(error)
            cause = Cause.NO_AUTHORITY
        if cause is not None:
            said = answer(cause, prefixes=())
            headers = {**said.headers, "Connection": "close"}
            flow.response = http.Response.make(said.status, said.body, headers)

    def _stranger(self, request: http.Request) -> Cause | None:
        """Why a client is not let in; None where it is. What it showed goes no further."""
        if lets_in(self._tokens, request.headers):
            return None
        self._note(request.host, Passed.UNKNOWN_CLIENT)
        return Cause.UNKNOWN_PROXY_CLIENT

    def _connect(self, client: str, host: str, port: int) -> Cause | None:
        if self._routes.lists(host, port):
            if self._authority():
                self._opened[client] = host
                return None
            self._note(host, Passed.NO_AUTHORITY)
            return Cause.NO_AUTHORITY
        if self._other is Other.PASS:
            self._passing.add(client)
            self._note(host, Passed.OTHER_HOST)
            return None
        self._note(host, Passed.REFUSED_HOST)
        return Cause.OTHER_HOST

    def _note(self, host: str, why: Passed) -> None:
        self._passed(Kind(upstream=host_of(host), what=TUNNEL, why=why))

    def tls_start_client(self, data: tls.TlsData) -> None:
        """Have a certificate made for the host of an opened tunnel alone, and none for what a client asks besides."""
        host = self._opened.get(data.context.client.id)
        asked = data.context.client.sni
        if host is None or (asked is not None and asked.lower().rstrip(".") != host.lower().rstrip(".")):
            self._misnamed.add(data.context.client.id)
            # mitmproxy makes none where a connection is there; this one has none, and ends the handshake.
            openssl: Any = net_tls
            data.ssl_conn = openssl.SSL.Connection(openssl.SSL.Context(openssl.SSL.TLS_SERVER_METHOD))
            data.ssl_conn.set_accept_state()
        elif asked is None:
            data.context.client.sni = host  # or the certificate would be for the address of this machine as well

    def tls_failed_client(self, data: tls.TlsData) -> None:
        """Count a client that refused our certificate: the commonest mistake, and one that clients report badly."""
        host = self._opened.get(data.context.client.id, "")
        if data.context.client.id in self._misnamed:
            self._note(host, Passed.OTHER_NAME)
        elif host:
            self._note(host, Passed.UNTRUSTED)

    def client_disconnected(self, client: Any) -> None:
        """Forget a connection that is gone."""
        self._opened.pop(client.id, None)
        self._misnamed.discard(client.id)
        self._passing.discard(client.id)
        self._whole_urls.discard(client.id)

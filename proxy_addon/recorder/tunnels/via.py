"""How mitmproxy is made to reach upstreams through proxies: by a tunnel, with the credentials that the proxy asks for.

Its own option for credentials is not used: with a reverse proxy it replaces the client's own `Authorization`. Whether
the proxy or the provider failed, mitmproxy does not tell apart; so an error of a proxy becomes the value of a `Cause`.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from mitmproxy import connection, http
from mitmproxy.proxy import context, events, layers
from mitmproxy.proxy.layers.http import _upstream_proxy

from proxy_addon.recorder.requests.own_answers import Cause, cause_of
from proxy_addon.recorder.tunnels.upstream_proxies import Proxy, UpstreamProxies
from proxy_addon.writing.outcomes.settled import Passed

_REFUSED: Final = re.compile(r"refused HTTP CONNECT request: (\d)(\d\d)")

PASSED: Final = {
    Cause.PROXY_UNREACHABLE: Passed.PROXY_UNREACHABLE,
    Cause.PROXY_TLS: Passed.PROXY_UNREACHABLE,
    Cause.PROXY_CREDENTIALS: Passed.PROXY_REFUSED,
    Cause.PROXY_REFUSED: Passed.PROXY_REFUSED,
    Cause.PROXY_FAILED: Passed.PROXY_FAILED,
}


class Via:
    """Sends requests through the proxies of a run. It is also the addon that knows what each proxy is to be told."""

    name = "toolreel_via"

    def __init__(self, proxies: UpstreamProxies) -> None:
        self._proxies: Final = proxies

    def send(self, flow: http.HTTPFlow) -> None:
        """Have a request that is for an upstream go through its proxy, or through none."""
        request = flow.request
        spec = _spec(self._proxies.for_(request.scheme, request.host, request.port))
        if flow.server_conn.via != spec:
            flow.server_conn = connection.Server(address=flow.server_conn.address)
            flow.server_conn.via = spec

    def passing(self, found: context.Context) -> Any:
        """The layer of a tunnel that passes untouched."""
        address = found.server.address
        spec = None if address is None else _spec(self._proxies.for_("https", *address[:2]))
        if spec is None:
            return layers.TCPLayer(found, ignore=True)
        found.server = connection.Server(address=address)
        found.server.via = spec
        stack = _upstream_proxy.HttpUpstreamProxy.make(found, send_connect=True)
        stack /= layers.TCPLayer(found, ignore=True)
        return stack[0]

    def http_connect_upstream(self, flow: http.HTTPFlow) -> None:
        """Tell a proxy who asks for a tunnel."""
        address = flow.server_conn.address
        proxy = self._proxies.at(None if address is None else (address[0], address[1]))
        if proxy is not None and proxy.authorization is not None:
            flow.request.headers["Proxy-Authorization"] = proxy.authorization


def _spec(proxy: Proxy | None) -> Any:
    return None if proxy is None else (proxy.scheme, (proxy.host, proxy.port))


def tell_proxies_apart() -> None:
    """Have mitmproxy say of an error on the way to the provider that it was the proxy's; to do so again is harmless."""
    layer: Any = _upstream_proxy.HttpUpstreamProxy
    original = getattr(layer.event_to_child, "original", layer.event_to_child)
    layer.event_to_child = _marking(original)


def _marking(original: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    def marking(self: Any, event: Any) -> Iterator[Any]:
        if isinstance(event, events.OpenConnectionCompleted) and event.command.connection is self.conn and event.reply:
            event = events.OpenConnectionCompleted(event.command, proxy_cause(event.reply).value)
        yield from original(self, event)

    found: Any = marking
    found.original = original
    return marking


def proxy_cause(message: str) -> Cause:
    """The cause that a proxy brought nobody to the provider, by mitmproxy's message about it."""
    refused = _REFUSED.search(message)
    if refused is not None:
        credentials = refused[1] + refused[2] == "407"
        return Cause.PROXY_CREDENTIALS if credentials else _BY_STATUS.get(refused[1], Cause.PROXY_FAILED)
    if message.startswith(("Error connecting to ", "connection closed")):
        return Cause.PROXY_FAILED
    return Cause.PROXY_TLS if cause_of(502, message) is Cause.TLS else Cause.PROXY_UNREACHABLE


_BY_STATUS: Final = {"4": Cause.PROXY_REFUSED, "5": Cause.PROXY_FAILED}

"""mitmproxy's messages: what the recorder reads in them, and how it sends a request on. Pure functions."""

from mitmproxy import http

from proxy_addon.recorder.routes import Route
from proxy_addon.recorder.settings.tokens import PROXY_HEADER, TOKEN_HEADER, Tokens
from proxy_addon.upstreams import TurnKind, authority
from proxy_addon.writing.finished import Head, Headers
from redaction.captured.exchange import Ending, Mode, Sampled


def send_to(request: http.Request, route: Route) -> None:
    """Have a request that came by a prefix go to its upstream."""
    request.scheme = route.upstream.scheme
    request.host = route.upstream.host
    request.port = route.upstream.port
    request.path = route.target
    request.host_header = route.upstream.authority


def send_on(request: http.Request) -> None:
    """Have a request with a whole URL go on as a proxy does: its host leaves the request line for the Host header."""
    name_host(request)
    request.headers.pop("proxy-connection", None)
    request.headers.pop("proxy-authorization", None)


def lets_in(tokens: Tokens | None, headers: http.Headers) -> bool:
    """Whether these headers let a client in; what it shows for that is taken out of them."""
    shown = [value for name, value in headers.fields if name.lower() == TOKEN_HEADER.lower().encode()]
    proxy = [value for name, value in headers.fields if name.lower() == PROXY_HEADER.lower().encode()]
    headers.pop(TOKEN_HEADER, None)  # also where none is asked for: it is meant for a recorder
    if tokens is None:
        return True
    headers.pop(PROXY_HEADER, None)
    return tokens.let_in(token=shown, proxy=proxy)


def name_host(request: http.Request) -> None:
    """Have the Host header say where a request goes, whatever its client wrote there."""
    request.host_header = authority(request.scheme, request.host, request.port)


def ending_of(response: http.Response | None) -> Ending:
    """How a message ended over HTTP/1 that nobody cut: as its framing says, or only with its connection."""
    if response is None:
        return Ending.UPSTREAM
    coding = response.headers.get("transfer-encoding")
    told = "content-length" in response.headers if coding is None else "chunked" in coding.lower()
    return Ending.MESSAGE_END if told else Ending.CLOSE


def head_of(
    flow: http.HTTPFlow,
    response: http.Response,
    *,
    upstream: str,
    turn: TurnKind,
    target: str,
    case: str | None,
    mode: Mode,
    sampled: Sampled,
) -> Head:
    """All that is known of an exchange when its response starts."""
    return Head(
        upstream=upstream,
        turn=turn,
        case=case,
        request_headers=headers_of(flow.request.headers),
        query=target.partition("?")[2],
        path=target.partition("?")[0],
        request_body=flow.request.raw_content or b"",
        status=response.status_code,
        response_headers=headers_of(response.headers),
        mode=mode,
        sampled=sampled,
    )


def headers_of(headers: http.Headers) -> Headers:
    """The headers as text; bytes that are no UTF-8 become replacement characters."""
    return tuple((name.decode("utf-8", "replace"), value.decode("utf-8", "replace")) for name, value in headers.fields)

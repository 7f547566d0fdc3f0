"""The answers that the recorder gives itself: short JSON in closed words. They never repeat a byte of either side."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from replay.local_clients import Foreign


class Cause(Enum):
    """Why the recorder answers in the provider's place; the value is the `type` in the body."""

    UNKNOWN_PREFIX = "toolreel_unknown_prefix"
    PROXY_REQUEST = "toolreel_no_forward_proxy"
    OTHER_HOST = "toolreel_host_not_recorded"
    NO_AUTHORITY = "toolreel_no_certificate_authority"
    FOREIGN_HOST = "toolreel_foreign_host"
    FOREIGN_PAGE = "toolreel_foreign_page"
    UNKNOWN_CLIENT = "toolreel_no_token"
    UNKNOWN_PROXY_CLIENT = "toolreel_no_proxy_token"
    BAD_REQUEST = "toolreel_bad_request"
    HEAD_TOO_LONG = "toolreel_head_too_long"
    BAD_RESPONSE = "toolreel_bad_response"
    TLS = "toolreel_upstream_tls"
    UNREACHABLE = "toolreel_upstream_unreachable"
    PROXY_UNREACHABLE = "toolreel_proxy_unreachable"
    PROXY_TLS = "toolreel_proxy_tls"
    PROXY_CREDENTIALS = "toolreel_proxy_credentials"
    PROXY_REFUSED = "toolreel_proxy_refused"
    PROXY_FAILED = "toolreel_proxy_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer of the recorder's own: its status and its body, which is always `application/json`."""

    status: int
    body: bytes

    @property
    def headers(self) -> dict[str, str]:
        """Its headers, but those of its framing."""
        return dict((("Content-Type", CONTENT_TYPE), *filter(None, (_CHALLENGE.get(self.status),))))


CONTENT_TYPE: Final = "application/json"

# What a client is asked for, by the status that asks.
_CHALLENGE: Final = {
    401: ("WWW-Authenticate", "Toolreel"),
    407: ("Proxy-Authenticate", 'Basic realm="toolreel"'),
}

# What `toolreel env` asks for, so that a recorder looks at the authority on the disk. No upstream has such a name.
LOOK: Final = "/.toolreel/authority"

_STATUS: Final = {
    Cause.UNKNOWN_PREFIX: 404,
    Cause.PROXY_REQUEST: 501,
    Cause.OTHER_HOST: 403,
    Cause.NO_AUTHORITY: 501,
    Cause.FOREIGN_HOST: 403,
    Cause.FOREIGN_PAGE: 403,
    Cause.UNKNOWN_CLIENT: 401,
    Cause.UNKNOWN_PROXY_CLIENT: 407,
    Cause.BAD_REQUEST: 400,
    Cause.HEAD_TOO_LONG: 431,
    Cause.BAD_RESPONSE: 502,
    Cause.TLS: 502,
    Cause.UNREACHABLE: 502,
    Cause.PROXY_UNREACHABLE: 502,
    Cause.PROXY_TLS: 502,
    Cause.PROXY_CREDENTIALS: 502,
    Cause.PROXY_REFUSED: 502,
    Cause.PROXY_FAILED: 502,
}

_PROXIES: Final = {
    cause.value: cause
    for cause in (
        *(Cause.PROXY_UNREACHABLE, Cause.PROXY_TLS, Cause.PROXY_CREDENTIALS, Cause.PROXY_REFUSED, Cause.PROXY_FAILED),
    )
}

_MESSAGE: Final = {
    Cause.UNKNOWN_PREFIX: "toolreel: no upstream for this path; set the client's base URL to one of: {prefixes}",
    Cause.PROXY_REQUEST: "toolreel: no proxy request is taken here; set the client's base URL to one of: {prefixes}",
    Cause.OTHER_HOST: "toolreel: this host is no upstream, so the recorder does not connect to it; "
    "start it with --other pass, or name the host in NO_PROXY",
    Cause.NO_AUTHORITY: "toolreel: there is no certificate authority, or it has expired; run: toolreel env",
    Cause.FOREIGN_HOST: f"toolreel: the request was refused: {Foreign.HOST.value}",
    Cause.FOREIGN_PAGE: f"toolreel: the request was refused: {Foreign.PAGE.value}",
    Cause.UNKNOWN_CLIENT: "toolreel: no token that lets a client in; send one of --client-token-file "
    "as X-Toolreel-Token",
    Cause.UNKNOWN_PROXY_CLIENT: "toolreel: no token that lets a client in; put one of --client-token-file "
    "as the password into the URL of the proxy",
    Cause.BAD_REQUEST: "toolreel: the request is no valid HTTP/1.1 request; it was not forwarded",
    Cause.HEAD_TOO_LONG: "toolreel: the head of the request is longer than 64 KiB; it was not forwarded",
    Cause.BAD_RESPONSE: "toolreel: the provider sent no valid HTTP/1.1 response",
    Cause.TLS: "toolreel: no trusted TLS connection to the provider; --upstream-ca PEM adds a private authority",
    Cause.UNREACHABLE: "toolreel: the provider cannot be reached; check the URL of its --upstream and the network",
    Cause.PROXY_UNREACHABLE: "toolreel: the proxy on the way to the provider cannot be reached; check "
    "--upstream-proxy, or HTTPS_PROXY of the recorder; --upstream-proxy none connects directly",
    Cause.PROXY_TLS: "toolreel: no trusted TLS connection to the proxy on the way to the provider; --upstream-ca PEM "
    "adds a private authority",
    Cause.PROXY_CREDENTIALS: "toolreel: the proxy on the way to the provider asks for a user and password (407); they "
    "stand in its URL, in HTTPS_PROXY of the recorder",
    Cause.PROXY_REFUSED: "toolreel: the proxy on the way to the provider does not let the recorder through to it; ask "
    "who runs the proxy, or name the provider in NO_PROXY of the recorder",
    Cause.PROXY_FAILED: "toolreel: the proxy on the way to the provider was reached, and could not reach the provider",
}

# What mitmproxy says of a provider that closed the connection without a word.
_WITHOUT_A_WORD: Final = "server closed connection"

# How mitmproxy's own error messages begin. What follows in them may be raw bytes of either side, so none is passed on.
_MITMPROXY: Final = (
    ("mitmproxy received an HTTP CONNECT request", Cause.PROXY_REQUEST),
    ("Certificate verify failed", Cause.TLS),
    ("OpenSSL ", Cause.TLS),
    ("connection closed", Cause.TLS),  # in the middle of the handshake
    ("The remote server does not speak TLS", Cause.TLS),
    ("The remote server and mitmproxy cannot agree on a TLS version", Cause.TLS),
    ("Cannot parse HTTP response", Cause.BAD_RESPONSE),
    ("HTTP/1 protocol error", Cause.BAD_RESPONSE),
    ("unexpected server response", Cause.BAD_RESPONSE),
    (_WITHOUT_A_WORD, Cause.BAD_RESPONSE),
    ("Received ", Cause.BAD_RESPONSE),
)


def answer(cause: Cause, *, prefixes: Iterable[str]) -> Answer:
    """The answer for this cause; `prefixes` are the paths that would have led somewhere."""
    message = _MESSAGE[cause].format(prefixes=", ".join(prefixes))
    body = json.dumps({"error": {"type": cause.value, "message": message}})
    return Answer(status=_STATUS[cause], body=body.encode())


def cause_of(status: int, message: str) -> Cause:
    """The cause of an error page of mitmproxy, by its status and message. Of a proxy's error it is the message."""
    if message in _PROXIES:
        return _PROXIES[message]
    found = next((cause for start, cause in _MITMPROXY if message.startswith(start)), None)
    if found is Cause.PROXY_REQUEST:
        return found
    if status < 500:
        return Cause.HEAD_TOO_LONG if status == _STATUS[Cause.HEAD_TOO_LONG] else Cause.BAD_REQUEST
    return found or Cause.UNREACHABLE


def speaks_no_http(message: str) -> bool:
    """Whether an error message of mitmproxy is about what a provider sent instead of a response."""
    return cause_of(_STATUS[Cause.BAD_RESPONSE], message) is Cause.BAD_RESPONSE and not message.startswith(
        _WITHOUT_A_WORD
    )

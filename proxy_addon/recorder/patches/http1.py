"""Six small changes to mitmproxy's HTTP/1 layer, made once before it starts, where it would cost traffic or quote it.

They touch its insides. Each has a test with a real provider, so that a new mitmproxy shows at once what it no longer
needs. Without them:

- a connection that is silent for ten minutes is cut, though a model may think longer before its first token;
- that cut looks as if the client had left;
- an error page quotes raw bytes of either side;
- a response with trailers crashes the layer, and its client hangs (mitmproxy's issue 2474; trailers are left out here);
- a long request that the recorder answers itself crashes the layer, and a shorter one is held in memory for nothing;
- an interim response (103) is taken for the final one, which is lost (issue 2229; interim ones are left out here).
"""

import re
from collections.abc import Awaitable, Callable, Generator, Iterator
from typing import Any, Final, Protocol

from mitmproxy.http import Headers, Response
from mitmproxy.net.http import http1
from mitmproxy.proxy import events, server
from mitmproxy.proxy.layers.http import HttpStream, _http1

from proxy_addon.recorder.requests.own_answers import CONTENT_TYPE, answer, cause_of

# A complete head of an interim response; 101 is none, it ends HTTP on its connection.
_INTERIM: Final = re.compile(rb"HTTP/1\.\d 1(?!01)\d\d(?: [^\r\n]*)?\r?\n(?:[^\r\n]+\r?\n)*\r?\n")


class _ErrorPage(Protocol):
    """The type of the function that makes mitmproxy's error pages."""

    def __call__(self, status_code: int, message: str = "") -> bytes: ...


def repair(prefixes: tuple[str, ...], *, idle: int, cut: Callable[[str], None]) -> None:
    """Make the six changes; to do so again is harmless.

    `prefixes` are named to a client whose request leads nowhere. A connection that is silent for `idle` seconds is cut,
    and `cut` hears the id of its client.
    """
    if hasattr(server, "TCP_TIMEOUT"):  # an option since mitmproxy 12
        server.TCP_TIMEOUT = idle
    handler: Any = server.ConnectionHandler
    handler.on_timeout = _telling(getattr(handler.on_timeout, "original", handler.on_timeout), cut)
    _http1.make_error_response = _error_pages(prefixes)
    make: Any = _http1.make_body_reader
    if not isinstance(getattr(make, "unbounded", make), _Readers):  # `mitmproxy_bounds` may stand before ours
        _http1.make_body_reader = _Readers(_http1.make_body_reader)
        client: Any = _http1.Http1Client
        client.read_headers = _without_interim(client.read_headers)
        stream: Any = HttpStream
        stream.check_body_size = _without_unread(stream.check_body_size)


def _telling(
    on_timeout: Callable[[Any], Awaitable[None]], cut: Callable[[str], None]
) -> Callable[[Any], Awaitable[None]]:
    async def telling(self: Any) -> None:
        cut(self.client.id)
        await on_timeout(self)

    found: Any = telling
    found.original = on_timeout
    return telling


def _error_pages(prefixes: tuple[str, ...]) -> _ErrorPage:
    def page(status_code: int, message: str = "") -> bytes:
        said = answer(cause_of(status_code, message), prefixes=prefixes)
        headers = Headers(Connection="close", Content_Type=CONTENT_TYPE)
        response = Response.make(said.status, said.body, headers)
        assembled: bytes = http1.assemble_response(response)  # type: ignore[no-untyped-call]
        return assembled

    return page


class _Readers:
    """Makes body readers whose end of the message carries no trailers."""

    def __init__(self, make: Callable[[int | None], Any]) -> None:
        self._make: Final = make

    def __call__(self, expected_size: int | None) -> Any:
        reader = self._make(expected_size)
        return reader if expected_size is not None else _WithoutTrailers(reader)


class _WithoutTrailers:
    """A reader of chunked bodies that keeps their trailers to itself."""

    def __init__(self, reader: Any) -> None:
        self._reader: Final = reader

    def __call__(self, buffer: Any) -> Any:
        found = self._reader(buffer)
        return type(found)() if getattr(found, "headers", None) else found  # only the end of a message has any

    def read_eof(self) -> Any:
        return self._reader.read_eof()


def _without_interim(read_headers: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    def skipping(self: Any, event: Any) -> Iterator[Any]:
        if isinstance(event, events.DataReceived) and self.request is not None:
            while found := _INTERIM.match(bytes(self.buf)):
                self.buf.maybe_extract_at_most(found.end())
        yield from read_headers(self, event)

    return skipping


_Commands = Generator[Any, Any, bool]


def _without_unread(check_body_size: Callable[..., _Commands]) -> Callable[..., _Commands]:
    """A `check_body_size` that forgets the held body of a request which nobody will read. Called with each piece."""

    def forgetting(self: Any, request: Any) -> _Commands:
        if request and self.flow.response is not None:  # before the request has been sent: an answer of our own
            self.request_body_buf.clear()
            return False
        return (yield from check_body_size(self, request))

    return forgetting

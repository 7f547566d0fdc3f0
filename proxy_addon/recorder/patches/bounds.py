"""Bounds in mitmproxy's HTTP/1 layer, made once before it starts: what a peer sends without an end is not held.

mitmproxy holds a head, a line between chunks and trailers until they end, a request until it is whole, and a connection
for as long as it may be silent. With these changes a head, line or trailer of more than 64 KiB ends its connection, all
held requests have one bound, and so has the time that a connection may take to ask for something. They touch
mitmproxy's insides, as `mitmproxy_patches` does, and come after those. The bodies of chunks, and of responses, are not
held, and have no bound.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Iterator
from typing import Any, Final

import h11
from mitmproxy.net.http import status_codes
from mitmproxy.proxy import commands, events, server
from mitmproxy.proxy.layers.http import HttpStream, _http1
from mitmproxy.proxy.layers.http._base import ReceiveHttp
from mitmproxy.proxy.layers.http._events import RequestData, RequestProtocolError, ResponseProtocolError

from proxy_addon.recorder.requests.held_requests import HeldRequests

# Of a head, a line between two chunks, or the trailers. Real heads are a few KiB, and other servers take 8 to 64.
MAX_HEAD_BYTES: Final = 64 * 1024
# What a client may send of its next requests while it waits for a response. Few clients do that at all.
MAX_AHEAD_BYTES: Final = 1024 * 1024
# How long a connection may take until its first request has a head. Clients that connect ahead of time ask soon.
FIRST_REQUEST_SECONDS: Final = 30

_HEAD_TOO_LONG: Final = 431  # mitmproxy has no name for this status

_Reading = Callable[[Any, Any], Iterator[Any]]
_Checking = Callable[[Any, Any], Generator[Any, Any, bool]]


def bound(held: HeldRequests, *, seconds: float = FIRST_REQUEST_SECONDS) -> None:
    """Make the changes; to do so again is harmless. `seconds` bound the time until the first request of a client."""
    asked: set[str] = set()  # the clients that are connected and have asked for something
    receiving: Any = _http1.Http1Server
    receiving.read_headers = _request_heads(_original(receiving.read_headers), asked)
    receiving.wait = _waiting(_original(receiving.wait))
    client: Any = _http1.Http1Client
    client.read_headers = _response_heads(_original(client.read_headers))
    make = _original(_http1.make_body_reader)
    _http1.make_body_reader = _marked(lambda size: _Bounded(make(size)), make)
    stream: Any = HttpStream
    stream.check_body_size = _held_requests(_original(stream.check_body_size), held)
    handler: Any = server.ConnectionHandler
    handler.handle_client = _first_requests(_original(handler.handle_client), asked, seconds)


def _marked(change: Any, original: Any) -> Any:
    change.unbounded = original
    return change


def _original(found: Any) -> Any:
    return getattr(found, "unbounded", found)


def _forgotten(connection: Any, most: int) -> bool:
    """Whether a connection holds more than `most` bytes that wait for their end; they are given up then."""
    if len(connection.buf) <= most:
        return False
    connection.buf.maybe_extract_at_most(len(connection.buf))
    return True


def _request_heads(read_headers: _Reading, asked: set[str]) -> _Reading:
    def reading(self: Any, event: Any) -> Iterator[Any]:
        yield from read_headers(self, event)
        if self.state != self.read_headers:
            asked.add(self.conn.id)
        elif _forgotten(self, MAX_HEAD_BYTES):
            yield commands.SendData(self.conn, _http1.make_error_response(_HEAD_TOO_LONG))
            yield commands.CloseConnection(self.conn)
            self.state = self.done

    return _reading(reading, read_headers)


def _reading(change: _Reading, original: _Reading) -> _Reading:
    marked: _Reading = _marked(change, original)
    return marked


def _response_heads(read_headers: _Reading) -> _Reading:
    def reading(self: Any, event: Any) -> Iterator[Any]:
        yield from read_headers(self, event)
        if self.state == self.read_headers and _forgotten(self, MAX_HEAD_BYTES):
            yield commands.CloseConnection(self.conn)
            yield ReceiveHttp(ResponseProtocolError(self.stream_id, "Cannot parse HTTP response: its head is too long"))

    return _reading(reading, read_headers)


def _waiting(wait: _Reading) -> _Reading:
    def waiting(self: Any, event: Any) -> Iterator[Any]:
        if isinstance(event, events.DataReceived) and _forgotten(self, MAX_AHEAD_BYTES):
            yield commands.CloseConnection(self.conn)
            gone = status_codes.CLIENT_CLOSED_REQUEST
            yield ReceiveHttp(RequestProtocolError(self.stream_id, "Client disconnected.", code=gone))
            return
        yield from wait(self, event)

    return _reading(waiting, wait)


class _Bounded:
    """A reader of bodies that holds no line and no trailers of more than `MAX_HEAD_BYTES`."""

    def __init__(self, reader: Any) -> None:
        self._reader: Final = reader

    def __call__(self, buffer: Any) -> Any:
        found = self._reader(buffer)
        if found is None and len(buffer) > MAX_HEAD_BYTES:  # what is left of the data is no data of the body
            buffer.maybe_extract_at_most(len(buffer))
            raise h11.RemoteProtocolError("a chunk line or the trailers are too long")
        return found

    def read_eof(self) -> Any:
        return self._reader.read_eof()


def _held_requests(check_body_size: _Checking, held: HeldRequests) -> _Checking:
    """A `check_body_size` that passes a request on as it comes where too much would be held. Called with each piece."""

    def checking(self: Any, request: Any) -> Generator[Any, Any, bool]:
        if (yield from check_body_size(self, request)):
            return True
        buffer = self.request_body_buf
        if request and buffer and not held.hold(self.flow.id, len(buffer)):
            self.flow.request.stream = True
            body = bytes(buffer)
            buffer.clear()
            yield from self.start_request_stream()
            yield from self.handle_event(RequestData(self.stream_id, body))
        return False

    marked: _Checking = _marked(checking, check_body_size)
    return marked


def _first_requests(
    handle_client: Callable[[Any], Awaitable[None]], asked: set[str], seconds: float
) -> Callable[[Any], Awaitable[None]]:
    def end(handler: Any) -> None:
        found = handler.transports.get(handler.client)
        if handler.client.id not in asked and found is not None and found.handler is not None:
            found.handler.cancel("no request")

    async def handling(self: Any) -> None:
        timer = asyncio.get_running_loop().call_later(seconds, end, self)
        try:
            await handle_client(self)
        finally:
            timer.cancel()
            asked.discard(self.client.id)

    marked: Callable[[Any], Awaitable[None]] = _marked(handling, handle_client)
    return marked

"""How mitmproxy is watched where somebody asks for metrics: what came in, and how long it took until it was sent on.

The time of a read is taken when the event loop has it from the system. Its delay ends when all that follows from it has
been done, and that is: its tap was called, and what there was to send on was given to the socket of the client. So the
delay holds the turn that other streams took in between, and the histogram of the loop tells the rest. Without a watcher
nothing here is in the way of a byte.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final

from mitmproxy.proxy import events, server

from proxy_addon.watching.watch import Passing

# How often the event loop is asked how late it is.
_EVERY_SECONDS: Final = 0.25

_Event = Callable[[Any, Any], Awaitable[None]]


@contextlib.contextmanager
def watched(passing: Passing | None) -> Iterator[None]:
    """Have mitmproxy noted for as long as the block runs, on the running loop; nothing is done where nobody watches."""
    if passing is None:
        yield
        return
    handler: Any = server.ConnectionHandler
    original = handler.server_event
    handler.server_event = _noting(original, passing)
    probe = asyncio.create_task(_probe(passing))
    try:
        yield
    finally:
        probe.cancel()
        handler.server_event = original


def _noting(original: _Event, passing: Passing) -> _Event:
    async def server_event(self: Any, event: Any) -> None:
        if isinstance(event, events.DataReceived):
            await _received(self, event)
            return
        await original(self, event)
        if isinstance(event, events.OpenConnectionCompleted) and event.reply is None:
            _stamp(self, event.command.connection)

    async def _received(self: Any, event: Any) -> None:
        if event.connection is self.client:
            passing.received["client"] += len(event.data)
            await original(self, event)
            return
        passing.received["provider"] += len(event.data)
        begun = not event.connection.tls or event.connection.tls_established  # a handshake brings the client nothing
        reader = _reader(self, event.connection)
        await original(self, event)
        since = getattr(reader, "since", None)
        if since is not None:
            reader.since = None  # what is still unread is read at once
            if begun:
                passing.chunk_delay.observe(time.perf_counter() - since)

    return server_event


def _stamp(handler: Any, connection: Any) -> None:
    """Have the reader of a connection note when its oldest byte came that nobody has read."""
    reader = _reader(handler, connection)
    if not isinstance(reader, asyncio.StreamReader):
        return
    stamped: Any = reader
    feed = stamped.feed_data

    def feed_data(data: bytes) -> None:
        if stamped.since is None:
            stamped.since = time.perf_counter()
        feed(data)

    stamped.since = None
    stamped.feed_data = feed_data


def _reader(handler: Any, connection: Any) -> Any:
    """What reads a connection; None where it is gone."""
    transport = handler.transports.get(connection)
    return None if transport is None else transport.reader


async def _probe(passing: Passing) -> None:
    while True:
        due = time.perf_counter() + _EVERY_SECONDS
        await asyncio.sleep(_EVERY_SECONDS)
        passing.loop_delay.observe(max(0.0, time.perf_counter() - due))

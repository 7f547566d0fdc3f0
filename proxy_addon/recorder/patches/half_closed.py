"""A client that closes its sending side behind its request (a half-close), and waits: it is served to the end.

mitmproxy takes it for one that has left, for both look alike: what comes is the end of what the client sends. So the
layer of HTTP/1 is made to go on, and a few times a second the clients are looked at that have sent an end. One that has
left is cut off, as mitmproxy would have done at once: a provider must not go on for nobody.

Who has left, the system says: a socket whose other end is closed has been hung up, where it is a Unix socket or was
reset. Of a TCP connection of this machine the other end stands in /proc/net/tcp, and no process has it any more. Where
there is no such list, as on macOS, a half-close still counts as leaving.
"""

import select
import socket
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from mitmproxy.connection import ConnectionState
from mitmproxy.proxy import commands, events
from mitmproxy.proxy.layers.http import _http1

# How often the clients are looked at that send no more.
LOOK_SECONDS: Final = 0.25

# The connections of this machine, with the process that has each; of IPv4 and of IPv6.
_LISTS: Final = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_HALF: Final = ConnectionState.CAN_WRITE

_Steps = Iterator[Any]


def serve_half_closed() -> None:
    """Have mitmproxy serve clients that have closed their sending side, where it can be known that they are there."""
    if not _LISTS[0].exists():
        return
    layer: Any = _http1.Http1Server
    layer.wait = _waiting(getattr(layer.wait, "original", layer.wait))
    layer.mark_done = _ending(getattr(layer.mark_done, "original", layer.mark_done))


def _waiting(original: Callable[..., _Steps]) -> Callable[..., _Steps]:
    """A state that takes no end of the client's sending for the end of its reading."""

    def waiting(self: Any, event: Any) -> _Steps:
        if not (isinstance(event, events.ConnectionClosed) and event.connection.state is _HALF):
            yield from original(self, event)

    found: Any = waiting
    found.original = original
    return waiting


def _ending(original: Callable[..., _Steps]) -> Callable[..., _Steps]:
    """What follows a message: of a client that sends no more, the connection ends behind its last response."""

    def ending(self: Any, *, request: bool = False, response: bool = False) -> _Steps:
        yield from original(self, request=request, response=response)
        if self.state == self.read_headers and self.conn.state is _HALF:
            yield commands.CloseConnection(self.conn)
            self.state = self.done

    found: Any = ending
    found.original = original
    return ending


def end_the_left(handlers: Iterable[Any]) -> None:
    """Cut off the clients that send no more and have left; `handlers` are mitmproxy's, one for each client."""
    ends = [
        transport
        for handler in list(handlers)
        if handler.client.state is _HALF and (transport := handler.transports.get(handler.client)) is not None
    ]
    if not ends:
        return
    held = set(_held())
    for transport in ends:
        if transport.writer is not None and transport.handler is not None and _has_left(transport.writer, held):
            transport.handler.cancel("client has left")


def _has_left(writer: Any, held: set[tuple[int, int]]) -> bool:
    """Whether the other end of a connection is closed."""
    found = writer.get_extra_info("socket")
    if writer.is_closing() or found is None or found.fileno() < 0:
        return True
    poll = select.poll()
    poll.register(found.fileno(), 0)
    if poll.poll(0):  # hung up, or an error
        return True
    if found.family == socket.AF_UNIX:
        return False
    try:
        return (found.getpeername()[1], found.getsockname()[1]) not in held
    except OSError:  # it was reset meanwhile
        return True


def _held() -> Iterator[tuple[int, int]]:
    """The connections of this machine that a process has: the port of its own end, and of the other."""
    for path in _LISTS:
        try:
            lines = path.read_text("ascii").splitlines()[1:]
        except OSError:
            continue
        for words in map(str.split, lines):
            if len(words) > 9 and words[9] != "0":  # the inode of its socket
                yield _port(words[1]), _port(words[2])


def _port(end: str) -> int:
    """The port of an address as it stands in the list. Example: `0100007F:1F90` has the port 8080."""
    return int(end.rpartition(":")[2], 16)

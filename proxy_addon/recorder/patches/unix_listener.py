"""The listener of mitmproxy, replaced: by a Unix socket (`--listen unix:PATH`), or by a port that speaks TLS.

The file of a Unix socket says who may connect, the recorder's user alone.

mitmproxy listens on ports. It is given a listener on the socket, and for each connection an address of a peer, since
that of a Unix socket is empty, and mitmproxy takes it apart.
"""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Final

from mitmproxy.proxy import mode_servers

from proxy_addon.unix_sockets import bound

# Connections that wait until one of several processes takes them.
BACKLOG: Final = 1024

# What mitmproxy takes for the two ends of a connection.
_PEER: Final = ("127.0.0.1", 1)


@contextlib.contextmanager
def listening_on(
    path: Path | None, tls: ssl.SSLContext | None, shared: socket.socket | None, *, refused: Callable[[], None]
) -> Iterator[None]:
    """Have mitmproxy listen on this socket, or where it would, for as long as the block runs; the socket goes then.

    `shared` listens already, for several processes; `path` then only says that it is a Unix socket. `refused`
    is called for each client whose TLS handshake comes to nothing.
    """
    instance: Any = mode_servers.AsyncioServerInstance
    original = getattr(instance.listen, "original", instance.listen)
    ending = None if tls is None else _telling(tls, refused)
    with contextlib.ExitStack() as stack:
        if shared is not None:
            instance.listen = _sharing(original, shared, ending, _around(path, tls))
        elif path is not None:
            instance.listen = _listening(original, stack.enter_context(bound(path, option="--listen")))
        elif ending is not None:
            instance.listen = _in_tls(original, ending)
        else:
            instance.listen = original
        try:
            yield
        finally:
            instance.listen = original


_Listen = Callable[[Any, str, int], Awaitable[list[Any]]]


def _listening(original: _Listen, listener: socket.socket) -> _Listen:
    async def listening(self: Any, _host: str, _port: int) -> list[Any]:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self.handle_stream(reader, _WithPeer(writer))

        return [await asyncio.start_unix_server(handle, sock=listener)]

    found: Any = listening
    found.original = original
    return listening


def _in_tls(original: _Listen, tls: ssl.SSLContext) -> _Listen:
    """A listener that ends TLS before mitmproxy reads: what comes then is as on a loopback port, tunnels included."""

    async def listening(self: Any, host: str, port: int) -> list[Any]:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self.handle_stream(reader, _WholeEnd(writer))

        return [await asyncio.start_server(handle, host, port, ssl=tls)]

    found: Any = listening
    found.original = original
    return listening


def _around(path: Path | None, tls: ssl.SSLContext | None) -> Callable[[asyncio.StreamWriter], Any]:
    """What mitmproxy gets in the place of the writer of a connection."""
    if path is not None:
        return _WithPeer
    return (lambda writer: writer) if tls is None else _WholeEnd


def _sharing(
    original: _Listen,
    shared: socket.socket,
    tls: ssl.SSLContext | None,
    around: Callable[[asyncio.StreamWriter], Any],
) -> _Listen:
    """A listener on a socket on which other processes listen, too."""

    async def listening(self: Any, _host: str, _port: int) -> list[Any]:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self.handle_stream(reader, around(writer))

        # One connection each time that the loop looks: who takes all that wait would leave nothing to the others.
        server = await asyncio.start_server(handle, sock=shared.dup(), ssl=tls, backlog=1)
        shared.listen(BACKLOG)  # asyncio has set it to the number that one look may take
        return [server]

    found: Any = listening
    found.original = original
    return listening


def _telling(tls: ssl.SSLContext, refused: Callable[[], None]) -> ssl.SSLContext:
    """The same context, which tells of handshakes that fail: asyncio keeps them to itself."""

    class Telling(ssl.SSLObject):
        def do_handshake(self) -> None:
            try:
                super().do_handshake()
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError):  # it goes on when more has come
                raise
            except ssl.SSLError:
                refused()
                raise

    tls.sslobject_class = Telling
    return tls


class _WholeEnd:
    """A writer of a connection in TLS, which has no half that could be closed alone."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer: Final = writer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)

    def write_eof(self) -> None:
        """End the connection, once what was written is sent."""
        self._writer.close()


class _WithPeer:
    """A writer of a connection that has an address at both ends."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer: Final = writer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """What is known of the connection."""
        return _PEER if name in ("peername", "sockname") else self._writer.get_extra_info(name, default)

"""A client of plain sockets for tests: it sends given bytes, and can read, leave or reset when it likes."""

import socket
import ssl
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PATIENCE: Final = 30.0


def post(target: str, body: bytes, *headers: str, close: bool = True) -> bytes:
    """An HTTP/1.1 request as bytes; `close` asks for the end of the connection behind the response."""
    lines = [f"POST {target} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}", *headers]
    if close:
        lines.append("Connection: close")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


class Client:
    """One connection."""

    def __init__(self, port: int) -> None:
        self._socket: socket.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.received = b""

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def wrap(self, context: ssl.SSLContext, name: str) -> None:
        """Go on in TLS."""
        self._socket = context.wrap_socket(self._socket, server_hostname=name)
        self.received = b""

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def read_until(self, mark: bytes) -> bytes:
        """Read until `mark` has come; everything received so far."""
        while mark not in self.received:
            piece = self._socket.recv(65536)
            assert piece, f"the connection ended before {mark!r}"
            self.received += piece
        return self.received

    def read_all(self) -> bytes:
        """Read until the connection ends, cleanly or not; everything received."""
        try:
            while piece := self._socket.recv(65536):
                self.received += piece
        except ConnectionResetError:
            pass
        return self.received

    def read_to_the_end(self) -> tuple[bytes, bool]:
        """Read until the connection ends; everything received, and whether a reset ended it."""
        try:
            while piece := self._socket.recv(65536):
                self.received += piece
        except ConnectionResetError:
            return self.received, True
        return self.received, False

    def pieces(self) -> Iterator[tuple[int, bytes]]:
        """Every read until the connection ends, with the monotonic time at which it returned, in nanoseconds."""
        while piece := self._socket.recv(65536):
            yield time.monotonic_ns(), piece

    def half_close(self) -> None:
        """Say that nothing more will be sent."""
        socket.socket.shutdown(self._socket, socket.SHUT_WR)  # the method of a TLS socket ends TLS as well

    def reset(self) -> None:
        """Close with a reset."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()

    def close(self) -> None:
        self._socket.close()


def ask(port: int, request: bytes) -> bytes:
    """Send one request on a connection of its own; the raw response."""
    with Client(port) as client:
        client.send(request)
        return client.read_all()


def through(port: int, target: int, trusted: Path, raw: bytes) -> bytes:
    """The answer to a request through the recorder's tunnel to the port `target`; `trusted` has the authority."""
    with Client(port) as client:
        client.send(f"CONNECT 127.0.0.1:{target} HTTP/1.1\r\nHost: 127.0.0.1:{target}\r\n\r\n".encode())
        assert status_of(client.read_until(b"\r\n\r\n")) == 200
        client.wrap(ssl.create_default_context(cafile=trusted), "127.0.0.1")
        client.send(raw)
        return client.read_all()


def body_of(response: bytes) -> bytes:
    """What follows the head."""
    return response.partition(b"\r\n\r\n")[2]


def status_of(response: bytes) -> int:
    return int(response.split(b" ", 2)[1])

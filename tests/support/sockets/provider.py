r"""A local HTTP/1.1 provider for tests: it sends given bytes in given pieces, and can pause, cut or reset.

One thread a connection, plain sockets, so that every byte and every read on the other side is the test's choice.

    with Provider(Answer(pieces=(b"data: {}\n\n", b"data: [DONE]\n\n"))) as provider:
        ... provider.url, provider.requests ...
"""

import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import BinaryIO, Final

EVENT_STREAM: Final = (("Content-Type", "text/event-stream"),)

# Long enough for a loaded machine; a test that hits it has failed.
PATIENCE: Final = 30.0


class Framing(Enum):
    """How the end of the body is told."""

    CHUNKED = "chunked"
    LENGTH = "content-length"
    CLOSE = "close"  # neither: the body ends with the connection


class End(Enum):
    """What happens behind the last piece."""

    WHOLE = "as the framing says"
    FIN = "the connection is closed in the middle of the message"
    RST = "the connection is reset in the middle of the message"
    HOLD = "nothing more is sent until the other side goes or the provider stops"


@dataclass(frozen=True, slots=True)
class Wait:
    """A place between two pieces: the provider says that it `reached` it, and sends on when the test says `go`."""

    reached: threading.Event = field(default_factory=threading.Event)
    go: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One response. `raw_head` replaces status line and headers as they are.

    `pieces` may hold a `Wait`, and may be made while they are sent. `talk` has the connection from then on.
    """

    pieces: Iterable[bytes | Wait] = ()
    status: int = 200
    headers: Sequence[tuple[str, str]] = EVENT_STREAM
    framing: Framing = Framing.CHUNKED
    end: End = End.WHOLE
    raw_head: bytes | None = None
    talk: Callable[[socket.socket, BinaryIO], None] | None = None

    @property
    def body(self) -> bytes:
        """What the client should have received in the end."""
        return b"".join(piece for piece in self.pieces if isinstance(piece, bytes))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request as it arrived; header names as sent."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    connection: int

    def header(self, name: str) -> list[str]:
        """All values of one header, in order."""
        return [value for key, value in self.headers if key.lower() == name.lower()]


class Provider:
    """Serves `answer` (one for all, or a function of the request) on a port of its own while the `with` block runs."""

    def __init__(
        self,
        answer: Answer | Callable[[Request], Answer],
        *,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._answer: Callable[[Request], Answer] = answer if callable(answer) else lambda _request: answer
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: Final = int(self._listener.getsockname()[1])
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._waits: list[Wait] = []  # those that were reached
        self.requests: list[Request] = []
        self.connections = 0
        self.gone = threading.Event()  # a client went away while the provider was still sending or holding

    @property
    def url(self) -> str:
        """Where clients find it, without a trailing slash."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    def __enter__(self) -> "Provider":
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        for wait in list(self._waits):
            wait.go.set()
        for thread in list(self._threads):
            thread.join(PATIENCE)

    def _start(self, target: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._stopping.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self._open.add(connection)
                self.connections += 1
                number = self.connections
            self._start(self._serve, connection, number)

    def _serve(self, connection: socket.socket, number: int) -> None:
        plain = connection
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
            with connection.makefile("rb") as reader:
                while (request := _read_request(reader, number)) is not None:
                    self.requests.append(request)
                    if not self._send(connection, reader, self._answer(request)) or "close" in request.header(
                        "connection"
                    ):
                        return
        except _UnreadableError:
            with contextlib.suppress(OSError):
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        except OSError:
            self.gone.set()
        finally:
            with self._lock:
                self._open.discard(plain)
            with contextlib.suppress(OSError):
                connection.close()

    def _send(self, connection: socket.socket, reader: BinaryIO, answer: Answer) -> bool:
        """Send one answer; True if the connection can carry another."""
        connection.sendall(_head(answer) if answer.raw_head is None else answer.raw_head)
        for piece in answer.pieces:
            if isinstance(piece, Wait):
                self._waits.append(piece)
                piece.reached.set()
                if not self._stopping.is_set():
                    piece.go.wait(PATIENCE)
            elif answer.framing is Framing.CHUNKED:
                connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
            else:
                connection.sendall(piece)
        if answer.talk is not None:
            answer.talk(connection, reader)
            return False
        if answer.end is End.HOLD:
            connection.settimeout(PATIENCE)
            if not connection.recv(1) and not self._stopping.is_set():
                self.gone.set()
            return False
        if answer.end is End.RST:
            # A linger time of zero turns the close into a reset.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        if answer.end is End.FIN:
            return False
        if answer.framing is Framing.CHUNKED and answer.raw_head is None:
            connection.sendall(b"0\r\n\r\n")
        return answer.framing is not Framing.CLOSE and answer.raw_head is None


class _UnreadableError(Exception):
    """What came is no HTTP request."""


def _head(answer: Answer) -> bytes:
    headers = list(answer.headers)
    if answer.framing is Framing.CHUNKED:
        headers.append(("Transfer-Encoding", "chunked"))
    elif answer.framing is Framing.LENGTH:
        missing = 1 if answer.end in (End.FIN, End.RST, End.HOLD) else 0
        headers.append(("Content-Length", str(len(answer.body) + missing)))
    lines = [f"HTTP/1.1 {answer.status} Test", *(f"{name}: {value}" for name, value in headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _read_request(reader: BinaryIO, connection: int) -> Request | None:
    line = reader.readline()
    if not line.strip():
        return None
    try:
        method, target, _ = line.decode("latin-1").split(" ", 2)
    except ValueError:
        raise _UnreadableError from None
    headers = []
    while (line := reader.readline()) not in (b"\r\n", b"\n", b""):
        name, _, value = line.decode("latin-1").partition(":")
        headers.append((name, value.strip()))
    found = {name.lower(): value for name, value in headers}
    body = b""
    if found.get("transfer-encoding", "").lower() == "chunked":
        pieces = []
        while size := int(reader.readline(), 16):
            pieces.append(reader.read(size))
            reader.readline()
        reader.readline()
        body = b"".join(pieces)
    elif "content-length" in found:
        body = reader.read(int(found["content-length"]))
    return Request(method=method, target=target, headers=tuple(headers), body=body, connection=connection)

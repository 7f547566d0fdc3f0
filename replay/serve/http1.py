"""HTTP/1.1 without sockets: bytes in, a request out; and the bytes around the pieces of an answer.

Read is what clients send to providers: a request with a body of a stated length, with a chunked one, or without. All
else is a `BadRequestError`; nothing is guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final

# A request head is a few hundred bytes; one past this is no client of a provider.
MAX_HEAD_BYTES: Final = 64 * 1024
# A request carries a conversation, images included.
MAX_BODY_BYTES: Final = 64 * 1024 * 1024
# A chunk says its size in a few bytes, and what stands behind the last one is as short.
MAX_LINE_BYTES: Final = 16 * 1024
_LINE: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([^\s]+) HTTP/1\.([01])\Z")
_CHUNK: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?\Z")
_REASONS: Final = {200: "OK", 403: "Forbidden", 599: "No Such Fixture"}


class BadRequestError(Exception):
    """The bytes are no request that can be answered. It says what was expected, and nothing of what came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request. Holds what a client sent, so its repr shows none of it."""

    method: str
    target: str = field(repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)  # names in lower case
    body: bytes = field(default=b"", repr=False)
    minor: int = 1  # of the version: HTTP/1.0 knows no chunks and no second request

    def header(self, name: str) -> str | None:
        """The first value of a header, by its name in lower case; None where the request lacks it."""
        return next((value for key, value in self.headers if key == name), None)

    @property
    def keeps_alive(self) -> bool:
        """Whether the client means to send another request on this connection."""
        told = [part.strip() for key, value in self.headers if key == "connection" for part in value.lower().split(",")]
        return self.minor == 1 and "close" not in told


class RequestReader:
    """The requests of one connection: `feed` it what came, then ask for the `next` one until there is none.

    Each byte is looked at once, however finely what came is cut.
    """

    def __init__(self) -> None:
        self._held = bytearray()
        self._looked = 0  # so many bytes of the head that is coming hold no end of it
        self._head: Request | None = None  # where its body is still to come
        self._body: _Sized | _Chunked = _Sized(0)
        self._expecting = False

    def feed(self, piece: bytes) -> None:
        """Take what came from the client."""
        self._held += piece

    def next(self) -> Request | None:
        """The next whole request; None where more must come."""
        if self._head is None:
            self._head = self._read_head()
        if self._head is None:
            return None
        body = self._body.take(self._held)
        if body is None:
            return None
        request, self._head, self._expecting = replace(self._head, body=body), None, False
        return request

    def wants_go_ahead(self) -> bool:
        """Whether the client waits for `100 Continue` before it sends the body; said once for each request."""
        expecting, self._expecting = self._expecting, False
        return expecting

    def _read_head(self) -> Request | None:
        while self._held.startswith(b"\r\n"):
            del self._held[:2]  # clients once sent an empty line behind a body
        end = self._held.find(_HEAD_END, max(0, self._looked - len(_HEAD_END)))
        self._looked = len(self._held)
        if end > MAX_HEAD_BYTES or (end < 0 and self._looked > MAX_HEAD_BYTES):
            raise BadRequestError(f"a request head of at most {MAX_HEAD_BYTES} bytes is expected")
        if end < 0:
            return None
        request = _head(bytes(self._held[:end]))
        del self._held[: end + len(_HEAD_END)]
        self._looked = 0
        self._body = _body(request)
        expected = (request.header("expect") or "").lower() == "100-continue" and request.minor > 0
        self._expecting = expected and not self._held
        return request


_HEAD_END: Final = b"\r\n\r\n"


class _Sized:
    """A body of a length that is known, or none."""

    def __init__(self, length: int) -> None:
        self._length = length

    def take(self, held: bytearray) -> bytes | None:
        """The body, taken off what is held; None where more must come."""
        if len(held) < self._length:
            return None
        body = bytes(held[: self._length])
        del held[: self._length]
        return body


class _Chunked:
    """A body in chunks, each taken as soon as it is whole."""

    def __init__(self) -> None:
        self._body = bytearray()
        self._size: int | None = None  # of the chunk that is coming; 0 where the trailers are

    def take(self, held: bytearray) -> bytes | None:
        """The body, its chunks and trailers taken off what is held; None where more must come."""
        while self._size != 0:
            if self._size is None:
                self._size = self._next_size(held)
                if self._size is None:
                    return None
            elif not self._take_chunk(held, self._size):
                return None
        return bytes(self._body) if _take_trailers(held) else None

    def _next_size(self, held: bytearray) -> int | None:
        end = held.find(b"\r\n")
        if end > MAX_LINE_BYTES or (end < 0 and len(held) > MAX_LINE_BYTES):
            raise BadRequestError(f"a chunk's first line of at most {MAX_LINE_BYTES} bytes is expected")
        if end < 0:
            return None
        match = _CHUNK.match(held[:end])
        size = int(match[1], 16) if match else MAX_BODY_BYTES + 1
        if len(self._body) + size > MAX_BODY_BYTES:
            raise BadRequestError(f"chunks of at most {MAX_BODY_BYTES} bytes together are expected")
        del held[: end + 2]
        return size

    def _take_chunk(self, held: bytearray, size: int) -> bool:
        if len(held) < size + 2:
            return False
        if held[size : size + 2] != b"\r\n":
            raise BadRequestError("a line end behind each chunk is expected")
        self._body += held[:size]
        del held[: size + 2]
        self._size = None
        return True


def _take_trailers(held: bytearray) -> bool:
    """Whether the trailers are whole, up to their blank line. They are thrown away."""
    if held.startswith(b"\r\n"):
        del held[:2]
        return True
    end = held.find(_HEAD_END)
    if end > MAX_LINE_BYTES or (end < 0 and len(held) > MAX_LINE_BYTES):
        raise BadRequestError(f"trailers of at most {MAX_LINE_BYTES} bytes are expected")
    if end < 0:
        return False
    del held[: end + len(_HEAD_END)]
    return True


def _body(request: Request) -> _Sized | _Chunked:
    """What reads the body that a head announces."""
    coding = request.header("transfer-encoding")
    if coding is not None:
        if coding.strip().lower() != "chunked":
            raise BadRequestError("a body that is chunked or has a Content-Length is expected")
        return _Chunked()
    length = request.header("content-length") or "0"
    if not (length.isascii() and length.isdigit() and int(length[:12]) <= MAX_BODY_BYTES and len(length) <= 12):
        raise BadRequestError(f"a Content-Length of 0 to {MAX_BODY_BYTES} is expected")
    return _Sized(int(length))


def _head(head: bytes) -> Request:
    first, *lines = head.split(b"\r\n")
    match = _LINE.match(first)
    if match is None:
        raise BadRequestError("a request line of HTTP/1.1 is expected, in the clear: use http:// in the base URL")
    headers = []
    for line in lines:
        name, colon, value = line.partition(b":")
        if not colon:
            raise BadRequestError("header lines of the form NAME: VALUE are expected")
        headers.append((name.decode("latin-1").lower(), value.strip().decode("latin-1")))
    return Request(
        method=match[1].decode("ascii"),
        target=match[2].decode("latin-1"),
        headers=tuple(headers),
        minor=int(match[3]),
    )


GO_AHEAD: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
LAST_CHUNK: Final = b"0\r\n\r\n"
# Answers that have no body and, but for 205, no framing either (RFC 9110, 15.3.5, 15.3.6, 15.4.5; RFC 9112, 6.1).
BODILESS: Final = frozenset({204, 205, 304})


class Framing(Enum):
    """How a client knows where the body of an answer ends."""

    NONE = "there is no body"
    CHUNKED = "the last chunk ends it"
    CLOSE = "the end of the connection ends it"


def framing(status: int, request: Request) -> Framing:
    """How the answer to `request` is framed; a client of HTTP/1.0 knows no chunks."""
    if request.method == "HEAD" or status in BODILESS - {205}:
        return Framing.NONE
    return Framing.CHUNKED if request.minor else Framing.CLOSE


def head(status: int, headers: tuple[tuple[str, str], ...], request: Request) -> bytes:
    """The head of an answer to `request`; it says where the connection ends behind it."""
    framed = [("Transfer-Encoding", "chunked")] if framing(status, request) is Framing.CHUNKED else []
    if not request.keeps_alive:
        framed.append(("Connection", "close"))
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'As Recorded')}"]
    lines += [f"{name}: {value}" for name, value in (*headers, *framed)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def chunk(piece: bytes, request: Request) -> bytes:
    """One piece as it is written: a chunk of its own, so that no buffer on the way joins it to the next."""
    return b"%x\r\n%b\r\n" % (len(piece), piece) if request.minor and piece else piece

"""HTTP/1.1 without sockets: bytes in, a request out; and the bytes around the pieces of an answer.

Reads what clients send to providers: a body with a length, a chunked one, or none. Anything it does not know is a
`BadRequestError`, never a guess.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

# A request head is a few hundred bytes; one past this is no client of a provider.
MAX_HEAD_BYTES: Final = 64 * 1024
# A request carries a conversation, images included.
MAX_BODY_BYTES: Final = 64 * 1024 * 1024
_LINE: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([^\s]+) HTTP/1\.([01])\Z")
_CHUNK: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?\Z")
_REASONS: Final = {200: "OK", 599: "No Such Fixture"}


class BadRequestError(Exception):
    """What came is no request that can be answered. Says what was expected, and nothing of what came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request. Holds what a client sent, so its repr shows none of it."""

    method: str
    target: str = field(repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)  # names in lower case
    body: bytes = field(default=b"", repr=False)
    minor: int = 1  # of the version: HTTP/1.0 knows no chunks and no second request

    def header(self, name: str) -> str | None:
        """The first value of a header, by its name in lower case."""
        return next((value for key, value in self.headers if key == name), None)

    @property
    def keeps_alive(self) -> bool:
        """Whether the client means to send another request on this connection."""
        return self.minor == 1 and "close" not in (self.header("connection") or "").lower()


class RequestReader:
    """One connection: `feed` it, then ask for the `next` request; it may hold several."""

    def __init__(self) -> None:
        """Nothing has come yet."""
        self._held = bytearray()
        self._expecting = False

    def feed(self, piece: bytes) -> None:
        """Take what came."""
        self._held += piece

    def next(self) -> Request | None:
        """The next whole request; None where more must come."""
        head, mark, _ = bytes(self._held[: MAX_HEAD_BYTES + 4]).partition(b"\r\n\r\n")
        if not mark:
            if len(self._held) > MAX_HEAD_BYTES:
                raise BadRequestError(f"a request head of at most {MAX_HEAD_BYTES} bytes is expected")
            return None
        request = _head(head.lstrip(b"\r\n"))
        start = len(head) + len(mark)
        self._expecting = (request.header("expect") or "").lower() == "100-continue" and len(self._held) == start
        found = self._body(request, start)
        if found is None:
            return None
        body, end = found
        del self._held[:end]
        return Request(
            method=request.method, target=request.target, headers=request.headers, body=body, minor=request.minor
        )

    def wants_go_ahead(self) -> bool:
        """Whether the client waits for `100 Continue` before it sends the body; said once for each request."""
        expecting, self._expecting = self._expecting, False
        return expecting

    def _body(self, request: Request, start: int) -> tuple[bytes, int] | None:
        """The body and where it ends; None where more must come."""
        coding = request.header("transfer-encoding")
        if coding is not None:
            if coding.strip().lower() != "chunked":
                raise BadRequestError("a body that is chunked or has a Content-Length is expected")
            return self._chunks(start)
        length = request.header("content-length") or "0"
        if not (length.isascii() and length.isdigit() and int(length[:12]) <= MAX_BODY_BYTES and len(length) <= 12):
            raise BadRequestError(f"a Content-Length of 0 to {MAX_BODY_BYTES} is expected")
        end = start + int(length)
        return (bytes(self._held[start:end]), end) if len(self._held) >= end else None

    def _chunks(self, at: int) -> tuple[bytes, int] | None:
        parts: list[bytes] = []
        total = 0
        while (line_end := self._held.find(b"\r\n", at)) >= 0:
            match = _CHUNK.match(self._held[at:line_end])
            size = int(match[1], 16) if match else MAX_BODY_BYTES + 1
            total += size
            if total > MAX_BODY_BYTES:
                raise BadRequestError(f"chunks of at most {MAX_BODY_BYTES} bytes together are expected")
            start = line_end + 2
            if size == 0:
                # What may stand here are trailers, and their blank line.
                end = line_end if self._held.startswith(b"\r\n", start) else self._held.find(b"\r\n\r\n", start)
                if end < 0 or len(self._held) < end + 4:
                    return None
                return b"".join(parts), end + 4
            if len(self._held) < start + size + 2:
                return None
            parts.append(bytes(self._held[start : start + size]))
            at = start + size + 2
        return None


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


def head(status: int, headers: tuple[tuple[str, str], ...], request: Request) -> bytes:
    """The head of an answer to `request`. Its body is chunked, or to a client of HTTP/1.0 ended by the connection."""
    framing = [("Transfer-Encoding", "chunked")] if request.minor else [("Connection", "close")]
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'As Recorded')}"]
    lines += [f"{name}: {value}" for name, value in (*headers, *framing)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def chunk(piece: bytes, request: Request) -> bytes:
    """One piece as it is written: a chunk of its own, so that no buffer on the way joins it to the next."""
    return b"%x\r\n%b\r\n" % (len(piece), piece) if request.minor and piece else piece

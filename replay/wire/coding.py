"""Content codings, undone piece by piece and within a bound. Knows bytes; knows no text, no framing, no provider.

What goes in is the body as it came over the wire, without its transfer framing. What comes out is the bytes before the
coding was applied; they are the same wherever the body was cut. No error holds a byte of the body.
"""

from __future__ import annotations

import zlib
from enum import Enum
from typing import Final, Protocol

__all__ = ["CodingError", "ContentDecoder", "Undecodable", "decoder"]

# A gzip wrapper and nothing else: zlib's automatic detection would also accept a bare zlib stream.
_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS

# How a zlib stream begins (RFC 1950): the method in the low half of its first byte, and a check over the two.
_ZLIB_METHOD: Final = 8
_ZLIB_CHECK: Final = 31


class Undecodable(Enum):
    """Why a body could not be decoded; the value is how a message says it."""

    UNKNOWN_CODING = "a content coding that is not known here"
    CORRUPT = "data that break the rules of the content coding"
    TRAILING = "data after the end of the content coding that are no further member of it"
    TRUNCATED = "the body ended before its content coding did"
    OVER_LIMIT = "the decoded body is longer than the limit"


class CodingError(Exception):
    """The body cannot be decoded. The error holds the reason and an offset into the coded body, and none of its bytes.

    The offset is that of the broken member, of the first byte that belongs to no member, or of the end where
    the body is truncated; it does not depend on how the body was cut.
    """

    def __init__(self, why: Undecodable, *, offset: int) -> None:
        super().__init__(f"byte {offset}: {why.value}")
        self.why: Final = why
        self.offset: Final = offset


class ContentDecoder(Protocol):
    """One body: feed it in pieces, then close it once. After an error it only repeats that error."""

    def feed(self, piece: bytes) -> bytes:
        """All bytes that can be decoded so far and were not returned before."""
        ...

    def close(self) -> None:
        """Say that the body ended; a `TRUNCATED` error where its coding did not. What `feed` returned stays good."""
        ...


def decoder(content_coding: str | None, *, limit: int) -> ContentDecoder:
    """The decoder for the value of a Content-Encoding header; `limit` bounds the decoded bytes of the whole body.

    Several codings on one body are not known here: nothing that is recorded sends them.
    """
    names = [name.strip().lower() for name in (content_coding or "").split(",")]
    applied = [name for name in names if name not in ("", "identity")]
    if not applied:
        return _Identity(limit)
    if applied in (["gzip"], ["x-gzip"]):
        return _Gzip(limit)
    if applied == ["deflate"]:
        return _Deflate(limit)
    raise CodingError(Undecodable.UNKNOWN_CODING, offset=0)


class _Identity:
    """A body without a coding: there is nothing to undo, and the bound still holds."""

    def __init__(self, limit: int) -> None:
        self._left = limit

    def feed(self, piece: bytes) -> bytes:
        if len(piece) > self._left:
            self._left = -1
            raise CodingError(Undecodable.OVER_LIMIT, offset=0)
        self._left -= len(piece)
        return piece

    def close(self) -> None:
        if self._left < 0:
            raise CodingError(Undecodable.OVER_LIMIT, offset=0)


class _Inflating:
    """Members one after the other, their contents joined. What a member is, and what may follow it, says a subclass."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._decoded = 0
        self._offset = 0  # of the next byte to come
        self._member: zlib._Decompress | None = None
        self._member_offset = 0
        self._any_member = False
        self._error: CodingError | None = None

    def feed(self, piece: bytes) -> bytes:
        self._again()
        found = []
        while piece:
            if self._member is None:
                piece = self._between(piece)
                continue
            text, rest = self._inflate(self._member, piece)
            found.append(text)
            self._offset += len(piece) - len(rest)
            piece = rest
        return b"".join(found)

    def close(self) -> None:
        self._again()
        if self._member is not None:
            raise self._fail(Undecodable.TRUNCATED, self._offset)

    def _between(self, piece: bytes) -> bytes:
        """Take what lies between members, open one at what follows, and give back what belongs to it."""
        raise NotImplementedError

    def _open(self, window: int) -> None:
        self._member = zlib.decompressobj(window)
        self._member_offset = self._offset
        self._any_member = True

    def _inflate(self, member: zlib._Decompress, piece: bytes) -> tuple[bytes, bytes]:
        """The bytes that `piece` decodes to, and what of it lies behind the end of the member."""
        text, rest = b"", piece
        why: Undecodable | None = None
        try:
            room = self._limit - self._decoded
            if room > 0:
                text = member.decompress(piece, room)
                rest = member.unused_data if member.eof else member.unconsumed_tail
            if len(text) == room and not member.eof:
                rest, why = self._beyond(member, rest)
        except zlib.error:
            why = Undecodable.CORRUPT  # raised below, outside the handler, so that nothing is chained to it
        if why is not None:
            raise self._fail(why, self._member_offset)
        self._decoded += len(text)
        if member.eof:
            self._member = None
        return text, rest

    def _beyond(self, member: zlib._Decompress, piece: bytes) -> tuple[bytes, Undecodable | None]:
        """The limit is reached: what is left of `piece` may end the member, and decode to nothing more.

        Byte by byte, so that a body which is both too long and corrupt is reported as what comes first. A bomb costs
        one byte over the limit.
        """
        if member.decompress(b"", 1):  # what the decoder had read already and had no room for
            return piece, Undecodable.OVER_LIMIT
        for index in range(len(piece)):
            if member.decompress(piece[index : index + 1], 1):
                return piece, Undecodable.OVER_LIMIT
            if member.eof:
                return piece[index + 1 :], None
        return b"", None

    def _fail(self, why: Undecodable, offset: int) -> CodingError:
        self._error = CodingError(why, offset=offset)
        return self._error

    def _again(self) -> None:
        if self._error is not None:
            raise CodingError(self._error.why, offset=self._error.offset)


class _Gzip(_Inflating):
    """RFC 1952: any number of members; zero bytes between or behind them are padding."""

    def _between(self, piece: bytes) -> bytes:
        rest = piece.lstrip(b"\0") if self._any_member else piece
        self._offset += len(piece) - len(rest)
        if rest:
            if self._any_member and rest[0] != 0x1F:
                raise self._fail(Undecodable.TRAILING, self._offset)
            self._open(_GZIP_WINDOW)
        return rest


class _Deflate(_Inflating):
    """One zlib stream (RFC 1950) as the standard says, or the bare deflate data (RFC 1951) that some servers send.

    The first two bytes tell them apart: deflate data that look like the head of a zlib stream would begin with a stored
    block whose padding is not zero, which no encoder writes.
    """

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self._first = b""

    def close(self) -> None:
        super().close()
        if self._first:
            raise self._fail(Undecodable.TRUNCATED, len(self._first))

    def _between(self, piece: bytes) -> bytes:
        if self._any_member:
            raise self._fail(Undecodable.TRAILING, self._offset)
        piece, self._first = self._first + piece, b""
        if len(piece) < 2:
            self._first = piece
            return b""
        zlib_stream = piece[0] & 0x0F == _ZLIB_METHOD and int.from_bytes(piece[:2], "big") % _ZLIB_CHECK == 0
        self._open(zlib.MAX_WBITS if zlib_stream else -zlib.MAX_WBITS)
        return piece

"""The decoders of a recorded body: those of `replay.wire.coding`, and two for br and zstd, which mitmproxy brings.

The libraries of these two decode all that a piece holds, however much that is. So they get small pieces, and the limit
is checked between two of them. Example: 16 bytes of br can begin a few blocks of at most 16 MiB each, so no body takes
much more memory than its limit.
"""

from typing import Any, Final, Protocol

from replay.errors import translated
from replay.wire.coding import CodingError, ContentDecoder, Undecodable
from replay.wire.coding import decoder as plain_decoder

# A piece of br can begin a few meta-blocks of at most 16 MiB each.
_BR_PIECE: Final = 16

# A piece of zstd can hold some dozens of blocks of at most 128 KiB each.
_ZSTD_PIECE: Final = 256

# What a decoder of zstd as a content coding has to be able to hold, and need not exceed (RFC 9659).
_ZSTD_WINDOW_BITS: Final = 23


class _Undo(Protocol):
    """The decoder of one br stream or zstd frame, of its library; it raises whatever it likes."""

    def decompress(self, piece: bytes) -> bytes:
        """All that the piece decodes to."""
        ...

    @property
    def ended(self) -> bool:
        """Whether the stream or frame is whole."""
        ...

    @property
    def rest(self) -> bytes:
        """The part of the last piece that lies behind the end."""
        ...


def decoder(content_coding: str | None, *, limit: int) -> ContentDecoder:
    """The decoder for the value of a Content-Encoding header; `limit` bounds the decoded bytes of the whole body."""
    names = [name.strip().lower() for name in (content_coding or "").split(",")]
    applied = [name for name in names if name not in ("", "identity")]
    if applied == ["br"] and _Brotli.usable():
        return _Sliced(_Brotli, limit=limit, size=_BR_PIECE)
    if applied == ["zstd"] and _Zstd.usable():
        return _Sliced(_Zstd, limit=limit, size=_ZSTD_PIECE)
    return plain_decoder(content_coding, limit=limit)


class _Sliced:
    """A decoder that takes a body in small pieces. Its errors are at offset 0 or at the end: no cut moves them."""

    def __init__(self, kind: "type[_Brotli | _Zstd]", *, limit: int, size: int) -> None:
        self._kind: Final = kind
        self._left = limit
        self._size: Final = size
        self._offset = 0
        self._current: _Undo | None = None
        self._any = False
        self._broken: tuple[Undecodable, int] | None = None
        # Each library has an error class of its own.
        self._one_error: Final = translated(Exception, lambda _: self._failed(Undecodable.CORRUPT, 0))

    def feed(self, piece: bytes) -> bytes:
        """All bytes that can be decoded so far."""
        self._raise_again()
        found = []
        for start in range(0, len(piece), self._size):
            rest = piece[start : start + self._size]
            self._offset += len(rest)
            while rest:
                text, rest = self._decode(rest)
                found.append(text)
        return b"".join(found)

    def close(self) -> None:
        """Say that the body has ended; an error where its coding has not."""
        self._raise_again()
        if self._current is not None:
            raise self._failed(Undecodable.TRUNCATED, self._offset)

    def _decode(self, piece: bytes) -> tuple[bytes, bytes]:
        """What the piece decodes to, and what of it belongs to the next frame."""
        if self._current is None:
            if self._any and not self._kind.many:
                raise self._failed(Undecodable.CORRUPT, 0)
            self._current, self._any = self._kind(), True
        undo = self._current
        with self._one_error:
            text = undo.decompress(piece)
        if len(text) > self._left:
            raise self._failed(Undecodable.OVER_LIMIT, 0)
        self._left -= len(text)
        if not undo.ended:
            return text, b""
        self._current = None
        return text, undo.rest

    def _failed(self, why: Undecodable, offset: int) -> CodingError:
        """The error about a body that cannot be decoded. From now on each call raises it."""
        self._broken = (why, offset)
        self._current = None
        return CodingError(why, offset=offset)

    def _raise_again(self) -> None:
        if self._broken is not None:
            why, offset = self._broken
            raise CodingError(why, offset=offset)


class _Brotli:
    """A decoder of one br stream (RFC 7932). To its library, data behind the end are an error."""

    many: Final = False

    def __init__(self) -> None:
        self._library: Any = _brotli().Decompressor()

    @staticmethod
    def usable() -> bool:
        return _brotli() is not None

    def decompress(self, piece: bytes) -> bytes:
        found = [self._library.process(piece)]
        while found[-1]:  # it can keep some back, and hands it out when asked again
            found.append(self._library.process(b""))
        return b"".join(found)

    @property
    def ended(self) -> bool:
        return bool(self._library.is_finished())

    @property
    def rest(self) -> bytes:
        return b""


class _Zstd:
    """A decoder of one zstd frame (RFC 8878). A body may have any number of them."""

    many: Final = True

    def __init__(self) -> None:
        self._library: Any = _zstd_frame()

    @staticmethod
    def usable() -> bool:
        return _zstd_frame() is not None

    def decompress(self, piece: bytes) -> bytes:
        return bytes(self._library.decompress(piece))

    @property
    def ended(self) -> bool:
        return bool(self._library.eof)

    @property
    def rest(self) -> bytes:
        return bytes(self._library.unused_data)


def _brotli() -> Any:
    try:
        import brotli
    except ImportError:
        return None
    return brotli


def _zstd_frame() -> Any:
    """The decoder of one frame, of whichever library this mitmproxy brings; None where it brings none."""
    try:
        from backports import zstd  # mitmproxy 12
    except ImportError:
        pass
    else:
        parameter = zstd.DecompressionParameter.window_log_max
        return zstd.ZstdDecompressor(options={parameter: _ZSTD_WINDOW_BITS})
    try:
        import zstandard  # mitmproxy 11
    except ImportError:
        return None
    return zstandard.ZstdDecompressor(max_window_size=1 << _ZSTD_WINDOW_BITS).decompressobj()

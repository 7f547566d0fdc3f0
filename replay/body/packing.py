"""Content codings, applied: each piece of a body can be decoded as soon as it comes, as providers flush it.

Standard library alone: gzip and deflate are packed by zlib, br and zstd are framed without compression, which is as
legal a stream of theirs as any. Knows bytes; knows no HTTP.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# zlib's window sizes for the two formats; this one of gzip has no clock time in its header.
_GZIP: Final = 31
_DEFLATE: Final = 15
# Length fields: 16 bits in a meta-block of brotli with four nibbles, and at most 128 KiB in a block of zstd.
_BROTLI_BLOCK: Final = 1 << 16
_ZSTD_BLOCK: Final = 128 * 1024
# The magic number, then a header that names a window of 2 MiB and nothing else.
_ZSTD_HEAD: Final = b"\x28\xb5\x2f\xfd\x00\x58"
_ZSTD_END: Final = b"\x01\x00\x00"  # a last block of no bytes


class Packer(Protocol):
    """A content coding, applied to one body piece by piece."""

    def pack(self, piece: bytes) -> bytes:
        """The bytes of the piece with the coding applied; they can be decoded at once."""
        ...

    def end(self) -> bytes:
        """The bytes that end the coding; a stream that was cut lost them."""
        ...


class _Plain:
    def pack(self, piece: bytes) -> bytes:
        return piece

    def end(self) -> bytes:
        return b""


class _Zlib:
    def __init__(self, window: int) -> None:
        self._packer = zlib.compressobj(wbits=window)

    def pack(self, piece: bytes) -> bytes:
        return self._packer.compress(piece) + self._packer.flush(zlib.Z_SYNC_FLUSH)

    def end(self) -> bytes:
        return self._packer.flush(zlib.Z_FINISH)


class _Brotli:
    """RFC 7932: uncompressed meta-blocks, each padded to whole bytes in front of its data."""

    def __init__(self) -> None:
        self._first = True

    def pack(self, piece: bytes) -> bytes:
        return b"".join(
            self._head(block) + block
            for block in (piece[at : at + _BROTLI_BLOCK] for at in range(0, len(piece), _BROTLI_BLOCK))
        )

    def end(self) -> bytes:
        # Last and empty, two bits; in front of them the window size, where nothing has come.
        return b"\x06" if self._first else b"\x03"

    def _head(self, block: bytes) -> bytes:
        # Bits from the lowest: not the last, four nibbles of length, the length less one, uncompressed.
        bits = (len(block) - 1) << 3 | 1 << 19
        if self._first:
            # A window of 16 bits: one zero bit in front of everything.
            self._first = False
            bits <<= 1
        return bits.to_bytes(3, "little")


class _Zstd:
    """RFC 8878: raw blocks."""

    def __init__(self) -> None:
        self._first = True

    def pack(self, piece: bytes) -> bytes:
        blocks = (piece[at : at + _ZSTD_BLOCK] for at in range(0, len(piece), _ZSTD_BLOCK))
        return self._head() + b"".join((len(block) << 3).to_bytes(3, "little") + block for block in blocks)

    def end(self) -> bytes:
        return self._head() + _ZSTD_END

    def _head(self) -> bytes:
        first, self._first = self._first, False
        return _ZSTD_HEAD if first else b""


_PACKERS: Final[Mapping[str, Callable[[], Packer]]] = {
    "identity": _Plain,
    "gzip": lambda: _Zlib(_GZIP),
    "deflate": lambda: _Zlib(_DEFLATE),
    "br": _Brotli,
    "zstd": _Zstd,
}
CODINGS: Final = frozenset(_PACKERS)


def packer(coding: str) -> Packer:
    """A new packer; `coding` is one of `CODINGS`."""
    return _PACKERS[coding]()

"""Content codings written by hand, read back by the libraries that clients use."""

import gzip
import zlib
from collections.abc import Callable

import pytest

from replay.body.packing import CODINGS, packer

PIECES = [b"data: 1\n\n", b"", b"x" * 200_000, b"data: [DONE]\n\n"]


def _brotli() -> Callable[[bytes], bytes]:
    brotli = pytest.importorskip("brotli")
    return brotli.Decompressor().process  # type: ignore[no-any-return]


def _zstd() -> Callable[[bytes], bytes]:
    zstandard = pytest.importorskip("zstandard")
    return zstandard.ZstdDecompressor().decompressobj().decompress  # type: ignore[no-any-return]


READERS: dict[str, Callable[[], Callable[[bytes], bytes]]] = {
    "identity": lambda: lambda piece: piece,
    "gzip": lambda: zlib.decompressobj(31).decompress,
    "deflate": lambda: zlib.decompressobj().decompress,
    "br": _brotli,
    "zstd": _zstd,
}


def test_every_coding_has_a_reader_here() -> None:
    assert READERS.keys() == CODINGS


@pytest.mark.parametrize("coding", sorted(CODINGS))
def test_each_piece_is_decoded_when_it_comes(coding: str) -> None:
    packing, read = packer(coding), READERS[coding]()
    assert [read(packing.pack(piece)) for piece in PIECES] == PIECES
    assert read(packing.end()) == b""


@pytest.mark.parametrize("coding", sorted(CODINGS))
def test_an_empty_body_is_a_whole_one(coding: str) -> None:
    assert READERS[coding]()(packer(coding).end()) == b""


def test_a_body_is_whole_only_with_its_end() -> None:
    packing = packer("gzip")
    body = packing.pack(b"x")
    with pytest.raises(EOFError):
        gzip.decompress(body)
    assert gzip.decompress(body + packing.end()) == b"x"
    brotli, zstandard = pytest.importorskip("brotli"), pytest.importorskip("zstandard")
    for coding, read in (("br", brotli.decompress), ("zstd", zstandard.ZstdDecompressor().decompressobj().decompress)):
        packing = packer(coding)
        assert read(packing.pack(b"x") + packing.end()) == b"x"

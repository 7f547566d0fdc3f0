"""The codings whose decoders mitmproxy brings: every cut, many frames, damage, and the bound on memory."""

import tracemalloc
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import pytest

pytest.importorskip("mitmproxy")

import brotli
from support.recorded.packed import zstd

from proxy_addon.writing.redacting.decoders import decoder
from replay.wire.coding import CodingError, Undecodable

TEXT = b"data: " + bytes(range(256)) * 3 + b"\n\n"
LIMIT = 10_000

SKIPPABLE = b"\x50\x2a\x4d\x18\x04\0\0\0abcd"


COMPRESS: dict[str, Callable[[bytes], bytes]] = {"br": brotli.compress, "zstd": zstd}
BOTH = pytest.mark.parametrize("coding", sorted(COMPRESS))


def undo(coding: str | None, body: bytes, *cuts: int, limit: int = LIMIT) -> bytes:
    found = decoder(coding, limit=limit)
    text = b"".join([found.feed(body[start:end]) for start, end in pairwise((0, *cuts, len(body)))])
    found.close()
    return text


def why_of(coding: str, body: bytes, *cuts: int, limit: int = LIMIT) -> tuple[Undecodable, int]:
    with pytest.raises(CodingError) as error:
        undo(coding, body, *cuts, limit=limit)
    assert error.value.__context__ is None
    return error.value.why, error.value.offset


def cuts_of(body: bytes) -> list[tuple[int, ...]]:
    return [(), tuple(range(1, len(body))), *[(cut,) for cut in range(0, len(body), 7)]]


@BOTH
@pytest.mark.parametrize("text", [TEXT, b"x", b""], ids=["text", "one byte", "empty"])
def test_each_is_undone_at_every_cut(coding: str, text: bytes) -> None:
    body = COMPRESS[coding](text)
    for cuts in cuts_of(body):
        assert undo(coding, body, *cuts) == text
    assert undo(f"identity, {coding.upper()} ", body) == text


@BOTH
def test_a_body_cut_in_the_middle_gives_what_came_and_is_truncated(coding: str) -> None:
    body = COMPRESS[coding](TEXT)
    for length in range(1, len(body)):
        found = decoder(coding, limit=LIMIT)
        assert TEXT.startswith(found.feed(body[:length]))
        with pytest.raises(CodingError) as error:
            found.close()
        assert (error.value.why, error.value.offset) == (Undecodable.TRUNCATED, length)
    assert undo(coding, b"") == b""


@BOTH
@pytest.mark.parametrize("size", [1, 100, 5_000_000])
def test_the_bound_is_exact(coding: str, size: int) -> None:
    body = COMPRESS[coding](b"a" * size)
    assert len(undo(coding, body, limit=size)) == size
    assert why_of(coding, body, limit=size - 1) == (Undecodable.OVER_LIMIT, 0)


@BOTH
def test_a_bomb_is_stopped_near_its_bound(coding: str) -> None:
    pack = partial(brotli.compress, quality=4) if coding == "br" else zstd  # at its best it takes half a minute
    body = pack(bytes(400_000_000))
    assert len(body) < 50_000
    tracemalloc.start()
    try:
        assert why_of(coding, body, limit=1_000_000) == (Undecodable.OVER_LIMIT, 0)
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


@BOTH
def test_damage_is_said_once_and_again(coding: str) -> None:
    found = decoder(coding, limit=LIMIT)
    for _ in range(2):
        with pytest.raises(CodingError) as error:
            found.feed(b"CANARY, which is no data of this coding")
        assert error.value.why is Undecodable.CORRUPT
        assert "CANARY" not in repr(error.value)
    with pytest.raises(CodingError):
        found.close()


def test_frames_of_zstd_are_joined_and_skippable_ones_left_out() -> None:
    body = zstd(b"one ") + SKIPPABLE + zstd(b"") + zstd(b"two") + SKIPPABLE
    for cuts in cuts_of(body):
        assert undo("zstd", body, *cuts) == b"one two"


def test_data_behind_br_are_damage() -> None:
    body = brotli.compress(TEXT)
    for cuts in [(), (1,), (len(body),)]:
        assert why_of("br", body + b"x", *cuts) == (Undecodable.CORRUPT, 0)


def test_a_window_larger_than_the_coding_allows_is_refused_before_its_memory_is_taken() -> None:
    # A frame head of RFC 8878 with a window of 2 GiB: magic number, descriptor, window descriptor.
    head = b"\x28\xb5\x2f\xfd\x00" + bytes([21 << 3])
    assert why_of("zstd", head + b"\x01\x00\x00") == (Undecodable.CORRUPT, 0)


@pytest.mark.parametrize(("coding", "text"), [(None, TEXT), ("identity", TEXT)])
def test_what_the_standard_library_knows_is_left_to_it(coding: str | None, text: bytes) -> None:
    assert undo(coding, TEXT) == text


@pytest.mark.parametrize("coding", ["br, gzip", "zstd, br", "SECRET"])
def test_two_codings_on_one_body_are_not_known(coding: str) -> None:
    with pytest.raises(CodingError) as error:
        decoder(coding, limit=LIMIT)
    assert error.value.why is Undecodable.UNKNOWN_CODING

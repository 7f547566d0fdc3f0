"""Content codings alone: every cut, many members, damage, and the bound."""

import gzip
import traceback
import zlib
from collections.abc import Callable
from itertools import pairwise

import pytest

from replay.wire.coding import CodingError, Undecodable, decoder

TEXT = b"data: " + bytes(range(256)) * 3 + b"\n\n"
LIMIT = 10_000


def undo(coding: str | None, body: bytes, *cuts: int, limit: int = LIMIT) -> bytes:
    found = decoder(coding, limit=limit)
    text = b"".join([found.feed(body[start:end]) for start, end in pairwise((0, *cuts, len(body)))])
    found.close()
    return text


def why_of(coding: str | None, body: bytes, *cuts: int, limit: int = LIMIT) -> tuple[Undecodable, int]:
    with pytest.raises(CodingError) as error:
        undo(coding, body, *cuts, limit=limit)
    return error.value.why, error.value.offset


def cuts_of(body: bytes) -> list[tuple[int, ...]]:
    return [(), tuple(range(1, len(body))), *[(cut,) for cut in range(len(body))]]


@pytest.mark.parametrize("coding", [None, "", "identity", " Identity ", "identity, identity"])
def test_no_coding_gives_the_bytes_back(coding: str | None) -> None:
    for cuts in cuts_of(TEXT):
        assert undo(coding, TEXT, *cuts) == TEXT


@pytest.mark.parametrize("coding", ["gzip", "x-gzip", " GZIP ", "gzip, identity"])
def test_gzip_is_undone_at_every_cut(coding: str) -> None:
    body = gzip.compress(TEXT)
    for cuts in cuts_of(body):
        assert undo(coding, body, *cuts) == TEXT


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "deflate, gzip", "aws-chunked", "SECRET"])
def test_an_unknown_coding_is_an_error_that_does_not_repeat_it(coding: str) -> None:
    with pytest.raises(CodingError) as error:
        decoder(coding, limit=LIMIT)
    assert error.value.why is Undecodable.UNKNOWN_CODING
    assert coding not in repr(error.value)


def raw_deflate(text: bytes) -> bytes:
    coder = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return coder.compress(text) + coder.flush()


@pytest.mark.parametrize("compress", [zlib.compress, raw_deflate])
@pytest.mark.parametrize("text", [TEXT, b"x", b""], ids=["text", "one byte", "empty"])
def test_both_kinds_of_deflate_are_undone_at_every_cut(compress: Callable[[bytes], bytes], text: bytes) -> None:
    body = compress(text)
    for cuts in cuts_of(body):
        assert undo("deflate", body, *cuts) == text


@pytest.mark.parametrize("level", range(10))
@pytest.mark.parametrize("window", [*range(9, 16), *range(-15, -8)])
def test_every_way_to_write_deflate_is_told_apart(level: int, window: int) -> None:
    coder = zlib.compressobj(level=level, wbits=window)
    assert undo("deflate", coder.compress(TEXT) + coder.flush()) == TEXT


@pytest.mark.parametrize("compress", [zlib.compress, raw_deflate])
def test_deflate_cut_in_the_middle_is_truncated_and_data_behind_it_are_trailing(
    compress: Callable[[bytes], bytes],
) -> None:
    body = compress(TEXT)
    for length in range(1, len(body)):
        assert why_of("deflate", body[:length]) == (Undecodable.TRUNCATED, length)
        assert why_of("deflate", body[:length], *range(1, length)) == (Undecodable.TRUNCATED, length)
    for cuts in [(), (3,), (len(body),), (len(body) - 1,)]:
        assert why_of("deflate", body + b"\0", *cuts) == (Undecodable.TRAILING, len(body))


@pytest.mark.parametrize("compress", [zlib.compress, raw_deflate])
def test_a_bomb_of_deflate_stops_at_the_bound(compress: Callable[[bytes], bytes]) -> None:
    body = compress(bytes(LIMIT + 1))
    assert why_of("deflate", body) == (Undecodable.OVER_LIMIT, 0)
    assert undo("deflate", body, limit=LIMIT + 1) == bytes(LIMIT + 1)


def test_members_are_joined_and_zero_bytes_between_and_behind_them_are_padding() -> None:
    body = gzip.compress(b"one ") + gzip.compress(b"") + b"\0" * 5 + gzip.compress(b"two") + b"\0" * 700
    for cuts in cuts_of(body):
        assert undo("gzip", body, *cuts) == b"one two"


def test_an_empty_body_is_empty_whatever_the_coding() -> None:
    assert undo("gzip", b"") == b""


def test_each_piece_gives_all_that_can_be_decoded_so_far() -> None:
    coder = zlib.compressobj(wbits=31)
    found = decoder("gzip", limit=LIMIT)
    for text in (b"data: a\n\n", b"data: b\n\n"):
        piece = coder.compress(text) + coder.flush(zlib.Z_SYNC_FLUSH)
        assert found.feed(piece) == text


def test_a_body_cut_in_the_middle_gives_what_came_and_is_truncated() -> None:
    body = gzip.compress(TEXT)
    for length in range(1, len(body)):
        whole, pieces = decoder("gzip", limit=LIMIT), decoder("gzip", limit=LIMIT)
        text = whole.feed(body[:length])
        assert TEXT.startswith(text)
        assert b"".join(pieces.feed(body[at : at + 1]) for at in range(length)) == text
        for found in (whole, pieces):
            with pytest.raises(CodingError) as error:
                found.close()
            assert (error.value.why, error.value.offset) == (Undecodable.TRUNCATED, length)


def test_data_that_are_no_gzip_are_corrupt_from_their_first_byte() -> None:
    for cuts in cuts_of(b"data: SECRET\n\n"):
        assert why_of("gzip", b"data: SECRET\n\n", *cuts) == (Undecodable.CORRUPT, 0)


def test_a_bare_zlib_stream_is_no_gzip() -> None:
    assert why_of("gzip", zlib.compress(TEXT)) == (Undecodable.CORRUPT, 0)


def test_leading_zero_bytes_are_no_padding() -> None:
    assert why_of("gzip", b"\0" + gzip.compress(TEXT)) == (Undecodable.CORRUPT, 0)


def test_a_wrong_checksum_or_length_is_corrupt_at_every_cut() -> None:
    good = gzip.compress(TEXT)
    for place in (-8, -1):
        body = bytearray(good)
        body[place] ^= 1
        for cuts in cuts_of(bytes(body)):
            assert why_of("gzip", bytes(body), *cuts) == (Undecodable.CORRUPT, 0)


def test_damage_in_a_later_member_is_placed_at_that_member() -> None:
    first, second = gzip.compress(TEXT), bytearray(gzip.compress(TEXT))
    second[-5] ^= 1
    body = first + b"\0\0" + bytes(second)
    for cuts in cuts_of(body):
        assert why_of("gzip", body, *cuts) == (Undecodable.CORRUPT, len(first) + 2)


def test_data_behind_the_last_member_are_refused_where_they_begin() -> None:
    body = gzip.compress(TEXT) + b"\0\0" + b"SECRET"
    for cuts in cuts_of(body):
        assert why_of("gzip", body, *cuts) == (Undecodable.TRAILING, len(body) - 6)


@pytest.mark.parametrize("coding", [None, "gzip"])
def test_a_body_of_exactly_the_limit_is_decoded_and_one_byte_more_is_not(coding: str | None) -> None:
    body = gzip.compress(TEXT) if coding else TEXT
    for cuts in cuts_of(body):
        assert undo(coding, body, *cuts, limit=len(TEXT)) == TEXT
        assert why_of(coding, body, *cuts, limit=len(TEXT) - 1) == (Undecodable.OVER_LIMIT, 0)


def test_the_limit_holds_over_all_members_together() -> None:
    body = gzip.compress(b"12345") * 2
    assert undo("gzip", body, limit=10) == b"1234512345"
    assert why_of("gzip", body, limit=9) == (Undecodable.OVER_LIMIT, len(body) // 2)


def test_a_bomb_unpacks_no_further_than_the_limit() -> None:
    bomb = gzip.compress(bytes(50_000_000))
    assert why_of("gzip", bomb, limit=1000) == (Undecodable.OVER_LIMIT, 0)


@pytest.mark.parametrize(("coding", "bad"), [("gzip", b"not gzip"), ("identity", b"x" * 11)])
def test_a_decoder_that_failed_only_repeats_its_error(coding: str, bad: bytes) -> None:
    found = decoder(coding, limit=10)
    reasons = set()
    for act in (lambda: found.feed(bad), lambda: found.feed(b"more"), found.close):
        with pytest.raises(CodingError) as error:
            act()
        reasons.add(error.value.why)
    assert len(reasons) == 1


def test_an_error_shows_nothing_of_the_body() -> None:
    body = b"SECRET" * 3
    found = decoder("gzip", limit=LIMIT)
    with pytest.raises(CodingError) as error:
        found.feed(body)
    assert error.value.__context__ is None
    assert error.value.__cause__ is None
    assert "SECRET" not in "".join(traceback.format_exception_only(error.value))

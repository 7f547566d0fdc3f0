"""Bodies back to bytes, and headers that agree with them."""

import gzip
import zlib

import pytest

from proxy_addon.importing import bodies
from proxy_addon.importing.entries import Unusable, UnusableError

STREAM = 'event: x\ndata: {"a": "ü"}\n\n'.encode() * 300


def test_text_is_utf_8_unless_a_single_byte_encoding_is_named() -> None:
    assert bodies.text("é€") == "é€".encode()
    assert bodies.text("é", "ISO-8859-1") == b"\xe9"
    assert bodies.text("€", "windows-1252") == b"\x80"
    assert bodies.text("é", "ASCII-8BIT") == "é".encode()
    assert bodies.text("\ud800") == b"\xed\xa0\x80"  # no UTF-8, which is for the engine to see


@pytest.mark.parametrize(
    "broken",
    [
        lambda: bodies.text("€", "ISO-8859-1"),
        lambda: bodies.base64_text("a"),
        lambda: bodies.base64_text("****"),
        lambda: bodies.base64_text("é"),
        lambda: bodies.hexadecimal("abc"),
        lambda: bodies.json_value({1, 2}),
    ],
)
def test_what_is_not_in_its_encoding_is_unusable_and_nothing_is_chained(broken) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UnusableError) as caught:
        broken()
    assert caught.value.why is Unusable.ENCODING
    assert caught.value.__context__ is None


def test_base64_may_stand_in_lines() -> None:
    assert bodies.base64_text("aGVs\n  bG8=\n") == b"hello"


@pytest.mark.parametrize("coding", ["gzip", "x-gzip", "GZIP"])
def test_gzip_that_a_source_undid_is_put_on_again(coding: str) -> None:
    headers = (("Content-Encoding", coding),)
    kept, body = bodies.agreeing(headers, STREAM)
    assert kept == headers
    assert gzip.decompress(body) == STREAM
    assert bodies.agreeing(headers, STREAM)[1] == body  # the same bytes each time
    packed = gzip.compress(STREAM)
    assert bodies.agreeing(headers, packed) == (headers, packed)
    assert bodies.agreeing(headers, b"") == (headers, b"")


@pytest.mark.parametrize("coding", ["br", "zstd", "deflate", "gzip, br"])
def test_any_other_coding_that_a_source_undid_is_not_claimed(coding: str) -> None:
    headers = (("a", "b"), ("content-encoding", coding))
    assert bodies.agreeing(headers, STREAM) == ((("a", "b"),), STREAM)


def test_a_coding_that_is_still_on_stays() -> None:
    headers = (("content-encoding", "deflate"),)
    packed = zlib.compress(STREAM)
    assert bodies.agreeing(headers, packed) == (headers, packed)


def test_gzip_is_seen_where_no_header_says_it() -> None:
    packed = gzip.compress(STREAM)
    assert bodies.agreeing((("Content-Encoding", "identity"),), packed) == ((("content-encoding", "gzip"),), packed)
    assert bodies.agreeing((), STREAM) == ((), STREAM)


@pytest.mark.parametrize("at", range(4080, 4100))
def test_a_character_may_stand_across_the_end_of_what_is_looked_at(at: int) -> None:
    body = b"data: " + b"x" * (at - 6) + "😀".encode() * 1000
    assert bodies.agreeing((("content-encoding", "br"),), body) == ((), body)

"""A fixture file read back by its lines is what strict reading of the whole gives, or nothing."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redaction.proof.readback import distinct_lines, read_back
from replay.validator.strict_json import parse

LINE = b'{"choices":[{"index":0,"delta":{"content":"x"}}]}'
FILE = b'{\n"profile": "openai",\n"chunks": [\n%b\n]\n}\n'


def test_equal_lines_are_one_object() -> None:
    value = read_back(FILE % b",\n".join([LINE, b"{}", LINE]))
    assert isinstance(value, dict)
    first, second, third = value["chunks"]
    assert first is third
    assert (first, second) == (json.loads(LINE), {})


@pytest.mark.parametrize(
    "payloads",
    [
        b"",
        LINE,
        LINE + b",",  # a comma too many
        LINE + b"\n" + LINE,  # one too few
        b"{},{}",  # two payloads on one line
        b"null,\nnull",
        b'"x",\n5,\ntrue',
        b'{"a":1,"a":2}',
        b'{"a":NaN}',
        b'{"a":\n1}',
        b'{"a":1}], "more": [',
        b"[" * 511 + b"]" * 511,
        b"\xff",
        b'"chunks": [',
    ],
)
def test_whatever_the_lines_are_the_value_is_that_of_the_whole(payloads: bytes) -> None:
    data = FILE % payloads
    try:
        expected = parse(data.decode(), max_nesting=512).value
    except UnicodeDecodeError:
        expected = None
    assert read_back(data) == expected


@given(st.lists(st.sampled_from([b"{", b"}", b"[", b"]", b",", b'"chunks": [', b'"a"', b":", b"1", b"\n", b" "])))
def test_any_text_reads_back_as_the_whole_does(parts: list[bytes]) -> None:
    for data in (b"".join(parts), FILE % b"".join(parts)):
        assert read_back(data) == parse(data.decode(), max_nesting=512).value


def test_distinct_lines_hold_every_line_once() -> None:
    assert distinct_lines(b"a\nb\na\n\xff\n") == "a\nb\n\ufffd\n"

"""Reading argument text: every text has tokens that cover it, and one reason why reading stopped."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redaction.captured.json_tokens import Kind, Stop, read
from replay.validator.strict_json import parse


@pytest.mark.parametrize(
    ("text", "stop"),
    [
        ("", Stop.EMPTY),
        (" \n", Stop.EMPTY),
        ("{}", Stop.NONE),
        ('{"a":[1,-2.5e3,true,null,"x\\u00e9"]} ', Stop.NONE),
        ('{"a":NaN,"b":-Infinity}', Stop.NONE),
        ('{"a":1', Stop.TRUNCATED),
        ('{"a":"b', Stop.TRUNCATED),
        ('{"a":"b\\', Stop.TRUNCATED),
        ('{"a":"b\\u00', Stop.TRUNCATED),
        ('{"a":tr', Stop.TRUNCATED),
        ('{"a":-', Stop.TRUNCATED),
        ('{"a":1.', Stop.TRUNCATED),
        ('{"a":1,}', Stop.UNEXPECTED),
        ('{"a":01}', Stop.UNEXPECTED),
        ('{"a":"\\q"}', Stop.UNEXPECTED),
        ('{"a":"\n"}', Stop.UNEXPECTED),
        ("{'a':1}", Stop.UNEXPECTED),
        ("Sorry", Stop.UNEXPECTED),
        ("[1}", Stop.UNEXPECTED),
        ("{}{}", Stop.TRAILING),
        ("{} x", Stop.TRAILING),
        ("1 2", Stop.TRAILING),
    ],
)
def test_it_is_named_why_reading_stopped(text: str, stop: Stop) -> None:
    assert read(text).stop is stop


def test_member_names_are_told_from_strings() -> None:
    kinds = [token.kind for token in read('{"a":"b"}').tokens]
    assert kinds == [Kind.PUNCTUATION, Kind.KEY, Kind.PUNCTUATION, Kind.STRING, Kind.PUNCTUATION]


json_like = st.one_of(
    st.text(),
    st.text(alphabet='{}[]",:\\u0123 \nabtruefalsn-.eE+', max_size=40),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
        max_leaves=12,
    ).map(json.dumps),
)


@given(json_like)
def test_tokens_cover_the_text_from_end_to_end(text: str) -> None:
    at = 0
    for token in read(text).tokens:
        assert token.start == at
        assert token.end > at
        at = token.end
    assert at == len(text)


@given(json_like)
def test_a_text_that_is_read_to_its_end_is_json_to_the_validator_too(text: str) -> None:
    stop = read(text).stop
    code = parse(text, max_nesting=512).code
    if code is None:
        assert stop is Stop.NONE
    elif code.value in ("malformed_arguments", "trailing_data"):
        assert stop is not Stop.NONE


def test_a_deep_and_a_long_text_are_read_in_one_pass() -> None:
    assert read("[" * 500_000).stop is Stop.TRUNCATED
    assert read('"' + "\\n" * 500_000 + '"').stop is Stop.NONE

"""Reading argument text: every text has tokens that cover it, and one fault."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redaction.captured.json_tokens import Fault, Kind, read
from replay.validator.strict_json import parse


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", Fault.EMPTY),
        (" \n", Fault.EMPTY),
        ("{}", Fault.NONE),
        ('{"a":[1,-2.5e3,true,null,"x\\u00e9"]} ', Fault.NONE),
        ('{"a":NaN,"b":-Infinity}', Fault.NONE),
        ('{"a":1', Fault.TRUNCATED),
        ('{"a":"b', Fault.TRUNCATED),
        ('{"a":"b\\', Fault.TRUNCATED),
        ('{"a":"b\\u00', Fault.TRUNCATED),
        ('{"a":tr', Fault.TRUNCATED),
        ('{"a":-', Fault.TRUNCATED),
        ('{"a":1.', Fault.TRUNCATED),
        ('{"a":1,}', Fault.UNEXPECTED),
        ('{"a":01}', Fault.UNEXPECTED),
        ('{"a":"\\q"}', Fault.UNEXPECTED),
        ('{"a":"\n"}', Fault.UNEXPECTED),
        ("{'a':1}", Fault.UNEXPECTED),
        ("Sorry", Fault.UNEXPECTED),
        ("[1}", Fault.UNEXPECTED),
        ("{}{}", Fault.TRAILING),
        ("{} x", Fault.TRAILING),
        ("1 2", Fault.TRAILING),
    ],
)
def test_the_fault_is_named(text: str, fault: Fault) -> None:
    assert read(text).fault is fault


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
def test_a_text_without_fault_is_json_to_the_validator_too(text: str) -> None:
    fault = read(text).fault
    code = parse(text, max_nesting=512).code
    if code is None:
        assert fault is Fault.NONE
    elif code.value in ("malformed_arguments", "trailing_data"):
        assert fault is not Fault.NONE


def test_a_deep_and_a_long_text_are_read_in_one_pass() -> None:
    assert read("[" * 500_000).fault is Fault.TRUNCATED
    assert read('"' + "\\n" * 500_000 + '"').fault is Fault.NONE

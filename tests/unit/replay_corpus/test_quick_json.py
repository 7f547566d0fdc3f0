"""The quick reader gives exactly what the strict one gives, or nothing."""

import inspect
import json
import sys
from decimal import Decimal
from typing import Final

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.nightly import examples
from support.shared import ROOT

from replay.corpus import quick_json
from replay.corpus.loading import load
from replay.validator import Envelope, strict_json
from replay.validator.limits import MAX_FIXTURE_NESTING

CASES: Final = sorted((ROOT / "tests" / "data" / "cases").glob("*.json"))


def same(one: object, other: object) -> bool:
    """Equal, and of the same types all through: 1 is neither True nor a Decimal, and members keep their order."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def agrees(data: bytes, name: str = "") -> bool:
    """Whether the quick reader gave a value; that it is the strict one is asserted."""
    quick = quick_json.parse(data)
    if quick is None:
        return False
    strict = strict_json.parse(data.decode("utf-8"), max_nesting=MAX_FIXTURE_NESTING)
    assert strict.code is None, name
    assert same(quick, strict.value), name
    return True


def test_every_case_is_read_the_same_and_most_are_clean_enough_to_be_read_quickly() -> None:
    assert sum(agrees(path.read_bytes(), path.name) for path in CASES) > 0.8 * len(CASES)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 1}',
        '{"a": {"b": 1, "b": ":"}}',
        '{"a": "\\u003a", "b": 1, "b": 2}',
        '{"a": "\\u003A", "b": 1, "b": 2}',
        '{"\\u0061": 1, "a": 2}',
        '{"a": ":", "a": ":"}',
        '{"a b": 1, "ab": 2, "ab": 2}',
        '{"ab": 2, "a b": 1, "ab": 2}',
        '{"a": 1.10}',
        '{"a": 0.1000000000000000055}',
        '{"a": 1e2}',
        '{"a": -0}',
        '{"a": "é\\u00e9"}',
        '{"a": "\\/"}',
        '{"a\\u0022:1,\\u0022b": "\\u00e9"}',
        '{"a": "\\u005c\\u00e9"}',
        '{"a": "\\u00e9", "\\u00e9": 1, "b": 2, "é": 2}',
        '{"a": "\\u00e9", "\\u00e9": 1, "\\u00E9": 1}',
        '{"a": "\\u00e9\\udc00"}',
        '{"a": 1E400}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": ' + "9" * 400 + "}",
        '{"a": ' + "9" * 5000 + "}",
        '{"a": "\\ud800"}',
        '{"a": 1} x',
        '\ufeff{"a": 1}',
        '{"a": "\x01"}',
        "[]",
        '"a"',
        "1",
        "",
        '{"a": ' + "[" * 600 + "]" * 600 + "}",
        '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}",
    ],
)
def test_what_is_not_clean_in_every_respect_is_left_to_the_strict_reader(text: str) -> None:
    assert quick_json.parse(text.encode("utf-8", "surrogatepass")) is None


@pytest.mark.parametrize("data", [b'{"a": "\xff"}', b'{"a": "\xed\xa0\x80"}', b"\xff\xfe{}"])
def test_what_is_no_utf8_is_left_to_the_strict_reader(data: bytes) -> None:
    assert quick_json.parse(data) is None


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        ' {"a":1}\r\n\t',
        '{"a": 0, "b": 123456789012345678, "c": true, "d": null}',
        '{"a": 1.5, "b": [-0.0, 5e-324, 123456789.125, [0.1]], "c": {"d": {"e": 0.0625}}}',
        '{"a": 18446744073709551615, "b": -9223372036854775808, "c d": 1, "cd": 1}',
        '{"a": "\\ud83d\\ude00\\u00e9\\u00E9\\u2028\\n\\"\\\\", "\\u00e9": "\\\\u00e9\\\\\\u00e9", "b": 1.5}',
        '{"a": "😀é\\n\\"\\\\", "é": "\\\\u00e9", "b": 1.5}',
        '{"a": {"b": [{"c": {}}]}, "d:e": ":::"}',
        '{"a": ' + "[" * 200 + "]" * 200 + "}",
        '{"": "", "\x7f": "1.5e3"}',
    ],
)
def test_what_is_clean_is_read(text: str) -> None:
    assert agrees(text.encode())


JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=examples(100))
@given(st.dictionaries(st.text(max_size=3), JSON, max_size=5), st.booleans())
def test_any_object_is_read_the_same(value: dict[str, object], ascii_only: bool) -> None:
    agrees(json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass"))


@given(st.data())
@example(None)
def test_any_change_of_a_few_bytes_is_read_the_same(data: st.DataObject | None) -> None:
    texts = [
        b'{"profile": "openai", "chunks": [{"a": "\\u00e9:", "\\u00e9": 10}, {"a": 1, "c": [true]}], "a": {"a": ""}}',
        b'{"profile": "openai", "chunks": [{"a": "\xc3\xa9:", "b": 10}, {"a": 1, "c": [2.5]}], "a": {"a": ""}}',
    ]
    if data is None:
        assert all(map(agrees, texts))
        return
    text = data.draw(st.sampled_from(texts))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 6)))
    pieces = st.sampled_from(
        [
            b'"a":1,',
            b'"a ":1,',
            b'"b"',
            b":",
            b"1.5",
            b"e",
            b"\\u003a",
            b"\\u00e9",
            b"\\",
            b'"',
            b"}",
            b"]",
            b"\xc3",
            b"99",
        ]
    )
    changed = text[:start] + b"".join(data.draw(st.lists(pieces, max_size=4))) + text[end:]
    agrees(changed)


def test_fractions_are_floats_where_that_is_said_and_nowhere_else() -> None:
    found = quick_json.parse(b'{"a": [{"b": 0.5}], "c": [{"b": 0.5}]}', floats_in={"a"})
    assert same(found, {"a": [{"b": 0.5}], "c": [{"b": Decimal("0.5")}]})


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_fraction_as_orjson_writes_it_is_read_digit_by_digit(number: float) -> None:
    text = orjson.dumps({"a": number})
    assert agrees(text)
    assert quick_json.parse(text) == {"a": Decimal(text[5:-1].decode())}


def test_an_escaped_ascii_character_stays_as_it_is() -> None:
    """Where it is a quote, the tokens would be others."""
    for text in (rb'{"a\u0022": "\u00e9"}', rb'{"a": "\u005c\u00e9"}', rb'{"a": "\u007f\ud83d\ude00"}'):
        assert quick_json._unescaped(text) == text
    assert quick_json._unescaped(rb'{"a": "\\u00e9\u00e9"}') == rb'{"a": "\\u00e9' + 'é"}'.encode()
    with pytest.raises(UnicodeDecodeError):
        quick_json._unescaped(rb'{"a": "\ud83d"}')


def test_a_value_deeper_than_the_stack_is_left_to_the_strict_reader() -> None:
    text = b'{"a": ' + b'{"a": ' * 100 + b"1.5" + b"}" * 101
    assert quick_json.parse(text) is not None
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 60)
    try:
        found = quick_json.parse(text)
    finally:
        sys.setrecursionlimit(limit)
    assert found is None


def test_only_payloads_of_a_fixture_have_floats() -> None:
    loaded = load(b'{"profile": "openai", "tool_schemas": {"f": {"minimum": 0.5}}, "chunks": [{"a": 0.5}]}')
    assert isinstance(loaded.envelope, Envelope)
    assert same(loaded.envelope.tool_schemas, {"f": {"minimum": Decimal("0.5")}})
    assert same(loaded.envelope.payloads, [{"a": 0.5}])


def test_the_strict_reader_gives_exact_numbers_where_the_quick_one_gives_nothing() -> None:
    assert strict_json.parse('{"a": 1.10}', max_nesting=4).value == {"a": Decimal("1.10")}

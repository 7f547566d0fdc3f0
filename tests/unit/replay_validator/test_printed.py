"""The printed text of objects, against what JSON.stringify gives and what the rules say of the digits that it drops."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.nightly import examples

from replay.validator._printed import PLAIN_DEPTH, _printed, number, printed, printed_with_copy
from replay.validator._values import same
from replay.validator.strict_json import parse


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1.0", "1"),
        ("1e2", "100"),
        ("0.50", "0.5"),
        ("-1.250", "-1.25"),
        ("120.00", "120"),
        ("12345678901234567890", "12345678901234567890"),
        ("1.2345678901234567890123", "1.2345678901234567890123"),
        ("0", "0"),
        ("-0", "0"),
        ("-0.0e5", "0"),
        ("1e-400", "0"),
        ("-1e-999999999999999999999", "0"),
        ("2.4703282292062327e-324", "0"),  # half of the smallest double, and a little less
        ("4.9e-324", "4.9e-324"),
        ("100000000000000000000", "100000000000000000000"),
        ("999999999999999999999", "999999999999999999999"),
        ("1000000000000000000000", "1e+21"),
        ("1e20", "100000000000000000000"),
        ("1e21", "1e+21"),
        ("1.5e21", "1.5e+21"),
        ("123456789012345678901234", "1.23456789012345678901234e+23"),
        ("123456789012345678901.5", "123456789012345678901.5"),
        ("-1e21", "-1e+21"),
        ("0.1", "0.1"),
        ("0.000001", "0.000001"),
        ("0.00000123", "0.00000123"),
        ("0.0000001", "1e-7"),
        ("0.000000123", "1.23e-7"),
        ("-1.5e-10", "-1.5e-10"),
        ("1e308", "1e+308"),
    ],
)
def test_a_number_is_its_exact_value_as_json_stringify_lays_it_out(written: str, expected: str) -> None:
    value = parse(written, max_nesting=1).value
    assert number(value) == printed(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e21, "1e+21"),
        (123456789.125, "123456789.125"),
        (5e-324, "5e-324"),
        (1e-7, "1e-7"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (10**20, "100000000000000000000"),
        (10**21, "1e+21"),
        (-7, "-7"),
        (Decimal("1E+2"), "100"),
        (Decimal("0E-30"), "0"),
    ],
)
def test_floats_integers_and_decimals_are_printed_alike(value: object, expected: str) -> None:
    assert number(value) == expected


@pytest.mark.parametrize(
    "value",
    [float("inf"), float("-inf"), float("nan"), 10**309, Decimal("1e309"), Decimal("NaN"), True, "1", None, object()],
)
def test_what_is_no_finite_number_has_no_digits(value: object) -> None:
    assert number(value) is None


@pytest.mark.parametrize("value", [[float("inf")], {"a": [{"\ud800": 1}]}, {"a": "x\udfff"}, (1,), {"a": {1}}])
def test_what_no_json_text_can_hold_has_no_text(value: object) -> None:
    assert printed(value) is None


def test_members_stay_in_their_order_and_strings_are_escaped_where_they_must_be() -> None:
    value = {"b": [1, {}, [], [[None, True]]], "a": {'"\\': "\b\f\n\r\t\x00\x1f\x7f/é\u2028😀"}, "": False}
    assert printed(value) == (
        '{"b":[1,{},[],[[null,true]]],"a":{"\\"\\\\":"\\b\\f\\n\\r\\t\\u0000\\u001f\x7f/é\u2028😀"},"":false}'
    )


def test_nesting_costs_no_stack() -> None:
    value: Any = {}
    for _ in range(100_000):
        value = [value]
    assert printed(value) == "[" * 100_000 + "{}" + "]" * 100_000


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30, places=9)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=10,
)


@given(values)
def test_what_is_printed_reads_back_as_the_same_value_and_prints_the_same_again(value: object) -> None:
    text = printed(value)
    assert text is not None
    parsed = parse(text, max_nesting=100)
    assert parsed.code is None
    assert printed(parsed.value) == text
    assert same(parsed.value, value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_prints_the_digits_that_read_back_as_it(value: float) -> None:
    text = number(value)
    assert text is not None
    assert float(json.loads(text)) == value


ODD_NUMBERS = (0, -1, 10**20, 10**21, 1 - 10**21, 10**400, 0.0, -0.0, 1.0, 1e15, 1e16, 1.5, 1e-4, 9.9e-5, 5e-324)
ODD_DECIMALS = tuple(map(Decimal, ("0.50", "1.0", "1e2", "-0.0", "0.1", "1E-7", "1e400")))
names = st.text(max_size=2)
scalars = (
    st.none()
    | st.booleans()
    | st.sampled_from([*ODD_NUMBERS, *ODD_DECIMALS, float("inf"), float("nan")])
    | st.text(st.characters(codec=None, categories=None), max_size=3)
)
members = st.recursive(scalars, lambda one: st.lists(one, max_size=12) | st.dictionaries(names, one, max_size=12))
objects = st.dictionaries(names, members, max_size=12)


@settings(max_examples=examples(100, part=10))
@given(objects)
def test_the_quick_text_is_the_text_and_its_copy_what_parsing_it_gives(value: dict[str, Any]) -> None:
    text, copy = printed_with_copy(value)
    assert text == _printed(value)
    if copy is not None:
        assert copy is not value
        assert text is not None
        assert same(copy, parse(text, max_nesting=PLAIN_DEPTH).value)


def test_what_nests_deeper_has_a_text_and_no_copy() -> None:
    value: object = 1
    for _ in range(PLAIN_DEPTH):
        value = [value]
    assert printed_with_copy(value) == (printed(value), value)
    assert printed_with_copy([value]) == (printed([value]), None)


def test_the_copy_stays_what_it_was() -> None:
    value = {"a": {"b": [1, "x"]}}
    _, copy = printed_with_copy(value)
    value["a"]["b"].append(2)
    value["c"] = {}
    assert copy == {"a": {"b": [1, "x"]}}


def test_a_name_that_is_no_text_has_no_copy() -> None:
    assert printed_with_copy({1: "x"})[1] is None

"""Texts that answer several assertions at once: shortest first, plainest first, and found again by their length."""

import random
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.nightly import examples

from redaction.witnesses.format_expressions import EXPRESSIONS
from redaction.witnesses.text_search import Wanted, gives, texts
from replay.validator.schema import FORMATS, violation
from replay.validator.schema.patterns import compile_pattern

UPPER, DIGIT = ("pattern", "[A-Z]", True), ("pattern", "[0-9]", True)


def first(wanted: list[Wanted], size: int = 0, count: int = 1) -> list[str]:
    return [*islice(texts(wanted, size), count)]


@pytest.mark.parametrize(
    ("wanted", "size", "expected"),
    [
        ([], 0, ["", "x"]),
        ([UPPER, DIGIT], 0, ["0X", "0A"]),
        ([UPPER, DIGIT], 5, ["xxx0X", "xxx0A"]),
        ([("pattern", r"^10\.", True), ("format", "ipv4", True)], 0, ["10.0.0.0", "10.0.0.1"]),
        ([("pattern", "^x-", True)], 0, ["x-", "x-x"]),
        ([("pattern", "^x-", False)], 0, ["", "x"]),
        ([("pattern", "^[a-z]{3}$", True), ("pattern", "^x", False)], 0, ["axx", "axa"]),
        ([("pattern", r"^[\s\S]{0,9}$", False)], 0, ["x" * 10, "x" * 9 + "0"]),
        ([("pattern", "^a", True), ("pattern", "b$", True), ("minLength", 5, True)], 0, ["axxxb", "axx0b"]),
        ([("pattern", "^a+$", True), ("maxLength", 3, False)], 0, ["aaaa", "aaaaa"]),
        ([("pattern", r"^\p{Lu}$", True), ("pattern", "[A-Z]", False)], 0, ["\u00c0", "\u0400"]),
        ([("pattern", "^(?:on|off)$", True), ("pattern", "^on$", False)], 0, ["off"]),
        ([("pattern", "^a$", True), ("pattern", "^b$", True)], 0, []),
        ([("pattern", "^a$", True), ("minLength", 2, True)], 0, []),
        ([("pattern", "^a$", True)], 2, []),
        ([("pattern", "(", True)], 0, []),
    ],
)
def test_the_shortest_and_plainest_texts_come_first(wanted: list[Wanted], size: int, expected: list[str]) -> None:
    assert first(wanted, size, 2) == expected


def test_a_place_that_demands_its_character_has_it() -> None:
    wanted: list[Wanted] = [("pattern", "^a.b$", True)]
    assert [*texts(wanted, 0, lambda _: {1: "\U0001f600"})] == ["a\U0001f600b"]
    assert gives(wanted, "a\U0001f600b", {1: "\U0001f600"})


def test_a_search_that_takes_too_long_puts_one_text_together() -> None:
    wanted: list[Wanted] = [("pattern", f"{one}.{{9}}{one}", True) for one in "abcdefghij"]
    together = "".join(f"{one}xxxxxxxxx{one}" for one in "abcdefghij")
    assert first(wanted, 0, 2) == first(wanted, 0, 2) == [together, together]
    assert first(wanted, 120, 2) == [together + "x" * 10, "x" * 10 + together]
    assert gives(wanted, together, {})
    assert gives(wanted, together + "xxx", {})
    assert not gives(wanted, together + "lin", {})


def test_what_is_not_among_the_plainest_of_its_length_is_not_given() -> None:
    assert gives([UPPER, DIGIT], "0X", {})
    assert not gives([UPPER, DIGIT], "7Q", {})
    assert not gives([("pattern", "^x", True)], "xLINDQVIST", {})


PARTS = ["a", "b", "[ab]", "x", "[0-9]", ".", r"\d", r"\w", "-", "(?:ab|ba)", "[^a]"]
expressions = st.builds(
    lambda start, parts, end: start + "".join(part + more for part, more in parts) + end,
    st.sampled_from(["", "^"]),
    st.lists(st.tuples(st.sampled_from(PARTS), st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,3}"])), max_size=4),
    st.sampled_from(["", "$"]),
)


@settings(max_examples=examples(150, part=15), deadline=None)
@given(st.lists(st.tuples(expressions, st.booleans()), min_size=1, max_size=4), st.integers(0, 6))
def test_every_text_answers_as_wanted_and_is_found_again(asked: list[tuple[str, bool]], size: int) -> None:
    wanted: list[Wanted] = [("pattern", expression, holds) for expression, holds in asked]
    found = first(wanted, size, 12)
    assert len({*found}) == len(found)
    for text in found:
        assert len(text) >= size
        assert all(compile_pattern(expression).found_in(text) is holds for expression, holds in asked)
        assert gives(wanted, text, {})
    assert found == sorted(found, key=len)
    for length in {len(text) for text in found}:
        again = first(wanted, length, 100)
        assert {text for text in found if len(text) == length} <= {*again}


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.tuples(expressions, st.booleans()), min_size=1, max_size=3), st.text("abx0-_ ", max_size=5))
def test_where_a_text_answers_the_search_finds_one_that_is_no_longer(asked: list[tuple[str, bool]], text: str) -> None:
    wanted: list[Wanted] = [("pattern", one, compile_pattern(one).found_in(text)) for one, _ in asked]
    assert len(first(wanted)[0]) <= len(text)


@pytest.mark.parametrize("name", FORMATS)
def test_what_an_expression_of_a_format_gives_is_of_the_format(name: str) -> None:
    chance = random.Random(name)
    for size in (0, 5, 12, 30):
        found = first([("format", name, True)], size, 40)
        good = [text for text in found if violation({"format": name}, text) is None]
        assert len(good) >= len(found) * 3 // 4, found
    more = first([("format", name, True), ("pattern", chance.choice("012"), True)], 0, 5)
    assert any(violation({"format": name}, text) is None for text in more)
    assert compile_pattern(EXPRESSIONS[name])

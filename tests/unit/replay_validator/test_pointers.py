"""JSON Pointers (RFC 6901): made of tokens, taken apart, followed."""

import pytest

from replay.validator.schema import NOWHERE, escape_token, follow, pointer_of, step, tokens_of, unescape_token

# The examples of RFC 6901, section 5.
DOCUMENT = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "m~n": 8,
    " ": 7,
}


@pytest.mark.parametrize(
    ("pointer", "tokens", "value"),
    [
        ("", [], DOCUMENT),
        ("/foo", ["foo"], ["bar", "baz"]),
        ("/foo/0", ["foo", "0"], "bar"),
        ("/", [""], 0),
        ("/a~1b", ["a/b"], 1),
        ("/c%d", ["c%d"], 2),
        ("/m~0n", ["m~n"], 8),
        ("/ ", [" "], 7),
    ],
)
def test_a_pointer_names_its_tokens_and_leads_to_a_value(pointer: str, tokens: list[str], value: object) -> None:
    assert tokens_of(pointer) == tokens
    assert pointer_of(tokens) == pointer
    assert follow(DOCUMENT, tokens) == value


@pytest.mark.parametrize(
    "tokens", [["bar"], ["foo", "2"], ["foo", "-"], ["foo", "-1"], ["foo", "01"], ["foo", "٠"], ["foo", "0", "0"]]
)
def test_what_names_nothing_leads_nowhere(tokens: list[str]) -> None:
    assert follow(DOCUMENT, tokens) is NOWHERE


def test_an_index_has_no_zero_before_it_and_may_have_many_digits() -> None:
    items = list(range(11))
    assert [step(items, token) for token in ("0", "9", "10")] == [0, 9, 10]
    assert {step(items, token) for token in ("00", "010", "11", "1" * 1_000_000, "", "1.0", "+1")} == {NOWHERE}


def test_an_escape_is_undone_once() -> None:
    assert escape_token("~1/") == "~01~1"
    assert unescape_token("~01~1") == "~1/"

"""Pieces of an object, by path: which paths there are, which pieces fit, and what they come to."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.validator.paths import MAX_STEPS, NO_VALUE, Piece, Pieces, read_path


def piece(path: str, value: object = NO_VALUE, *, more: bool = False) -> Piece:
    steps = read_path(path)
    assert steps is not None, path
    return Piece(*steps, value, more, 0)


def laid(*pieces: Piece, ended: bool = True) -> tuple[str, bool]:
    found = Pieces()
    for one in pieces:
        found.take(one)
    if ended:
        found.end()
    return found.text(), found.fits


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("$.a", ("a",)),
        ("$.a.b[0][10].c", ("a", "b", 0, 10, "c")),
        ("$['a.b']", ("a.b",)),
        ('$["a\'b"]', ("a'b",)),
        ("$['a\"b']", ('a"b',)),
        (r"$['\'\\\/\b\f\n\r\t']", ("'\\/\b\f\n\r\t",)),
        (r'$["\""]', ('"',)),
        (r"$['\u00e9\uD83D\uDE00']", ("é😀",)),
        ("$['']", ("",)),
        ("$.é-1$@", ("é-1$@",)),
        ("$[2147483647]", (2147483647,)),
    ],
)
def test_a_path_is_steps(path: str, steps: tuple[object, ...]) -> None:
    assert read_path(path) == (steps, False)
    assert read_path(path + "[]") == (steps, True)


@pytest.mark.parametrize(
    "path",
    [
        "", "$", "a", ".a", "$a", "$.", "$..a", "$.a.", "$.*", "$[*]", "$[-1]", "$[01]", "$[+1]", "$[1:2]", "$[]",
        "$.a[][0]", "$.a[] ", "$ .a", "$.a b", "$['a]", "$['a'b']", "$[a]", r"$['\x']", r"$['\"']", r'$["\'"]',
        r"$['\ud83d']", r"$['\ude00\ud83d']", r"$['\u00g0']", "$['\n']", "$['\ud800']", "$.\ud800", "$[2147483648]",
        "$" + "[0]" * (MAX_STEPS + 1),
    ],
)  # fmt: skip
def test_what_is_no_path_is_none(path: str) -> None:
    assert read_path(path) is None


def test_a_path_may_have_so_many_steps_and_no_more() -> None:
    assert read_path("$" + ".a" * MAX_STEPS) == (("a",) * MAX_STEPS, False)
    assert read_path("$" + ".a" * (MAX_STEPS + 1)) is None


def test_the_example_of_the_module_comes_to_what_it_says() -> None:
    start = [piece("$.city", "Os", more=True), piece("$.city", "lo"), piece("$.days[0]", 3)]
    assert laid(*start) == ('{"city":"Oslo","days":[3]}', True)
    assert laid(*start, piece("$.days[2]", 5)) == ('{"city":"Oslo","days":[3]}', False)


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([], ""),
        ([piece("$.a", more=True)], "{}"),
        ([piece("$.a")], '{"a":{}}'),
        ([piece("$.a[]")], '{"a":[]}'),
        ([piece("$.a[]"), piece("$.a[0].b", 1), piece("$.a[]"), piece("$.a")], '{"a":[{"b":1}]}'),
        ([piece("$.a", 1), piece("$.a")], '{"a":1}'),
        ([piece("$.a", "x", more=True), piece("$.b", None), piece("$.a")], '{"a":"x","b":null}'),
        ([piece("$.a", "", more=True), piece("$['a']", "y")], '{"a":"y"}'),
        ([piece("$.b", True), piece("$.a", 0.5)], '{"b":true,"a":0.5}'),
        ([piece("$[0]", 1)], ""),
    ],
)
def test_pieces_come_to_an_object(pieces: list[Piece], text: str) -> None:
    assert laid(*pieces)[0] == text


@pytest.mark.parametrize(
    ("before", "misfit"),
    [
        ([], piece("$[0]", 1)),
        ([], piece("$.a[1]", 1)),
        ([], piece("$.a[0][1]", 1)),
        ([piece("$.a", 1)], piece("$.a", 2)),
        ([piece("$.a", 1)], piece("$.a.b", 2)),
        ([piece("$.a", 1)], piece("$.a[0]", 2)),
        ([piece("$.a", 1)], piece("$.a[]")),
        ([piece("$.a", "x")], piece("$.a", "y")),
        ([piece("$.a", "x", more=True)], piece("$.a", 1)),
        ([piece("$.a", "x", more=True)], piece("$.a[]")),
        ([piece("$.a", "x", more=True)], piece("$.a.b", 1)),
        ([piece("$.a[0]", 1)], piece("$.a[2]", 1)),
        ([piece("$.a[0]", 1)], piece("$.a.b", 1)),
        ([piece("$.a.b", 1)], piece("$.a[0]", 1)),
        ([piece("$.a.b", 1)], piece("$.a", 1)),
    ],
)
def test_a_piece_that_does_not_fit_leaves_no_trace_and_ends_the_taking(before: list[Piece], misfit: Piece) -> None:
    whole = laid(*before, ended=False)
    assert whole[1]
    assert laid(*before, misfit, ended=False) == (whole[0], False)
    assert laid(*before, misfit, piece("$.new", 1), ended=False) == (whole[0], False)


def test_a_string_that_is_open_at_the_end_does_not_fit() -> None:
    assert laid(piece("$.a", "x", more=True), ended=False) == ('{"a":"x"}', True)
    assert laid(piece("$.a", "x", more=True)) == ('{"a":"x"}', False)


scalars = st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab\"'\\é", max_size=3)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab.'\"[]", max_size=2), inner, max_size=3),
    max_leaves=8,
)


def pieces_of(value: object, path: str = "$") -> list[Piece]:
    """One way in which a value arrives."""
    if isinstance(value, dict) and value:
        return [one for name, inner in value.items() for one in pieces_of(inner, f"{path}[{json.dumps(name)}]")]
    if isinstance(value, list) and value:
        return [one for at, inner in enumerate(value) for one in pieces_of(inner, f"{path}[{at}]")]
    if isinstance(value, list):
        return [piece(path + "[]")]
    if isinstance(value, dict):
        return [piece(path)]
    if isinstance(value, str) and len(value) > 1:
        return [piece(path, value[:1], more=True), piece(path, value[1:])]
    return [piece(path, value)]


@given(st.dictionaries(st.text("ab.'\"[]", max_size=2), values, min_size=1, max_size=3))
def test_an_object_in_pieces_is_the_object(value: dict[str, Any]) -> None:
    text, fits = laid(*pieces_of(value))
    assert fits
    assert json.loads(text) == value
    assert list(json.loads(text)) == list(value)

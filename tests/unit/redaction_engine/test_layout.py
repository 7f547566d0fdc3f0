"""Masked strings over the cuts of raw ones: same pieces, same cut classes, none empty."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redaction.masks.layout import spread, string_layout


@pytest.mark.parametrize(
    ("raw", "cuts", "pieces"),
    [
        ('"abc"', [], ['""']),
        ('"abc"', [2], ['"', '"']),
        ('"abcdef"', [1, 3, 4], ['"', "x", "x", '"']),
        (r'"a\u00e9b"', [4], ['"\\u', '0078"']),
        (r'"\n\n"', [2, 3], ['"\\', "u0078", '"']),
        (r'"\ud83d\ude00"', [3, 7, 9], ['"\\u', "d83d", "\\u", 'de00"']),
        (r'"\ud83dz"', [], ['"\\ud800"']),
        ('""', [1], ['"', '"']),
    ],
)
def test_the_shortest_value_keeps_every_cut_in_its_class(raw: str, cuts: list[int], pieces: list[str]) -> None:
    layout = string_layout(raw, cuts, closed=True)
    assert layout.render(layout.fit("x" * layout.needed)) == pieces


def test_a_longer_value_is_laid_one_character_between_cuts_and_the_rest_behind_the_last() -> None:
    layout = string_layout('"location"', [4, 6], closed=True)
    assert layout.render("location") == ['"l', "o", 'cation"']


characters = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12)


@given(characters, st.data(), st.integers(0, 6), st.booleans())
def test_any_cut_gives_as_many_pieces_none_empty_and_the_value_back(
    text: str, data: st.DataObject, more: int, ascii_only: bool
) -> None:
    raw = json.dumps(text, ensure_ascii=ascii_only)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(raw) - 1), max_size=len(raw) - 1)))
    layout = string_layout(raw, cuts, closed=True)
    value = layout.fit("x" * (layout.needed + more))
    pieces = layout.render(value)
    assert len(pieces) == len(cuts) + 1
    assert all(pieces)
    assert json.loads("".join(pieces)) == value


def test_a_word_is_spread_over_its_pieces() -> None:
    assert spread("true", 3) == ["t", "r", "ue"]

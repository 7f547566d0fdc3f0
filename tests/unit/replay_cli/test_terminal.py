"""No text can drive a terminal."""

import json

import pytest

from replay.terminal import printable, printable_json


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain name.json", "plain name.json"),
        ("é 日本 😀", "é 日本 😀"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\nb\r\tc\x00", "a\\x0ab\\x0d\\x09c\\x00"),
        ("\x7f\x9b", "\\x7f\\x9b"),
        ("\u202e\u2066\u200b\u2028", "\\u202e\\u2066\\u200b\\u2028"),
        ("\udc80", "\\udc80"),
        ("\U000e0041", "\\U000e0041"),
        ("a\\x1b", "a\\x1b"),
        ("", ""),
    ],
)
def test_what_a_terminal_may_act_on_stands_as_an_escape(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_the_result_is_printable_whatever_the_character() -> None:
    assert all(printable(chr(code)).isprintable() for code in range(0x110000))


@pytest.mark.parametrize("indent", [None, 1])
def test_json_is_printable_ascii_and_means_the_same(indent: int | None) -> None:
    value = {"\x7f\x1b\u202e": ["\x00\x7f\x80\udc80", 1.5, None, "plain"]}
    text = printable_json(value, indent=indent)
    assert text.isascii()
    assert text.replace("\n", "").isprintable()
    assert json.loads(text) == value

"""A layout says nothing where it is that of a writer throughout."""

import json

import pytest

from redaction.proof.files.canonical_form import is_plain

VALUE = {"a": [1, -2, {"b": [], "c": {}}], "é": '😀\n\\"', "n": None}


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
@pytest.mark.parametrize("indent", [None, 1, 2, 3, 4, 8, "\t"])
def test_what_a_writer_makes_is_plain(indent: int | str | None, end: str, ascii_only: bool) -> None:
    text = json.dumps(VALUE, indent=indent, ensure_ascii=ascii_only) + end
    if end == "\r\n":
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    assert is_plain(text.encode(), None)


def test_compact_text_is_plain() -> None:
    assert is_plain(json.dumps(VALUE, separators=(",", ":")).encode(), None)


def test_toolreels_own_layout_is_plain_whatever_it_is() -> None:
    assert is_plain(b"{ }", b"{ }")
    assert is_plain(b"{\r\n \r\n}", b"{\n \n}")
    assert not is_plain(b"{ }", b"{}")


@pytest.mark.parametrize(
    "number", ["0", "-1", "10", "123456789012345678901", "0.5", "-0.25", "1.10", "1e+400", "1e-7", "0e-7", "-0.0"]
)
def test_a_number_as_its_digits_have_it_is_plain(number: str) -> None:
    assert is_plain(f'{{"n": {number}}}'.encode(), None)


@pytest.mark.parametrize(
    "number", ["-0", "0e0", "0E+7", "1e5", "1E+5", "0.5e0", "10e-1", "0.00000001", "1e-07", "0e41111111111111111111"]
)
def test_a_number_in_another_spelling_is_not(number: str) -> None:
    assert not is_plain(f'{{"n": {number}}}'.encode(), None)


@pytest.mark.parametrize(
    "text",
    [
        "{}\n\n",
        " {}",
        "{} ",
        "\n{}",
        "{ }",
        "{\n}",
        "[1,2, 3]",
        '{"a":1, "b":2}',
        '{"a" : 1}',
        '{\n "a": [\n  1,\n    2\n ]\n}',
        '{\n \t"a": 1\n}',
        '{\n          "a": 1\n}',
        '{\n "a": 1}',
        '{\r\n "a": 1\n}',
        '{"\\u0061": 1}',
        '{"a": "\\/"}',
        '{"a": "\\u00E9"}',
        '{"a": "\\u00e9é"}',
        '{"a": "\\u000a"}',
    ],
)
def test_white_space_and_escapes_of_its_own_are_not(text: str) -> None:
    assert not is_plain(text.encode(), None)


def test_nesting_as_deep_as_a_fixture_may_have_is_an_answer() -> None:
    text = "[" * 512 + "]" * 512
    assert is_plain(text.encode(), None)
    assert not is_plain((text + " ").encode(), None)
    assert is_plain(json.dumps(json.loads(text), indent=1).encode(), None)

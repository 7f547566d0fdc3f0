"""Raw text is found in whatever form it stands in a file: plain, escaped, coded, backwards, in part, over fragments."""

import base64
import json
from collections.abc import Callable
from urllib.parse import quote

import pytest

from redaction.proof.grams import Index
from redaction.proof.readback import read_back
from redaction.proof.words.vocabulary import vocabulary_of

SECRET = "Anna-Lymphoma 1984/é!"
ASCII = "sk-proj-Q7vX2mTz9Lp4"

FORMS: dict[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "inside a word": lambda text: f"prefix{text}suffix",
    "json": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "json twice": lambda text: json.dumps(json.dumps(text))[1:-1],
    "\\u": lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
    "\\u of capitals": lambda text: "".join(f"\\u{ord(letter):04X}" for letter in text),
    "percent": lambda text: quote(text, safe=""),
    "percent, every byte": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "hex": lambda text: text.encode().hex(),
    "HEX": lambda text: text.encode().hex().upper(),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 at 1": lambda text: base64.b64encode(b"." + text.encode()).decode(),
    "base64 at 2": lambda text: base64.b64encode(b".." + text.encode()).decode(),
    "base64 for URLs": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "base64 in other letters": lambda text: "AB" + base64.b64encode(text.encode()).decode(),
    "reversed": lambda text: text[::-1],
    "its first half": lambda text: text[: len(text) // 2],
    "its second half": lambda text: text[len(text) // 2 :],
    "eight characters": lambda text: text[5:13],
}


def file_with(text: str) -> str:
    return '{"choices":[{"delta":{"content":"%s"}}]}' % text.replace('"', '\\"')  # noqa: UP031 - braces


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("secret", [SECRET, ASCII])
def test_a_plant_is_found(form: str, secret: str) -> None:
    explains = vocabulary_of({"fixture_version": 1, "profile": "openai", "tool_schemas": {}, "chunks": []}).explains
    assert Index([file_with(FORMS[form](secret))], explains).holds(secret)


@pytest.mark.parametrize("secret", [SECRET, ASCII])
def test_a_value_that_stands_nowhere_is_not_found(secret: str) -> None:
    explains = vocabulary_of({"fixture_version": 1, "profile": "openai", "tool_schemas": {}, "chunks": []}).explains
    assert not Index([file_with("another text, as long as the one that is looked for")], explains).holds(secret)


@pytest.mark.parametrize("short", ["Bern", "4711", "é!", "sk-1"])
def test_a_short_value_is_found_as_a_whole_word(short: str) -> None:
    explains = vocabulary_of({"fixture_version": 1, "profile": "openai", "tool_schemas": {}, "chunks": []}).explains
    assert Index([file_with(f"{short}")], explains).holds(short) is (short != "4711")  # up to four digits are a count
    assert not Index([file_with(f"a{short}b")], explains).holds(short)


def test_what_an_empty_conversation_says_is_no_leak() -> None:
    schema = {
        "properties": {
            "phone": {"pattern": r"^\+?[1-9]\d{1,14}$"},
            "customer_reference": {"enum": ["premium_customer"]},
        }
    }
    fixture = {
        "fixture_version": 1,
        "profile": "openai",
        "tool_schemas": {"look_up_customer": schema},
        "chunks": [{"choices": [{"finish_reason": "content_filter"}]}],
    }
    data = json.dumps(fixture, separators=(",", ":"))
    index = Index([data, '{"customer_reference":"premium_customer"}'], vocabulary_of(read_back(data.encode())).explains)
    assert index.empty
    for word in ("look_up_customer", "premium_customer", "customer_reference", r"^\+?[1-9]\d{1,14}$", "content_filter"):
        assert not index.holds(word)


def test_prose_of_a_schema_is_no_declared_word() -> None:
    prose = "for oncology patients"
    data = json.dumps(
        {"fixture_version": 1, "profile": "openai", "tool_schemas": {"t": {"description": prose}}, "chunks": []}
    )
    vocabulary = vocabulary_of(read_back(data.encode()))
    assert Index([data], vocabulary.explains).holds(prose)
    assert vocabulary.leaks

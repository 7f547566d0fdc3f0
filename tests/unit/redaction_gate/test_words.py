"""Words that JSON has not but models write: they are placeholders of nothing, and no raw text either."""

import json
from collections.abc import Sequence

import pytest
from support.recorded.exchanges import request_body, sse_body

from redaction.captured.argument_texts import argument_texts
from redaction.captured.exchange import Exchange, Proved
from redaction.captured.payloads import Break
from redaction.redactor import redact


def call(pieces: Sequence[str], schema: object) -> Proved:
    """The one call of a turn, with its arguments in these pieces."""
    entries: list[object] = [{"index": 0, "id": "c", "function": {"name": "t", "arguments": ""}}]
    entries += [{"index": 0, "function": {"arguments": piece}} for piece in pieces]
    chunks: list[object] = [{"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]} for entry in entries]
    chunks += [{"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}]
    result = redact(
        Exchange(
            profile="openai",
            provider="openai",
            request_body=request_body("openai", {"t": schema}),
            body=sse_body(chunks, done=True),
        )
    )
    assert isinstance(result, Proved), result
    assert json.loads(result.fixture.data)["capture"]["rung"] == "canonical"
    return result


def codes(result: Proved) -> list[str]:
    return [finding.code.value for finding in result.report.findings]


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999", "-1e400", "9" * 400])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_number_that_is_none_is_no_reason_to_refuse(word: str, size: int) -> None:
    text = f'{{"limit":{word}}}'
    result = call([text[at : at + size] for at in range(0, len(text), size)], {})
    assert codes(result) == ["non_finite_number"]


@pytest.mark.parametrize(
    "pieces",
    [
        ["\ufeffx"],
        ["\ufeff", "x"],
        ['{"a":0e'],
        ['{"a":0', "e+"],
        ['{"a":"\\ud83d', "\\ude00 x\\u00"],
        ['{"a": "\\ud83d\\ude'],
    ],
)
def test_what_was_sent_may_be_what_stands_for_it(pieces: list[str]) -> None:
    """A byte order mark and an `x`, or an emoji in a string that breaks off in an escape, are placeholders too."""
    assert codes(call(pieces, {})) == ["malformed_arguments"]


def test_a_key_that_a_schema_lists_is_a_declared_word() -> None:
    schema = {"propertyNames": {"enum": ["first", "second"]}}
    result = call(['{"first":1,"sec', 'ond":"Ann"}'], schema)
    assert codes(result) == []
    assert b"second" not in result.fixture.data.split(b'"chunks"')[1]  # it is cut over two fragments
    assert argument_texts("openai", json.loads(result.fixture.data)["chunks"]) == ['{"first":0,"second":"x"}']


def test_a_key_that_no_list_has_is_none() -> None:
    result = call(['{"Ann Keller":1}'], {"propertyNames": {"enum": ["first", "second"]}})
    assert codes(result) == ["schema_violation"]
    assert argument_texts("openai", json.loads(result.fixture.data)["chunks"]) == ['{"key_1":0}']


@pytest.mark.parametrize("kind", list(Break), ids=lambda kind: kind.name)
def test_a_payload_that_is_what_stands_for_its_kind_is_no_reason_to_refuse(kind: Break) -> None:
    data = kind.value.encode().replace(b"\xef\xbf\xbd", b"\xff")
    result = redact(Exchange(profile="openai", provider="openai", body=b"data: {}\n\ndata: %b\n\ndata: {}\n\n" % data))
    assert isinstance(result, Proved), result
    stands = json.loads(result.fixture.data)["chunks"][1]
    if kind in (Break.NON_FINITE, Break.SURROGATE):  # clients read it, so it keeps its form
        assert stands == kind.value.replace('"x"', '"unknown_1"')
    else:
        assert stands == kind.value

"""The closed vocabulary refuses whatever no mask writes, wherever it stands in a file."""

import json
from copy import deepcopy
from typing import Any

import pytest

from redaction.proof.readback import read_back
from redaction.proof.words.vocabulary import vocabulary_of

SECRET = "lymphoma"
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "unit": {"enum": ["celsius", 42]}, "n": {"minimum": 1999}},
    "$defs": {"def_1": {"type": "string"}},
}
CALL = {"index": 0, "id": "call_00000001", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
FIXTURE = {
    "fixture_version": 1,
    "profile": "openai",
    "tool_schemas": {"weather": SCHEMA},
    "capture": {"provider": "openai", "model": "gpt-4o", "mode": "reverse", "stream_end": "complete", "policy": 1},
    "transport": {"status": 200, "content_type": "text/event-stream", "done": 1, "line_ends": ["lf"]},
    "chunks": [
        {
            "id": "chatcmpl-00000001",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "gpt-4o",
            "unknown_1": {},
            "choices": [{"index": 0, "delta": {"content": "x", "tool_calls": [CALL]}, "finish_reason": None}],
        },
        "x",
    ],
}


def leaks(fixture: object) -> list[str]:
    return [one.place for one in vocabulary_of(read_back(json.dumps(fixture).encode())).leaks]


def test_a_masked_fixture_holds_no_stranger() -> None:
    assert leaks(FIXTURE) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("note",), SECRET),
        (("profile",), SECRET),
        (("fixture_version",), 2),
        (("allow",), [SECRET]),
        (("capture", "provider"), "Acme Hospital"),
        (("capture", "model"), "ft:gpt-4o:acme"),
        (("capture", "note"), SECRET),
        (("capture", "stream_end"), SECRET),
        (("capture", "adapter"), {"name": SECRET, "version": "1.0"}),
        (("capture", "policy"), 4111111111),
        (("transport", "status"), 4111),
        (("transport", "content_type"), f"text/{SECRET}"),
        (("transport", "line_ends"), [SECRET]),
        (("transport", "ids"), [41111111]),
        (("transport", "event_names"), [SECRET]),
        (("tool_schemas", "weather", "description"), SECRET),
        (("tool_schemas", "weather", "x-note"), SECRET),
        (("tool_schemas", "weather", "$defs", SECRET), {}),
        (("tool_schemas", "weather", "$ref"), f"#/$defs/{SECRET}"),
        (("tool_schemas", "weather", "$ref"), f"#{SECRET}/x"),
        (("tool_schemas", "weather", "type"), SECRET),
        (("tool_schemas", "weather", "format"), SECRET),
        (("tool_schemas", "weather", "unknown_keyword"), SECRET),
        (("tool_schemas", "weather", "items"), SECRET),
        (("chunks", 0, SECRET), 0),
        (("chunks", 0, "id"), f"chatcmpl-{SECRET}"),
        (("chunks", 0, "id"), "chatcmpl-4111111111111111"),
        (("chunks", 0, "object"), SECRET),
        (("chunks", 0, "created"), 1716239022),
        (("chunks", 0, "model"), "acme-model"),
        (("chunks", 0, "unknown_1", SECRET), None),
        (("chunks", 0, "unknown_1"), SECRET),
        (("chunks", 0, "unknown_1"), True),
        (("chunks", 0, "unknown_1"), 7),
        (("chunks", 0, "unknown_1"), 0.5),
        (("chunks", 0, "usage"), {"prompt_tokens": 1234}),
        (("chunks", 0, "choices", 0, "index"), 123456),
        (("chunks", 0, "choices", 0, "index"), 17.25),
        (("chunks", 0, "choices", 0, "delta", "content"), SECRET),
        (("chunks", 0, "choices", 0, "delta", "content"), "xx"),
        (("chunks", 0, "choices", 0, "delta", "role"), SECRET),
        (("chunks", 0, "choices", 0, "finish_reason"), SECRET),
        (("chunks", 0, "choices", 0, "logprobs"), {"content": [{"bytes": [104]}]}),
        (("chunks", 0, "choices", 0, "delta", "tool_calls", 0, "id"), SECRET),
        (("chunks", 0, "choices", 0, "delta", "tool_calls", 0, "type"), SECRET),
        (("chunks", 0, "choices", 0, "delta", "tool_calls", 0, "function", "name"), SECRET),
        (("chunks", 1), f'{{"a": "{SECRET}"}}'),
        (("chunks", 1), "xx"),
    ],
    ids=str,
)
def test_a_value_that_no_mask_writes_is_a_stranger(path: tuple[str | int, ...], value: object) -> None:
    fixture: Any = deepcopy(FIXTURE)
    here = fixture
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value
    found = leaks(fixture)
    assert found
    assert SECRET not in " ".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"city":"x","unit":"celsius","key_1":[0,true,null,1.5]}',
        '{"unit":42}',
        '{"n":1999,"key_1":2000}',
        '{"city":"xx',
        '{"city":"x\\',
        '{"city":"\\u00',
        '{"city":"\\ud83d\\ude00"}',
        '{"city":"-"}',
        '{"city":tru',
        '{"key_1":-Infinity}',
        '{"key_1":1e999}',
        "{} x",
        "\ufeff{}",
        " ",
    ],
)
def test_argument_text_of_placeholders_and_declared_words_is_known(text: str) -> None:
    assert not list(vocabulary_of(read_back(json.dumps(FIXTURE).encode())).leaks_in_arguments([text]))


@pytest.mark.parametrize(
    "text",
    [
        '{"city":"lymphoma"}',
        '{"lymphoma":1}',
        '{"city":"lym',
        '{"city":"\\u006cymphoma"}',
        '{"city":4711}',
        '{"city":41.5}',
        '{"city":0.1234}',
        '{"city":"x lymphoma"}',
        "lymphoma",
        "{} lymphoma",
        '{"city":lymphoma}',
        '{"city":"celsius2"}',
        '{"city":"-x0"}',
        '{"city":"key_1a"}',
        "é",
        "{}\n'a'",
        '{"n":1999.5001}',
        '{"n":41999}',
        "<b>",
    ],
)
def test_argument_text_of_anything_else_is_a_stranger(text: str) -> None:
    found = list(vocabulary_of(read_back(json.dumps(FIXTURE).encode())).leaks_in_arguments([text]))
    assert found
    assert "lymphoma" not in repr(found)


def test_what_is_no_fixture_is_a_stranger() -> None:
    assert leaks([SECRET]) == ["file"]
    assert [one.place for one in vocabulary_of(read_back(b"lymphoma")).leaks] == ["file"]

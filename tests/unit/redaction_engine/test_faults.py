"""Payloads that are no JSON and that clients read: masked as any other, with what is wrong with them in its place."""

import json
from typing import Any

import pytest

from redaction.captured.exchange import Exchange, Proved
from redaction.captured.faults import Fault, read_faulty, written
from redaction.proof.scan import scan_fixture
from redaction.redactor import redact

TOOLS = {"tools": [{"type": "function", "function": {"name": "say", "parameters": {"type": "object"}}}]}
SECRET = "Mara Lindqvist"


def redacted(*payloads: str) -> tuple[list[Any], Proved]:
    """The chunks of the fixture of these payloads, and the fixture."""
    body = "".join(f"data: {one}\n\n" for one in payloads) + "data: [DONE]\n\n"
    result = redact(
        Exchange(profile="openai", provider="openai", request_body=json.dumps(TOOLS).encode(), body=body.encode())
    )
    assert isinstance(result, Proved), result
    assert list(scan_fixture(result.fixture.data)) == []
    assert "Mara" not in result.fixture.data.decode()
    assert "Lindqvist" not in result.fixture.data.decode()
    return json.loads(result.fixture.data)["chunks"], result


def piece(text: str, **first: str) -> str:
    call = {"index": 0, **({"id": "call_a"} if first else {}), "function": {**first, "arguments": text}}
    return json.dumps({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})


def arguments(chunk: str) -> str:
    """The argument piece of a chunk, as a client reads it."""
    text = json.loads(chunk)["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"]
    assert isinstance(text, str)
    return text


def test_a_pair_that_was_cut_over_two_events_is_cut_in_the_same_place() -> None:
    chunks, result = redacted(piece(f'{{"text":"{SECRET} \ud83d', name="say"), piece(f'\ude00 {SECRET}"}}'))
    one, other = map(arguments, chunks)
    assert one.endswith("\ud800")
    assert other.startswith("\udc00")
    assert json.loads(one + other).keys() == {"key_1"}
    assert result.unfaithful == ()


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_a_number_that_json_has_not_stays_in_its_place(number: str) -> None:
    payload = piece(f'{{"text":"{SECRET}"}}', name="say")
    chunks, result = redacted(f'{{"created": {number}, {payload[1:]}')
    assert chunks[0].startswith(f'{{"created":{number},"choices":')
    assert json.loads(arguments(chunks[0])).keys() == {"key_1"}
    assert result.unfaithful == ()


def test_inside_of_what_is_emptied_one_fault_is_left() -> None:
    chunks, result = redacted(f'{{"choices": [], "{SECRET}": {{"{SECRET}": [1e999, NaN, NaN]}}}}', '{"choices": []}')
    assert chunks[0] == '{"choices":[],"unknown_1":{"unknown_1":NaN}}'
    assert result.unfaithful == ("payloads",)


def test_a_fault_in_what_is_emptied_is_named_since_a_client_may_look_into_it() -> None:
    """Such as one that reads the token of each item of `content`, where a number stands now."""
    payload = piece(f'{{"text":"{SECRET}"}}', name="say").replace(
        '"index": 0, "delta"', '"index": 0, "logprobs": {"content": [{"token": "a", "logprob": -Infinity}]}, "delta"', 1
    )
    chunks, result = redacted(payload)
    assert '"logprobs":{"content":[-Infinity]}' in chunks[0]
    assert result.unfaithful == ("payloads",)


@pytest.mark.parametrize(
    "payload",
    ['{"a":"x\\ud800x"}', '{"a\\ud800":1}', '{"a":NaN,"a":1}', "[" * 70 + "NaN" + "]" * 70, '{"a":1}', "{", "NaN x"],
    ids=["half within", "half in a key", "repeated key", "deep", "sound", "cut off", "trailing"],
)
def test_of_anything_else_nothing_is_read(payload: str) -> None:
    assert read_faulty(payload) is None


def test_what_is_read_is_written_with_its_faults() -> None:
    text = '{"a":[NaN,"\\udc00x\\ud800"],"b":{"c":-1e999},"d":1.50}'
    faulty = read_faulty(text)
    assert faulty is not None
    assert list(faulty.faults.items()) == [
        ((0, 0), Fault.NOT_A_NUMBER),
        ((0, 1), Fault.BOTH_HALVES),
        ((1, 0), Fault.NEGATIVE_OVERFLOW),
    ]
    assert written(faulty.value, faulty.faults) == text

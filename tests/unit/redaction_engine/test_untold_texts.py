"""Arguments of which the verdict tells nothing are masked as what they are, and repeat what they repeated."""

import json
from typing import Any

import pytest
from support.builders.chunks import chunk_of, entry
from support.recorded.exchanges import request_body

from redaction.captured.exchange import Exchange, Proved
from redaction.captured.threads import Threads
from redaction.captured.untold_texts import Untold
from redaction.redactor import redact
from replay.families import array

WEATHER = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}
END = chunk_of(finish="tool_calls")


def masked(profile: str, *payloads: object) -> list[Any]:
    body = "".join(f"data: {json.dumps(payload)}\n\n" for payload in payloads)
    request = request_body(profile, {"get_weather": WEATHER})
    found = redact(Exchange(profile=profile, provider=profile, request_body=request, body=body.encode()))
    assert isinstance(found, Proved), found
    made: list[Any] = json.loads(found.fixture.data)[array(profile)]
    return made


def arguments(payload: Any, at: int = 0) -> object:
    return payload["choices"][0]["delta"]["tool_calls"][at]["function"]["arguments"]


def call(text: object, **members: object) -> dict[str, object]:
    return {"index": 0, "id": "a", "function": {"name": "get_weather", "arguments": text}, **members}


@pytest.mark.parametrize("index", ["1", True, 0.5, 2**31])
def test_a_call_whose_index_is_none_keeps_its_arguments(index: object) -> None:
    payload = chunk_of(call('{"city":"Mara Lindqvist","days":14}', index=index))
    assert arguments(masked("openai", payload, END)[0]) == '{"city":"x","days":0}'


def test_what_comes_behind_the_error_in_a_payload_goes_on_with_its_call() -> None:
    first = chunk_of(entry(0, '{"city":"Mara ', id="a", name="get_weather"))
    broken = chunk_of(entry(0, 'Lindqvist"}'))
    broken["choices"].append("text")
    assert [arguments(one) for one in masked("openai", first, broken, END)[:2]] == ['{"city":"x', '"}']


def test_arguments_may_stand_as_an_object_where_a_text_belongs() -> None:
    payload = chunk_of(call({"city": "Mara Lindqvist", "days": 1.0}))
    assert arguments(masked("openai", payload, END)[0]) == {"city": "x", "days": 0}


def item(text: object, **members: object) -> dict[str, object]:
    return {
        "type": "function_call", "id": "fc", "call_id": "c", "name": "get_weather", "arguments": text, **members
    }  # fmt: skip


def test_a_call_that_never_began_and_its_copy_in_the_final_list_are_alike() -> None:
    done = {"type": "response.output_item.done", "output_index": 0, "item": item('{"city":"Mara"}')}
    last = {"type": "response.completed", "response": {"output": [item('{"city":"Mara"}')]}}
    first, final = masked("openai-responses", done, last)
    assert first["item"]["arguments"] == final["response"]["output"][0]["arguments"] == '{"city":"x"}'


def test_an_object_repeats_the_text_that_says_it_however_it_is_spelled() -> None:
    start = {"type": "response.output_item.added", "output_index": 0, "item": item("")}
    delta = {
        "type": "response.function_call_arguments.delta",
        "output_index": 0,
        "item_id": "fc",
        "delta": ' {"city" : "Ma\\u0072a"}',
    }
    done = {"type": "response.output_item.done", "output_index": 0, "item": item({"city": "Mara"})}
    payloads = [start, delta, done]
    (unit,) = Threads("openai-responses", payloads).units()
    assert [one.event for one in unit.beside] == [2]
    _, piece, whole = masked("openai-responses", *payloads)
    assert (piece["delta"], whole["item"]["arguments"]) == ('{"city":"x"}', {"city": "x"})


def test_a_message_that_differs_from_its_delta_in_the_arguments_alone_still_does() -> None:
    payload = chunk_of(call('{"days":1}'))
    payload["choices"][0]["message"] = {"tool_calls": [call('{"days":2}')]}
    (chunk, _) = masked("openai", payload, END)
    message = chunk["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"]
    assert (arguments(chunk), message) == ('{"days":0}', ' {"days":0}')


def test_places_that_the_machine_tells_are_left_out() -> None:
    payload = chunk_of(call("{}"), call("[]", index=1))
    path = ("choices", 0, "delta", "tool_calls", 0, "function", "arguments")
    (heard,) = Untold("openai").texts(0, payload, {path})
    assert (heard.text, heard.choice, heard.slot, heard.name, heard.id) == ("[]", 0, 1, "get_weather", "a")


@pytest.mark.parametrize(("city", "masked"), [("Mara", ' {"city":"x"}'), ("Rome", '{"city":"xx"}')])
def test_deltas_behind_a_whole_input_are_text_of_its_tool_and_differ_where_they_did(city: str, masked: str) -> None:
    block = {"type": "tool_use", "id": "a", "name": "get_weather", "input": {"city": "Mara"}}
    delta = {"type": "input_json_delta", "partial_json": f'{{"city" : "{city}"}}'}
    start, late = mask_blocks(
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
    )
    assert start["content_block"]["input"] == {"city": "x"}
    assert late["delta"]["partial_json"] == masked


def mask_blocks(*events: object) -> list[Any]:
    message = {"id": "m", "type": "message", "role": "assistant", "content": [], "usage": {}}
    return masked("anthropic", {"type": "message_start", "message": message}, *events)[1:]

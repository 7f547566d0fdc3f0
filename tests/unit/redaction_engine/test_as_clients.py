"""What clients look at beside the verdict is kept: how they join, name, compare and convert."""

import json
from typing import Any

import pytest
from support.builders.chunks import chunk_of, entry
from support.recorded.exchanges import request_body

from redaction.captured.exchange import Exchange, Proved
from redaction.captured.threads import Threads
from redaction.redactor import redact
from replay.families import array

WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "minimum": 5},
        "on": {"type": "boolean"},
        "unit": {"enum": [100, 200]},
        "where": {"type": "object", "properties": {"at": {"type": "integer"}}},
    },
}
END = chunk_of(finish="tool_calls")


def proved(*payloads: object, profile: str = "openai") -> Proved:
    body = "".join(f"data: {json.dumps(payload)}\n\n" for payload in payloads) + "data: [DONE]\n\n"
    request = request_body(profile, {"get_weather": WEATHER})
    found = redact(Exchange(profile=profile, provider=profile, request_body=request, body=body.encode()))
    assert isinstance(found, Proved), found
    return found


def calls(found: Proved) -> list[dict[str, Any]]:
    """The entries of the masked turn, in order."""
    payloads = json.loads(found.fixture.data)[array("openai")]
    deltas = [choice["delta"] for payload in payloads for choice in payload["choices"]]
    return [one for delta in deltas for one in delta.get("tool_calls", ())]


def texts(found: Proved) -> list[str]:
    return [one["function"]["arguments"] for one in calls(found)]


def test_an_index_that_comes_with_another_id_begins_anew() -> None:
    found = proved(
        chunk_of(entry(0, '{"city":"Mara ', id="a", name="get_weather")),
        chunk_of(entry(0, '{"city":"Lindq', id="b", name="get_weather")),
        chunk_of(entry(0, 'vist"}')),
        END,
    )
    first, second, third = texts(found)
    assert (first, second + third) == ('{"city":"x', '{"city":"x"}')
    assert found.unfaithful == ()


def test_fragments_without_an_index_are_joined_as_clients_join_them() -> None:
    found = proved(
        chunk_of(entry(None, '{"ci', id="a", name="get_weather")),
        chunk_of(entry(None, 'ty":"Mara"}')),
        chunk_of(entry(None, '{"city":"Li', id="b", name="get_weather")),
        chunk_of(entry(None, 'ndqvist"}')),
        END,
    )
    one, two, three, four = texts(found)
    assert json.loads(one + two) == json.loads(three + four) == {"city": "x"}
    assert found.unfaithful == ()


def test_what_comes_behind_the_finish_reason_goes_on_as_it_did() -> None:
    found = proved(
        chunk_of(entry(0, '{"city":"Mara ', id="a", name="get_weather"), finish="tool_calls"),
        chunk_of(entry(0, 'Lindqvist"}')),
    )
    assert json.loads("".join(texts(found))) == {"city": "x"}
    assert found.unfaithful == ()


def test_the_pieces_of_a_declared_name_stay_its_pieces() -> None:
    found = proved(
        chunk_of(entry(0, "", id="a", name="get_")),
        chunk_of(entry(0, '{"city":"Mara"}', name="weather")),
        END,
    )
    assert [one["function"].get("name") for one in calls(found)] == ["get_", "weather"]
    assert texts(found)[-1] == '{"city":"x"}'
    other = proved(chunk_of(entry(0, "", id="a", name="mara_")), chunk_of(entry(0, "{}", name="lindqvist")), END)
    assert [one["function"].get("name") for one in calls(other)] == ["undeclared_1", "undeclared_2"]


@pytest.mark.parametrize(("second", "same"), [("Oslo", False), ("Mara", True)])
def test_calls_with_one_id_ask_for_the_same_if_they_did(second: str, same: bool) -> None:
    found = proved(
        chunk_of(entry(0, '{"city":"Mara"}', id="a", name="get_weather")),
        chunk_of(entry(1, '{"city":"', id="a", name="get_weather"), entry(1, f'{second}"}}')),
        END,
    )
    first, *rest = texts(found)
    assert (first == "".join(rest)) is same
    assert found.unfaithful == ()


@pytest.mark.parametrize(
    ("member", "masked"),
    [
        ('"days":"7"', '"days":"5"'),
        ('"days":"3"', '"days":"0"'),
        ('"days":"soon"', '"days":"x"'),
        ('"days":"7.0"', '"days":"5.0"'),
        ('"days":"6.5"', '"days":"5.5"'),
        ('"days":7.0', '"days":5.0'),
        ('"days":7', '"days":5'),
        ('"days":"nan"', '"days":"NaN"'),
        ('"on":"True"', '"on":"true"'),
        ('"on":"off"', '"on":"no"'),
        ('"on":"maybe"', '"on":"x"'),
        ('"on":1', '"on":1'),
        ('"unit":"200"', '"unit":"100"'),
        ('"unit":"7"', '"unit":"0"'),
        ('"where":"{\\"at\\":\\"13\\",\\"mara\\":\\"M\\"}"', '"where":"{\\"at\\":\\"0\\",\\"key_1\\":\\"x\\"}"'),
        ('"city":"13"', '"city":"x"'),
    ],
)
def test_what_clients_convert_reads_as_it_did(member: str, masked: str) -> None:
    found = proved(chunk_of(entry(0, "{" + member + "}", id="a", name="get_weather")), END)
    assert texts(found) == ["{" + masked + "}"]
    assert found.unfaithful == ()


@pytest.mark.parametrize(
    "pieces",
    [
        ['{"na', 'me": "get_weather", "argu', 'ments": {"city": "Mara"}}'],
        ["Sure. ", '<tool_call>{"name":', '"f"}</tool_call>'],
    ],
)
def test_a_call_in_the_text_of_an_answer_is_named_since_it_is_not_kept(pieces: list[str]) -> None:
    found = proved(*({"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces))
    assert found.unfaithful == ("texts",)
    assert proved({"choices": [{"index": 0, "delta": {"content": '{"name": "Mara"}'}}]}).unfaithful == ()


def test_threads_are_the_texts_of_the_verdict_where_a_turn_is_as_it_should_be() -> None:
    payloads = [
        chunk_of(entry(0, '{"a":', id="a", name="f"), entry(1, "{}", id="b", name="g")),
        chunk_of(entry(0, "1}")),
        END,
    ]
    threads = Threads("openai", payloads)
    assert threads.simple
    assert [unit.text() for unit in threads.units()] == [one.text() for one in threads.judged] == ['{"a":1}', "{}"]


@pytest.mark.parametrize("arguments", ['{"days":007}', '{"days":1} and so on', '{"city":"Oslo\nBy",}'])
def test_arguments_that_some_clients_repair_are_named(arguments: str) -> None:
    assert proved(chunk_of(entry(0, arguments, id="a", name="get_weather")), END).unfaithful == ("arguments",)


def test_arguments_that_only_end_early_are_not_named() -> None:
    assert proved(chunk_of(entry(0, '{"city":"Os', id="a", name="get_weather")), END).unfaithful == ()


@pytest.mark.parametrize("slot", ["0", True, 1.5, 2**40])
def test_a_payload_of_a_shape_that_the_api_has_not_is_named(slot: object) -> None:
    call = {"index": slot, "id": "a", "function": {"name": "get_weather", "arguments": '{"city":"Oslo"}'}}
    found = proved({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}, END)
    assert found.unfaithful == ("payloads",)


@pytest.mark.parametrize(
    ("number", "unfaithful"),
    [
        ("7", ()),
        ("9007199254740993", ("values",)),
        ("9007199254740992", ()),
        ("0.1", ()),
        ("1e300", ()),
        ("1e-999", ("values",)),
        ("0.10000000000000000555", ("values",)),
    ],
)
def test_a_number_that_no_double_holds_is_named(number: str, unfaithful: tuple[str, ...]) -> None:
    found = proved(chunk_of(entry(0, f'{{"at":{number}}}', id="a", name="get_weather")), END)
    assert found.unfaithful == unfaithful

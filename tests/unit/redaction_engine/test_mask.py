"""Payloads masked by position: what no table names is emptied, equal stays equal, shapes stay."""

import json
from typing import Any

import pytest

from redaction.captured.payloads import Break, Broken
from redaction.families import FAMILIES
from redaction.masks.mask import KEPT_INDEX, Mask
from replay.validator.strict_json import parse

SECRET = "lymphoma stage two"


def mask(payload: object, profile: str = "openai", *, tools: tuple[str, ...] = ()) -> object:
    return Mask(profile, {tool: tool for tool in tools}, ()).payload(payload, {})


@pytest.mark.parametrize(
    ("value", "emptied"),
    [(SECRET, "x"), ("", ""), (17, 0), (-3, 0), (True, False), (False, False), (None, None), ([SECRET], []), ({}, {})],
)
@pytest.mark.parametrize("profile", sorted(FAMILIES))
def test_an_unknown_member_keeps_its_type_alone(profile: str, value: object, emptied: object) -> None:
    assert mask({SECRET: value, "type": "ping"}, profile) == {
        "unknown_1": emptied,
        "type": "ping" if profile == "anthropic" else "other_1",
    }


def test_an_object_under_an_unknown_member_is_emptied_whole() -> None:
    assert mask({"patient": {"name": SECRET}}) == {"unknown_1": {}}


def test_unknown_members_are_the_same_wherever_they_stand_again() -> None:
    masked = mask({"alpha": 1, "choices": [{"beta": 1, "alpha": 2}]})
    assert masked == {"unknown_1": 0, "choices": [{"unknown_2": 0, "unknown_1": 0}]}


@pytest.mark.parametrize("payload", [None, True, 17, "text", [SECRET], [[]]])
@pytest.mark.parametrize("profile", sorted(FAMILIES))
def test_a_payload_that_is_no_object_stays_none(profile: str, payload: object) -> None:
    assert not isinstance(mask(payload, profile), dict)
    assert SECRET not in json.dumps(mask(payload, profile))


@pytest.mark.parametrize(
    "choices", [SECRET, {"a": SECRET}, [SECRET], [[SECRET]], 4, True, [{"delta": SECRET}], [{"delta": [SECRET]}]]
)
def test_a_value_of_the_wrong_type_keeps_its_type_and_nothing_else(choices: object) -> None:
    masked = mask({"choices": choices})
    assert isinstance(masked, dict)
    assert type(masked["choices"]) is type(choices)
    assert "lymphoma" not in json.dumps(masked)


@pytest.mark.parametrize("kind", list(Break))
def test_a_payload_that_is_no_json_is_its_representative(kind: Break) -> None:
    assert mask(Broken(kind, SECRET)) == kind.value


@pytest.mark.parametrize(
    ("profile", "ids", "masked"),
    [
        ("openai", ["call_Q9x", "call_R7", "call_Q9x", ""], ["call_00000001", "call_00000002", "call_00000001", ""]),
        ("mistral", ["D681PevKs", "null", "x"], ["call00001", "null", "call00002"]),
    ],
)
def test_equal_ids_stay_equal_in_the_shape_of_the_provider(profile: str, ids: list[str], masked: list[str]) -> None:
    found = mask({"choices": [{"delta": {"tool_calls": [{"id": one} for one in ids]}}]}, profile)
    assert found == {"choices": [{"delta": {"tool_calls": [{"id": one} for one in masked]}}]}


def test_a_declared_tool_keeps_its_name_and_another_gets_an_ordinal() -> None:
    blocks = [{"type": "tool_use", "name": name} for name in ("search", "secret_tool", "search ", "secret_tool")]
    found = mask({"message": {"content": blocks}}, "anthropic", tools=("search",))
    names = [block["name"] for block in found["message"]["content"]]  # type: ignore[index]
    assert names == ["search", "undeclared_1", "undeclared_2", "undeclared_1"]


@pytest.mark.parametrize(
    ("reason", "masked"),
    [("tool_calls", "tool_calls"), ("", ""), (None, None), (SECRET, "other_1"), (7, 0), ([SECRET], [])],
)
def test_a_reason_is_a_word_of_the_protocol_or_an_ordinal(reason: object, masked: object) -> None:
    assert mask({"choices": [{"finish_reason": reason}]}) == {"choices": [{"finish_reason": masked}]}


def test_different_unknown_reasons_stay_different() -> None:
    found = mask({"choices": [{"finish_reason": one} for one in ("acme", "acme2", "acme")]})
    assert [one["finish_reason"] for one in found["choices"]] == ["other_1", "other_2", "other_1"]  # type: ignore[index]


def test_a_result_of_a_tool_that_no_list_names_stays_a_result() -> None:
    found = mask({"type": "content_block_start", "content_block": {"type": "acme_secret_tool_result"}}, "anthropic")
    assert found == {"type": "content_block_start", "content_block": {"type": "other_1_tool_result"}}


@pytest.mark.parametrize(
    ("index", "masked"),
    [
        (0, 0),
        (KEPT_INDEX, KEPT_INDEX),
        (4111111111, 2**31),
        (-41111111, -1),
        (True, True),
        ("3", "3"),
        (None, None),
        ([1], []),
        (123456789, KEPT_INDEX + 1),
    ],
)
def test_an_index_is_small_or_renumbered_or_none(index: object, masked: object) -> None:
    assert mask({"choices": [{"index": index}]}) == {"choices": [{"index": masked}]}


def test_large_indices_keep_their_order() -> None:
    masked = Mask("openai", {}, (9_000_000, 5_000, 7)).payload(
        {"choices": [{"index": 9_000_000}, {"index": 5_000}, {"index": 7}]}, {}
    )
    assert masked == {"choices": [{"index": KEPT_INDEX + 2}, {"index": KEPT_INDEX + 1}, {"index": 7}]}


def test_fragments_go_to_their_places_and_an_argument_text_without_one_is_a_placeholder() -> None:
    call = {"index": 0, "function": {"arguments": SECRET}}
    payload = {"choices": [{"delta": {"tool_calls": [call], "function_call": {"arguments": SECRET}}}]}
    path = ("choices", 0, "delta", "tool_calls", 0, "function", "arguments")
    assert Mask("openai", {}, ()).payload(payload, {path: '{"a'}) == {
        "choices": [
            {
                "delta": {
                    "tool_calls": [{"index": 0, "function": {"arguments": '{"a'}}],
                    "function_call": {"arguments": "x"},
                }
            }
        ]
    }


@pytest.mark.parametrize(("given", "masked"), [({}, {}), ({"a": SECRET}, {"key_1": "x"}), (None, None), (SECRET, "x")])
def test_an_input_that_comes_whole_says_only_that_there_was_one(given: object, masked: object) -> None:
    found = mask({"content_block": {"type": "tool_use", "input": given}}, "anthropic")
    assert found == {"content_block": {"type": "tool_use", "input": masked}}


@pytest.mark.parametrize(
    ("raw", "shown"), [("Q2lQ", "xxxx"), ("Q2k=", "xxxx"), ("Q2lQc", "x"), ("not base64", "x"), ("", "")]
)
def test_bytes_that_a_client_could_decode_can_be_decoded(raw: str, shown: str) -> None:
    part = {"text": "", "thoughtSignature": raw}
    masked: Any = mask({"candidates": [{"content": {"parts": [part]}}]}, "gemini")
    assert masked["candidates"][0]["content"]["parts"][0]["thoughtSignature"] == shown


@pytest.mark.parametrize(
    ("index", "masked"),
    [("1", "1"), ("12345", "x"), ("one", "x"), (True, True), (1.0, 1.0), (2.5, 0.5), (4097.0, 0.5), (1e-7, 0.5)],
)
def test_what_is_an_index_to_a_client_that_converts_it_stays_one(index: object, masked: object) -> None:
    payload = {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": index}]}}]}
    assert entries(payload) == [{"index": masked}]


def test_numbers_in_the_place_of_ids_stay_equal_or_different() -> None:
    given = [{"id": number} for number in (41, 7, 41, 0, 41.0)]
    assert entries({"choices": [{"delta": {"tool_calls": given}}]}) == [{"id": at} for at in (1, 2, 1, 0, 1)]


@pytest.mark.parametrize(
    ("given", "masked"),
    [({"a": 1}, {"unknown_1": None}), ({}, {}), ([7], [None]), ([], []), (5, 1), (0, 0), (True, True), (False, False)],
)
def test_what_stands_for_a_name_and_is_none_keeps_whether_it_is_empty(given: object, masked: object) -> None:
    payload = {"choices": [{"delta": {"tool_calls": [{"function": {"name": given}}]}}]}
    assert entries(payload) == [{"function": {"name": masked}}]


def test_an_object_in_the_place_of_calls_keeps_that_something_is_in_it() -> None:
    assert entries({"choices": [{"delta": {"tool_calls": {"index": 0}}}]}) == {"unknown_1": None}


@pytest.mark.parametrize(
    ("said", "masked"), [("TRUE", "true"), ("yes", "true"), ("off", "false"), ("soon", "x"), ("", "")]
)
def test_a_text_where_a_boolean_decides_stays_a_word_for_it(said: str, masked: str) -> None:
    assert mask({"done": said}, "ollama") == {"done": masked}


def entries(payload: object) -> object:
    """The masked list of calls of a chunk."""
    made: Any = mask(parse(json.dumps(payload), max_nesting=64).value)
    return made["choices"][0]["delta"]["tool_calls"]

"""Calls whose schema asks several things of one value: proved on the most private rung, whatever else they say."""

import json
from typing import Any

import pytest
from support.recorded.exchanges import exchange_of

from redaction.captured.exchange import Exchange, Proved, Refused
from redaction.proof.scan import scan_fixture
from redaction.redactor import redact


def call(schema: object, arguments: object) -> Exchange:
    text = json.dumps(arguments)
    one = {"index": 0, "id": "call_9", "function": {"name": "t", "arguments": text}}
    choice = {"index": 0, "delta": {"tool_calls": [one]}, "finish_reason": "tool_calls"}
    turn = {"profile": "openai", "tool_schemas": {"t": schema}, "chunks": [{"id": "c1", "choices": [choice]}]}
    return exchange_of(turn)


def masked(schema: object, arguments: object) -> Any:
    """The masked arguments of a call, which is proved on the first rung and which the scan knows again."""
    proved = redact(call(schema, arguments))
    assert isinstance(proved, Proved), proved
    assert proved.rung == "canonical"
    assert [*scan_fixture(proved.fixture.data)] == []
    return json.loads(proved.report.calls[0].arguments)


EXTRA = {"properties": {"note": {"type": "string"}}, "patternProperties": {"^x-": {}}, "additionalProperties": False}


def test_two_members_of_one_pattern_leave_every_length_untold() -> None:
    long = masked(EXTRA, {"note": "I am HIV positive since 2019", "x-request": "1", "x-trace-of-mara": "2"})
    assert long == masked(EXTRA, {"note": "Hi", "x-a": "1", "x-b": "2"}) == {"note": "x", "x-": "x", "x-x": "x"}


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"format": "ipv4", "pattern": r"^10\."}, "10.82.0.19", "10.0.0.0"),
        ({"format": "ipv4", "pattern": r"^10\."}, "192.168.0.19", "192.0.2.1"),
        ({"allOf": [{"pattern": "[A-Z]"}, {"pattern": "[0-9]"}]}, "Passw0rd", "0X"),
        ({"allOf": [{"pattern": "[A-Z]"}, {"pattern": "[0-9]"}]}, "password1", "0"),
        ({"pattern": "^[a-z]+$", "not": {"pattern": "^x"}}, "mara", "a"),
        ({"format": "uri", "pattern": "^https://", "not": {"pattern": "@"}}, "https://acme.example/m", "https://"),
        (
            {"format": "uri", "pattern": "^https://", "not": {"pattern": "/$"}},
            "https://acme.example/m",
            "https://example.com/x",
        ),
        ({"format": "date", "pattern": "-02-29$"}, "2024-02-29", "0000-02-29"),
        ({"format": "email", "pattern": r"@acme\.com$"}, "mara.lindqvist@acme.com", "x@acme.com"),
        ({"pattern": r"^[\s\S]{0,9}$"}, "mara lindqvist", "x" * 10),
        ({"minimum": 1, "allOf": [{"multipleOf": 6}, {"multipleOf": 10}]}, 480, 30),
    ],
)
def test_a_value_answers_several_rules_at_once(schema: object, value: object, expected: object) -> None:
    found = masked({"type": "object", "properties": {"s": schema}}, {"s": value})
    assert found == {"s": expected}


@pytest.mark.parametrize(
    ("schema", "arguments", "expected"),
    [
        ({"propertyNames": {"pattern": "^x-"}}, {"x-mara": 1, "x-lind": 2, "mara": 3}, {"x-": 0, "x-x": 0, "key_3": 0}),
        (
            {"patternProperties": {"_id$": {}, "^S_": {"type": "integer"}}},
            {"mara_id": 1, "S_mara": 2, "S_mara_id": 3, "mara": 4},
            {"_id": 0, "S_": 0, "S_id": 0, "key_4": 0},
        ),
        (
            {"properties": {"u": {"uniqueItems": True, "items": {"format": "uri", "pattern": "^https://[a-z]"}}}},
            {"u": ["https://acme.example/1", "https://acme.example/2", "https://acme.example/1"]},
            {"u": ["https://x", "https://example.com/", "https://x"]},
        ),
    ],
)
def test_keys_and_items_that_differ_stay_different(schema: object, arguments: object, expected: object) -> None:
    found = masked({"type": "object", **(schema if isinstance(schema, dict) else {})}, arguments)
    assert found == expected


def test_a_list_may_have_more_items_than_the_grammar_numbers() -> None:
    schema = {"properties": {"u": {"uniqueItems": True, "items": {"pattern": "^[a-z]+-[0-9]+$"}}}}
    found = masked(schema, {"u": [f"mara-{number}" for number in range(700)]})
    assert len({*found["u"]}) == 700


def test_three_hundred_patterns_at_one_place_are_one_walk_each() -> None:
    patterns = [{"pattern": f"^item_{number}$"} for number in range(300)]
    assert masked({"properties": {"s": {"anyOf": patterns}}}, {"s": "item_17"}) == {"s": "item_17"}
    assert masked({"properties": {"s": {"anyOf": patterns}}}, {"s": "mara"}) == {"s": "x"}


def test_the_gate_knows_a_searched_text_at_its_place_alone() -> None:
    schema = {"properties": {"s": {"format": "ipv4", "pattern": r"^10\."}, "t": {"type": "string"}}}
    proved = redact(call(schema, {"s": "10.82.0.19", "t": "10.82.0.19"}))
    assert isinstance(proved, Proved)
    moved = proved.fixture.data.replace(rb"\"s\":\"10.0.0.0\",\"t\":\"x\"", rb"\"s\":\"x\",\"t\":\"10.0.0.0\"")
    assert moved != proved.fixture.data
    assert [leak.place for leak in scan_fixture(moved)] == ["argument string"]


@pytest.mark.parametrize(
    ("schema", "sample", "other"),
    [
        ({"format": "ipv4", "pattern": r"^10\."}, "10.0.0.0", "10.82.0.19"),
        ({"format": "date"}, "2000-01-01", "1987-06-05"),
        ({"format": "email"}, "x@example.com", "mara.lindqvist@example.org"),
        ({"format": "uuid"}, "00000000-0000-0000-0000-000000000000", "5f2c1d0e-8a57-4b1e-9c11-3d2f6a7b8c9d"),
        ({"minLength": 12}, "xxxxxxxxxxxx", "Mara Lindqvist"),
    ],
)
def test_a_text_that_is_its_own_placeholder_has_the_fixture_of_every_other_one(
    schema: object, sample: str, other: str
) -> None:
    """So that it stays tells nothing. Were another text taken for it, that would tell what was said."""
    files = []
    for text in (sample, other):
        proved = redact(call({"properties": {"s": schema}}, {"s": text}))
        assert isinstance(proved, Proved)
        files.append(proved.fixture.data)
    assert files[0] == files[1]
    assert json.dumps(sample).replace('"', '\\"').encode() in files[0]


BETWEEN = {"type": "integer", "anyOf": [{"maximum": 73511233}, {"minimum": 73511235}, {"type": "integer"}]}


@pytest.mark.parametrize(
    ("schema", "number"),
    [
        (BETWEEN, 73511234),
        (
            {"type": "integer", "anyOf": [{"exclusiveMaximum": 73511234}, {"type": "integer"}], "maximum": 73511234},
            73511234,
        ),
        ({"anyOf": [{"minimum": 123456.785, "maximum": 123456.787, "multipleOf": 0.001}, {}]}, 123456.786),
        ({"anyOf": [{"exclusiveMinimum": 73511233}, {}]}, 73511234),
        ({"exclusiveMinimum": 73511233}, 73511234),
    ],
)
def test_neighbouring_bounds_bring_no_number_back(schema: object, number: object) -> None:
    proved = redact(call({"properties": {"s": schema}}, {"s": number}))
    assert isinstance(proved, Proved)
    declared = str(number) in json.dumps(schema)
    assert declared or json.loads(proved.report.calls[0].arguments) != {"s": number}
    assert proved.report.executable


def test_a_capture_whose_only_possible_number_is_the_raw_one_is_refused() -> None:
    schema = {"type": "integer", "exclusiveMinimum": 73511233, "exclusiveMaximum": 73511235}
    refused = redact(call({"properties": {"s": schema}}, {"s": 73511234}))
    assert isinstance(refused, Refused)


def test_a_long_number_of_the_grammar_may_stand_nowhere_in_the_capture() -> None:
    schema = {"properties": {"s": {"exclusiveMinimum": 73511233, "exclusiveMaximum": 73511235}}}
    exchange = call(schema, {"s": 73511233.75, "note": "it is 73511234.5 today, and 73511234"})
    proved = redact(exchange)
    text = proved.fixture.data.decode() if isinstance(proved, Proved) else ""
    assert "73511234" not in text.replace(json.dumps(schema, separators=(",", ":")), "")

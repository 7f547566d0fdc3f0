"""Turns whose arguments are broken in any way: none is refused, and each keeps its verdict on the most private rung."""

import json
import random

import pytest
from support.made.broken_texts import exchange, turn
from support.nightly import nightly
from support.recorded.exchanges import exchange_of

from redaction.captured.exchange import FIRST_RUNGS, Proved, Refused, Widths
from redaction.families import FAMILIES
from redaction.redactor import redact
from replay.validator import Code

PROFILES = tuple(FAMILIES)
SETTINGS = tuple(Widths)


def result_of(number: int) -> Proved | Refused:
    """Of the turn with this number: each family in turn, and each family at either setting."""
    chance = random.Random(number)
    profile, widths = PROFILES[number % len(PROFILES)], SETTINGS[number // len(PROFILES) % len(SETTINGS)]
    broken = exchange_of(turn(chance)) if profile == "openai" else exchange(profile, chance)
    return redact(broken, widths=widths)


@pytest.fixture(scope="module")
def results() -> list[Proved | Refused]:
    """Those of some turns. `redact` compares their verdicts."""
    return [result_of(number) for number in range(600)]


def test_no_turn_that_the_rules_can_judge_is_refused(results: list[Proved | Refused]) -> None:
    assert [result for result in results if not isinstance(result, Proved) or result.rung not in FIRST_RUNGS] == []


# Where lengths are kept, the first rung has no placeholder for these, and the next one has. It reveals no more there:
# the lengths are kept anyway.
ON_THE_NEXT_RUNG = [17_995, 35_577, 36_345, 40_537, 45_035]


@nightly
@pytest.mark.timeout(3600)
def test_of_fifty_thousand_turns_none_is_refused() -> None:
    refused, later = [], []
    for number in range(600, 50_000):
        result = result_of(number)
        if not isinstance(result, Proved):
            refused.append(number)
        elif result.rung not in FIRST_RUNGS:
            later.append(number)
    assert refused == []
    assert later == ON_THE_NEXT_RUNG


CAPITAL = {"type": "object", "properties": {"city": {"type": "string", "minLength": 2, "pattern": "^[A-Z]"}}}
CLOSED = {"type": "object", "properties": {"city": {"pattern": "^[A-Za-z]{3}[0-9]$"}}}
NAMES = {"type": "object", "propertyNames": {"pattern": "^[a-z]+[0-9]$"}}
ITEMS = {"type": "object", "properties": {"city": {"uniqueItems": True, "items": {"pattern": "^[A-Z]"}}}}


def arguments_of(schema: object, *pieces: str, widths: Widths) -> list[str]:
    """The masked pieces of a call whose tool has this schema."""
    chunks: list[object] = []
    for piece in pieces:
        entry = {"index": 0, "id": "call_9", "function": {"name": "t", "arguments": piece}}
        if chunks:
            entry = {"index": 0, "function": {"arguments": piece}}
        chunks.append({"id": "c", "choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]})
    chunks.append({"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    captured = exchange_of({"profile": "openai", "tool_schemas": {"t": schema}, "chunks": chunks})
    result = redact(captured, widths=widths)
    assert isinstance(result, Proved), result
    assert result.rung in FIRST_RUNGS
    masked = json.loads(result.fixture.data)["chunks"][: len(pieces)]
    return [chunk["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] for chunk in masked]


@pytest.mark.parametrize("widths", SETTINGS)
@pytest.mark.parametrize(
    "arguments",
    [
        (CAPITAL, '{"city":"Oslo \\ud83d"}'),
        (CAPITAL, '{"city":"Oslo \\ud83d, Norw'),
        (CAPITAL, '{"city":"Oslo \\ud83d', '\\ude00 !"}'),
        (CAPITAL, '{"city":"oslo \\ud83d', '\\ude00 !"}'),
        (CLOSED, '{"city":"abc9\\ud83d"}'),
        (CLOSED, '{"city":"abc', '\\ud83d"}'),
        (NAMES, '{"abc\\ud83d9":1,"abd\\ud83d9":2}'),
    ],
)
def test_half_a_pair_and_a_pair_that_is_cut_stand_where_the_pattern_lets_them(
    arguments: tuple[object, ...], widths: Widths
) -> None:
    schema, *pieces = arguments
    masked = arguments_of(schema, *map(str, pieces), widths=widths)
    assert len(masked) == len(pieces)
    assert "slo" not in "".join(masked)


@pytest.mark.parametrize("widths", SETTINGS)
def test_equal_texts_with_half_a_pair_stay_equal(widths: Widths) -> None:
    (masked,) = arguments_of(ITEMS, '{"city":["A\\ud83d","B\\ud83d","A\\ud83d"]}', widths=widths)
    first, second, third = json.loads(masked)["city"]
    assert first == third != second


def test_the_turns_are_broken_in_every_way_that_a_text_can_be(results: list[Proved | Refused]) -> None:
    reports = [result.report for result in results if isinstance(result, Proved)]
    assert {finding.code for report in reports for finding in report.findings} >= {
        Code.EMPTY_ARGUMENTS,
        Code.MALFORMED_ARGUMENTS,
        Code.TRAILING_DATA,
        Code.NON_FINITE_NUMBER,
        Code.DUPLICATE_KEY,
        Code.INVALID_UNICODE,
        Code.NON_OBJECT_ARGUMENTS,
        Code.SCHEMA_VIOLATION,
    }


@pytest.mark.parametrize(
    ("arguments", "masked"),
    [
        ("{}\0", "{}\x01"),
        ("\x1f{}", "\x01"),
        ('{"a":\x0b1}', '{"key_1":\x01'),
        ('{"a":"b\0"}', '{"key_1":"\t"}'),
        ('{"a":Infinity 7}', '{"key_1":Infinity 0'),
        ('{"a":-Infinity\x01', '{"key_1":-Infinity\x01'),
        ("{} -Infinity", "{} x"),
        ("-Inf", "-Inf"),
    ],
)
def test_a_control_character_and_an_infinity_break_what_they_broke(arguments: str, masked: str) -> None:
    one = {"index": 0, "id": "call_9", "function": {"name": "t", "arguments": arguments}}
    choice = {"index": 0, "delta": {"tool_calls": [one]}, "finish_reason": "tool_calls"}
    result = redact(
        exchange_of({"profile": "openai", "tool_schemas": {"t": {}}, "chunks": [{"id": "c", "choices": [choice]}]})
    )
    assert isinstance(result, Proved)
    chunk = json.loads(result.fixture.data)["chunks"][0]
    assert chunk["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] == masked

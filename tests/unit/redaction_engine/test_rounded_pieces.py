"""The number of text deltas in a turn without call and finding: a power of two, unless all are asked for."""

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from observation.observation import observe
from support.recorded.exchanges import sse_body
from support.streamed.answers import ANSWERS, answer

from redaction.captured.exchange import Ending, Exchange, Pieces, Proved, Widths
from redaction.masks.rounded_pieces import rounded
from redaction.redactor import redact
from replay.families import array
from replay.validator import Status


def fixture(exchange: Exchange, **options: Any) -> dict[str, Any]:
    found = redact(exchange, **options)
    assert isinstance(found, Proved)
    assert found.report.status is Status.NOT_APPLICABLE
    value: dict[str, Any] = json.loads(found.fixture.data)
    return value


def payloads(exchange: Exchange, **options: Any) -> list[Any]:
    found: list[Any] = fixture(exchange, **options)[array(exchange.profile)]
    return found


def deltas(chance: random.Random, low: int, high: int) -> list[str | None]:
    """So many deltas, low to high, and one to three pings among them."""
    found: list[str | None] = [f"word {chance.random()}" for _ in range(chance.randrange(low, high))]
    for _ in range(chance.randrange(1, 4)):
        found.insert(chance.randrange(1, len(found)), None)
    return found


@pytest.mark.parametrize("profile", ANSWERS)
def test_two_counts_of_one_class_give_one_fixture(profile: str) -> None:
    chance = random.Random(profile)
    pair = [answer(profile, deltas(chance, 32, 64), deltas(chance, 8, 16)) for _ in range(4)]
    assert len({exchange.body for exchange in pair}) == 4
    assert len({json.dumps(fixture(exchange)) for exchange in pair}) == 1
    assert len({repr(observe(exchange)) for exchange in pair}) == 1


@pytest.mark.parametrize("profile", ANSWERS)
def test_counts_of_two_classes_give_two_fixtures(profile: str) -> None:
    few, many = answer(profile, ["x"] * 31), answer(profile, ["x"] * 32)
    assert len(payloads(many)) - len(payloads(few)) == 32 - 16


@pytest.mark.parametrize("profile", ANSWERS)
def test_all_deltas_are_kept_where_that_is_asked_for(profile: str) -> None:
    chance = random.Random(profile)
    text, reasoning = deltas(chance, 20, 30), deltas(chance, 20, 30)
    exchange = answer(profile, text, reasoning)
    for options in ({"pieces": Pieces.EXACT}, {"widths": Widths.KEPT}):
        found = fixture(exchange, **options)
        assert len(found[array(profile)]) == len(ANSWERS[profile](reasoning, text))
        assert "pieces" not in found["capture"]
    assert fixture(exchange)["capture"]["pieces"] == "rounded"


def test_the_classes_are_the_powers_of_two() -> None:
    assert [rounded(count) for count in (1, 2, 3, 4, 7, 8, 370, 100_000)] == [1, 2, 2, 4, 4, 8, 256, 65_536]


def test_a_stream_that_was_cut_among_its_deltas_is_rounded() -> None:
    chunk = {"id": "c", "choices": [{"index": 0, "delta": {"content": "word"}}]}
    whole = answer("openai", ["x"])
    cut = replace(whole, body=sse_body([chunk] * 21, done=False), ending=Ending.CLIENT)
    assert len(payloads(cut)) == 16


def test_the_numbers_of_a_sequence_are_counted_anew() -> None:
    found = payloads(answer("openai-responses", ["x"] * 21, ["y"] * 9))
    assert [event["sequence_number"] for event in found] == list(range(len(found)))


def test_every_other_event_keeps_its_place_and_a_ping_stands_among_the_deltas() -> None:
    found = payloads(answer("anthropic", ["x"] * 5 + [None, None] + ["x"] * 6, ["y"] * 3))
    kinds = [event["type"].removeprefix("content_block_") for event in found]
    assert kinds == [
        *("message_start", "start", "delta", "delta", "stop"),
        *("start", "delta", "ping", *["delta"] * 7, "stop"),
        *("message_delta", "message_stop"),
    ]


def test_the_places_of_comments_are_those_of_the_events_that_are_left() -> None:
    """A comment that came before the 4th of 21 deltas stands before the second one of the fixture."""
    chunk = b'data: {"id":"c","choices":[{"index":0,"delta":{"content":"word"}}]}\n\n'
    ended = b'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    body = chunk * 3 + b": waiting\n" + chunk + chunk * 17 + b": done\n" + ended
    found = fixture(replace(answer("openai", ["x"]), body=body))
    assert len(found["chunks"]) == 16 + 1 + 1
    assert found["transport"]["comments"] == [[1, 1], [17, 1]]


def test_text_that_changes_its_kind_begins_another_run() -> None:
    """Reasoning, text, reasoning: three runs of one choice; and two choices that come in turns are one run."""

    def chunk(index: int, member: str) -> object:
        return {"id": "c", "choices": [{"index": index, "delta": {member: "word"}}]}

    three = [chunk(0, "reasoning")] * 3 + [chunk(0, "content")] * 5 + [chunk(0, "reasoning")] * 9
    found = payloads(replace(answer("openai", ["x"]), body=sse_body(three, done=True)))
    members = [next(iter(one["choices"][0]["delta"])) for one in found]
    assert members == ["reasoning"] * 2 + ["content"] * 4 + ["reasoning"] * 8
    both = [chunk(0, "content"), chunk(1, "content")] * 11 + [chunk(1, "content")] * 5
    found = payloads(replace(answer("openai", ["x"]), body=sse_body(both, done=True)))
    assert sorted(one["choices"][0]["index"] for one in found) == [0] * 8 + [1] * 16


@pytest.mark.parametrize("broken", [False, True])
def test_a_turn_with_a_call_or_a_finding_keeps_each_delta(broken: bool) -> None:
    entry = {"index": 0, "id": "call_1", "function": {"name": "note", "arguments": "{}"}}
    text = [{"id": "c", "choices": [{"index": 0, "delta": {"content": "word"}}]}] * 21
    last: list[object] = [{"id": "c", "choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]}]
    last.append({"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    exchange = replace(answer("openai", ["x"]), body=sse_body([*text, *(["no JSON"] if broken else last)], done=True))
    found = redact(exchange)
    assert isinstance(found, Proved)
    value = json.loads(found.fixture.data)
    assert len(value["chunks"]) == 21 + (1 if broken else 2)
    assert "pieces" not in value["capture"]

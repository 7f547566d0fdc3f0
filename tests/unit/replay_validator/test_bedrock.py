"""Scripts of Bedrock's events and what they come to; the decisions that the cases leave untouched."""

from typing import Any

import pytest
from support.streamed.bedrock import BEGIN, begin, delta, end, grow, start, stop

from replay.validator import Limits, Report, Turn
from replay.validator._machine.signals import (
    BlockDelta,
    BlockStart,
    BlockStop,
    MessageEnd,
    MessageStart,
    PayloadFinding,
    Ping,
    Unknown,
)
from replay.validator._messages import Reason
from replay.validator.profiles.bedrock import read_event

TOOLS = {"f": {"type": "object"}}


def turn_of(*payloads: object, **options: Any) -> Report:
    turn = Turn(profile="bedrock-converse", tool_schemas=TOOLS, **options)
    turn.feed_all(payloads)
    return turn.close()


def found(report: Report) -> list[tuple[str, int | None, int | None]]:
    return [(finding.code.value, finding.choice, finding.slot) for finding in report.findings]


def test_events_are_read_to_signals() -> None:
    assert read_event(BEGIN) == MessageStart()
    assert read_event({**BEGIN, "amazon-bedrock-new": 1}) == MessageStart()
    assert read_event(start(1)) == BlockStart(1, "call", "tooluse_1", "f")
    assert read_event(start(1, type="server_tool_use")) == BlockStart(1, "server call")
    assert read_event(start(1, type="new")) == BlockStart(1, "call", "tooluse_1", "f", unsupported=Reason.UNKNOWN_START)
    assert read_event(begin(1, toolUse=None, image={})) == BlockStart(1, "other")
    assert read_event(begin(1, new=0)) == BlockStart(1, "other", unsupported=Reason.UNKNOWN_START)
    assert read_event(grow(2, "x")) == BlockDelta(2, "input", "x")
    assert read_event(delta(2)) == read_event(delta(2, text="", toolUse=None, new=None)) == BlockDelta(2, "content")
    assert read_event(delta(2, toolUse={"input": "x"}, text="")) == BlockDelta(2, "both", "x")
    assert read_event(delta(2, toolUse={"input": "x"}, new=False)) == BlockDelta(2, "unknown", "x")
    assert read_event(stop(2)) == BlockStop(2)
    assert read_event(end("")) == MessageEnd(None)
    assert read_event({"metadata": {}}) == Ping()
    assert read_event({"contentBlock": {}}) == Unknown()


@pytest.mark.parametrize(
    ("payload", "place"),
    [
        (None, (None, None)),
        ({}, (None, None)),
        ({"amazon-bedrock-new": {}}, (None, None)),
        ({"type": "message_start", "message": {}}, (None, None)),
        ({"messageStart": []}, (None, None)),
        ({"new": 1}, (None, None)),
        ({"contentBlockStop": None}, (0, None)),
        (stop(1.0), (0, None)),
        ({"contentBlockStart": {"contentBlockIndex": 3}}, (0, 3)),
        ({"contentBlockStart": {"start": []}}, (0, None)),
        (begin(3, toolUse=[]), (0, 3)),
        (start(3, toolUseId=1), (0, 3)),
        (start(3, name=[]), (0, 3)),
        (start(3, type={}), (0, 3)),
        ({"contentBlockDelta": {"contentBlockIndex": 3, "delta": None}}, (0, 3)),
        (delta(3, toolUse={}), (0, 3)),
        (delta(3, toolUse={"input": None}, new=1), (0, 3)),
        (end(1), (0, None)),
    ],
)
def test_the_place_of_a_wrong_shape_is_the_narrowest_known(payload: object, place: tuple[Any, Any]) -> None:
    read = read_event(payload)
    assert isinstance(read, PayloadFinding)
    assert (read.code.value, read.choice, read.slot) == ("malformed_event", *place)


@pytest.mark.parametrize(
    "payload", [{"xException": None}, {**BEGIN, "modelStreamErrorException": {}}, {"error": {}}, {"error": 0, "a": 1}]
)
def test_an_error_is_one_whatever_stands_beside_it(payload: object) -> None:
    read = read_event(payload)
    assert isinstance(read, PayloadFinding)
    assert read.code.value == "stream_error"


def test_a_text_begins_by_its_delta_and_a_call_does_not() -> None:
    assert found(turn_of(delta(0, text="a"), stop(0), start(1), stop(1))) == []
    assert found(turn_of(grow(0))) == [("orphan_event", 0, 0)]
    assert found(turn_of(delta(0, text="a", toolUse={"input": "x"}))) == [("orphan_event", 0, 0)]
    assert found(turn_of(delta(0, new=1), stop(0))) == [("unsupported_event", 0, 0), ("orphan_event", 0, 0)]


@pytest.mark.parametrize(
    ("first", "again", "code"),
    [
        (start(0), start(0), "duplicate_start"),
        (start(0), start(0, type="new"), "duplicate_start"),
        (start(0), start(0, toolUseId="b"), "identity_collision"),
        (start(0), begin(0), "identity_collision"),
        (start(0, type="server_tool_use"), start(0, type="server_tool_use", name="g"), "duplicate_start"),
        (start(0, type="server_tool_use"), start(0), "identity_collision"),
        (begin(0, toolResult={}), begin(0, image={}, new=1), "duplicate_start"),
        (delta(0, text=""), begin(0), "duplicate_start"),
    ],
)
def test_a_block_that_starts_again_contributes_nothing_but_its_finding(first: object, again: object, code: str) -> None:
    assert [one for one, *_ in found(turn_of(first, again, stop(0)))] == [code]


def test_what_a_start_says_beside_its_call_blocks_the_slot() -> None:
    call = start(0)
    call["contentBlockStart"]["start"]["new"] = 1
    report = turn_of(BEGIN, call, grow(0), stop(0), end())
    assert (found(report), report.calls[0].arguments) == ([("unsupported_event", 0, 0)], "{}")
    assert found(turn_of(call, grow(0), stop(0), limits=Limits(max_slots=0))) == [("limit_exceeded", None, None)]


def test_a_server_tool_takes_input_and_is_no_slot() -> None:
    report = turn_of(BEGIN, start(0, type="server_tool_use"), grow(0), stop(0), end("end_turn"))
    assert (found(report), report.calls) == ([], ())


def test_a_second_stop_is_one_finding_and_its_reason_counts_where_none_was() -> None:
    call = (start(0), stop(0))
    assert found(turn_of(BEGIN, *call, end(None), end())) == [("duplicate_terminal", 0, None)]
    assert found(turn_of(BEGIN, *call, end("end_turn"), end())) == [
        ("wrong_terminal", 0, None),
        ("duplicate_terminal", 0, None),
    ]


@pytest.mark.parametrize("word", ["tool_use", "malformed_tool_use"])
def test_two_reasons_claim_a_call_and_one_completes_it(word: str) -> None:
    assert found(turn_of(BEGIN, end(word))) == [("terminal_without_call", 0, None)]
    assert turn_of(BEGIN, start(0), stop(0), end(word)).executable is (word == "tool_use")


def test_a_fragment_beside_an_error_or_another_member_is_not_taken_at_once() -> None:
    bad = {**grow(0, '"a":1}'), "error": {}}
    assert found(turn_of(start(0), grow(0, "{"), bad, grow(0, "}"), stop(0))) == [("stream_error", None, None)]
    beside = {**grow(0, "}"), "amazon-bedrock-new": 1}
    assert turn_of(start(0), grow(0, "{"), beside, stop(0)).executable


def test_a_cut_transport_matters_until_the_message_has_stopped() -> None:
    assert found(turn_of(start(0), stop(0), stream_end="cut")) == [("missing_terminal", None, None)]
    assert turn_of(BEGIN, start(0), stop(0), end(), stream_end="cut").executable

"""Scripts of block events and what they come to; the decisions that the cases leave untouched."""

from typing import Any

import pytest
from support.builders.blocks import STOP, begin, grow, reason, start, stop

from replay.validator import Limits, Report, Turn
from replay.validator._machine.signals import (
    BlockDelta,
    BlockStart,
    MessageDelta,
    MessageStart,
    PayloadFinding,
    Ping,
    Unknown,
)
from replay.validator.profiles._readers.blocks import BLOCKS, DELTAS, EVENTS, READERS, read_event

TOOLS = {"f": {"type": "object"}}
BEGIN = begin()


def turn_of(*payloads: object, **options: Any) -> Report:
    turn = Turn(profile="anthropic", tool_schemas=TOOLS, **options)
    for payload in payloads:
        turn.feed(payload)
    return turn.close()


def found(report: Report) -> list[tuple[str, int | None, int | None]]:
    return [(finding.code.value, finding.choice, finding.slot) for finding in report.findings]


def test_events_are_read_to_signals() -> None:
    assert read_event(start(1, input={"a": 1})) == BlockStart(1, "tool_use", "toolu_1", "f", '{"a":1}')
    assert read_event(start(1, "text")) == BlockStart(1, "text", None, None, None)
    assert read_event(grow(2, "x")) == BlockDelta(2, "input_json_delta", "x")
    assert read_event(BEGIN) == read_event({"type": "message_start"}) == MessageStart((), None)
    assert read_event(
        begin({"type": "text"}, {"type": "tool_use", "name": "f"}, stop_reason="tool_use")
    ) == MessageStart((BlockStart(0, "text", None, None, None), BlockStart(1, "tool_use", None, "f", None)), "tool_use")
    assert read_event(reason("")) == MessageDelta(None)
    assert read_event({"type": "ping"}) == Ping()
    assert read_event({"type": "new"}) == Unknown()


def test_every_known_event_but_the_error_has_a_reader_and_every_delta_fits_a_known_block() -> None:
    assert READERS.keys() | {"error"} == EVENTS
    assert frozenset().union(*DELTAS.values()) <= BLOCKS


@pytest.mark.parametrize(
    ("payload", "place"),
    [
        (None, (None, None)),
        ({}, (None, None)),
        ({"type": None}, (None, None)),
        ({"type": 1, "index": 0}, (None, None)),
        ({"type": "message_start", "message": []}, (None, None)),
        ({"type": "message_start", "message": {"content": {}}}, (None, None)),
        (begin(stop_reason=1), (None, None)),
        (begin({"type": "text"}, None), (0, 1)),
        (begin({}), (0, 0)),
        (begin({"type": "tool_use", "id": 1}, stop_reason=1), (0, 0)),
        (begin({"type": "tool_use", "name": 1}, None), (0, 0)),
        (begin({"type": "tool_use", "input": "{}"}), (0, 0)),
        (start(3, input={"a": [float("inf")]}), (None, None)),
        ({"type": "content_block_stop", "index": "0"}, (0, None)),
        ({"type": "content_block_stop", "index": 1.0}, (0, None)),
        ({"type": "content_block_start", "index": 3}, (0, 3)),
        ({"type": "content_block_start", "content_block": []}, (0, None)),
        ({"type": "content_block_start", "index": 3, "content_block": {}}, (0, 3)),
        (start(3, id=1), (0, 3)),
        (start(3, name=[]), (0, 3)),
        (start(3, input=[]), (0, 3)),
        ({"type": "content_block_delta", "index": 3}, (0, 3)),
        ({"type": "content_block_delta", "index": 3, "delta": {"type": 5}}, (0, 3)),
        ({"type": "content_block_delta", "index": 3, "delta": {"type": "input_json_delta"}}, (0, 3)),
        ({"type": "message_delta", "delta": []}, (0, None)),
        (reason(1), (0, None)),  # type: ignore[arg-type]
    ],
)
def test_the_place_of_a_wrong_shape_is_the_narrowest_known(
    payload: object, place: tuple[int | None, int | None]
) -> None:
    read = read_event(payload)
    assert isinstance(read, PayloadFinding)
    assert (read.choice, read.slot) == place


def test_id_name_and_input_are_looked_at_on_tool_use_only() -> None:
    assert not isinstance(read_event(start(0, "server_tool_use", id=1, name=2, input=3)), PayloadFinding)


def test_a_plain_turn_passes_and_bare_block_events_are_judged_by_themselves() -> None:
    blocks = (start(0), grow(0), stop(0))
    assert turn_of(BEGIN, *blocks, reason(), STOP).executable
    assert turn_of(*blocks).executable


@pytest.mark.parametrize("left_out", [0, 4, 5])
def test_a_message_that_is_not_whole_takes_the_terminal_of_every_closed_slot(left_out: int) -> None:
    events = [BEGIN, start(0), grow(0), stop(0), reason(), STOP]
    del events[left_out]
    assert found(turn_of(*events)) == [("missing_terminal", 0, 0)]


def test_a_stop_reason_after_message_stop_is_a_second_terminal_and_no_missing_one() -> None:
    assert found(turn_of(BEGIN, start(0), stop(0), STOP, reason())) == [("duplicate_terminal", 0, None)]


def test_a_block_event_without_index_makes_a_later_message_start_a_collision() -> None:
    report = turn_of(stop(None), BEGIN)
    assert found(report) == [("missing_slot", 0, None), ("turn_collision", None, None)]


def test_a_ping_before_the_message_is_no_block_event() -> None:
    assert found(turn_of({"type": "ping"}, BEGIN, reason("end_turn"), STOP)) == []


def test_a_block_over_the_slot_limit_still_has_a_start_and_a_stop() -> None:
    report = turn_of(
        BEGIN, start(0, input={"a": 1}), grow(0), stop(0), stop(0), reason(), STOP, limits=Limits(max_slots=0)
    )
    assert found(report) == [("limit_exceeded", None, None), ("duplicate_terminal", 0, 0)]
    assert report.calls == ()


def test_absent_null_and_empty_ids_are_equal_when_a_block_starts_again() -> None:
    again = start(0, id="")
    assert found(turn_of(start(0, id=None), again, stop(0)))[0] == ("duplicate_start", 0, 0)


@pytest.mark.parametrize("kind", ["compaction", "fallback"])
def test_another_context_may_take_over_before_a_tool_slot_has_opened_only(kind: str) -> None:
    assert found(turn_of(start(0, kind), stop(0), start(1), stop(1))) == []
    assert found(turn_of(start(1), stop(1), start(0, kind), stop(0))) == [("unsupported_event", 0, 0)]


def test_every_result_kind_is_known_and_other_kinds_are_not() -> None:
    assert found(turn_of(start(0, "new_tool_result"))) == []
    assert found(turn_of(start(0, "new_tool"))) == [("unsupported_event", 0, 0)]


def test_an_unknown_block_that_started_may_stop_once() -> None:
    report = turn_of(start(0, "new"), stop(0), stop(0))
    assert found(report) == [("unsupported_event", 0, 0), ("duplicate_terminal", 0, 0)]


def test_no_byte_at_all_stands_for_no_arguments_and_white_space_does_not() -> None:
    assert turn_of(start(0), grow(0, ""), stop(0)).calls[0].arguments == "{}"
    report = turn_of(start(0), grow(0, " "), stop(0))
    assert (found(report), report.calls[0].arguments) == ([("malformed_arguments", 0, 0)], " ")


def test_a_slot_that_is_blocked_still_loses_its_terminal() -> None:
    report = turn_of(BEGIN, start(0, id=None), stop(0), reason())
    assert found(report) == [("missing_id", 0, 0), ("missing_terminal", 0, 0)]


def test_a_fragment_after_the_message_stopped_is_not_taken() -> None:
    report = turn_of(BEGIN, start(0), grow(0, "{"), STOP, grow(0, "}"))
    assert found(report) == [("delta_after_terminal", 0, 0), ("missing_terminal", 0, 0)]
    assert [call.arguments for call in report.calls] == ["{"]


def test_a_fragment_beside_an_error_is_not_taken() -> None:
    report = turn_of(BEGIN, start(0), {**grow(0), "error": {}}, stop(0), reason(), STOP)
    assert found(report) == [("stream_error", None, None)]
    assert turn_of(BEGIN, start(0), {**grow(0), "error": None}, stop(0), reason(), STOP).executable


def whole(index: int, **members: Any) -> dict[str, Any]:
    return start(index, **{"input": {"a": index}, **members})


def test_a_call_that_came_whole_needs_its_stop_and_takes_no_fragment() -> None:
    assert turn_of(BEGIN, whole(0), stop(0), reason(), STOP).calls[0].arguments == '{"a":0}'
    assert found(turn_of(whole(0))) == [("missing_terminal", 0, 0)]
    report = turn_of(whole(0), grow(0, ""), stop(0))
    assert (found(report), report.calls[0].arguments) == ([("unsupported_event", 0, 0)], '{"a":0}')


@pytest.mark.parametrize("payloads", [(stop(0), grow(0)), (reason(), grow(0), stop(0))])
def test_a_fragment_for_a_call_that_came_whole_is_late_before_it_is_unsupported(payloads: tuple[object, ...]) -> None:
    assert found(turn_of(BEGIN, whole(0), *payloads))[0] == ("delta_after_terminal", 0, 0)


def test_a_text_delta_for_a_call_that_came_whole_does_not_fit() -> None:
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ""}}
    assert found(turn_of(whole(0), delta, stop(0))) == [("orphan_event", 0, 0)]


def test_a_whole_input_counts_against_the_limits_as_a_fragment() -> None:
    report = turn_of(whole(0), grow(0), stop(0), limits=Limits(max_slot_bytes=6))
    assert found(report) == [("limit_exceeded", 0, 0), ("unsupported_event", 0, 0)]
    assert report.calls[0].arguments == ""
    report = turn_of(whole(0), stop(0), whole(1), stop(1), limits=Limits(max_turn_bytes=13))
    assert found(report) == [("limit_exceeded", None, None)]


def test_a_restart_decides_nothing_about_the_input() -> None:
    report = turn_of(whole(0), start(0), grow(0, "x"), stop(0))
    assert [code for code, *_ in found(report)] == ["duplicate_start", "unsupported_event"]
    report = turn_of(start(0), whole(0), grow(0, "{}"), stop(0))
    assert (found(report), report.calls[0].arguments) == ([("duplicate_start", 0, 0)], "{}")


def test_blocks_of_message_start_are_started_and_stopped_one_after_the_other_before_the_stop_reason() -> None:
    call = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    assert turn_of(begin({"type": "text"}, call, stop_reason="tool_use"), STOP).calls[0].arguments == "{}"
    report = turn_of(
        begin({**call, "id": None}, {**call, "name": ""}, {"type": "new"}, call, {"type": "fallback"}, stop_reason="x")
    )
    assert found(report)[:6] == [
        ("missing_id", 0, 0),
        ("missing_name", 0, 1),
        ("unsupported_event", 0, 2),
        ("duplicate_id", 0, 3),
        ("unsupported_event", 0, 4),
        ("wrong_terminal", 0, None),
    ]
    assert {finding.event for finding in report.findings[:6]} == {0}


def test_a_message_start_that_is_refused_contributes_nothing_else() -> None:
    call = {"type": "tool_use", "id": "a", "name": "f"}
    report = turn_of(BEGIN, begin(call, {"type": "new"}, stop_reason="tool_use"), STOP)
    assert (found(report), report.calls) == ([("turn_collision", None, None)], ())
    # It is a message_start all the same, and what its stop reason would have ended goes on.
    assert found(turn_of(start(0), begin(stop_reason="end_turn"), stop(0), reason(), STOP)) == [
        ("turn_collision", None, None)
    ]


def test_a_tool_use_reason_in_message_start_without_a_call_is_found_there() -> None:
    assert found(turn_of(begin(stop_reason="tool_use"), STOP)) == [("terminal_without_call", 0, None)]


def test_a_cut_transport_matters_until_the_message_has_stopped() -> None:
    blocks = (start(0), stop(0))
    assert found(turn_of(*blocks, stream_end="cut")) == [("missing_terminal", None, None)]
    assert found(turn_of(*blocks, stream_end="complete")) == []
    assert turn_of(BEGIN, *blocks, reason(), STOP, stream_end="cut").executable
    assert found(turn_of(BEGIN, *blocks, reason(), stream_end="cut")) == [("missing_terminal", 0, 0)]

"""Scripts of Cohere's events and what they come to; the decisions that the cases leave untouched."""

from typing import Any

import pytest
from support.streamed.cohere import begin, call, end, grow, start, stop

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
from replay.validator.profiles.cohere import read_event

TOOLS = {"f": {"type": "object"}}


def turn_of(*payloads: object, **options: Any) -> Report:
    turn = Turn(profile="cohere-v2", tool_schemas=TOOLS, **options)
    turn.feed_all(payloads)
    return turn.close()


def found(report: Report) -> list[tuple[str, int | None, int | None]]:
    return [(finding.code.value, finding.choice, finding.slot) for finding in report.findings]


def test_events_are_read_to_signals() -> None:
    assert read_event(begin()) == MessageStart()
    assert read_event({"type": "message-start"}) == MessageStart()
    assert read_event(begin(tool_calls=[{}])) == MessageStart(lists_calls=True)
    assert read_event(start(1, arguments="{")) == BlockStart(1, "call", "f_1", "f", fragment="{")
    assert read_event(start(1, type="new")) == BlockStart(1, "call", "f_1", "f", unsupported=Reason.NO_FUNCTION)
    assert read_event(grow(2, "x")) == BlockDelta(2, "piece", "x")
    assert read_event(call("tool-call-delta", 2, id="a", name="", type=None)) == BlockDelta(2, "piece", id="a")
    assert read_event(stop(2)) == BlockStop(2)
    assert read_event(end("")) == MessageEnd(None)
    assert read_event({"type": "citation-start", "index": "x"}) == Ping()
    assert read_event({"type": "content_block_stop"}) == Unknown()


@pytest.mark.parametrize(
    ("payload", "place"),
    [
        (None, (None, None)),
        ({"type": 1}, (None, None)),
        ({"type": "message-start", "delta": []}, (None, None)),
        ({"type": "message-start", "delta": {"message": "x"}}, (None, None)),
        ({"type": "message-end", "delta": []}, (0, None)),
        (end(1), (0, None)),
        (stop("0"), (0, None)),
        ({"type": "tool-call-start", "index": 3}, (0, 3)),
        ({"type": "tool-call-start", "index": 3, "delta": {}}, (0, 3)),
        ({"type": "tool-call-delta", "index": 3, "delta": {"message": {"tool_calls": []}}}, (0, 3)),
        ({"type": "tool-call-delta", "delta": {"message": {"tool_calls": []}}}, (0, None)),
        (call("tool-call-delta", 3, type=1), (0, 3)),
        (start(3, id=1), (0, 3)),
        (start(3, name=[]), (0, 3)),
        (start(3, arguments={}), (0, 3)),
    ],
)
def test_the_place_of_a_wrong_shape_is_the_narrowest_known(payload: object, place: tuple[Any, Any]) -> None:
    read = read_event(payload)
    assert isinstance(read, PayloadFinding)
    assert (read.code.value, read.choice, read.slot) == ("malformed_event", *place)


def test_an_error_beside_a_delta_is_one_wherever_it_stands() -> None:
    for payload in ({"type": "content-delta", "delta": {"error": 0}}, {"delta": {"error": "x"}}, {"type": "error"}):
        read = read_event(payload)
        assert isinstance(read, PayloadFinding)
        assert read.code.value == "stream_error"
    assert read_event({"type": "debug", "delta": {"error": None}}) == Ping()


def test_a_call_may_have_its_first_fragment_in_its_start_and_needs_none() -> None:
    report = turn_of(begin(), start(0, arguments='{"a"'), grow(0, ":1}"), stop(0), start(1), stop(1), end())
    assert [call.arguments for call in report.calls] == ['{"a":1}', "{}"]
    assert report.executable


def test_an_id_in_pieces_is_a_collision_and_a_late_one_is_legal() -> None:
    late = call("tool-call-delta", 0, id="a", name="f", arguments="{}")
    assert turn_of(start(0, id="", name=""), late, late, stop(0)).calls[0].id == "a"
    other = call("tool-call-delta", 0, id="b", arguments="{}")
    report = turn_of(start(0, id="a"), other, stop(0))
    assert (found(report), report.calls[0].arguments) == ([("identity_collision", 0, 0)], "{}")


def test_a_second_start_is_compared_with_the_first_and_not_with_what_came_late() -> None:
    late = call("tool-call-delta", 0, id="a")
    assert found(turn_of(start(0, id=None), late, start(0, id="a"), stop(0))) == [("identity_collision", 0, 0)]
    assert found(turn_of(start(0, id=None), late, start(0, id=""), stop(0))) == [("duplicate_start", 0, 0)]


def test_a_second_end_is_one_finding_and_its_reason_counts_where_none_was() -> None:
    assert found(turn_of(begin(), start(0), stop(0), end(None), end())) == [("duplicate_terminal", 0, None)]
    assert found(turn_of(begin(), start(0), stop(0), end(None), end(""))) == [
        ("duplicate_terminal", 0, None),
        ("missing_terminal", 0, 0),
    ]


def test_calls_in_the_start_of_a_message_are_not_read() -> None:
    assert found(turn_of(begin(tool_calls=[{}]), end("COMPLETE"))) == [("unsupported_event", None, None)]
    assert found(turn_of(begin(), begin(tool_calls=[{}]), end("COMPLETE"))) == [("turn_collision", None, None)]


def test_a_start_over_the_slot_limit_is_not_looked_at() -> None:
    report = turn_of(begin(), start(0, type="new", arguments="x"), grow(0), stop(0), end(), limits=Limits(max_slots=0))
    assert found(report) == [("limit_exceeded", None, None)]


def test_a_cut_transport_matters_until_the_message_has_ended() -> None:
    assert found(turn_of(start(0), stop(0), stream_end="cut")) == [("missing_terminal", None, None)]
    assert turn_of(begin(), start(0), stop(0), end(), stream_end="cut").executable

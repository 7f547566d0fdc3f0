"""Scripts of chunks and what they come to; the decisions that the cases leave untouched."""

from decimal import Decimal
from typing import Any

import pytest
from support.builders.chunks import call, choice, chunk, entry

from replay.validator import Allowance, Limits, Report, Turn
from replay.validator._machine.signals import ChoicePart, Chunk, PayloadFinding, Stray, ToolDelta
from replay.validator.profiles._readers.chunks import read_chunk

TOOLS = {"f": {"type": "object"}}


def turn_of(*payloads: object, accept: tuple[Allowance, ...] = (), **options: Any) -> Report:
    turn = Turn(profile="openai", tool_schemas=TOOLS, allow=accept, accept=accept, **options)
    for payload in payloads:
        turn.feed(payload)
    return turn.close()


def found(report: Report) -> list[tuple[str, int | None, int | None, int | None]]:
    return [(finding.code.value, finding.choice, finding.slot, finding.event) for finding in report.findings]


def fault(payload: object) -> tuple[int | None, int | None] | None:
    read = read_chunk(payload, frozenset())
    return (read.choice, read.slot) if isinstance(read, PayloadFinding) else None


def test_a_chunk_is_read_to_signals() -> None:
    payload = chunk(choice(entry(3, "x", id="a", name="f", type="function"), finish="", index=2), id="c")
    assert read_chunk(payload, frozenset()) == Chunk(
        "c", Stray.NONE, (ChoicePart(2, Stray.NONE, (ToolDelta(3, "a", "f", "x", True),), None, False),)
    )


def test_an_id_that_the_dialect_sends_for_none_is_not_given() -> None:
    payload = chunk(choice(entry(0, id="null")))
    read = read_chunk(payload, frozenset({"null"}))
    assert isinstance(read, Chunk)
    assert read.parts is not None
    assert read.parts[0].deltas[0].id is None


@pytest.mark.parametrize(
    ("payload", "place"),
    [
        ([], (None, None)),
        ("[DONE]", (None, None)),
        (chunk(type=1), (None, None)),
        (chunk(id=1), (None, None)),
        ({"choices": None}, (None, None)),
        ({"choices": None, "usage": []}, (None, None)),
        ({"choices": {}, "usage": {}}, (None, None)),
        (chunk(message=[]), (None, None)),
        (chunk(1), (None, None)),
        (chunk({"index": None}), (None, None)),
        (chunk({"index": True}), (None, None)),
        (chunk({"index": 1.0}), (None, None)),
        (chunk({"index": Decimal("0")}), (None, None)),
        (chunk({"index": -1}), (None, None)),
        (chunk({"index": 2**31}), (None, None)),
        (chunk({"index": 0}, {}), (None, None)),
        (chunk({"index": 2**31 - 1, "delta": []}), (2**31 - 1, None)),
        (chunk({"delta": ""}), (0, None)),
        (chunk(choice(finish=1)), (0, None)),
        (chunk(choice(message=1)), (0, None)),
        (chunk({"delta": {"tool_calls": {}}}), (0, None)),
        (chunk(choice(None)), (0, None)),
        (chunk(choice(entry("0"))), (0, None)),
        (chunk(choice(entry(None, 5))), (0, None)),
        (chunk(choice(entry(4, type=1))), (0, 4)),
        (chunk(choice(entry(4, id=1))), (0, 4)),
        (chunk(choice({"index": 4, "function": []})), (0, 4)),
        (chunk(choice(entry(4, name=1))), (0, 4)),
        (chunk(choice(entry(4, {}))), (0, 4)),
        # the first wrong place counts, in the order of the rules
        (chunk(choice(entry(4, {}), finish=1)), (0, None)),
        (chunk(choice(entry(4, {}), message=1)), (0, None)),
        (chunk(choice(entry(4, {})), {"delta": 1}), (0, 4)),
        (chunk(choice(entry(4, {})), id=1), (None, None)),
    ],
)
def test_the_first_wrong_place_of_a_shape_is_found(payload: object, place: tuple[int | None, int | None]) -> None:
    assert fault(payload) == place


@pytest.mark.parametrize(
    "payload",
    [
        chunk(type=None, id=None, message=None),
        chunk({}),
        chunk({"delta": None, "finish_reason": None, "message": None}),
        chunk(choice({"index": 0})),
        chunk(choice({"index": None, "function": None, "type": ""})),
        {"anything": []},
        {"choices": None, "usage": {}},
    ],
)
def test_what_is_absent_or_null_is_no_wrong_shape(payload: object) -> None:
    assert fault(payload) is None


def test_an_error_is_decided_before_the_shape_and_sets_no_id() -> None:
    report = turn_of(
        chunk(choice(call(0)), id="a"),
        {"error": 0, "id": "b", "choices": 1},
        chunk(choice(finish="tool_calls"), id="a"),
    )
    assert found(report) == [("stream_error", None, None, 1)]
    assert report.calls[0].state.value == "validated"


def test_a_slot_over_the_limit_says_nothing_of_its_type() -> None:
    report = turn_of(chunk(choice(call(0, type="custom"), finish="tool_calls")), limits=Limits(max_slots=0))
    assert found(report) == [("limit_exceeded", None, None, 0)]
    assert report.calls == ()


def test_the_same_choice_twice_in_a_chunk_is_taken_in_order() -> None:
    report = turn_of(chunk(choice(call(0, "{")), choice(entry(0, "}"), finish="tool_calls")))
    assert (found(report), report.calls[0].arguments) == ([], "{}")


def test_a_late_tool_delta_of_a_text_choice_makes_it_a_tool_choice() -> None:
    report = turn_of(chunk(choice(finish="stop")), chunk(choice(call(0))), chunk(choice(finish="stop")))
    assert found(report) == [("delta_after_terminal", 0, 0, 1), ("duplicate_terminal", 0, None, 2)]


def test_two_reasons_without_a_slot_are_two_only_if_one_is_tool_use() -> None:
    assert found(turn_of(chunk(choice(finish="stop")), chunk(choice(finish="length")))) == []
    assert found(turn_of(chunk(choice(finish="stop")), chunk(choice(finish="tool_calls")))) == [
        ("duplicate_terminal", 0, None, 1)
    ]


def test_a_legacy_reason_after_tool_use_without_a_slot_is_both() -> None:
    report = turn_of(chunk(choice(finish="tool_calls")), chunk(choice(finish="function_call")))
    assert [code for code, *_ in found(report)] == ["terminal_without_call", "duplicate_terminal", "unsupported_event"]


def test_a_wrong_reason_blocks_every_slot_of_its_choice_and_no_other() -> None:
    report = turn_of(
        chunk(choice(call(0), entry(7)), choice(call(0, id="x"), index=1)),
        chunk(choice(finish="length"), choice(finish="tool_calls", index=1)),
    )
    assert found(report) == [("wrong_terminal", 0, None, 1)]
    assert [call.state.value for call in report.calls] == ["blocked", "blocked", "validated"]


@pytest.mark.parametrize("member", ["tool_calls", "function_call"])
@pytest.mark.parametrize("value", [{"name": "f"}, {"name": 0}, 0, "", False, [None]])
def test_calls_elsewhere_count_unless_they_are_null_or_an_empty_array(member: str, value: object) -> None:
    for payload, place in (
        (chunk(**{member: value}), None),
        (chunk(message={member: value}), None),
        (chunk(choice(**{member: value})), 0),
        (chunk(choice(message={member: value})), 0),
    ):
        assert found(turn_of(payload)) == [("unsupported_event", place, None, 0)]
    for nothing in (None, []):
        assert found(turn_of(chunk(choice(message={member: nothing}, **{member: nothing}), **{member: nothing}))) == []


@pytest.mark.parametrize("stub", [None, [], {}, {"name": ""}, {"arguments": None, "name": None}, {"x": 1}])
def test_an_empty_function_call_is_no_call_wherever_it_stands(stub: object) -> None:
    member = {"function_call": stub}
    assert found(turn_of(chunk({"delta": member, "message": member, **member}, message=member, **member))) == []


@pytest.mark.parametrize("call", ["", 0, False, [{}], {"name": "f"}, {"arguments": "{}"}, {"name": []}])
def test_a_function_call_in_a_delta_counts_unless_it_is_empty(call: object) -> None:
    assert found(turn_of(chunk({"delta": {"function_call": call}}))) == [("unsupported_event", 0, None, 0)]


def test_tool_calls_elsewhere_that_are_an_empty_object_count() -> None:
    assert found(turn_of(chunk(choice(tool_calls={})))) == [("unsupported_event", 0, None, 0)]


def test_a_mirror_beside_other_stray_calls_is_not_excused() -> None:
    calls = [call(0)]
    mirrored = choice(*calls, finish="tool_calls", message={"tool_calls": calls})
    accept = (Allowance.MESSAGE_MIRROR,)
    assert turn_of(chunk(mirrored), accept=accept).executable
    report = turn_of(chunk(mirrored | {"function_call": {"name": "f"}}), accept=accept)
    assert (found(report), report.allowances) == ([("unsupported_event", 0, None, 0)], ())


def test_another_completion_is_a_collision_only_while_a_slot_is_open_or_beside_a_tool_delta() -> None:
    report = turn_of(
        chunk(choice(finish="stop"), id="a"),
        chunk(choice(index=1, finish="stop"), id="b"),
        chunk(choice(call(0), index=2), id="c"),
        chunk({"index": 2, "delta": {"content": "x"}}, id=""),
        chunk({"index": 2, "delta": {"content": "x"}}, id="c"),
        chunk(choice(finish="tool_calls", index=2), id="c"),
        chunk({"index": 2, "delta": {"content": "x"}}, id="d"),
    )
    assert found(report) == [("turn_collision", None, None, 2)]


NOTHING = {"role": "assistant", "content": "", "refusal": None, "tool_calls": [], "function_call": {"name": ""}}


@pytest.mark.parametrize(
    "alive",
    [
        chunk(),
        chunk({}),
        chunk({"delta": None, "finish_reason": ""}),
        chunk({"delta": NOTHING}),
        chunk({"index": 0, "delta": NOTHING}, {"index": 1}),
        {"choices": None, "usage": {}},
        {"usage": {}},
    ],
)
def test_a_chunk_that_carries_nothing_is_of_no_completion(alive: dict[str, Any]) -> None:
    opened, ended = chunk(choice(call(0)), id="a"), chunk(choice(finish="tool_calls"), id="a")
    assert turn_of({**alive, "id": "x"}, opened, {**alive, "id": "b"}, ended).executable


@pytest.mark.parametrize(
    "part",
    [
        {"delta": {"content": " "}},
        {"delta": {"audio": {}}},
        {"delta": {"refusal": False}},
        {"delta": {"function_call": {"name": "f"}}},
        {"finish_reason": "tool_calls"},
    ],
)
def test_a_chunk_that_carries_something_is_compared(part: dict[str, Any]) -> None:
    report = turn_of(chunk(choice(call(0)), id="a"), chunk(part, id="b"))
    assert found(report)[0] == ("turn_collision", None, None, 1)


def test_accepted_rotating_ids_are_listed_at_each_change() -> None:
    payloads = [chunk(choice(call(0)), id="a"), chunk({"delta": {"content": "x"}}, id="b")]
    payloads += [chunk(choice(entry(0, "")), id="b"), chunk(choice(finish="tool_calls"), id="a")]
    report = turn_of(*payloads, accept=(Allowance.ROTATING_IDS,))
    assert [(use.choice, use.slot, use.event) for use in report.allowances] == [(None, None, 1), (None, None, 3)]
    assert report.executable


def test_a_cut_transport_says_nothing_of_a_family_whose_choices_end_by_themselves() -> None:
    good = chunk(choice(call(0), finish="tool_calls"))
    assert turn_of(good, stream_end="cut").executable
    assert found(turn_of(chunk(choice(call(0))), stream_end="cut")) == [("missing_terminal", 0, 0, None)]
    assert found(turn_of(chunk(choice(call(0), finish="length")), stream_end="cut")) == [("wrong_terminal", 0, None, 0)]


UNINDEXED = (Allowance.UNINDEXED_WHOLE_CALL,)


def counted(*ids: str) -> list[dict[str, Any]]:
    return [{"id": identity, "function": {"name": "f", "arguments": "{}"}} for identity in ids]


def test_calls_without_index_are_counted_over_several_chunks() -> None:
    report = turn_of(
        chunk(choice(*counted("a", "b"))),
        chunk(choice(*counted("c"))),
        chunk(choice(finish="tool_calls")),
        accept=UNINDEXED,
    )
    assert report.executable
    assert [(call.slot, call.id) for call in report.calls] == [(0, "a"), (1, "b"), (2, "c")]
    assert [(use.slot, use.event) for use in report.allowances] == [(None, 0), (None, 0), (None, 1)]


@pytest.mark.parametrize("late", [entry(0, "x"), entry(1, "{}", id="b", name="f")])
def test_an_entry_with_an_index_after_counted_ones_is_not_taken(late: dict[str, Any]) -> None:
    report = turn_of(
        chunk(choice(*counted("a"))), chunk(choice(late)), chunk(choice(finish="tool_calls")), accept=UNINDEXED
    )
    assert found(report) == [("missing_slot", 0, None, 1)]
    assert [(call.arguments, call.state.value) for call in report.calls] == [("{}", "validated")]


def test_after_the_reason_an_index_is_one_again() -> None:
    report = turn_of(
        chunk(choice(*counted("a"), finish="tool_calls")), chunk(choice(entry(1), *counted("b"))), accept=UNINDEXED
    )
    assert found(report) == [("delta_after_terminal", 0, 1, 1), ("missing_slot", 0, None, 1)]


@pytest.mark.parametrize("entries", [[entry(0, "{}"), *counted("a")], [*counted("a"), {"id": "b", "function": None}]])
def test_one_entry_that_is_not_whole_or_has_an_index_spoils_those_beside_it(entries: list[dict[str, Any]]) -> None:
    assert ("missing_slot", 0, None, 0) in found(turn_of(chunk(choice(*entries)), accept=UNINDEXED))
    assert not turn_of(chunk(choice(*entries)), accept=UNINDEXED).allowances


def test_counted_calls_over_the_slot_limit_are_counted() -> None:
    report = turn_of(
        chunk(choice(*counted("a", "b", "c"), finish="tool_calls")), accept=UNINDEXED, limits=Limits(max_slots=1)
    )
    assert found(report) == [("limit_exceeded", None, None, 0)]
    assert len(report.allowances) == 3


WHOLE_STOP = (Allowance.WHOLE_CALL_STOP, Allowance.NAMED_CHOICE_STOP)


def test_a_stop_closes_calls_that_came_whole() -> None:
    report = turn_of(chunk(choice(call(0), call(1))), chunk(choice(finish="stop")), accept=WHOLE_STOP)
    assert report.executable
    assert [(use.name.value, use.choice, use.event) for use in report.allowances] == [("whole_call_stop", 0, 1)]
    named = turn_of(chunk(choice(call(0), finish="stop")), accept=WHOLE_STOP, tool_choice="named")
    assert [use.name.value for use in named.allowances] == ["named_choice_stop"]


@pytest.mark.parametrize(
    ("entries", "limits"),
    [
        ([call(0), entry(0, "")], Limits()),
        ([call(0), entry(0, "", id="call_0")], Limits()),
        ([call(0), entry(0)], Limits()),
        ([entry(0, "{}", name="f"), entry(0, None, id="a")], Limits()),
        ([{**call(0), "function": {"name": "f"}}], Limits()),
        ([call(0), call(1)], Limits(max_slots=1)),
    ],
)
def test_a_stop_closes_no_calls_in_pieces_or_over_the_limit(entries: list[dict[str, Any]], limits: Limits) -> None:
    payloads = [chunk(choice(one)) for one in entries]
    report = turn_of(*payloads, chunk(choice(finish="stop")), accept=WHOLE_STOP, limits=limits)
    assert ("wrong_terminal", 0, None, len(entries)) in found(report)
    assert not report.allowances


def test_what_the_request_forbade_is_said_last() -> None:
    both: dict[str, Any] = {"tool_choice": "none", "parallel_tool_calls": False}
    payloads = [chunk(choice(call(0), call(1), index=one), choice(call(0), index=9)) for one in (2, 1)]
    assert found(turn_of(*payloads, **both))[-3:] == [
        ("unrequested_call", None, None, None),
        ("unrequested_call", 1, None, None),
        ("unrequested_call", 2, None, None),
    ]
    assert found(turn_of(chunk(choice(finish="stop")), **both)) == []
    assert turn_of(chunk(choice(call(0), finish="tool_calls")), parallel_tool_calls=False).executable
    assert turn_of(chunk(choice(call(0), call(1), finish="tool_calls")), parallel_tool_calls=True).executable


def test_late_slots_and_those_over_the_limit_are_parallel_calls() -> None:
    payloads = [chunk(choice(call(0), finish="tool_calls")), chunk(choice(call(1)))]
    assert ("unrequested_call", 0, None, None) in found(turn_of(*payloads, parallel_tool_calls=False))
    report = turn_of(chunk(choice(call(0), call(1))), parallel_tool_calls=False, limits=Limits(max_slots=0))
    assert ("unrequested_call", 0, None, None) in found(report)
    report = turn_of(chunk(choice(call(1), call(1))), parallel_tool_calls=False, limits=Limits(max_slots=0))
    assert ("unrequested_call", 0, None, None) not in found(report)

import gc
import re
from decimal import Decimal

import pytest
from support.builders.chunks import call, chunk_of

from replay.validator import Allowance, Code, Envelope, Limits, State, Status, Turn, judge
from replay.validator.profiles import PROFILES


def turn(**options: object) -> Turn:
    return Turn(profile="openai", tool_schemas={"f": {}, "bad": {"unknown": 1}}, **options)  # type: ignore[arg-type]


def test_a_snapshot_tells_positions_ids_names_and_bytes_and_no_argument_text() -> None:
    running = turn()
    running.feed(chunk_of(call(1, '{"secret":'), call(0, "{}")))
    running.feed(chunk_of({"index": 0, "id": "other"}))
    snapshot = running.snapshot()
    assert [(call.slot, call.id, call.name, call.size, call.state) for call in snapshot.calls] == [
        (0, "call_0", "f", 2, State.BLOCKED),
        (1, "call_1", "f", 10, State.ACCUMULATING),
    ]
    assert snapshot.events == 2
    assert len(snapshot.findings) == 1
    assert "secret" not in repr(snapshot)
    running.feed(chunk_of(finish="tool_calls"))
    assert [call.state for call in running.snapshot().calls] == [State.BLOCKED, State.TERMINAL]


def test_a_closed_turn_takes_no_more_and_says_the_same_again() -> None:
    closed = turn()
    report = closed.close()
    assert report.status is Status.NOT_APPLICABLE
    assert closed.close() is report
    with pytest.raises(ValueError, match="closed"):
        closed.feed({})


def test_an_unknown_profile_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="openai, mistral, anthropic"):
        Turn(profile="other", tool_schemas={})


@pytest.mark.parametrize("number", [-1, True, 1.5, "3"])
def test_a_limit_that_is_none_is_the_callers_mistake(number: object) -> None:
    with pytest.raises(ValueError, match="max_slots"):
        Limits(max_slots=number)  # type: ignore[arg-type]


def test_the_first_event_over_the_limit_is_where_the_turn_ends() -> None:
    ended = turn(limits=Limits(max_events=1))
    for payload in (chunk_of(call(0)), chunk_of(finish="tool_calls"), "more"):
        ended.feed(payload)
    assert [(finding.code.value, finding.event) for finding in ended.close().findings] == [
        ("limit_exceeded", 1),
        ("missing_terminal", None),
    ]


def test_arguments_are_checked_in_slot_order_tool_first_and_one_finding_a_slot() -> None:
    checked = turn(limits=Limits(max_nesting=1))
    texts = ["[", '{"a":[]}', "[]", '{"a":1} x', " ", '{"a":1,"a":2}']
    checked.feed(chunk_of(call(9, "{", name="unknown"), call(8, "{", name="bad"), *map(call, range(6), texts)))
    checked.feed(chunk_of(finish="tool_calls"))
    assert [(finding.slot, finding.code.value) for finding in checked.close().findings] == [
        (0, "malformed_arguments"),
        (1, "limit_exceeded"),
        (2, "non_object_arguments"),
        (3, "trailing_data"),
        (4, "empty_arguments"),
        (5, "duplicate_key"),
        (8, "unsupported_schema"),
        (9, "unknown_tool"),
    ]


def test_the_allowance_for_empty_arguments_reaches_only_what_it_is_for() -> None:
    for schema, text, executable in (
        ({}, "", True),
        (True, "", True),
        ({"properties": {}}, "", True),
        ({"properties": {"a": {}}}, "", False),
        ({}, " ", False),
        ({"required": ["a"]}, "", False),
        ({"type": "array"}, "", False),
    ):
        accept = [Allowance.EMPTY_ARGUMENTS]
        allowed = Turn(profile="mistral", tool_schemas={"f": schema}, allow=accept, accept=accept)
        allowed.feed(chunk_of(call(0, text), finish="tool_calls"))
        assert allowed.close().executable is executable, schema


def test_a_schema_is_compiled_once_however_many_calls_use_it() -> None:
    class Counted(dict[str, object]):
        asked = 0

        def items(self):  # type: ignore[no-untyped-def]
            type(self).asked += 1
            return super().items()

    counted = Turn(profile="openai", tool_schemas={"f": Counted({"type": "object"})})
    counted.feed(chunk_of(*(call(index) for index in range(50)), finish="tool_calls"))
    assert counted.close().executable
    assert Counted.asked < 5


def test_captured_text_is_in_no_repr_and_in_no_message() -> None:
    canary = "canary-7f3a"
    envelope = Envelope(
        profile="openai",
        tool_schemas={"f": {"type": "object", "additionalProperties": {"type": "null"}}},
        payloads=[chunk_of(call(0, f'{{"{canary}":"{canary}"}}'), call(1, canary), call(2, name=canary)), canary],
        stream_end=canary,
        tool_choice=canary,
    )
    report = judge(envelope)
    assert canary in report.calls[0].arguments
    assert canary not in repr(envelope)
    assert canary not in repr(report.calls)
    assert not any(canary in finding.message for finding in report.findings)


@pytest.mark.parametrize("value", ['"c"', "1"])
def test_a_judged_turn_leaves_no_cycles(value: str) -> None:
    """They would keep captured text in memory, and its neighbours apart, until the collector comes by."""
    schema = {"type": "object", "properties": {"a": {"items": {"properties": {"b": {"type": "string"}}}}}}
    payloads = [chunk_of(call(0, f'{{"a": [{{"b": {value}}}]}}')), chunk_of(finish="tool_calls")]
    envelope = Envelope(profile="openai", tool_schemas={"f": schema}, payloads=payloads)
    judge(envelope)
    gc.collect()
    gc.disable()
    try:
        status = judge(envelope).status
        garbage = gc.collect()
    finally:
        gc.enable()
    assert (status, garbage) == (Status.PASS if value == '"c"' else Status.BLOCKED, 0)


class Hostile:
    """What no decoder gives: whatever is asked of it, it raises."""

    def __getitem__(self, _: object) -> object:
        raise RuntimeError

    def __contains__(self, _: object) -> bool:
        raise RuntimeError


@pytest.mark.parametrize("payload", [re.match("a", "a"), Hostile(), 1, "text", [], None, object(), Decimal("1.5")])
@pytest.mark.parametrize("profile", PROFILES)
def test_what_is_no_object_is_a_finding_whatever_it_is(profile: str, payload: object) -> None:
    running = Turn(profile=profile, tool_schemas={})
    running.feed(payload)
    [finding] = running.close().findings
    assert (finding.code, finding.event) == (Code.MALFORMED_EVENT, 0)

"""Scripts of response events and what they come to; the decisions that the cases leave untouched."""

from typing import Any

import pytest
from support.builders.items import INPUT, added, call, custom, done, grow, response, whole

from replay.validator import Allowance, Limits, Report, Turn
from replay.validator._machine.signals import (
    Aside,
    Item,
    ItemEnd,
    ItemStart,
    Lifecycle,
    PayloadFinding,
    Ping,
    Role,
    Stage,
    TextDelta,
    TextEnd,
    Unknown,
)
from replay.validator.profiles._readers.responses import (
    ASIDES,
    BUILT_IN_CALLS,
    CALLS,
    EVENTS,
    FREE_TEXT,
    LIFECYCLE,
    OTHER_ITEMS,
    READERS,
    TAKEOVERS,
    TEXT_DELTAS,
    TEXT_ENDS,
    number_of,
    read_event,
)

TOOLS = {
    "f": {"type": "object"},
    "free": {"type": "string"},
    "short": {"type": "string", "maxLength": 2},
    "bound": {"type": "string", "format": "grammar"},
    "n.f": {"type": "object", "required": ["a"]},
}
CREATED = response("created")


def turn_of(*payloads: object, tools: dict[str, object] | None = None, **options: Any) -> Report:
    turn = Turn(profile="openai-responses", tool_schemas=TOOLS if tools is None else tools, **options)
    for payload in payloads:
        turn.feed(payload)
    return turn.close()


def allowing(*names: Allowance) -> dict[str, Any]:
    return {"allow": names, "accept": names}


def found(report: Report) -> list[tuple[str, int | None, int | None, int | None]]:
    return [(finding.code.value, finding.choice, finding.slot, finding.event) for finding in report.findings]


def used(report: Report) -> list[tuple[str, int | None, int | None, int | None]]:
    return [(use.name.value, use.choice, use.slot, use.event) for use in report.allowances]


def of_one_call(*payloads: object, item: dict[str, Any] | None = None, **options: Any) -> Report:
    """A turn with one call at index 0, whose events are given."""
    return turn_of(CREATED, added(0, call() if item is None else item), *payloads, **options)


# The reader.


def test_events_are_read_to_signals() -> None:
    item = Item("function_call", Role.CALL, "fc_0", "call_0", "f", "{}", True)
    assert read_event(added(1, call(arguments="{}"))) == ItemStart(1, item)
    assert read_event(done(None, {"type": "message", "id": 5})) == ItemEnd(None, Item("message", Role.INERT))
    assert read_event(grow(2, "x", item_id="")) == TextDelta(2, "function_call", None, "x")
    assert read_event(whole(2, "", item_id="a")) == TextEnd(2, "function_call", "a", "")
    assert read_event({"type": f"{INPUT}.done", "output_index": 0}) == TextEnd(0, "custom_tool_call", None, None)
    assert read_event({"type": "response.refusal.delta", "output_index": 3}) == Aside(3)
    assert isinstance(read_event({"type": "keepalive", "sequence_number": 7}), Ping)
    assert isinstance(read_event({"type": "new"}), Unknown)
    assert read_event(CREATED) == Lifecycle(Stage.CREATED, "resp_1", ())
    assert read_event({"type": "response.completed"}) == Lifecycle(Stage.COMPLETED, None, ())


@pytest.mark.parametrize("status", ["failed", "incomplete", "in_progress", "queued"])
def test_a_completed_response_with_another_status_is_an_incomplete_one(status: str) -> None:
    signal = read_event(response(status=status))
    assert signal == Lifecycle(Stage.INCOMPLETE, "resp_1", ())
    assert read_event(response(status="")) == Lifecycle(Stage.COMPLETED, "resp_1", ())


def test_the_number_is_read_whatever_else_is_wrong() -> None:
    assert number_of({"type": 5, "sequence_number": 3}) == 3
    assert number_of({"type": "error", "sequence_number": 3}) == 3
    assert number_of({"type": "error", "sequence_number": "3"}) is None
    assert number_of(["sequence_number"]) is None


@pytest.mark.parametrize(
    ("member", "wrong"),
    [
        *((member, 5) for member in ("id", "call_id", "name", "namespace", "arguments", "status")),
        ("caller", "program"),
        ("caller", {"type": 5}),
    ],
)
def test_a_member_of_a_call_of_another_type_is_malformed_at_its_index_and_in_a_list_at_the_turn(
    member: str, wrong: object
) -> None:
    item = call(**{member: wrong})
    assert found(turn_of(added(2, item))) == [("malformed_event", 0, 2, 0)]
    assert found(turn_of(done(None, item))) == [("malformed_event", 0, None, 0)]
    assert found(turn_of(response("created", output=[item]))) == [("malformed_event", None, None, 0)]
    assert found(turn_of(added(2, {**item, "type": "message"}))) == []


@pytest.mark.parametrize(
    ("payload", "choice", "slot"),
    [
        ("text", None, None),
        ({}, None, None),
        ({"type": None}, None, None),
        ({"type": "keepalive", "sequence_number": 1.0}, None, None),
        ({"type": "keepalive", "sequence_number": 2**31}, None, None),
        ({"type": "new", "sequence_number": True}, None, None),
        ({"type": "response.queued", "response": []}, None, None),
        (response(id=5), None, None),
        (response(status=5), None, None),
        (response(output={}), None, None),
        (response(output=[None]), None, None),
        (response("incomplete", output=[{"type": None}]), None, None),
        (added("0", call()), 0, None),
        (added(True, None), 0, None),
        (added(3, None), 0, 3),
        (added(3, {}), 0, 3),
        (grow(-1), 0, None),
        (grow(3, None), 0, 3),
        (grow(3, item_id=5), 0, 3),
        (grow(None, 5), 0, None),
        (whole(3, 5), 0, 3),
        (whole(3, item_id=[]), 0, 3),
        ({"type": "response.output_text.delta", "output_index": 1.5}, 0, None),
    ],
)
def test_a_wrong_shape_is_found_at_the_narrowest_place(payload: object, choice: int | None, slot: int | None) -> None:
    assert found(turn_of(payload)) == [("malformed_event", choice, slot, 0)]


def test_the_first_wrong_place_is_the_one_that_is_reported() -> None:
    wrong = {"type": "response.output_item.added", "sequence_number": "x", "output_index": "x", "item": "x"}
    messages = []
    for name, legal in (("sequence_number", 0), ("output_index", 0), ("item", {"type": 5}), ("item", call(id=5))):
        signal = read_event(wrong)
        assert isinstance(signal, PayloadFinding)
        messages.append(signal.message.split()[0])
        wrong[name] = legal
    assert messages == ["`sequence_number`", "`output_index`", "an", "an"]


def test_the_tables_of_events_and_items_do_not_overlap() -> None:
    assert READERS.keys() | {"error", "response.failed"} == EVENTS
    listed = sum(map(len, (LIFECYCLE, TEXT_DELTAS, TEXT_ENDS))) + sum(map(len, ASIDES.values()))
    assert len(READERS) == listed + len(["added", "done", "keepalive", "response.rate_limits.updated"])
    kinds = [*CALLS, *BUILT_IN_CALLS, *OTHER_ITEMS, *TAKEOVERS]
    assert len(kinds) == len(set(kinds))
    assert CALLS.keys() > FREE_TEXT


@pytest.mark.parametrize("kind", sorted(OTHER_ITEMS | TAKEOVERS))
def test_items_that_are_no_call_are_taken_without_a_look_at_them(kind: str) -> None:
    item = {"type": kind, "id": 5, "call_id": [], "status": 1}
    report = turn_of(CREATED, added(0, item), done(0, item), done(1, item), added(None, item), response(output=[item]))
    assert found(report) == []
    assert report.calls == ()


@pytest.mark.parametrize("kind", [f"response.{stem}.{end}" for stem in ASIDES for end in ASIDES[stem]])
def test_an_event_of_another_item_is_legal_unless_its_index_is_that_of_a_call(kind: str) -> None:
    aside = {"type": kind, "delta": 5, "item_id": []}
    payloads = [aside, {**aside, "output_index": None}, {**aside, "output_index": 9}]
    assert found(turn_of(*payloads)) == []
    report = of_one_call({**aside, "output_index": 0}, done(0, call(arguments="{}")), response())
    assert found(report) == [("orphan_event", 0, 0, 2)]


@pytest.mark.parametrize("kind", sorted(BUILT_IN_CALLS))
def test_a_built_in_call_is_not_judged(kind: str) -> None:
    payloads = (CREATED, added(4, {"type": kind}), done(4, {"type": kind}), done(None, {"type": kind}), response())
    report = turn_of(*payloads)
    assert found(report) == [("unsupported_event", 0, 4, 1), ("unsupported_event", 0, None, 3)]
    report = turn_of(*payloads, **allowing(Allowance.BUILTIN_CALLS))
    assert report.status.value == "not_applicable"
    assert used(report) == [("builtin_calls", 0, 4, 1), ("builtin_calls", 0, None, 3)]


@pytest.mark.parametrize("environment", [None, "container_auto", {}, {"type": []}, {"type": "local"}])
def test_a_shell_call_is_the_clients_unless_a_container_of_the_provider_runs_it(environment: object) -> None:
    assert found(turn_of(added(0, {"type": "shell_call", "environment": environment}))) == [
        ("unsupported_event", 0, 0, 0)
    ]
    assert found(turn_of(added(0, {"type": "shell_call", "environment": {"type": "container_reference"}}))) == []
    assert found(turn_of(added(0, {"type": "computer_call", "environment": {"type": "container_auto"}}))) != []


# The machine.


def test_a_plain_call_is_validated() -> None:
    report = of_one_call(
        grow(0, '{"a":'), grow(0, "1}"), whole(0, '{"a":1}'), done(0, call(arguments='{"a":1}')), response()
    )
    assert found(report) == []
    assert report.executable
    assert [(made.slot, made.id, made.name, made.arguments) for made in report.calls] == [(0, "call_0", "f", '{"a":1}')]


def test_an_allowance_of_another_profile_changes_nothing() -> None:
    report = of_one_call(grow(0), done(0, call()), response("incomplete"), response(), **allowing(*Allowance))
    assert found(report) == [("wrong_terminal", 0, None, 4), ("duplicate_terminal", 0, None, 5)]
    assert used(report) == []


def test_a_namespace_without_a_name_names_nothing() -> None:
    assert found(of_one_call(done(0, call(name=None)), response(), item=call(name="", namespace="n"))) == [
        ("missing_name", 0, 0, 2)
    ]
    report = of_one_call(done(0, call(name="f", namespace="n", arguments='{"a":1}')), response(), item=call(name=None))
    assert report.calls[0].name == "n.f"
    assert report.executable


def test_a_restart_is_compared_with_the_first_added_and_contributes_nothing() -> None:
    first = call(call_id=None)
    same = call(call_id="", id="other", arguments="x", status="failed")
    report = of_one_call(added(0, same), done(0, call(arguments="{}")), added(0, call()), response(), item=first)
    assert found(report) == [("duplicate_start", 0, 0, 2), ("identity_collision", 0, 0, 4)]
    assert report.calls[0].id == "call_0"


def test_an_item_that_is_no_call_starts_again_whatever_its_members() -> None:
    report = turn_of(
        added(0, {"type": "message"}), done(0, {"type": "message"}), added(0, {"type": "message", "call_id": "a"})
    )
    assert found(report) == [("duplicate_start", 0, 0, 2)]
    assert found(turn_of(added(0, {"type": "new"}), added(0, {"type": "message"}))) == [
        ("unsupported_event", 0, 0, 0),
        ("identity_collision", 0, 0, 1),
    ]


def test_an_end_of_another_type_ends_nothing() -> None:
    report = of_one_call(done(0, {"type": "message"}), grow(0), done(0, call(arguments="{}")), response())
    assert found(report) == [("identity_collision", 0, 0, 2)]
    assert report.calls[0].arguments == "{}"


def test_text_after_the_end_of_its_item_is_late_and_a_second_end_of_the_text_is_not_compared() -> None:
    report = of_one_call(whole(0), whole(0, "x"), done(0, call()), whole(0), grow(0), response())
    assert found(report) == [("duplicate_terminal", 0, 0, 3), ("delta_after_terminal", 0, 0, 5)]


def test_text_of_the_other_kind_is_an_orphan_before_and_after_the_end() -> None:
    report = of_one_call(grow(0, "x", INPUT), done(0, call(arguments="{}")), grow(0, "x", INPUT), response())
    assert found(report) == [("orphan_event", 0, 0, 2)]


def test_a_text_in_added_is_not_taken_and_the_first_copy_is() -> None:
    report = of_one_call(done(0, call(arguments="{}")), response(), item=call(arguments="{"))
    assert found(report) == [("unsupported_event", 0, 0, 1)]
    assert report.calls[0].arguments == "{}"


def test_the_first_copy_is_the_text_of_a_call_that_received_no_byte_wherever_it_comes() -> None:
    for payloads in (
        [grow(0, ""), whole(0), done(0, call())],
        [whole(0, None), done(0, call(arguments="{}"))],
        [done(0, call())],
    ):
        report = of_one_call(*payloads, response(output=[call(arguments="{}")]))
        assert found(report) == []
        assert report.calls[0].arguments == "{}"


def test_a_first_copy_that_is_empty_is_the_text() -> None:
    report = of_one_call(whole(0, ""), done(0, call(arguments="{}")), response())
    assert found(report) == [("copy_mismatch", 0, 0, 3)]
    assert report.calls[0].arguments == ""


def test_an_open_call_takes_its_text_from_the_final_list_and_stays_open() -> None:
    report = of_one_call(response(output=[call(arguments="{}")]))
    assert found(report) == [("missing_terminal", 0, 0, None)]
    assert report.calls[0].arguments == "{}"


def test_each_call_of_the_final_list_is_the_copy_of_one_slot() -> None:
    calls = [added(0, call()), added(1, custom(1)), added(2, call(2, call_id="call_0", name="n.f"))]
    ends = [done(0, call(arguments="{}")), done(1, custom(1, input="x")), done(2, call(2, call_id=None, name=None))]
    listed = [
        call(arguments="{}"),
        {"type": "message"},
        call(0, id="other", name="g", arguments="x"),
        call(1, arguments="x"),
        call(3, call_id=""),
    ]
    report = turn_of(CREATED, *calls, *ends, response(output=listed))
    assert found(report) == [
        ("duplicate_id", 0, 2, 3),
        ("identity_collision", 0, 2, 7),
        ("copy_mismatch", 0, None, 7),
        ("copy_mismatch", 0, 1, 7),
    ]


def test_nothing_but_a_text_is_taken_from_the_final_list() -> None:
    report = of_one_call(
        done(0, call(id=None, name=None)), response(output=[call(arguments="{}")]), item=call(id=None, name=None)
    )
    assert found(report) == [("missing_name", 0, 0, 2)]
    assert report.calls[0].name is None


@pytest.mark.parametrize("kind", ["created", "in_progress", "queued"])
def test_a_list_before_the_end_may_have_no_call(kind: str) -> None:
    listed = response(kind, output=[{"type": "message"}, {"type": "apply_patch_call"}])
    assert "unsupported_event" not in [code for code, *_ in found(turn_of(listed))]
    assert found(turn_of(response(kind, output=[custom()]))) == [("unsupported_event", None, None, 0)]


def test_a_list_of_an_incomplete_response_is_not_read() -> None:
    report = of_one_call(grow(0), done(0, call()), response("incomplete", output=[call(7)]))
    assert found(report) == [("wrong_terminal", 0, None, 4)]


def test_a_status_of_a_call_blocks_that_call_only() -> None:
    report = turn_of(
        CREATED,
        added(0, call()),
        added(1, call(1)),
        done(0, call(arguments="{}", status="incomplete", call_id=None)),
        done(1, call(1, arguments="{}", status="in_progress", caller={"type": "program"})),
        response(),
    )
    assert found(report) == [("wrong_terminal", 0, 0, 3)]
    assert [made.state.value for made in report.calls] == ["blocked", "validated"]


def test_what_comes_after_the_end_is_late_where_it_is_a_calls() -> None:
    report = of_one_call(
        done(0, call(arguments="{}")),
        response(),
        added(1, call(1)),
        added(1, {"type": "message"}),
        done(2, call(2)),
        grow(3),
        grow(None),
        {"type": "response.output_text.delta", "output_index": 1},
        added(4, {"type": "message"}),
        added(4, call(4)),
        done(4, {"type": "message"}),
        added(5, {"type": "compaction"}),
    )
    assert found(report) == [
        ("delta_after_terminal", 0, 1, 4),
        ("delta_after_terminal", 0, 2, 6),
        ("delta_after_terminal", 0, 3, 7),
        ("missing_slot", 0, None, 8),
        ("orphan_event", 0, 1, 9),
        ("delta_after_terminal", 0, 4, 11),
        ("unsupported_event", 0, 5, 13),
    ]
    assert [(made.slot, made.id, made.arguments) for made in report.calls] == [(0, "call_0", "{}"), (1, None, "")]


def test_compaction_is_a_takeover_only_once_a_slot_has_opened() -> None:
    late = turn_of(CREATED, response(), added(0, call()), added(1, {"type": "compaction"}))
    assert found(late) == [("delta_after_terminal", 0, 0, 2)]
    over = turn_of(CREATED, added(0, call()), added(1, {"type": "compaction"}), limits=Limits(max_slots=0))
    assert found(over) == [("limit_exceeded", None, None, 1)]
    assert found(turn_of(added(0, call()), done(None, {"type": "compaction"})))[0] == ("unsupported_event", 0, None, 1)


def test_an_item_over_the_slot_limit_keeps_its_place_and_nothing_else() -> None:
    report = turn_of(
        CREATED,
        added(0, custom(arguments="x")),
        grow(0, "x", INPUT, item_id="other"),
        grow(0),
        {"type": f"{INPUT}.done", "output_index": 0, "input": "y"},
        {"type": f"{INPUT}.done", "output_index": 0, "input": "z"},
        grow(0, "x", INPUT),
        added(0, custom()),
        done(0, call()),
        done(0, custom(status="failed", call_id="other")),
        done(0, custom()),
        {"type": "response.output_text.done", "output_index": 0},
        response(output=[call(9)]),
        limits=Limits(max_slots=0),
    )
    assert found(report) == [
        ("limit_exceeded", None, None, 1),
        ("orphan_event", 0, 0, 3),
        ("duplicate_terminal", 0, 0, 5),
        ("delta_after_terminal", 0, 0, 6),
        ("duplicate_start", 0, 0, 7),
        ("identity_collision", 0, 0, 8),
    ]
    assert report.calls == ()


def test_a_copy_of_a_slot_that_lost_a_fragment_is_not_compared() -> None:
    report = of_one_call(grow(0, "{}"), grow(0, "  "), whole(0, "y"), response(output=[call(arguments="z")]))
    assert found(report)[0][0] == "copy_mismatch"
    report = of_one_call(grow(0, "{}"), grow(0, "  "), whole(0, "y"), response(), limits=Limits(max_slot_bytes=3))
    assert found(report) == [("limit_exceeded", 0, 0, 3), ("missing_terminal", 0, 0, None)]


def test_an_item_id_of_another_call_is_a_duplicate_only_where_it_is_the_first_of_its_slot() -> None:
    payloads = (added(1, call(1, id=None)), grow(1, item_id="fc_0"), grow(0, item_id="fc_1"))
    report = of_one_call(*payloads)
    assert found(report)[:2] == [("duplicate_id", 0, 1, 3), ("identity_collision", 0, 0, 4)]
    report = of_one_call(*payloads, **allowing(Allowance.ROTATING_IDS))
    assert used(report) == [("rotating_ids", 0, 1, 3), ("rotating_ids", 0, 0, 4)]


def test_each_rotated_item_id_is_a_use_also_beside_a_collision() -> None:
    report = of_one_call(
        grow(0, item_id="a"), done(0, call(id="b", call_id="other")), response(), **allowing(Allowance.ROTATING_IDS)
    )
    assert found(report) == [("identity_collision", 0, 0, 3)]
    assert used(report) == [("rotating_ids", 0, 0, 2), ("rotating_ids", 0, 0, 3)]


def test_another_response_id_collides_once_there_is_a_tool_slot() -> None:
    other = {"type": "response.in_progress", "response": {"id": "resp_2"}}
    assert found(turn_of(CREATED, other)) == []
    assert found(of_one_call(other))[0] == ("turn_collision", None, None, 2)
    report = of_one_call(other, **allowing(Allowance.ROTATING_IDS))
    assert used(report) == [("rotating_ids", None, None, 2)]
    again = {"type": "response.created", "response": {"id": "resp_2"}}
    assert found(of_one_call(again, **allowing(Allowance.ROTATING_IDS)))[0] == ("turn_collision", None, None, 2)


def test_a_late_created_is_there_all_the_same() -> None:
    report = turn_of(added(0, call()), done(0, call(arguments="{}")), response(), CREATED)
    assert found(report) == [("turn_collision", None, None, 3)]
    report = turn_of(added(0, call()), done(0, call(arguments="{}")), response())
    assert found(report) == [("missing_terminal", 0, 0, None)]


def test_an_error_contributes_nothing_but_its_number() -> None:
    failed = {"type": "response.created", "response": {"error": {}}, "sequence_number": 1}
    report = turn_of(
        {"type": "keepalive", "sequence_number": 0},
        failed,
        {"type": "keepalive", "sequence_number": 2},
        {"type": "keepalive", "sequence_number": 2},
        CREATED,
    )
    assert found(report) == [("stream_error", None, None, 1), ("sequence_break", None, None, 3)]


def test_numbers_are_compared_with_the_last_one_read() -> None:
    numbers: list[object] = [7, 8, None, 9, "x", 10, 12, 13]
    payloads = [{"type": "keepalive", "sequence_number": number} for number in numbers]
    assert found(turn_of(*payloads)) == [("malformed_event", None, None, 4), ("sequence_break", None, None, 6)]
    report = turn_of(*payloads[:4], *payloads[5:], payloads[0], **allowing(Allowance.SEQUENCE_GAPS))
    assert used(report) == [("sequence_gaps", None, None, 5), ("sequence_gaps", None, None, 7)]


def test_the_largest_number_has_none_after_it() -> None:
    last = 2**31 - 1
    report = of_one_call(
        grow(0, item_id="fc_0", sequence_number=last), grow(0, item_id="fc_0", sequence_number=last + 1)
    )
    assert found(report)[0] == ("malformed_event", None, None, 3)
    assert report.calls[0].arguments == "{}"


def test_a_cut_transport_matters_only_before_the_end_of_the_response() -> None:
    over = (CREATED, added(0, call()))
    options: dict[str, Any] = {"limits": Limits(max_slots=0), "stream_end": "client_disconnected"}
    assert found(turn_of(*over, **options)) == [
        ("limit_exceeded", None, None, 1),
        ("missing_terminal", None, None, None),
    ]
    assert found(turn_of(*over, response(), **options)) == [("limit_exceeded", None, None, 1)]


# Free text.


def of_free_text(text: str, name: str = "free", **options: Any) -> Report:
    return of_one_call(done(0, custom(name=name, input=text)), response(), item=custom(name=name), **options)


def test_free_text_is_no_json_and_is_checked_as_a_string() -> None:
    assert of_free_text('{"a":').executable
    assert of_free_text("ab", "short").executable
    report = of_free_text("abc", "short")
    assert [(finding.code.value, finding.path) for finding in report.findings] == [("schema_violation", "")]
    report = of_free_text("{}", "f")
    assert [(finding.code.value, finding.path) for finding in report.findings] == [("schema_violation", "")]


@pytest.mark.parametrize("text", ["", " \n"])
def test_free_text_may_not_be_empty_and_no_allowance_changes_that(text: str) -> None:
    report = of_free_text(text, **allowing(*Allowance))
    assert found(report) == [("empty_arguments", 0, 0, None)]
    assert report.calls[0].arguments == text
    report = of_free_text(text, "bound", **allowing(*Allowance))
    assert found(report) == [("empty_arguments", 0, 0, None)]
    assert used(report) == [("unchecked_grammar", 0, 0, None)]


def test_the_tool_comes_before_its_text() -> None:
    assert found(of_free_text("", "g")) == [("unknown_tool", 0, 0, None)]
    assert found(of_free_text("", "bound")) == [("unsupported_schema", 0, 0, None)]


def test_only_the_text_of_a_custom_tool_may_go_unchecked() -> None:
    options = allowing(Allowance.UNCHECKED_GRAMMAR)
    assert of_free_text("x", "bound", **options).executable
    wider = {"bound": {"type": "string", "format": "grammar", "maxLength": 5}}
    assert found(of_free_text("x", "bound", tools=wider, **options)) == [("unsupported_schema", 0, 0, None)]
    report = of_one_call(done(0, call(name="bound", arguments="{}")), response(), item=call(name="bound"), **options)
    assert found(report) == [("unsupported_schema", 0, 0, None)]
    assert used(report) == []


def test_no_text_stands_for_no_arguments_of_a_function_where_that_is_allowed() -> None:
    report = of_one_call(done(0, call(arguments="")), response(), **allowing(Allowance.EMPTY_ARGUMENTS))
    assert report.executable
    assert report.calls[0].arguments == "{}"
    assert used(report) == [("empty_arguments", 0, 0, None)]

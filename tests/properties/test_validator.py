"""Whatever is fed, the validator answers, and its answers hang together."""

import copy
import json
import random
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.made.mutations import CARRIED, hangs_together, load, places
from support.nightly import examples

from replay.validator import Allowance, Envelope, Limits, Report, State, Turn, envelope_from, judge, validate
from replay.validator._json_quick import LARGE_TEXT, UNCLEAN, clean_value
from replay.validator._machine.ledger import Ledger
from replay.validator._machine.slots import Slots
from replay.validator.limits import DEFAULT_LIMITS
from replay.validator.profiles import PROFILES, Machine
from replay.validator.strict_json import _Exact, parse

FIXTURES = load(CARRIED)
SMALL = Limits(max_events=6, max_slots=2, max_slot_bytes=12, max_turn_bytes=20, max_nesting=2)

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.sampled_from(
        [2**31 - 1, 2**31, 10**400, 0.0, 1.0, float("inf"), Decimal(1), Decimal("1.5"), Decimal("1e-9999")]
    )
    | st.text(max_size=6)
    | st.sampled_from(
        ["", "null", "tool_calls", "stop", "tool_use", "function", "error", "openai", "{", "{}", "\ud800"]
    )
)
keys = st.sampled_from(
    "index id type function name arguments delta tool_calls function_call message choices finish_reason error"
    " content_block partial_json stop_reason input profile tool_schemas chunks events allow capture $ref".split()
) | st.text(max_size=3)
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4), max_leaves=12
)


@st.composite
def mutants(draw: st.DrawFn) -> dict[str, Any]:
    """A carried case with some of its parts replaced, removed, doubled or moved."""
    fixture = copy.deepcopy(draw(st.sampled_from(FIXTURES)))
    for _ in range(draw(st.integers(1, 3))):
        spots = places(fixture)
        if not spots:
            break
        container, key = draw(st.sampled_from(spots))
        action = draw(st.sampled_from(["replace", "remove", "double", "shuffle"]))
        if action == "replace":
            container[key] = draw(json_values)
        elif action == "remove":
            del container[key]
        elif isinstance(container, list) and action == "double":
            container.insert(key, copy.deepcopy(container[key]))
        elif isinstance(container, list):
            draw(st.randoms(use_true_random=False)).shuffle(container)
    return fixture


def judged(value: object, limits: Limits) -> Report | None:
    envelope = envelope_from(value)
    return judge(envelope, accept=frozenset(Allowance), limits=limits) if isinstance(envelope, Envelope) else None


@settings(max_examples=examples(400), deadline=None)
@given(mutants(), st.sampled_from([DEFAULT_LIMITS, SMALL]))
def test_any_value_anywhere_in_an_envelope_gives_a_report(fixture: dict[str, Any], limits: Limits) -> None:
    report = judged(fixture, limits)
    if report is not None:
        hangs_together(report)


@settings(max_examples=examples(200), deadline=None)
@given(st.sampled_from(list(PROFILES)), st.lists(json_values, max_size=5), json_values)
def test_any_payloads_and_any_schema_give_a_report(profile: str, payloads: list[object], schema: object) -> None:
    turn = Turn(profile=profile, tool_schemas={"a": schema})
    for payload in payloads:
        turn.feed(payload)
    hangs_together(turn.close())


@settings(max_examples=examples(300), deadline=None)
@given(st.binary(max_size=60) | st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_as_a_file_give_a_report(data: bytes) -> None:
    hangs_together(validate(data))


def test_a_file_cut_or_changed_anywhere_gives_a_report() -> None:
    chance = random.Random(7)
    for fixture in FIXTURES[::4]:
        data = bytearray(json.dumps(fixture, default=float).encode())
        for _ in range(12):
            changed = bytearray(data)
            place = chance.randrange(len(changed))
            if chance.random() < 0.5:
                del changed[place:]
            else:
                changed[place] = chance.randrange(256)
            hangs_together(validate(bytes(changed)))


def deep(levels: int) -> Any:
    value: Any = {}
    for level in range(levels):
        value = [value] if level % 2 else {"tool_calls": value}
    return value


@pytest.mark.parametrize("profile", PROFILES)
def test_payloads_nested_past_every_stack_are_taken(profile: str) -> None:
    value = deep(100_000)
    shapes = [
        value,
        {"error": value},
        {"type": value},
        {"id": value},
        {"choices": value},
        {"choices": [{"index": value}]},
        {"choices": [{"delta": {"tool_calls": value}, "message": {"tool_calls": [value]}}]},
        {"choices": [{"delta": {"tool_calls": [value]}, "message": {"tool_calls": [value]}}]},
        {
            "choices": [
                {
                    "delta": {"tool_calls": [{"index": 0, "x": value}]},
                    "message": {"tool_calls": [{"index": 0, "x": value}]},
                }
            ]
        },
        {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "input": {"a": value}}},
        {"type": "message_start", "message": {"content": [value]}},
    ]
    turn = Turn(profile=profile, tool_schemas={"a": value}, allow=list(Allowance), accept=list(Allowance))
    for shape in shapes:
        turn.feed(shape)
    hangs_together(turn.close())


@settings(max_examples=examples(150), deadline=None)
@given(mutants())
def test_a_turn_fed_piece_by_piece_and_looked_at_between_gives_the_same_report(fixture: dict[str, Any]) -> None:
    envelope = envelope_from(fixture)
    if not isinstance(envelope, Envelope):
        return
    turn = Turn(
        profile=envelope.profile,
        tool_schemas=envelope.tool_schemas,
        allow=envelope.allow,
        accept=list(Allowance),
        stream_end=envelope.stream_end,
        tool_choice=envelope.tool_choice,
        parallel_tool_calls=envelope.parallel_tool_calls,
    )
    for fed, payload in enumerate(envelope.payloads):
        turn.feed(payload)
        snapshot = turn.snapshot()
        assert snapshot.events == fed + 1
        assert State.VALIDATED not in {call.state for call in snapshot.calls}
    assert turn.close() == judge(envelope, accept=list(Allowance))
    assert turn.close() is turn.close()


def whole(machine: type[Machine]) -> type[Machine]:
    """The machine without its short cut for plain fragments."""

    class Whole(machine):  # type: ignore[valid-type, misc]
        def take(self, payload: object, event: int) -> None:
            self.take_whole(payload, event)

    return Whole


PAIRS: dict[str, tuple[type[Machine], type[Machine]]] = {
    name: (profile.machine, whole(profile.machine)) for name, profile in PROFILES.items()
}


@settings(max_examples=examples(400), deadline=None)
@given(mutants(), st.sampled_from([DEFAULT_LIMITS, SMALL]))
def test_a_plain_fragment_taken_at_once_is_taken_as_one_read_whole(fixture: dict[str, Any], limits: Limits) -> None:
    envelope = envelope_from(fixture)
    if not isinstance(envelope, Envelope):
        return
    outcomes = []
    for machine in PAIRS[envelope.profile]:
        ledger = Ledger(frozenset(envelope.allow))
        slots = Slots(ledger, limits)
        machine_of_turn = machine(slots, ledger, tool_choice=envelope.tool_choice)
        for event, payload in enumerate(envelope.payloads):
            machine_of_turn.take(payload, event)
        machine_of_turn.end()
        listed = [(s.choice, s.index, s.id, s.name, s.text(), s.size, s.lost, s.position) for s in slots.ascending()]
        outcomes.append((ledger.findings, ledger.uses, listed, slots.open, slots.size))
    assert outcomes[0] == outcomes[1]


@settings(max_examples=examples(500), deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "{",
                "}",
                "[",
                "]",
                ",",
                ":",
                '"',
                "\\",
                "\\u",
                "d83d",
                "\\ude00",
                '"a"',
                "0",
                "1",
                "-",
                ".5",
                "e9",
                "e999",
                "true",
                "null",
                "NaN",
                "Infinity",
                " ",
                "\n",
                "\x00",
                "é",
                "�",
                "\ufeff",
                '{"a":1}',
                "[[]]",
                "x",
            ]
        ),
        max_size=12,
    ).map("".join)
)
def test_the_quick_reader_of_json_and_the_exact_one_agree(text: str) -> None:
    exact = _Exact(text, 2).read()
    quick = clean_value(text, 2)
    assert (quick is UNCLEAN) is (exact.code is not None)
    if quick is not UNCLEAN:
        assert repr(quick) == repr(exact.value)
    else:
        assert parse(text, max_nesting=2) == exact
    large = text + " " * LARGE_TEXT
    exact, parsed = _Exact(large, 2).read(), parse(large, max_nesting=2)
    assert (parsed.code, parsed.offset, repr(parsed.value)) == (exact.code, exact.offset, repr(exact.value))


@settings(max_examples=examples(300), deadline=None)
@given(json_values, st.data())
def test_what_json_writes_is_read_back(value: object, data: st.DataObject) -> None:
    text = json.dumps(value, default=float, ensure_ascii=data.draw(st.booleans()))
    parsed = parse(text, max_nesting=64)
    if parsed.code is None:
        assert json.loads(text) == json.loads(json.dumps(parsed.value, default=float))

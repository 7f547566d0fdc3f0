from itertools import product

from replay.validator import Turn
from replay.validator._machine import slots as _slots
from replay.validator._machine.ledger import Ledger
from replay.validator._machine.slots import BREACH, STEP, Position, Sign, Slots, utf8_size
from replay.validator.codes import Code
from replay.validator.limits import Limits


def machine(**limits: int) -> tuple[Ledger, Slots]:
    ledger = Ledger(frozenset())
    return ledger, Slots(ledger, Limits(**limits))


def codes(ledger: Ledger) -> list[tuple[Code, int | None, int | None]]:
    return [(finding.code, finding.choice, finding.slot) for finding in ledger.findings]


def test_the_tables_are_total_and_disjoint() -> None:
    assert STEP.keys() | BREACH.keys() == set(product(Position, Sign))
    assert not STEP.keys() & BREACH.keys()


def test_the_table_at_the_top_of_the_module_is_that_of_the_code() -> None:
    assert _slots.__doc__ is not None
    rows = [line.split() for line in _slots.__doc__.splitlines()]
    shown = {row[0]: row[1:] for row in rows if len(row) == 4 and row[0] in set(Position)}
    for position in Position:
        says = [STEP.get((position, sign)) or BREACH[position, sign] for sign in Sign]
        assert shown[position.value] == [one.value for one in says]


def test_the_stream_at_the_top_of_the_module_moves_as_it_says() -> None:
    def chunk(*entries: object, finish: str | None = None) -> dict[str, object]:
        return {"choices": [{"index": 0, "delta": {"tool_calls": list(entries)}, "finish_reason": finish}]}

    def call(index: int, text: str, **members: str) -> dict[str, object]:
        return {"index": index, "id": members.get("id"), "function": {"name": members.get("name"), "arguments": text}}

    turn = Turn(profile="openai", tool_schemas={"weather": {}})
    seen = []
    for payload in (
        chunk(call(0, '{"ci', id="call_a", name="weather")),
        chunk(call(1, '{"city', id="call_b", name="weather")),
        chunk(call(0, 'ty":"Oslo"}')),
        chunk(finish="tool_calls"),
        chunk(call(1, '":"Rome"}')),
    ):
        turn.feed(payload)
        seen.append([one.state.value for one in turn.snapshot().calls])
    assert seen[:4] == [["accumulating"], ["accumulating"] * 2, ["accumulating"] * 2, ["terminal"] * 2]
    report = turn.close()
    assert [finding.code for finding in report.findings] == [Code.DELTA_AFTER_TERMINAL]
    assert [(one.arguments, one.state.value) for one in report.calls] == [
        ('{"city":"Oslo"}', "validated"),
        ('{"city', "blocked"),
    ]
    assert not report.executable


def test_no_step_leads_back() -> None:
    order = list(Position)
    assert all(order.index(before) <= order.index(after) for (before, _), after in STEP.items())


def test_a_late_id_and_a_late_name_are_taken() -> None:
    ledger, slots = machine()
    slot = slots.start(0, 0, event=0)
    assert slot is not None
    slots.identify(slot, id=None, name="a", event=0)
    slots.identify(slot, id="x", name=None, event=1)
    slots.close(slot, event=2)
    assert (slot.id, slot.name, codes(ledger)) == ("x", "a", [])


def test_the_first_identity_stays_and_a_delta_with_two_conflicts_is_one_finding() -> None:
    ledger, slots = machine()
    slot = slots.start(0, 4, event=0)
    assert slot is not None
    slots.identify(slot, id="x", name="a", event=0)
    slots.identify(slot, id="y", name="b", event=1)
    assert (slot.id, slot.name) == ("x", "a")
    assert codes(ledger) == [(Code.IDENTITY_COLLISION, 0, 4)]


def test_a_refused_id_is_not_compared_with_other_slots() -> None:
    ledger, slots = machine()
    first, second = slots.start(0, 0, event=0), slots.start(0, 1, event=0)
    assert first is not None
    assert second is not None
    slots.identify(first, id="x", name=None, event=0)
    slots.identify(second, id="y", name=None, event=1)
    slots.identify(second, id="x", name=None, event=2)
    assert codes(ledger) == [(Code.IDENTITY_COLLISION, 0, 1)]


def test_one_id_in_two_slots_of_a_choice_is_reported_on_the_later_one_and_across_choices_not_at_all() -> None:
    ledger, slots = machine()
    for place, (choice, index) in enumerate([(0, 5), (0, 2), (1, 0)]):
        slot = slots.start(choice, index, event=place)
        assert slot is not None
        slots.identify(slot, id="x", name=None, event=place)
    assert codes(ledger) == [(Code.DUPLICATE_ID, 0, 2)]


def test_exactly_the_limit_of_bytes_is_allowed_and_counted_in_utf8() -> None:
    ledger, slots = machine(max_slot_bytes=5)
    slot = slots.start(0, 0, event=0)
    assert slot is not None
    slots.append(slot, "€", 0)
    slots.append(slot, "é", 1)
    assert (slot.text(), slot.size, codes(ledger)) == ("€é", 5, [])
    slots.append(slot, "x", 2)
    slots.append(slot, "", 3)
    assert (slot.text(), slots.is_blocked(slot)) == ("€é", True)
    assert codes(ledger) == [(Code.LIMIT_EXCEEDED, 0, 0)]


def test_over_the_bytes_of_the_turn_every_later_fragment_is_dropped_and_blocks_its_slot() -> None:
    ledger, slots = machine(max_turn_bytes=4)
    first, second, third = (slots.start(0, index, event=0) for index in range(3))
    assert first is not None
    assert second is not None
    assert third is not None
    slots.append(first, "abcd", 0)
    slots.append(second, "e", 1)
    slots.append(third, "", 2)
    assert codes(ledger) == [(Code.LIMIT_EXCEEDED, None, None)]
    assert [slots.is_blocked(slot) for slot in (first, second, third)] == [False, True, True]


def test_a_slot_over_the_limit_is_not_opened_but_counts_as_a_tool_slot() -> None:
    ledger, slots = machine(max_slots=0)
    assert slots.start(0, 0, event=7) is None
    assert (list(slots.ascending()), slots.any_tool_slot, slots.any_opened) == ([], True, False)
    assert codes(ledger) == [(Code.LIMIT_EXCEEDED, None, None)]


def test_a_late_slot_is_listed_blocked_and_never_counts_as_open() -> None:
    ledger, slots = machine()
    slots.list_late(0, 3, event=1)
    (late,) = slots.ascending()
    assert (late.position, late.id, late.text()) == (Position.UNSEEN, None, "")
    assert (slots.is_blocked(late), slots.open, codes(ledger)) == (True, 0, [])


def test_what_is_missing_is_reported_at_the_terminal_id_before_name() -> None:
    ledger, slots = machine()
    slot = slots.start(0, 0, event=0)
    assert slot is not None
    slots.close(slot, event=4)
    assert [(finding.code, finding.event) for finding in ledger.findings] == [
        (Code.MISSING_ID, 4),
        (Code.MISSING_NAME, 4),
    ]


def test_a_lone_surrogate_counts_the_bytes_it_would_take() -> None:
    assert [utf8_size(text) for text in ("", "a", "\ud800", "\U0001f600")] == [0, 1, 3, 4]

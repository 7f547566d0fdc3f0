from replay.validator._machine.ledger import Ledger
from replay.validator._messages import Reason
from replay.validator.codes import Allowance, Code
from replay.validator.findings import Place


def test_the_first_finding_of_a_code_at_a_place_stays() -> None:
    ledger = Ledger(frozenset())
    for event in (3, 4):
        ledger.keep(Code.MALFORMED_EVENT, "first" if event == 3 else "again", Place(0, event=event))
    ledger.keep(Code.MALFORMED_EVENT, "elsewhere", Place(0, 0, 5))
    assert [(finding.message, finding.event) for finding in ledger.findings] == [("first", 3), ("elsewhere", 5)]


def test_only_a_finding_that_names_the_slot_or_a_wrong_terminal_of_its_choice_blocks_it() -> None:
    ledger = Ledger(frozenset())
    ledger.keep(Code.STREAM_ERROR, "turn", Place())
    ledger.keep(Code.DUPLICATE_TERMINAL, "choice", Place(0))
    assert not ledger.blocks(0, 1)
    ledger.keep(Code.WRONG_TERMINAL, "choice", Place(1))
    ledger.keep(Code.MISSING_ID, "slot", Place(0, 2))
    assert [ledger.blocks(*place) for place in ((1, 0), (0, 2), (0, 1), (2, 2))] == [True, True, False, False]


def test_a_slot_level_finding_names_its_choice_and_a_turn_level_one_names_none() -> None:
    ledger = Ledger(frozenset())
    ledger.keep(Code.MALFORMED_EVENT, "turn", Place())
    assert not ledger.names(0)
    ledger.keep(Code.MALFORMED_EVENT, "slot", Place(0, 1))
    assert ledger.names(0)


def test_a_reason_becomes_a_finding_with_its_values_filled_in() -> None:
    ledger = Ledger(frozenset())
    ledger.report(Reason.TOO_MANY_SLOTS, Place(event=7), limit=3)
    ledger.report(Reason.NON_OBJECT, Place(0, 1))
    assert [(finding.code, finding.message, finding.event) for finding in ledger.findings] == [
        (Code.LIMIT_EXCEEDED, "a turn may have 3 slots (max_slots); this one is not opened", 7),
        (Code.NON_OBJECT_ARGUMENTS, "the arguments must be a JSON object, for example {}", None),
    ]


def test_an_allowance_that_is_not_in_force_is_not_used_and_uses_are_not_once() -> None:
    ledger = Ledger(frozenset({Allowance.MESSAGE_MIRROR}))
    assert not ledger.use(Allowance.REPEATED_TERMINAL, Place(0, event=0))
    assert ledger.use(Allowance.MESSAGE_MIRROR, Place(0, event=0))
    assert ledger.use(Allowance.MESSAGE_MIRROR, Place(0, event=0))
    assert len(ledger.uses) == 2

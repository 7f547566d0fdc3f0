from replay.validator._ledger import Ledger
from replay.validator.codes import Allowance, Code


def test_the_first_finding_of_a_code_at_a_place_stays() -> None:
    ledger = Ledger(frozenset())
    for event in (3, 4):
        ledger.report(Code.MALFORMED_EVENT, "first" if event == 3 else "again", choice=0, event=event)
    ledger.report(Code.MALFORMED_EVENT, "elsewhere", choice=0, slot=0, event=5)
    assert [(finding.message, finding.event) for finding in ledger.findings] == [("first", 3), ("elsewhere", 5)]


def test_only_a_finding_that_names_the_slot_or_a_wrong_terminal_of_its_choice_blocks_it() -> None:
    ledger = Ledger(frozenset())
    ledger.report(Code.STREAM_ERROR, "turn")
    ledger.report(Code.DUPLICATE_TERMINAL, "choice", choice=0)
    assert not ledger.blocks(0, 1)
    ledger.report(Code.WRONG_TERMINAL, "choice", choice=1)
    ledger.report(Code.MISSING_ID, "slot", choice=0, slot=2)
    assert [ledger.blocks(*place) for place in ((1, 0), (0, 2), (0, 1), (2, 2))] == [True, True, False, False]


def test_a_slot_level_finding_names_its_choice_and_a_turn_level_one_names_none() -> None:
    ledger = Ledger(frozenset())
    ledger.report(Code.MALFORMED_EVENT, "turn")
    assert not ledger.names(0)
    ledger.report(Code.MALFORMED_EVENT, "slot", choice=0, slot=1)
    assert ledger.names(0)


def test_an_allowance_that_is_not_in_force_is_not_used_and_uses_are_not_once() -> None:
    ledger = Ledger(frozenset({Allowance.MESSAGE_MIRROR}))
    assert not ledger.use(Allowance.REPEATED_TERMINAL, choice=0, slot=None, event=0)
    assert ledger.use(Allowance.MESSAGE_MIRROR, choice=0, slot=None, event=0)
    assert ledger.use(Allowance.MESSAGE_MIRROR, choice=0, slot=None, event=0)
    assert len(ledger.uses) == 2

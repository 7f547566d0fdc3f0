"""What was handed over, held against the verdict."""

from decimal import Decimal

import pytest

from replay.diff.outcomes import End, Handed, Heard, Outcome, Unreadable, compare, equal, shown
from replay.validator import Call, Code, Finding, Report, State, Status


def call(identity: str, arguments: str = '{"n": 1}', name: str = "say") -> Call:
    return Call(choice=0, slot=0, id=identity, name=name, arguments=arguments, state=State.VALIDATED)


def handed(identity: str, arguments: object = '{"n": 1}', name: object = "say") -> Handed:
    return Handed(name=name, arguments=arguments, id=identity, has_id=True)


PASSED = Report(status=Status.PASS, profile="openai", calls=[call("a"), call("b")])
BLOCKED = Report(
    status=Status.BLOCKED,
    profile="openai",
    calls=[call("a")],
    findings=[Finding(code=Code.MISSING_TERMINAL, message="")],
)
TEXT = Report(status=Status.NOT_APPLICABLE, profile="openai")
A, B = handed("a"), handed("b")


@pytest.mark.parametrize(
    ("report", "calls", "end", "outcome"),
    [
        (PASSED, (A, B), End.RETURNED, Outcome.AGREE),
        (PASSED, (B, A), End.RETURNED, Outcome.AGREE),
        (PASSED, (A, B), End.REFUSED, Outcome.AGREE),
        (PASSED, (A, B), End.BROKEN, Outcome.CRASH),
        (PASSED, (A, B), End.HUNG, Outcome.HANG),
        (PASSED, (A,), End.RETURNED, Outcome.LOST),
        (PASSED, (), End.REFUSED, Outcome.LOST),
        (PASSED, (A,), End.BROKEN, Outcome.CRASH),
        (PASSED, (), End.HUNG, Outcome.HANG),
        (PASSED, (), End.UNASKED, Outcome.CRASH),
        (PASSED, (A, B), End.LATE, Outcome.CRASH),
        (PASSED, (A, handed("c")), End.LATE, Outcome.WRONG),
        (BLOCKED, (A,), End.LATE, Outcome.UNSAFE),
        (PASSED, (A, B, A), End.RETURNED, Outcome.WRONG),
        (PASSED, (A, handed("c")), End.RETURNED, Outcome.WRONG),
        (PASSED, (A, handed("c")), End.HUNG, Outcome.WRONG),
        (PASSED, (handed("a", name="Say"), B), End.RETURNED, Outcome.WRONG),
        (PASSED, (handed("a", name=Unreadable.CALL), B), End.RETURNED, Outcome.WRONG),
        (BLOCKED, (), End.RETURNED, Outcome.AGREE),
        (BLOCKED, (), End.REFUSED, Outcome.AGREE),
        (BLOCKED, (), End.BROKEN, Outcome.CRASH),
        (BLOCKED, (), End.UNASKED, Outcome.CRASH),
        (BLOCKED, (), End.HUNG, Outcome.HANG),
        (BLOCKED, (A,), End.RETURNED, Outcome.UNSAFE),
        (BLOCKED, (A,), End.REFUSED, Outcome.UNSAFE),
        (BLOCKED, (A,), End.BROKEN, Outcome.UNSAFE),
        (BLOCKED, (A,), End.HUNG, Outcome.UNSAFE),
        (TEXT, (), End.RETURNED, Outcome.AGREE),
        (TEXT, (A,), End.RETURNED, Outcome.UNSAFE),
    ],
)
def test_the_outcome_of_calls_and_ending(report: Report, calls: tuple[Handed, ...], end: End, outcome: Outcome) -> None:
    assert compare(report, Heard(handed=calls, end=end)) is outcome


@pytest.mark.parametrize(
    ("sent", "arguments", "same"),
    [
        ('{"n": 1}', '{"n": 1}', True),
        ('{"n": 1}', '{"n":1.0}', True),
        ('{"n": 1}', {"n": 1}, True),
        ('{"n": 1, "m": [null]}', {"m": [None], "n": Decimal("1.00")}, True),
        ('{"n": 1}', {"n": True}, False),
        ('{"n": 1}', {"n": "1"}, False),
        ('{"n": 1}', '{"n": 1', False),
        ('{"n": 1}', "", False),
        ('{"n": 1}', None, False),
        ("{}", "", False),
        ("{}", {}, True),
        ('{"n": 12345678901234567890}', {"n": 12345678901234567168}, False),
        ('{"n": 0.1}', {"n": Decimal("0.1")}, True),
        ('{"n": 0.1}', {"n": float("nan")}, False),
        ('{"n": 1}', '{"n": 2, "n": 1}', False),
    ],
)
def test_arguments_are_compared_by_value(sent: str, arguments: object, same: bool) -> None:
    assert equal(call("a", sent), handed("a", arguments)) is same


@pytest.mark.parametrize("given", ['{"n":1}', {"n": 1}, '{"n": 1} ', None])
def test_the_text_for_a_custom_tool_is_compared_as_it_stands(given: object) -> None:
    report = Report(status=Status.PASS, profile="openai-responses", calls=[call("a")])
    assert compare(report, Heard(handed=(A,), end=End.RETURNED), texts={"say"}) is Outcome.AGREE
    changed = Heard(handed=(handed("a", given),), end=End.RETURNED)
    assert compare(report, changed, texts={"say"}) is Outcome.WRONG


def test_a_text_that_is_no_json_equals_itself_alone() -> None:
    assert equal(call("a", "*** Begin"), handed("a", "*** Begin"), texts={"say"})
    assert not equal(call("a", "*** Begin"), handed("a", "null"), texts={"say"})


def test_a_client_that_gives_no_id_has_none_compared() -> None:
    assert equal(call("a"), Handed(name="say", arguments='{"n": 1}'))
    assert not equal(call("a"), handed("b"))


def test_calls_are_shown_as_texts_and_never_in_a_repr() -> None:
    one = handed("a", {"b": [Decimal("1.5"), "ü"]}, name=Unreadable.CALL)
    assert shown([one, Handed(name="x", arguments="y")])[1] == ("x", "", "y")
    assert shown([one])[0][1:] == ("a", '{"b": ["1.5", "\\u00fc"]}')
    assert repr(handed("CANARY", "CANARY", "CANARY")).count("CANARY") == 0

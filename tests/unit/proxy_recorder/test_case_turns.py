"""Turns of a case are numbered by the start of their requests, whatever ends first."""

from hypothesis import given
from hypothesis import strategies as st

from proxy_addon.recorder.requests.case_turns import CaseTurns
from proxy_addon.writing.cases import CASE_NAME, Turn, number_of


def test_a_turn_that_ends_first_keeps_its_number() -> None:
    turns, told = CaseTurns(), []
    first, refused, third, other = (turns.start(case) for case in ("a", "a", "a", "b"))
    for request in (third, other):
        turns.is_turn(request)
        turns.when_numbered(request, told.append)
    assert told == [Turn(case="b", number=1)]  # what came of the requests before the third is not known
    turns.is_none(refused)
    turns.is_turn(first)
    assert told == [Turn(case="b", number=1), Turn(case="a", number=2)]
    turns.when_numbered(first, told.append)
    assert told[-1] == Turn(case="a", number=1)


def test_what_is_known_of_a_request_does_not_change() -> None:
    turns, told = CaseTurns(), []
    first = turns.start("a")
    turns.is_turn(first)
    turns.is_none(first)  # it ends
    turns.when_numbered(first, told.append)
    assert told == [Turn(case="a", number=1)]


@given(answers=st.lists(st.booleans(), max_size=8), seed=st.randoms(use_true_random=False))
def test_the_order_of_the_answers_does_not_matter(answers: list[bool], seed: object) -> None:
    turns, told = CaseTurns(), {}
    requests = [turns.start("a") for _ in answers]
    steps = list(enumerate(requests))
    seed.shuffle(steps)  # type: ignore[attr-defined]
    for at, request in steps:
        (turns.is_turn if answers[at] else turns.is_none)(request)
        if answers[at]:
            turns.when_numbered(request, lambda turn, at=at: told.__setitem__(at, turn.number))
    assert told == {at: sum(answers[: at + 1]) for at in range(len(answers)) if answers[at]}


@given(case=st.from_regex(CASE_NAME, fullmatch=True), number=st.integers(1, 99_999))
def test_a_file_is_a_turn_of_one_case_alone(case: str, number: int) -> None:
    file = Turn(case=case, number=number).file
    assert number_of(file, case) == number
    assert not [end for end in range(1, len(case)) if number_of(file, case[:end]) is not None]


def test_what_is_no_number_is_no_turn() -> None:
    others = ("a+1.json", "a+02.json", "a+.json", "a+x.json", "a-2.json", "ab.json", "a", "a+2", "a+2.expected.json")
    assert [number_of(file, "a") for file in others] == [None] * len(others)

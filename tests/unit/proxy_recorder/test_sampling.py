"""Which turns are wanted."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy_addon.writing.sampling import Only, Sample
from redaction.captured.exchange import Each, Sampled
from replay.validator import Status, validate

TEXT = validate(b'{"profile": "openai", "tool_schemas": {}, "chunks": []}')
CALL = validate(
    b'{"profile": "openai", "tool_schemas": {"t": {}}, "chunks": [{"choices": [{"index": 0, "delta": {"tool_calls": [{'
    b'"index": 0, "id": "call_1", "type": "function", "function": {"name": "t", "arguments": "{}"}}]}, "finish_reason":'
    b' "tool_calls"}]}]}'
)


@pytest.mark.parametrize("status", list(Status))
def test_a_verdict_is_wanted_by_name_or_with_all_others(status: Status) -> None:
    report = replace(TEXT, status=status)
    assert Only.ALL.takes(report)
    assert Only.BLOCKED.takes(report) is (status is Status.BLOCKED)
    assert Only.PASS.takes(report) is (status is Status.PASS)
    assert Only.CALLS.takes(report) is (status is Status.BLOCKED)


def test_a_turn_with_a_call_is_wanted_whatever_its_verdict() -> None:
    assert (len(CALL.calls), CALL.status) == (1, Status.PASS)
    assert all(Only.CALLS.takes(replace(CALL, status=status)) for status in Status)


def taken(sample: Sample, upstream: str, count: int) -> list[bool]:
    return [sample.take(upstream) is not None for _ in range(count)]


def test_a_sample_is_the_first_of_every_so_many_of_an_upstream() -> None:
    sample = Sample({"b": 2}, other=3)
    assert taken(sample, "a", 4) == [True, False, False, True]
    assert taken(sample, "b", 3) == [True, False, True]
    assert taken(sample, "a", 3) == [False, False, True]
    assert taken(Sample(), "a", 3) == [True] * 3


def test_how_a_turn_came_into_the_sample_is_told_with_it() -> None:
    sample = Sample({"b": 2}, other=1)
    assert sample.take("b") == Sampled(one_in=2, of=Each.STREAM)
    assert sample.take("a", "s") == Sampled(one_in=1, of=Each.SESSION)


@given(st.text(min_size=1), st.integers(1, 50), st.integers(1, 20))
def test_a_session_is_in_a_sample_or_not_in_every_run_and_a_rarer_sample_is_part_of_it(
    session: str, number: int, times: int
) -> None:
    one, other = Sample(other=number), Sample({"u": number * times})
    decided = {one.take("u", session) is not None for _ in range(3)}
    assert len(decided) == 1
    assert other.take("u", session) is None or decided == {True}


def test_of_many_sessions_about_one_in_so_many_is_taken_and_streams_without_one_are_counted_alone() -> None:
    sample = Sample(other=10)
    found = sum(sample.take("u", f"session-{number}") is not None for number in range(10_000))
    assert 850 < found < 1150
    assert taken(sample, "u", 2) == [True, False]
    assert sample.take("u", "") is None

"""Numbers that answer several assertions at once: those nearest to 0 first."""

from decimal import Decimal
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.nightly import examples

from redaction.witnesses.number_search import numbers
from redaction.witnesses.text_search import Wanted
from replay.validator.schema import violation

D = Decimal


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ([("minimum", 1, True), ("multipleOf", 6, True), ("multipleOf", 10, True)], [30, 60, 90]),
        ([("type", "integer", True), ("exclusiveMinimum", 3, True), ("maximum", 6, True)], [3, 4, 5]),
        ([("maximum", -7, True), ("multipleOf", 2, True)], [-8, -10, -12]),
        ([("minimum", D("0.001"), True), ("maximum", D("0.002"), True)], [D("0.001"), D("0.002"), D("0.0011")]),
        ([("minimum", 5, False), ("maximum", 4, False), ("multipleOf", D("0.25"), True)], [4, D("4.25"), D("4.5")]),
        ([("minimum", 9, True), ("maximum", 8, True)], []),
    ],
)
def test_the_numbers_nearest_to_zero_come_first(wanted: list[Wanted], expected: list[Decimal]) -> None:
    assert [*islice(numbers(wanted), 3)] == expected


factors = st.sampled_from([2, 3, 5, 7, 10, D("0.5"), D("0.01"), D("2.5")])
bounds = st.sampled_from(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"])
keywords = st.one_of(
    st.tuples(bounds, st.integers(-60, 60)),
    st.tuples(st.just("multipleOf"), factors),
    st.just(("type", "integer")),
)


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(keywords, min_size=1, max_size=4), st.decimals(-70, 70, places=2))
def test_where_a_number_answers_the_search_has_one_that_does(asked: list[tuple[str, object]], number: Decimal) -> None:
    def held(value: Decimal) -> list[bool]:
        return [violation({keyword: argument}, value) is None for keyword, argument in asked]

    wanted = [(*one, holds) for one, holds in zip(asked, held(number), strict=True)]
    assert any(held(found) == held(number) for found in numbers(wanted))

"""Entries in the order of their requests, whatever the order in which the source has them."""

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy_addon.importing import order
from proxy_addon.importing.entries import Entry, Item, SourceError, Unusable
from proxy_addon.importing.readers import har_times


def entry(began: float | None, *, size: int = 0) -> Entry:
    return Entry(
        method="POST",
        url="",
        request_headers=(),
        request_body=None,
        status=200,
        response_headers=(),
        body=bytes(size),
        began=began,
    )


def numbers(*items: Item) -> list[int]:
    return [number for number, _ in order.in_order(iter(items), order.beginnings(items))]


def test_an_entry_that_began_first_comes_first_and_keeps_its_number() -> None:
    assert numbers(entry(2), entry(1), entry(3)) == [2, 1, 3]
    assert numbers(entry(1), entry(1), entry(1)) == [1, 2, 3]
    assert numbers() == []


def test_an_entry_of_which_nothing_is_known_stays_behind_the_one_before_it() -> None:
    assert numbers(entry(None), entry(7), Unusable.TOO_LARGE, entry(6), entry(None)) == [1, 4, 5, 2, 3]


def test_every_order_is_the_one_of_the_beginnings() -> None:
    for times in itertools.permutations(range(5)):
        assert [times[number - 1] for number in numbers(*map(entry, times))] == sorted(times)


def test_a_source_that_breaks_off_gives_what_it_has_before_it_says_so() -> None:
    def broken() -> Iterator[Item]:
        yield entry(2)
        yield entry(1)
        raise SourceError(Path("x"), "broken")

    reading = order.in_order(broken(), order.beginnings(broken()))
    assert [next(reading)[0], next(reading)[0]] == [2, 1]
    with pytest.raises(SourceError):
        next(reading)


def test_what_waits_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order, "_MOST_HELD", 100)
    times = random.Random(1).sample(range(200), 200)
    entries = [entry(at, size=10) for at in times]
    assert sorted(numbers(*entries)) == list(range(1, 201))


@pytest.mark.parametrize(
    ("told", "began"),
    [
        ("1970-01-01T00:00:01.500Z", 1.5),
        ("1970-01-01T01:00:02+01:00", 2),
        ("soon", None),
        (7, None),
        (None, None),
    ],
)
def test_a_har_tells_when_an_entry_began(told: object, began: float | None) -> None:
    assert har_times.began({"startedDateTime": told}) == began

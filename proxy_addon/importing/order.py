"""The entries of a source in the order in which their requests began, each with its number in the source.

A proxy writes an exchange down when it is over, so of two at once the shorter one stands first, whichever began first:
entries that began at 10:01, 10:00 and 10:02 come as 2, 1, 3. Turns of a case are numbered in this order, as the
recorder numbers them. Knows entries; knows no file.
"""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, unique
from typing import Final

from proxy_addon.importing.entries import MAX_ENTRY_BYTES, Entry, Item, SourceError

# What is held of entries that wait for one behind them. Past it the earliest goes on: two at once are near each other
# in a source, and one that is far away is more likely to have a clock of its own.
_MOST_HELD: Final = MAX_ENTRY_BYTES


@unique
class Order(Enum):
    """The order in which the entries of a source are taken."""

    BEGUN = "as their requests began, where the source says that; turns of a case are numbered so"
    AS_THEY_STAND = "as they stand in the source"


def beginnings(items: Iterable[Item]) -> list[float]:
    """When each of the items began, up to where the source breaks off; one that does not say it, when the last did."""
    found: list[float] = []
    last = float("-inf")
    try:
        for item in items:
            if isinstance(item, Entry) and item.began is not None:
                last = item.began
            found.append(last)
    except SourceError:
        pass  # it is said when the items are read
    return found


def in_order(items: Iterable[Item], began: Sequence[float]) -> Iterator[tuple[int, Item]]:
    """The items by when they began, each with its number, from 1."""
    ranks = {at: rank for rank, at in enumerate(sorted(range(len(began)), key=lambda at: began[at]))}
    waiting: list[tuple[int, int, Item]] = []
    following = held = 0
    for at, item in enumerate(items):
        heapq.heappush(waiting, (ranks.get(at, at), at, item))
        held += size(item)
        while waiting and (waiting[0][0] <= following or held > _MOST_HELD):
            rank, first, found = heapq.heappop(waiting)
            held -= size(found)
            following = max(following, rank + 1)
            yield first + 1, found
    for _, first, found in sorted(waiting):
        yield first + 1, found


def size(item: Item) -> int:
    """The bytes of an item that are held in memory, most of them at least."""
    return len(item.body or b"") + len(item.request_body or b"") if isinstance(item, Entry) else 0

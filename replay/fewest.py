"""The fewest items that still show what is looked for: of a list of events, of cuts, of anything in an order.

Example: of the numbers 0 to 99 with `keeps` asking for 7 and 8 among them, `fewest` gives `[7, 8]`. It takes out
halves, then quarters and so on, as delta debugging does. Knows nothing of what the items are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Item = TypeVar("Item")


def fewest(items: Sequence[Item], keeps: Callable[[Sequence[Item]], bool]) -> list[Item]:
    """Items that are needed: of what is left none can be taken out, by itself or with its neighbours."""
    kept = list(items)
    size = max(1, len(kept) // 2)
    while kept:
        at, before = 0, len(kept)
        while at < len(kept):
            tried = kept[:at] + kept[at + size :]
            if keeps(tried):
                kept = tried
            else:
                at += size
        if size == 1 and len(kept) == before:
            break
        size = max(1, min(size // 2, len(kept) // 2))
    return kept

"""How often something took how long, in classes of bounded number: the shape that a histogram of Prometheus has."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Buckets:
    """The numbers of a histogram. `counts` has one more than `bounds`: what is above the last one. All in seconds."""

    bounds: tuple[float, ...]
    counts: tuple[int, ...]
    total: float


class Histogram:
    """Counts durations by the first bound that they do not pass. One thread observes, any thread may look."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds: Final = tuple(bounds)
        self._counts: Final = [0] * (len(self._bounds) + 1)
        self._total = 0.0

    def observe(self, seconds: float) -> None:
        """Count one more."""
        self._counts[bisect_left(self._bounds, seconds)] += 1
        self._total += seconds

    def add(self, others: Buckets) -> None:
        """Count what another histogram of the same bounds has counted."""
        for at, count in enumerate(others.counts):
            self._counts[at] += count
        self._total += others.total

    def taken(self) -> Buckets:
        """The numbers since they were taken the last time; by the thread that observes."""
        found = self.buckets()
        self._counts[:] = [0] * len(self._counts)
        self._total = 0.0
        return found

    def buckets(self) -> Buckets:
        """The numbers so far."""
        return Buckets(self._bounds, tuple(self._counts), self._total)

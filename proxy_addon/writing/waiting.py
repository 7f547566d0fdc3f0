"""The captures that wait for redaction, and the results that wait for their turn, bounded by the bytes that they hold.

Several threads take captures, and finish them in any order; results come out in the order in which the captures came
in. So the same traffic gives the same folder with one redaction process and with eight.

When redaction lags, the newest capture is given up: what waits already is never given up for what comes later. Half of
the memory of all captures is for those that wait, so that the other half stays for streams that are still received.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from proxy_addon.writing.finished import Finished
from proxy_addon.writing.histogram import Histogram

# In seconds. Most captures take milliseconds; where redaction lags, some may wait for minutes.
LAGS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)

Result = TypeVar("Result")

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Numbered:
    """A capture that was taken, and where it stands in the order."""

    number: int
    finished: Finished


@dataclass(slots=True)
class _Place(Generic[Result]):
    """The place of one capture in the order, from its coming in until its result is settled."""

    size: int
    since: float
    result: Result | None = None


class Waiting(Generic[Result]):
    """The line of captures. `limit` bounds, in bytes, what all of them hold; but one is always taken.

    `clock` gives seconds, since whatever moment.
    """

    def __init__(self, limit: int, *, clock: Clock = time.monotonic) -> None:
        self._limit: Final = limit
        self._clock: Final = clock
        lock = threading.Lock()
        self._captures = threading.Condition(lock)
        self._results = threading.Condition(lock)
        self._queue: deque[Numbered] = deque()
        self._places: deque[_Place[Result]] = deque()  # of what is not settled, in order; the first is `_first`
        self._first = 0
        self._size = 0
        self._closed = False
        self.lag: Final = Histogram(LAGS)  # from coming in until being settled

    @property
    def length(self) -> int:
        """How many captures are not settled yet."""
        return len(self._places)

    @property
    def size(self) -> int:
        """The bytes that they hold."""
        return self._size

    @property
    def age(self) -> float:
        """For how many seconds the oldest of them has waited."""
        with self._captures:
            return self._clock() - self._places[0].since if self._places else 0.0

    def put(self, finished: Finished) -> bool:
        """Add a capture; False, and nothing added, where those that wait would hold too much. Never waits."""
        with self._captures:
            if self._places and self._size + finished.size > self._limit:
                return False
            self._queue.append(Numbered(self._first + len(self._places), finished))
            self._places.append(_Place(finished.size, self._clock()))
            self._size += finished.size
            self._captures.notify()
            return True

    def take(self) -> Numbered | None:
        """The next capture, once there is one; None where none will come any more."""
        with self._captures:
            while not self._queue:
                if self._closed:
                    return None
                self._captures.wait()
            return self._queue.popleft()

    def give(self, number: int, result: Result) -> None:
        """Hand in the result of the capture that was taken with this number."""
        with self._results:
            self._places[number - self._first].result = result
            self._results.notify()

    def next(self) -> Result | None:
        """The result of the oldest capture that is not settled, once it is there; None where none will come any more.

        The capture keeps its place until `settled` is called.
        """
        with self._results:
            while not self._places or self._places[0].result is None:
                if self._closed and not self._places:
                    return None
                self._results.wait()
            return self._places[0].result

    def settled(self) -> int:
        """Take the oldest capture out of the order; the bytes that it held."""
        with self._results:
            place = self._places.popleft()
            self._first += 1
            self._size -= place.size
            self.lag.observe(self._clock() - place.since)
            return place.size

    def close(self) -> None:
        """Take no more captures than are there."""
        with self._captures:
            self._closed = True
            self._captures.notify_all()
            self._results.notify_all()

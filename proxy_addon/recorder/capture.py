"""A capture while its stream is received: the pieces in memory, within bounds. Raw data, which no repr shows.

It knows bytes and bounds; it knows no mitmproxy, no framing, no JSON. It lives on the event loop; only its `Budget` is
shared with other threads.
"""

from collections.abc import Callable
from typing import Final

from proxy_addon.writing.finished import Budget, Finished, Head
from proxy_addon.writing.outcomes.settled import Dropped
from redaction.captured.exchange import Ending

# Reserved at once. Asking for each piece would cost as much as all the rest of the tap.
GRANT: Final = 64 * 1024

# What Python keeps for each piece beside its bytes: the object, and its place in a list and in a tuple. Without this a
# stream of small pieces would hold several times what is counted.
PIECE: Final = 64

# Gives seconds, since whatever moment.
Clock = Callable[[], float]


class Capture:
    """One response body that is being received, until it is finished or dropped. What comes later changes nothing.

    `limit` bounds the body in bytes; all that it holds, with `PIECE` for each piece, comes out of `budget`. `clock`, in
    seconds, is given where the times of the pieces are to be kept.
    """

    __slots__ = ("_began", "_budget", "_clock", "_dropped", "_granted", "_head", "_limit", "_pieces", "_size", "_times")

    def __init__(self, head: Head, *, limit: int, budget: Budget, clock: Clock | None = None) -> None:
        self._head: Head | None = head
        self._budget = budget
        self._pieces: list[bytes] = []
        self._clock = clock
        self._began = 0.0 if clock is None else clock()
        self._times: list[int] = []
        self._size = self._granted = head.size  # of the budget, the one used and the other reserved
        self._limit = self._size + limit  # without what is counted for the pieces
        self._dropped: Dropped | None = None
        if not budget.take(self._size):
            self._size = self._granted = 0
            self.drop(Dropped.MEMORY)

    def feed(self, piece: bytes) -> None:
        """Take one piece, or drop the whole capture where a bound would be passed."""
        size = self._size + len(piece) + PIECE
        if size > self._granted and not self._reserve(size):
            return
        self._size = size
        self._pieces.append(piece)
        if self._clock is not None:
            self._times.append(int((self._clock() - self._began) * 1000))

    def drop(self, why: Dropped) -> None:
        """Give the capture up, and keep nothing of it but why. The first reason stays."""
        if self._dropped is None:
            self._dropped = why
            self._budget.give(self._granted)
            self._forget()

    def finish(self, ending: Ending) -> Finished | Dropped:
        """The capture as it is handed over, or why it was dropped. Nothing of it stays here."""
        if self._dropped is not None or self._head is None:
            return self._dropped or Dropped.TAP
        finished = Finished(
            head=self._head, pieces=tuple(self._pieces), size=self._size, ending=ending, times=tuple(self._times)
        )
        self._budget.give(self._granted - self._size)  # the writer gives back the rest, when it is done
        self._forget()
        return finished

    def _forget(self) -> None:
        self._head = None
        self._pieces = []
        self._times = []
        self._size = 0
        self._granted = -1  # so that no piece, not even an empty one, is taken any more

    def _reserve(self, size: int) -> bool:
        """Have the budget for `size` bytes, and for some more so that few pieces have to ask."""
        if self._head is None:
            return False
        most = self._limit + PIECE * (len(self._pieces) + 1)
        if size > most:
            self.drop(Dropped.BODY_LIMIT)
            return False
        for wanted in (min(size + GRANT, most), size):
            if self._budget.take(wanted - self._granted):
                self._granted = wanted
                return True
        self.drop(Dropped.MEMORY)
        return False

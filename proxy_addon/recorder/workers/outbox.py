"""The worker's side: it stands where a recorder alone has its writer, counts and cases, and sends what they get.

The event loop puts messages into a queue, and a thread sends them, so that the loop never waits for the process that
writes. What waits here still counts as held by the budget of the worker.
"""

import contextlib
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from typing import Final

from proxy_addon.recorder.requests.case_turns import CaseTurns, Request
from proxy_addon.recorder.workers.messages import (
    Answer,
    Answered,
    BadCaseName,
    Bug,
    Message,
    Noted,
    Offered,
    PassedBy,
    Seen,
    Started,
    Told,
)
from proxy_addon.writing.cases import Turn
from proxy_addon.writing.finished import Budget, Finished
from proxy_addon.writing.outcomes.counts import Counts
from proxy_addon.writing.outcomes.settled import Dropped, Settled, unwritten
from proxy_addon.writing.outcomes.unrecorded import Kind


class Outbox:
    """Sends what a worker has to say, in order. It is the writer of this worker's recorder.

    `budget` gets back what a capture held once it is sent.
    """

    def __init__(self, channel: Connection, budget: Budget) -> None:
        self._channel: Final = channel
        self._budget: Final = budget
        self._queue: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._abort = threading.Event()
        self._thread = threading.Thread(target=self._run, name="toolreel-outbox", daemon=True)
        self._thread.start()

    def say(self, message: Message) -> None:
        """Have a message sent. Never waits."""
        self._queue.put(message)

    @property
    def running(self) -> bool:
        """Whether there is still something to send, or more may come."""
        return self._thread.is_alive()

    def offer(self, finished: Finished) -> None:
        """Hand over a capture."""
        self.say(Offered(finished))

    def note(self, about: str, says: str) -> None:
        """Have something said that is about no capture."""
        self.say(Noted(about, says))

    def passed(self, kind: Kind) -> None:
        """Have an exchange counted that is not recorded."""
        self.say(PassedBy(kind))

    def tell(self, settled: Settled, *, upstream: str, case: str | None) -> None:
        """Have it counted and said what became of a capture."""
        self.say(Told(settled, upstream, case, said=True))

    def stop(self) -> None:
        """End the thread after what is queued now."""
        self._queue.put(None)

    def abort(self) -> None:
        """Send no more captures: those that wait are dropped."""
        self._abort.set()
        self._queue.put(None)

    def join(self, timeout: float) -> None:
        """Wait until everything is sent."""
        self._thread.join(timeout)

    def _run(self) -> None:
        with contextlib.suppress(OSError):  # who wrote for this worker is gone
            while (message := self._queue.get()) is not None:
                self._send(message)
                del message  # or the last capture would live until the next one comes

    def _send(self, message: Message) -> None:
        if not isinstance(message, Offered):
            self._channel.send(message)
            return
        head, size = message.finished.head, message.finished.size
        if self._abort.is_set():
            self._channel.send(Told(unwritten(Dropped.STOPPED), head.upstream, head.case, said=True))
        else:
            self._channel.send(message)
        self._budget.give(size)


class SentCounts(Counts):
    """The counts of a worker: what its recorder counts is sent. `seen_here` also stands where a dead worker left it."""

    def __init__(self, outbox: Outbox, upstreams: Sequence[str], seen_here: "memoryview[int]") -> None:
        super().__init__()
        self._outbox: Final = outbox
        self._places: Final = {name: at for at, name in enumerate(upstreams)}
        self._seen_here: Final = seen_here

    def seen(self, upstream: str) -> None:
        """Count a turn that was seen: here first, where the count outlives this process."""
        self._seen_here[self._places[upstream]] += 1
        self._outbox.say(Seen(upstream))

    def settled(self, found: Settled, *, upstream: str = "") -> None:
        """Have it counted what became of a capture."""
        self._outbox.say(Told(found, upstream, None, said=False))

    def bad_case_name(self) -> None:
        """Have a case header counted that was removed and not used."""
        self._outbox.say(BadCaseName())

    def bug(self, error: Exception) -> None:
        """Have it counted that a hook raised an exception of this type."""
        self._outbox.say(Bug(type(error).__name__))


@dataclass(slots=True, kw_only=True, eq=False)
class _Sent(Request):
    """A request of this worker, by its number in it."""

    number: int


class SentCaseTurns(CaseTurns):
    """The cases of a worker. The turns of a case may come to several workers, so the process that writes numbers them.

    Until then the number of a turn is that of its request in this worker.
    """

    def __init__(self, outbox: Outbox) -> None:
        super().__init__()
        self._outbox: Final = outbox
        self._numbers: Final = count(1)

    def start(self, case: str) -> Request:
        """Note that a request of this case starts."""
        request = _Sent(case=case, number=next(self._numbers))
        self._outbox.say(Started(request.number, case))
        return request

    def is_turn(self, request: Request) -> None:
        """Note that a stream answers the request."""
        self._answered(request, Answer.STREAM)

    def is_none(self, request: Request) -> None:
        """Note that no stream answers the request, unless one does already."""
        self._answered(request, Answer.OTHER)

    def when_numbered(self, request: Request, then: Callable[[Turn], None]) -> None:
        """Call `then` at once, with a turn that has the number of its request."""
        assert isinstance(request, _Sent), "this worker started it"
        then(Turn(case=request.case, number=request.number))

    def _answered(self, request: Request, answer: Answer) -> None:
        assert isinstance(request, _Sent), "this worker started it"
        self._outbox.say(Answered(request.number, answer))

"""The crew: the workers of a recorder, seen from the process that writes for all of them.

A thread hears each worker, and hands on what it says to the one writer, the one set of counts and the one list of
cases. A worker that dies is started again. The turns that it had seen and not handed over are counted as dropped: how
many those are stands in memory that outlives it.
"""

import contextlib
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from typing import Any, Final

from proxy_addon.recorder.requests.case_turns import CaseTurns, Request
from proxy_addon.recorder.workers.messages import (
    STOP,
    STOP_AT_ONCE,
    Answer,
    Answered,
    BadCaseName,
    Bug,
    Measured,
    Message,
    Noted,
    Offered,
    PassedBy,
    Ready,
    Seen,
    Started,
    Told,
)
from proxy_addon.recorder.workers.template import Template
from proxy_addon.watching.watch import Passage, Passing
from proxy_addon.writing.cases import Turn
from proxy_addon.writing.finished import Budget, Finished
from proxy_addon.writing.outcomes.counts import Counts
from proxy_addon.writing.outcomes.settled import Dropped, unwritten
from proxy_addon.writing.writer import Writer

# A worker that never came to listen is started again after a while, lest one that cannot is started all the time.
_PAUSE_SECONDS: Final = 1.0

ABOUT: Final = "workers"


@dataclass(slots=True, eq=False)
class _Worker:
    """One worker while it lives. `seen` are its turns as it said them, `open` those of which nothing else was said."""

    number: int
    channel: Connection
    listens: bool = False
    seen: Counter[str] = field(default_factory=Counter)
    open: Counter[str] = field(default_factory=Counter)
    requests: dict[int, Request] = field(default_factory=dict)
    passage: Passage | None = None  # what it said last


class Crew:
    """So many workers. `seen_here` has for each how many turns of each upstream it has seen, in all its lives."""

    def __init__(
        self,
        template: Template,
        *,
        seen_here: Sequence[Sequence[int]],
        upstreams: Sequence[str],
        writer: Writer,
        counts: Counts,
        budget: Budget,
        passing: Passing,
    ) -> None:
        self._template: Final = template
        self._seen_here: Final = seen_here
        self._upstreams: Final = upstreams
        self._writer: Final = writer
        self._counts: Final = counts
        self._budget: Final = budget
        self._passing: Final = passing
        self._turns: Final = CaseTurns()
        self._lock = threading.RLock()
        self._workers: dict[int, _Worker] = {}
        self._before: Final = [[0] * len(upstreams) for _ in seen_here]  # in the lives that are over
        self._unnumbered = 0
        self._order: bytes | None = None
        self._take: Final[dict[type, Callable[[_Worker, Any], None]]] = {
            Ready: self._ready,
            Seen: self._seen,
            Offered: self._offered,
            Told: self._told,
            PassedBy: self._passed,
            Noted: self._noted,
            BadCaseName: self._bad_case_name,
            Bug: self._bug,
            Started: self._started,
            Answered: self._answered,
            Measured: self._measured,
        }

    def start(self) -> None:
        """Start all workers."""
        for number in range(len(self._seen_here)):
            self._start(number)

    @property
    def listening(self) -> int:
        """How many of them listen."""
        with self._lock:
            return sum(worker.listens for worker in self._workers.values())

    @property
    def running(self) -> int:
        """How many of them have not ended."""
        with self._lock:
            return len(self._workers)

    @property
    def receiving(self) -> int:
        """How many turns were seen that neither are counted nor were handed to the writer."""
        with self._lock:
            return self._unnumbered + sum(worker.open.total() for worker in self._workers.values())

    @property
    def passages(self) -> list[Passage]:
        """What each worker that lives said last of what passes."""
        with self._lock:
            return [worker.passage for worker in self._workers.values() if worker.passage is not None]

    def stop(self, order: bytes = STOP) -> None:
        """Have the workers take no more connections, serve those they have, and end; or end at once."""
        with self._lock:
            self._order = order
            for worker in self._workers.values():
                with contextlib.suppress(OSError):
                    os.write(worker.channel.fileno(), order)

    def abort(self) -> None:
        """Have them end at once."""
        self.stop(STOP_AT_ONCE)

    def _start(self, number: int) -> None:
        channel = self._template.worker(number)
        worker = _Worker(number, Connection(channel.detach()))
        with self._lock:
            self._workers[number] = worker
        threading.Thread(target=self._hear, args=(worker,), name="toolreel-worker", daemon=True).start()

    def _hear(self, worker: _Worker) -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                message: Message = worker.channel.recv()
                with self._lock:
                    self._take[type(message)](worker, message)
                del message
        self._ended(worker)

    def _ended(self, worker: _Worker) -> None:
        """Count what a worker has left, and start another one in its place unless all ends."""
        with self._lock:
            worker.channel.close()
            del self._workers[worker.number]
            self._settle(worker)
            again = self._order is None
        if not again:
            return
        self._writer.note(ABOUT, "a worker has ended and is started again; its open turns are dropped")
        if not worker.listens:
            time.sleep(_PAUSE_SECONDS)
        with self._lock:
            if self._order is None:
                self._start(worker.number)

    def _settle(self, worker: _Worker) -> None:
        here, before = self._seen_here[worker.number], self._before[worker.number]
        for at, upstream in enumerate(self._upstreams):
            unsaid = here[at] - before[at] - worker.seen[upstream]
            before[at] = here[at]
            for _ in range(unsaid):
                self._counts.seen(upstream)
            for _ in range(worker.open[upstream] + unsaid):
                self._writer.tell(unwritten(Dropped.WORKER), upstream=upstream, case=None)
        worker.open.clear()
        for request in worker.requests.values():
            self._turns.is_none(request)  # those behind them need not wait any more

    def _ready(self, worker: _Worker, _: Ready) -> None:
        worker.listens = True
        if self._order is not None:  # it came too late
            self.stop(self._order)

    def _seen(self, worker: _Worker, message: Seen) -> None:
        worker.seen[message.upstream] += 1
        worker.open[message.upstream] += 1
        self._counts.seen(message.upstream)

    def _offered(self, worker: _Worker, message: Offered) -> None:
        finished = message.finished
        worker.open[finished.head.upstream] -= 1
        request = None if finished.turn is None else worker.requests.pop(finished.turn.number)
        if not self._budget.take(finished.size):
            self._writer.tell(unwritten(Dropped.QUEUE_FULL), upstream=finished.head.upstream, case=finished.head.case)
        elif request is None:
            self._writer.offer(finished)
        else:
            self._unnumbered += 1
            self._turns.when_numbered(request, lambda turn: self._numbered(finished, turn))

    def _numbered(self, finished: Finished, turn: Turn) -> None:
        self._unnumbered -= 1
        self._writer.offer(replace(finished, turn=turn))

    def _told(self, worker: _Worker, message: Told) -> None:
        worker.open[message.upstream] -= 1
        if message.said:
            self._writer.tell(message.settled, upstream=message.upstream, case=message.case)
        else:
            self._counts.settled(message.settled, upstream=message.upstream)

    def _passed(self, _: _Worker, message: PassedBy) -> None:
        self._writer.passed(message.kind)

    def _noted(self, _: _Worker, message: Noted) -> None:
        self._writer.note(message.about, message.says)

    def _bad_case_name(self, _: _Worker, __: BadCaseName) -> None:
        self._counts.bad_case_name()

    def _bug(self, _: _Worker, message: Bug) -> None:
        self._counts.bug_of(message.kind)

    def _measured(self, worker: _Worker, message: Measured) -> None:
        worker.passage = message.passage
        self._passing.add(message.passage)

    def _started(self, worker: _Worker, message: Started) -> None:
        worker.requests[message.number] = self._turns.start(message.case)

    def _answered(self, worker: _Worker, message: Answered) -> None:
        request = worker.requests.get(message.number)
        if request is None:  # its capture was handed over already
            return
        if message.answer is Answer.STREAM:
            self._turns.is_turn(request)
        else:
            self._turns.is_none(request)
            del worker.requests[message.number]

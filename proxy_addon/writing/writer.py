"""The writer: one thread that turns finished captures into files, so that the event loop never waits for one.

The queue is bounded by number here and by bytes in `Budget`; what does not fit is dropped and counted. An exception in
redaction is our bug: it is counted by type, never shown, and the next capture is taken.
"""

import queue
import threading
from collections.abc import Callable, Mapping
from typing import Final

from proxy_addon.writing.counts import Counts, Dropped, LeftOut, Passed
from proxy_addon.writing.exchanges import exchange, is_stream
from proxy_addon.writing.finished import Budget, Finished
from proxy_addon.writing.folder import FixtureFolder, NotWritten, SameShape, Written
from proxy_addon.writing.journal import Event, Journal, Line
from proxy_addon.writing.sampling import Only
from proxy_addon.writing.worker import NoResultError
from redaction.captured.exchange import Exchange, Proved, Refused

# Captures that wait. Redaction takes milliseconds; a queue this long means that the machine cannot follow.
MAX_QUEUED: Final = 256

Redact = Callable[[Exchange], Proved | Refused]


class Writer:
    """Takes finished captures from the event loop and decides each one: written, same shape, refused or dropped."""

    def __init__(
        self,
        *,
        redact: Redact,
        folder: FixtureFolder,
        counts: Counts,
        budget: Budget,
        journal: Journal,
        schemas: Mapping[str, object],
        only: Only = Only.ALL,
        max_queued: int = MAX_QUEUED,
    ) -> None:
        """`redact` and `folder` are called on the writer's thread only; `schemas` are the tools that the user added."""
        self._only: Final = only
        self._redact: Final = redact
        self._folder: Final = folder
        self._counts: Final = counts
        self._budget: Final = budget
        self._journal: Final = journal
        self._schemas: Final = schemas
        self._max_queued: Final = max_queued
        self._queue: queue.SimpleQueue[Finished | None] = queue.SimpleQueue()
        self._abort = threading.Event()
        # A daemon, so that a redaction that hangs cannot keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="toolreel-writer", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether the thread still has something to do, or waits for something."""
        return self._thread.is_alive()

    def offer(self, finished: Finished) -> None:
        """Queue a capture, or drop it where the queue is full. Never waits."""
        if self._queue.qsize() >= self._max_queued:
            self._budget.give(finished.size)
            self.drop(Dropped.QUEUE_FULL, finished.head.upstream, finished.head.case)
        else:
            self._queue.put(finished)

    def note(self, upstream: str, says: str) -> None:
        """Have a notice written to the journal."""
        self._journal.say(Line(event=Event.NOTICE, upstream=upstream, why=says))

    def stop(self) -> None:
        """End the thread after what is queued now."""
        self._queue.put(None)

    def abort(self) -> None:
        """End the thread after the capture that it is at; what waits is dropped."""
        self._abort.set()
        self._queue.put(None)

    def join(self, timeout: float | None = None) -> None:
        """Wait for the thread, if it was ever started."""
        if self._thread.ident is not None:
            self._thread.join(timeout)

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            if self._abort.is_set():
                self._budget.give(item.size)
                self.drop(Dropped.STOPPED, item.head.upstream, item.head.case)
            else:
                size = item.size
                self._take(item)
                self._budget.give(size)
            del item  # or the last capture would live until the next one comes

    def _take(self, finished: Finished) -> None:
        """Decide one capture and count it once, whatever happens."""
        upstream, case = finished.head.upstream, finished.head.case
        fault = ""
        try:
            outcome = self._outcome(finished)
        except NoResultError as error:
            fault = error.why
        except Exception as error:
            fault = type(error).__name__  # and nothing else of it: its text and its frames hold the capture
        if fault and self._abort.is_set():
            self.drop(Dropped.STOPPED, upstream, case)
        elif fault:
            self.drop(Dropped.REDACTION, upstream, case, fault)
        elif outcome is None:
            self._counts.passed(Passed.NOT_A_STREAM)
        elif isinstance(outcome, Dropped):
            self.drop(outcome, upstream, case)
        elif isinstance(outcome, Refused):
            why = f"{outcome.reason.value}{f' ({outcome.note})' if outcome.note else ''}"
            self._counts.refused(outcome.reason.value)
            self._journal.say(Line(event=Event.REFUSED, upstream=upstream, case=case, why=why))
        elif not self._only.takes(outcome.report.status):
            why = LeftOut.ONLY.value
            self._counts.left_out(LeftOut.ONLY)
            self._journal.say(Line(event=Event.LEFT_OUT, upstream=upstream, case=case, why=why, report=outcome.report))
        else:
            self._store(outcome, upstream=upstream, case=case)

    def _outcome(self, finished: Finished) -> Proved | Refused | Dropped | None:
        """What becomes of one capture; None where it is no stream after all."""
        found = exchange(finished, schemas=self._schemas)
        if isinstance(found, Dropped):
            return found
        return self._redact(found) if is_stream(found, finished.head.query) else None

    def _store(self, proved: Proved, *, upstream: str, case: str | None) -> None:
        try:
            stored = self._folder.store(proved.fixture, case)
        except Exception as error:
            stored = NotWritten(why=Dropped.WRITE, detail=type(error).__name__)
        match stored:
            case Written(name=name):
                self._counts.written()
                event = Event.WRITTEN
            case SameShape(name=name):
                self._counts.same_shape()
                event = Event.SAME_SHAPE
            case NotWritten(why=why, detail=detail):
                self.drop(why, upstream, case, detail)
                return
        self._journal.say(Line(event=event, upstream=upstream, case=case, file=name, report=proved.report))

    def drop(self, why: Dropped, upstream: str, case: str | None, detail: str = "") -> None:
        """Count and say that a capture was given up. From any thread."""
        said = f"{why.value}{f' ({detail})' if detail else ''}"
        self._counts.dropped(why, detail)
        self._journal.say(Line(event=Event.DROPPED, upstream=upstream, case=case, why=said))

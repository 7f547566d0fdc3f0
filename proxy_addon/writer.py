"""The writer: one thread that turns finished captures into files, so that the event loop never waits for one.

The queue is bounded by number here and by bytes in `Budget`; what does not fit is dropped and counted. An exception in
redaction is our bug: it is counted by type, never shown, and the next capture is taken.
"""

import queue
import threading
from collections.abc import Callable, Mapping
from typing import Final

from proxy_addon.capture import Budget, Finished
from proxy_addon.handover import exchange, is_stream
from proxy_addon.journal import Journal
from proxy_addon.sink import NotWritten, SameShape, Sink, Written
from proxy_addon.tally import Dropped, Passed, Tally
from proxy_addon.worker import RedactionFaultError
from redaction.exchange import Exchange, Proved, Refused
from replay.validator import Report

# Captures that wait. Redaction takes milliseconds; a queue this long means that the machine cannot follow.
MAX_QUEUED: Final = 256

Redact = Callable[[Exchange], Proved | Refused]


class Writer:
    """Takes finished captures from the event loop and decides each one: written, same shape, refused or dropped."""

    def __init__(
        self,
        *,
        redact: Redact,
        sink: Sink,
        tally: Tally,
        budget: Budget,
        journal: Journal,
        schemas: Mapping[str, object],
        max_queued: int = MAX_QUEUED,
    ) -> None:
        """`redact` and `sink` are called on the writer's thread only; `schemas` are the tools that the user added."""
        self._redact: Final = redact
        self._sink: Final = sink
        self._tally: Final = tally
        self._budget: Final = budget
        self._journal: Final = journal
        self._schemas: Final = schemas
        self._max_queued: Final = max_queued
        self._queue: queue.SimpleQueue[Finished | str | None] = queue.SimpleQueue()
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
            self._tally.dropped(Dropped.QUEUE_FULL)
        else:
            self._queue.put(finished)

    def note(self, line: str) -> None:
        """Have a line written to the journal, which may block, from here, which may."""
        if self._queue.qsize() < self._max_queued:
            self._queue.put(line)

    def stop(self) -> None:
        """End the thread after what is queued now."""
        self._queue.put(None)

    def abort(self) -> None:
        """End the thread after the capture that it is at; what waits is dropped."""
        self._abort.set()
        self._queue.put(None)

    def join(self, timeout: float | None = None) -> None:
        """Wait for the thread."""
        self._thread.join(timeout)

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            if isinstance(item, str):
                self._journal.say(item)
            elif self._abort.is_set():
                self._budget.give(item.size)
                self._tally.dropped(Dropped.STOPPED)
            else:
                size = item.size
                self._take(item)
                self._budget.give(size)
            del item  # or the last capture would live until the next one comes

    def _take(self, finished: Finished) -> None:
        """Decide one capture and count it once, whatever happens."""
        upstream, case = finished.head.upstream, finished.head.case
        label = case or upstream.name
        fault = ""
        try:
            found = exchange(finished, schemas=self._schemas)
            outcome = self._redact(found) if is_stream(found) else None
        except RedactionFaultError as error:
            fault = error.kind
        except Exception as error:
            fault = type(error).__name__  # and nothing else of it: its text and its frames hold the capture
        if fault and self._abort.is_set():
            self._dropped(Dropped.STOPPED, "", label)
        elif fault:
            self._dropped(Dropped.REDACTION, fault, label)
        elif outcome is None:
            self._tally.passed(Passed.NOT_A_STREAM)
        elif isinstance(outcome, Refused):
            self._tally.refused(outcome.reason.value)
            self._journal.say(f"{label}: refused, {outcome.reason.value}{f' ({outcome.note})' if outcome.note else ''}")
        else:
            self._store(outcome, case=case, label=label)

    def _store(self, proved: Proved, *, case: str | None, label: str) -> None:
        try:
            stored = self._sink.store(proved.fixture, case)
        except Exception as error:
            stored = NotWritten(why=Dropped.WRITE, detail=type(error).__name__)
        match stored:
            case Written(name=name):
                self._tally.written()
                self._journal.say(f"{name}: written, {_verdict(proved.report)}")
            case SameShape(name=name):
                self._tally.same_shape()
                self._journal.say(f"{label}: same shape as {name}, {_verdict(proved.report)}")
            case NotWritten(why=why, detail=detail):
                self._dropped(why, detail, label)

    def _dropped(self, why: Dropped, detail: str, label: str) -> None:
        self._tally.dropped(why, detail)
        self._journal.say(f"{label}: dropped, {why.value}{f' ({detail})' if detail else ''}")


def _verdict(report: Report) -> str:
    """Profile, status, codes and the number of calls: closed words, no name and no text of the turn."""
    codes = ", ".join(dict.fromkeys(finding.code.value for finding in report.findings)) or "no finding"
    return f"{report.profile} {report.status.value}, {codes}, calls: {len(report.calls)}"

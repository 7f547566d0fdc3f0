"""The writer: one thread that settles finished captures, so that the event loop never waits for a file.

The captures wait in a queue that is bounded by their number here, and by their bytes in `Budget`. What does not fit is
dropped and counted.
"""

import queue
import threading
from collections.abc import Mapping
from functools import partial
from typing import Final

from proxy_addon.writing.counts import Counts
from proxy_addon.writing.declared_tools import DeclaredTools
from proxy_addon.writing.exchanges import streamed
from proxy_addon.writing.finished import Budget, Finished
from proxy_addon.writing.folder import FixtureFolder
from proxy_addon.writing.journal import Journal, Line, Notice
from proxy_addon.writing.sampling import Only
from proxy_addon.writing.settled import Dropped, Passed, Settled, unwritten
from proxy_addon.writing.settling import Redact, settle
from proxy_addon.writing.unrecorded import Kind, NotRecorded, Sort, What
from replay.families import FAMILIES

# Captures that wait. Redaction takes milliseconds; a queue this long means that the machine cannot follow.
MAX_QUEUED: Final = 256


class Writer:
    """Takes finished captures from the event loop, settles each one, and counts and says what became of it.

    `redact` and `folder` are called on the writer's thread alone. `schemas` are the tools that the user added.
    """

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
        self._only: Final = only
        self._tools: Final = DeclaredTools()
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
            self._drop(finished, Dropped.QUEUE_FULL)
        else:
            self._queue.put(finished)

    def note(self, about: str, says: str) -> None:
        """Say something about what is no capture. Example: `openai: provider not reachable`."""
        self._journal.say(Notice(about=about, says=says))

    def passed(self, kind: Kind) -> None:
        """Count an exchange that is not recorded; the first of its kind is said. From any thread."""
        if self._counts.passed(kind):
            self._journal.say(kind)

    def tell_passed(self) -> None:
        """Say how many exchanges of each kind passed so far, where there are more than was said the last time."""
        counts = self._counts.passed_since()
        if counts:
            self._journal.say(NotRecorded(counts=counts))

    def end_cases(self) -> None:
        """Say, and count, which cases came to another end than an earlier run has recorded. The thread has ended."""
        for case, says in self._folder.end():
            self._counts.case_ended()
            self.note(case, says)

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

    def _drop(self, finished: Finished, why: Dropped) -> None:
        self.tell(unwritten(why), upstream=finished.head.upstream, case=finished.head.case)

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            if self._abort.is_set():
                self._budget.give(item.size)
                self._drop(item, Dropped.STOPPED)
            else:
                size = item.size
                self._take(item)
                self._budget.give(size)
            del item  # or the last capture would live until the next one comes

    def _take(self, finished: Finished) -> None:
        head = finished.head
        settled = settle(
            partial(streamed, finished, schemas=self._schemas),
            redact=self._redact,
            folder=self._folder,
            turn=finished.turn,
            only=self._only,
            tools=self._tools,
        )
        if settled.why is Dropped.REDACTION and self._abort.is_set():  # its process has been ended
            settled = unwritten(Dropped.STOPPED)
        if isinstance(settled.why, Passed):
            what = What(name=FAMILIES[head.turn.profile].api, sort=Sort.TURN)
            self.passed(Kind(upstream=head.upstream, what=what, why=settled.why))
        else:
            self.tell(settled, upstream=head.upstream, case=None if settled.notice else head.case)

    def tell(self, settled: Settled, *, upstream: str, case: str | None) -> None:
        """Count and say what became of a capture. From any thread."""
        self._counts.settled(settled, upstream=upstream)
        self._journal.say(Line(upstream=upstream, case=case, settled=settled))

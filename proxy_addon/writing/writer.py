"""The writer: settles finished captures on threads of its own, so that the event loop never waits for a file.

Each redaction process has a thread that feeds it. One more thread stores what they have proved, in the order in which
the captures came in. The captures wait in a line that is bounded by the bytes that they hold (`Waiting`). What does not
fit is dropped and counted.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from proxy_addon.writing.finished import Budget, Finished
from proxy_addon.writing.outcomes.counts import Counts
from proxy_addon.writing.outcomes.declared_tools import DeclaredTools
from proxy_addon.writing.outcomes.journal import Journal, Line, Notice
from proxy_addon.writing.outcomes.settled import Dropped, Passed, Settled, unwritten
from proxy_addon.writing.outcomes.unrecorded import Kind, NotRecorded, Sort, What
from proxy_addon.writing.redacting.exchanges import streamed
from proxy_addon.writing.sampling import Only
from proxy_addon.writing.settling import Redact, Wanted, redacted, store
from proxy_addon.writing.storage.sink import Sink
from proxy_addon.writing.waiting import Numbered, Waiting
from replay.families import FAMILIES


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What redaction made of a capture, and what its line says of the capture. Nothing raw is in it."""

    upstream: str
    case: str | None
    profile: str
    found: Wanted | Settled


class Writer:
    """Takes finished captures from the event loop, settles each one, and counts and says what became of it.

    Each of `redactors` is called on a thread of its own, `folder` on the writer's thread alone. `schemas` are the tools
    that the user added, `waiting` is for the captures that come.
    """

    def __init__(
        self,
        *,
        redactors: Sequence[Redact],
        folder: Sink,
        counts: Counts,
        budget: Budget,
        journal: Journal,
        schemas: Mapping[str, object],
        only: Only = Only.ALL,
        waiting: Waiting[Result],
    ) -> None:
        self._only: Final = only
        self._tools: Final = DeclaredTools()
        self._folder: Final = folder
        self._counts: Final = counts
        self._budget: Final = budget
        self._journal: Final = journal
        self._schemas: Final = schemas
        self.waiting: Final = waiting
        self._abort = threading.Event()
        # Daemons, so that a redaction that hangs cannot keep the process from ending.
        self._thread = threading.Thread(target=self._store, name="toolreel-writer", daemon=True)
        self._redacting: Final = [
            threading.Thread(target=self._redact, args=(redact,), name="toolreel-redaction", daemon=True)
            for redact in redactors
        ]

    def start(self) -> None:
        """Start the threads."""
        for thread in (*self._redacting, self._thread):
            thread.start()

    @property
    def running(self) -> bool:
        """Whether there is still something to settle, or more may come."""
        return self._thread.is_alive()

    def offer(self, finished: Finished) -> None:
        """Queue a capture, or drop it where those that wait hold too much. Never waits."""
        if not self.waiting.put(finished):
            self._budget.give(finished.size)
            head = finished.head
            self.tell(unwritten(Dropped.QUEUE_FULL), upstream=head.upstream, case=head.case)

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
        """End the threads after what is queued now."""
        self.waiting.close()

    def abort(self) -> None:
        """End the threads after the captures that they are at; what waits is dropped."""
        self._abort.set()
        self.waiting.close()

    def join(self, timeout: float | None = None) -> None:
        """Wait until everything is settled, if the threads were ever started."""
        if self._thread.ident is not None:
            self._thread.join(timeout)

    def _redact(self, redact: Redact) -> None:
        while (taken := self.waiting.take()) is not None:
            self.waiting.give(taken.number, self._redacted(taken, redact))
            del taken  # or the last capture would live until the next one comes

    def _redacted(self, taken: Numbered, redact: Redact) -> Result:
        finished = taken.finished
        found: Wanted | Settled = unwritten(Dropped.STOPPED)
        if not self._abort.is_set():
            read = partial(streamed, finished, schemas=self._schemas)
            found = redacted(read, redact=redact, turn=finished.turn, only=self._only)
        if isinstance(found, Settled) and found.why is Dropped.REDACTION and self._abort.is_set():
            found = unwritten(Dropped.STOPPED)  # its process has been ended
        head = finished.head
        return Result(upstream=head.upstream, case=head.case, profile=head.turn.profile, found=found)

    def _store(self) -> None:
        while (result := self.waiting.next()) is not None:
            self._settle(result)
            self._budget.give(self.waiting.settled())

    def _settle(self, result: Result) -> None:
        found = result.found
        settled = found if isinstance(found, Settled) else store(found, folder=self._folder, tools=self._tools)
        if isinstance(settled.why, Passed):
            self._counts.no_turn(settled.why, upstream=result.upstream)
            what = What(name=FAMILIES[result.profile].api, sort=Sort.TURN)
            self.passed(Kind(upstream=result.upstream, what=what, why=settled.why))
        else:
            self.tell(settled, upstream=result.upstream, case=None if settled.notice else result.case)

    def tell(self, settled: Settled, *, upstream: str, case: str | None) -> None:
        """Count and say what became of a capture. From any thread."""
        self._counts.settled(settled, upstream=upstream)
        self._journal.say(Line(upstream=upstream, case=case, settled=settled))

"""The journal: the recorder's own lines, one for each capture that is settled, on standard error or in `--log-file`.

A thread of its own writes them, from a bounded queue. So a terminal that was stopped, or a pipe that nobody reads,
holds up neither the traffic nor the fixtures. Lines that find no room are counted.
"""

import json
import os
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Final

from proxy_addon.writing.outcomes import advice
from proxy_addon.writing.outcomes.log_file import LogFile
from proxy_addon.writing.outcomes.settled import How, Settled, codes
from proxy_addon.writing.outcomes.unrecorded import Kind, NotRecorded
from redaction.captured.exchange import Words
from replay.terminal import printable

# Lines that wait for a reader. Past this nobody is reading.
MAX_WAITING: Final = 4096

Write = Callable[[bytes], object]


class Style(Enum):
    """The form of the lines; the value is what `--log` takes."""

    TEXT = "text"
    JSON = "json"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The line about one capture: whose it is, and what became of it."""

    upstream: str
    case: str | None = None
    settled: Settled

    def text(self) -> str:
        """The line for people. Example: `weather: refused, raw text in the finished file (event 3)`."""
        settled = self.settled
        if settled.how is How.WRITTEN and settled.report is not None:
            mark = f", unfaithful: {', '.join(settled.unfaithful)}" if settled.unfaithful else ""
            return f"{settled.file}: written, {settled.said}{mark}"
        return f"{self.case or self.upstream}: {advice.line(settled)}"

    def as_dict(self) -> dict[str, object]:
        """The line for programs."""
        settled = self.settled
        found: dict[str, object] = {"event": settled.how.value, "upstream": self.upstream}
        found |= {name: value for name, value in (("case", self.case), ("file", settled.file)) if value is not None}
        if settled.reason:
            found["why"] = settled.reason
        if step := advice.step(settled):
            found["do"] = step
        if settled.report is not None:
            found |= {
                "profile": settled.report.profile,
                "status": settled.report.status.value,
                "codes": codes(settled.report),
                "calls": len(settled.report.calls),
            }
        if settled.notice:
            found["notice"] = settled.notice
        if settled.notices:
            found["notices"] = list(settled.notices)
        if settled.words is not Words.DECLARED:
            found["renamed"] = "contract" if settled.words is Words.NONE else "values"
        if settled.rung:
            found["rung"] = settled.rung
        if settled.unfaithful:
            found["unfaithful"] = list(settled.unfaithful)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A line about something else than a capture: what it is about, and what is to be said of it in closed words."""

    about: str
    says: str

    def text(self) -> str:
        """The line for people."""
        return f"{self.about}: {self.says}"

    def as_dict(self) -> dict[str, object]:
        """The line for programs, where what it is about stands in the place of an upstream."""
        return {"event": "notice", "upstream": self.about, "why": self.says}


Sayable = Line | Notice | Kind | NotRecorded


@dataclass(frozen=True, slots=True)
class _Queued:
    """A line as it waits: with its number, and the time at which it was said, however late it is written."""

    line: Sayable
    number: int
    time: datetime

    def as_dict(self) -> dict[str, object]:
        """The line for programs. Example: `{"time": "2026-03-01T09:30:00.125Z", "number": 7, "event": "written"}`."""
        told = self.time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {"time": told, "number": self.number} | self.line.as_dict()


class Journal:
    """Takes lines from any thread without waiting, and writes them in order with `write`.

    `write` may block for as long as it likes. A line is lost where it raises, or where too many lines wait.
    """

    def __init__(self, write: Write, *, style: Style, max_waiting: int = MAX_WAITING) -> None:
        self._write: Final = write
        self._style: Final = style
        self._max_waiting: Final = max_waiting
        self._queue: queue.SimpleQueue[_Queued | Callable[[], None] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._waiting = self._lost = self._number = 0
        # A daemon: who never reads must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="toolreel-journal", daemon=True)
        self._thread.start()

    def say(self, line: Sayable) -> None:
        """Queue a line, or count it as lost where too many wait already."""
        if self._style is Style.NONE:
            return
        with self._lock:
            self._number += 1  # lost lines count, too: a gap in the numbers is where they would stand
            if self._waiting >= self._max_waiting:
                self._lost += 1
                return
            self._waiting += 1
            # Inside the lock, so that lines are written in the order of their numbers; this queue never blocks.
            self._queue.put(_Queued(line, self._number, datetime.now(UTC)))

    def reopen(self, file: LogFile) -> None:
        """Have a log file opened anew, behind the lines that were said before. A handler of a signal may ask for it."""
        self._queue.put(lambda: self._reopened(file))

    def _reopened(self, file: LogFile) -> None:
        try:
            file.reopen()
        except OSError as error:
            why = error.strerror or type(error).__name__
            self.say(Notice(about="--log-file", says=f"cannot be opened anew ({why}); lines go on into the old file"))

    @property
    def lost(self) -> int:
        """How many lines nobody got so far."""
        return self._lost

    def close(self, timeout: float) -> int:
        """Write what waits, for `timeout` seconds at most; how many lines nobody got."""
        self._queue.put(None)
        self._thread.join(timeout)
        with self._lock:
            return self._lost + self._waiting

    def _run(self) -> None:
        while (queued := self._queue.get()) is not None:
            if not isinstance(queued, _Queued):
                queued()
                continue
            written = True
            try:
                self._write(self._rendered(queued))
            except Exception:  # a reader that went away
                written = False
            with self._lock:
                self._waiting -= 1
                self._lost += not written

    def _rendered(self, queued: _Queued) -> bytes:
        json_wanted = self._style is Style.JSON
        said = json.dumps(queued.as_dict()) if json_wanted else f"toolreel: {printable(queued.line.text())}"
        return said.encode("utf-8", "backslashreplace") + b"\n"


def write_to(descriptor: int) -> Write:
    """A function that writes to a descriptor, and past Python's streams, whose locks a blocked thread would keep."""

    def write(data: bytes) -> None:
        while data:
            data = data[os.write(descriptor, data) :]

    return write

"""Our own lines on standard error: completed decisions in closed words, one line each. The only log that there is.

Written by a thread of its own, from a bounded queue: a terminal that was stopped and a pipe that nobody reads hold up
neither the traffic nor the fixtures. Lines that find no room are counted.
"""

import json
import os
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from replay.terminal import printable
from replay.validator import Report

# Lines that wait for a reader. Past this nobody is reading.
MAX_WAITING: Final = 4096

Write = Callable[[bytes], object]


class Style(Enum):
    """How a line reads; the value is what `--log` takes."""

    TEXT = "text"
    JSON = "json"
    NONE = "none"


class Event(Enum):
    """What a line is about; the value stands in JSON lines."""

    WRITTEN = "written"
    SAME_SHAPE = "same_shape"
    LEFT_OUT = "left_out"
    REFUSED = "refused"
    DROPPED = "dropped"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One decision, or a notice. `file` is the fixture that was written or has the shape; `why` is in closed words."""

    event: Event
    upstream: str
    case: str | None = None
    file: str | None = None
    why: str = ""
    report: Report | None = None

    def text(self) -> str:
        """For people."""
        label = self.case or self.upstream
        verdict = _verdict(self.report) if self.report is not None else ""
        match self.event:
            case Event.WRITTEN:
                return f"{self.file}: written, {verdict}"
            case Event.SAME_SHAPE:
                return f"{label}: same shape as {self.file}, {verdict}"
            case Event.LEFT_OUT:
                return f"{label}: left out, {self.why}, {verdict}"
            case Event.REFUSED | Event.DROPPED:
                return f"{label}: {self.event.value}, {self.why}"
            case Event.NOTICE:
                return f"{label}: {self.why}"

    def as_dict(self) -> dict[str, object]:
        """For programs."""
        found: dict[str, object] = {"event": self.event.value, "upstream": self.upstream}
        found |= {name: value for name, value in (("case", self.case), ("file", self.file)) if value is not None}
        if self.why:
            found["why"] = self.why
        if self.report is not None:
            found |= {
                "profile": self.report.profile,
                "status": self.report.status.value,
                "codes": _codes(self.report),
                "calls": len(self.report.calls),
            }
        return found


class Journal:
    """Takes lines from any thread without waiting, and writes them in order."""

    def __init__(self, write: Write, *, style: Style, max_waiting: int = MAX_WAITING) -> None:
        """`write` may block for as long as it likes; what it raises is a lost line."""
        self._write: Final = write
        self._style: Final = style
        self._max_waiting: Final = max_waiting
        self._queue: queue.SimpleQueue[Line | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._waiting = self._lost = 0
        # A daemon: who never reads must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="toolreel-journal", daemon=True)
        self._thread.start()

    def say(self, line: Line) -> None:
        """Queue a line, or count it as lost where too many wait already."""
        if self._style is Style.NONE:
            return
        with self._lock:
            if self._waiting >= self._max_waiting:
                self._lost += 1
                return
            self._waiting += 1
        self._queue.put(line)

    def close(self, timeout: float) -> int:
        """Write what waits, for `timeout` seconds at most; how many lines nobody got."""
        self._queue.put(None)
        self._thread.join(timeout)
        with self._lock:
            return self._lost + self._waiting

    def _run(self) -> None:
        while (line := self._queue.get()) is not None:
            written = True
            try:
                self._write(self._rendered(line))
            except Exception:  # a reader that went away
                written = False
            with self._lock:
                self._waiting -= 1
                self._lost += not written

    def _rendered(self, line: Line) -> bytes:
        said = json.dumps(line.as_dict()) if self._style is Style.JSON else f"toolreel: {printable(line.text())}"
        return said.encode("utf-8", "backslashreplace") + b"\n"


def write_to(descriptor: int) -> Write:
    """Writes to a descriptor and past Python's own streams, whose locks a blocked thread would hold for ever."""

    def write(data: bytes) -> None:
        while data:
            data = data[os.write(descriptor, data) :]

    return write


def _verdict(report: Report) -> str:
    """Profile, status, codes and the number of calls: closed words, no name and no text of the turn."""
    codes = ", ".join(_codes(report)) or "no finding"
    return f"{report.profile} {report.status.value}, {codes}, calls: {len(report.calls)}"


def _codes(report: Report) -> list[str]:
    return list(dict.fromkeys(finding.code.value for finding in report.findings))

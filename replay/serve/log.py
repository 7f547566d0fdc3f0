"""The server's log: lines to a reader who may be slow, or gone. A thread writes them, so the server never waits."""

from __future__ import annotations

import os
import queue
import select
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

# What is held for a reader who has stopped reading: some seconds of a busy server, and a few hundred KiB.
HELD: Final = 4096
# How long the end waits for what is still to be written.
FAREWELL: Final = 0.5


class Log:
    """Lines in order. Where `HELD` of them wait to be read, the next ones are dropped, and their number is told.

    `write` takes a line with its end. It may block. An `OSError` of it says that nobody reads any more.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write: Final = write
        self._lines: Final[queue.Queue[str | None]] = queue.Queue(HELD)
        self._dropped = 0
        # One that hangs in a write must not keep the process.
        self._thread: Final = threading.Thread(target=self._run, name="toolreel serve log", daemon=True)
        self._thread.start()

    def say(self, line: str) -> None:
        """Have the line written, or drop it. From one thread only."""
        try:
            if self._dropped:
                self._lines.put_nowait(_note(self._dropped))
                self._dropped = 0
            self._lines.put_nowait(line)
        except queue.Full:
            self._dropped += 1

    def close(self) -> None:
        """Write what is held, as far as `FAREWELL` allows."""
        try:
            if self._dropped:
                self._lines.put(_note(self._dropped), timeout=FAREWELL)
            self._lines.put(None, timeout=FAREWELL)
        except queue.Full:
            return
        self._thread.join(FAREWELL)

    def _run(self) -> None:
        gone = False
        while (line := self._lines.get()) is not None:
            if gone:
                continue
            try:
                self._write(line + "\n")
            except OSError:
                gone = True  # the server goes on without a reader


def _note(dropped: int) -> str:
    lines = "1 line is" if dropped == 1 else f"{dropped} lines are"
    return f"({lines} missing here: nobody read them in time)"


def writer(stream: TextIO | None) -> Callable[[str], None]:
    """What writes to the descriptor of a stream.

    Not through the stream itself: its lock, held by a thread that hangs, would abort the end of the process.
    """
    if stream is None:  # the process was started without
        return lambda _: None
    number, encoding = stream.fileno(), stream.encoding

    def write(text: str) -> None:
        data = text.encode(encoding, errors="backslashreplace")
        while data:
            try:
                data = data[os.write(number, data) :]
            except BlockingIOError:
                select.select([], [number], [])

    return write

"""The signals that end a recorder: noted while it starts, heard by its event loop while it runs, without effect then.

SIGINT, SIGTERM and, unless the process was started to outlive its terminal (nohup), SIGHUP. asyncio's own way of
hearing them gives them back to the system when the loop closes: one more, and the process is killed, its summary half
written.
"""

import asyncio
import contextlib
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Final

from proxy_addon.ending_signals import ending_signals

# Signals that come together are one wish. Who asks once more so much later waits for something that hangs, such as a
# reader of the summary that never reads.
LATE_SECONDS: Final = 3.0

_AT_ONCE: Final = frozenset({signal.SIGINT, signal.SIGTERM})


class Stopping:
    """The first signal asks for the end, the second for the end at once.

    A terminal that closes may send several SIGHUP, its own and its shell's; they only ever ask for the end.
    """

    def __init__(self) -> None:
        """Nothing asked yet."""
        self.asked: Final = asyncio.Event()
        self.at_once: Final = asyncio.Event()
        self._handling: Callable[[int], None] = self._note
        self._noted: int | None = None
        self._first_late: float | None = None

    def note(self) -> None:
        """Take SIGTERM and SIGHUP of this process, for good, and end it when the loop is about to listen.

        What a handler raises instead, in the middle of an import, the import can swallow.
        """
        for number in ending_signals():
            if number != signal.SIGINT:  # nothing is open yet, so that it can end the process as it likes
                signal.signal(number, self._handle)

    def signal(self, number: int) -> None:
        """One more signal."""
        if self.asked.is_set() and number in _AT_ONCE:
            self.at_once.set()
        self.asked.set()

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Take the signals of this process, for good, and tell the running loop of them while in the block.

        Ends the process where one was noted before. mitmproxy takes none where it is embedded.
        """
        loop = asyncio.get_running_loop()
        heard, wake = socket.socketpair()  # a signal writes its number into it, and so wakes a loop that waits
        with heard, wake:
            for end in (heard, wake):
                end.settimeout(0)
            loop.add_reader(heard, self._hear, heard)
            before = signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
            self._handling = self._leave_to_the_loop
            for number in ending_signals():
                signal.signal(number, self._handle)
            try:
                if self._noted is not None:
                    sys.exit(128 + self._noted)
                yield
            finally:
                self._handling = self._come_late
                signal.set_wakeup_fd(before)
                loop.remove_reader(heard)

    def _hear(self, heard: socket.socket) -> None:
        for number in heard.recv(4096):
            if number in ending_signals():
                self.signal(number)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        """What the interpreter calls."""
        self._handling(number)

    def _note(self, number: int) -> None:
        self._noted = number

    def _leave_to_the_loop(self, _number: int) -> None:
        """It has a way of its own to hear of it."""

    def _come_late(self, number: int) -> None:
        now = time.monotonic()
        self._first_late = now if self._first_late is None else self._first_late
        if now - self._first_late > LATE_SECONDS:
            sys.exit(128 + number)

"""The signals that end a recorder, from its first line to its last. Whether one came stands in one `Stopping`.

A recorder has four phases, and a signal means something else in each:

1. Its options are read (`let_end`). Nothing is open, so that Ctrl-C ends the process as it ends any other.
2. Its parts are imported (`note`). What a handler raises in the middle of an import, the import can swallow. So the
   signal is noted, and the process ends as soon as the loop is about to listen.
3. Its loop runs (`listening`). The first signal asks for the end, the second for the end at once.
4. Its captures are decided and its summary is printed. A signal has no effect, unless it comes so late that whoever
   sent it must be waiting for something that hangs. Behind the last line (`ignore`) none has any.

With a log file SIGHUP is no wish to end, in any phase: the file is opened anew, as a service's is.

asyncio has a way of its own to hear signals, and gives them back to the system when the loop closes. One more Ctrl-C
would then kill the process with half of its summary written.
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

from proxy_addon.ending_signals import ending_signals, ignore_ending_signals

# Signals that come together are one wish. Who asks once more so much later waits for something that hangs, such as a
# reader of the summary that never reads.
LATE_SECONDS: Final = 3.0

_AT_ONCE: Final = frozenset({signal.SIGINT, signal.SIGTERM})


class Stopping:
    """Whether the end of the recorder was asked for, and whether at once.

    SIGHUP never asks for the end at once: a terminal that closes may send several, its own and its shell's.
    """

    def __init__(self, *, late_seconds: float = LATE_SECONDS) -> None:
        self.asked: Final = asyncio.Event()
        self.at_once: Final = asyncio.Event()
        self._late_seconds: Final = late_seconds
        self._handling: Callable[[int], None] = self._note  # as the phase has it
        self._noted: int | None = None
        self._first_late: float | None = None
        self.first: Callable[[int], bool] = lambda _: False  # who takes a signal before it is a wish to end
        self.reopen: Callable[[], None] | None = None  # what SIGHUP does in the place of ending, at any time

    def let_end(self) -> None:
        """Let Ctrl-C end this process by itself, for as long as nothing is open."""
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    def note(self) -> None:
        """Take SIGTERM and SIGHUP of this process, for good; one that comes ends it when the loop is to listen."""
        for number in self._taken():
            if number != signal.SIGINT:
                signal.signal(number, self._handle)

    def _taken(self) -> tuple[signal.Signals, ...]:
        """The signals that are taken: those that end a process, and SIGHUP where a log file is opened anew by it."""
        return ending_signals() if self.reopen is None else (*{*ending_signals(), signal.SIGHUP},)

    def signal(self, number: int) -> None:
        """Take one more signal as a wish, unless it is somebody else's."""
        if self.first(number) or self._reopens(number):
            return
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
            for number in self._taken():
                signal.signal(number, self._handle)
            try:
                if self._noted is not None:
                    sys.exit(128 + self._noted)
                yield
            finally:
                self._handling = self._come_late
                signal.set_wakeup_fd(before)
                loop.remove_reader(heard)

    def ignore(self) -> None:
        """Let no signal change any more how this process ends: everything is done and said."""
        ignore_ending_signals()

    def _hear(self, heard: socket.socket) -> None:
        for number in heard.recv(4096):
            if number in ending_signals():
                self.signal(number)

    def _reopens(self, number: int) -> bool:
        """Whether a signal means a log file; it has been opened anew by its handler then."""
        return self.reopen is not None and number == signal.SIGHUP

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if self.reopen is not None and self._reopens(number):
            self.reopen()
            if self._handling != self._leave_to_the_loop:  # which may send it on to a command
                return
        self._handling(number)

    def _note(self, number: int) -> None:
        self._noted = number

    def _leave_to_the_loop(self, _number: int) -> None:
        """Do nothing here: the loop hears of it through its socket."""

    def _come_late(self, number: int) -> None:
        now = time.monotonic()
        self._first_late = now if self._first_late is None else self._first_late
        if now - self._first_late > self._late_seconds:
            sys.exit(128 + number)

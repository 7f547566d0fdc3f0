"""The signals that end a command: each unwinds it as Ctrl-C does, so that no half-written file and no child is left."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import FrameType

# The exit codes of a command that a signal has ended are 128 and the number of the signal, as shells say it. Not
# click's 1 for SIGINT, which here means that something differs.
INTERRUPTED: Final = 130
# SIGPIPE: whoever read the output has stopped, and nothing is known of the rest.
OUTPUT_CLOSED: Final = 141


class Ending:
    """Whether the command was told to end. The start of the command makes one, and its context carries it."""

    def __init__(self) -> None:
        self._code: int | None = None

    def install(self) -> None:
        """From here on SIGTERM, and SIGHUP where there is one, end the process with its own exit code."""
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            # A signal that is ignored stays so, as nohup wants it.
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, self._end)

    def check(self) -> None:
        """End the process if it was told to. An import may swallow what the handler raises; ask again behind it."""
        if self._code is not None:
            sys.exit(self._code)

    def _end(self, number: int, _: FrameType | None) -> None:
        self._code = 128 + number
        sys.exit(self._code)

"""Our own lines on standard error: completed decisions in closed words, one line each. The only log that there is."""

import contextlib
from collections.abc import Callable
from typing import Final, TextIO


class Journal:
    """Writes lines to a stream. It may block with it, so only the writer thread calls it while traffic runs."""

    def __init__(self, stream: TextIO, *, printable: Callable[[str], str]) -> None:
        """`stream` is standard error, but in tests; `printable` escapes control characters."""
        self._stream: Final = stream
        self._printable: Final = printable

    def say(self, line: str) -> None:
        """One line; control characters come out escaped. A reader that went away changes nothing."""
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(f"toolreel: {self._printable(line)}\n")
            self._stream.flush()

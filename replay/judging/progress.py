"""The bar that says how far a run is: one line on a terminal, written over and taken away again."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing import Self, TextIO

_EVERY: Final = 0.1  # seconds: more often only flickers
_WIDTH: Final = 24
_ERASE: Final = "\r\x1b[K"


class Progress:
    """A bar on a terminal, for the time of a `with` block; on anything else nothing at all.

    `terminal` is what the variable TERM says. A terminal that is `dumb` cannot erase a line, so it gets no bar.
    """

    def __init__(self, stream: TextIO, *, total: int, terminal: str) -> None:
        self._stream = stream
        self._total = total
        self._active = total > 1 and terminal != "dumb" and stream.isatty()
        self._done = 0
        self._shown = False
        self._next = time.monotonic() + 2 * _EVERY  # a run that is over at once shows no bar

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Take the bar away, so that a line can be printed in its place."""
        if self._shown:
            self._stream.write(_ERASE)
            self._stream.flush()
            self._shown = False

    def step(self) -> None:
        """Count one more fixture as done, and show it where it is time to."""
        self._done += 1
        if not self._active or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _EVERY
        filled = _WIDTH * self._done // self._total
        bar = "#" * filled + "-" * (_WIDTH - filled)
        self._stream.write(f"{_ERASE}[{bar}] {self._done:,} of {self._total:,}")
        self._stream.flush()
        self._shown = True

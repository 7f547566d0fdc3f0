"""How far a run is, on a terminal: one line that is written over and leaves nothing behind."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing import Self, TextIO

_EVERY: Final = 0.1  # seconds: more often only flickers
_WIDTH: Final = 24
_ERASE: Final = "\r\x1b[K"


class Progress:
    """A bar on a terminal; on anything else nothing at all."""

    def __init__(self, stream: TextIO, *, total: int, terminal: str) -> None:
        """`terminal` is what the variable TERM says: a dumb one cannot erase a line."""
        self._stream = stream
        self._total = total
        self._active = total > 1 and terminal != "dumb" and stream.isatty()
        self._done = 0
        self._shown = False
        self._next = time.monotonic() + 2 * _EVERY  # a run that is over at once shows no bar

    def __enter__(self) -> Self:
        """Nothing is shown yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is left, however the run ended."""
        self.clear()

    def clear(self) -> None:
        """Take the bar away, so that a line can be printed in its place."""
        if self._shown:
            self._stream.write(_ERASE)
            self._stream.flush()
            self._shown = False

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        if not self._active or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _EVERY
        filled = _WIDTH * self._done // self._total
        bar = "#" * filled + "-" * (_WIDTH - filled)
        self._stream.write(f"{_ERASE}[{bar}] {self._done:,} of {self._total:,}")
        self._stream.flush()
        self._shown = True

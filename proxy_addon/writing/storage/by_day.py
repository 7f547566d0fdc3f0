"""A folder for each day, `day=2026-12-01`, as the place where fixtures go. The day is that in UTC, of the writing.

No clock is in a fixture: the folder alone says when. A shape that comes again on another day is written again, for
the day is what is asked about it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from proxy_addon.writing.outcomes.settled import Dropped, Settled, unwritten
from proxy_addon.writing.storage.room import today
from replay.errors import ToolreelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date

    from proxy_addon.writing.cases import Turn
    from proxy_addon.writing.storage.sink import Sink
    from redaction.captured.exchange import Fixture


class ByDay:
    """The places of all days that a run meets. `open_day` opens the place with this name."""

    def __init__(self, open_day: Callable[[str], Sink], *, today: Callable[[], date] = today) -> None:
        self._open_day: Final = open_day
        self._today: Final = today
        self._ended: list[tuple[str, str]] = []
        self._removed = 0
        self._begin()

    def _begin(self) -> None:
        day = self._today()
        name = f"day={day.isoformat()}"
        self._sink = self._open_day(name)
        self._date, self._name = day, name

    @property
    def removed(self) -> int:
        """How many older fixtures made room for younger ones, on all days."""
        return self._removed + self._sink.removed

    def store(self, fixture: Fixture, turn: Turn | None) -> Settled:
        """Write a fixture into the folder of today."""
        if self._today() != self._date:
            self._ended.extend(self._sink.end())
            self._sink.save_index()
            self._removed += self._sink.removed
            try:
                self._begin()
            except ToolreelError:
                return unwritten(Dropped.WRITE)
        settled = self._sink.store(fixture, turn)
        return replace(settled, file=f"{self._name}/{settled.file}") if settled.file is not None else settled

    def end(self) -> Iterator[tuple[str, str]]:
        """End the run: what is to be said of the cases of each day."""
        yield from self._ended
        yield from self._sink.end()

    def save_index(self) -> None:
        """Note what is there, of today; for the days before it is done."""
        self._sink.save_index()

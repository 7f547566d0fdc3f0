"""How much may be written: so many files and bytes a day, and so many bytes in the folder. Knows numbers, no files."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum
from typing import Final

from proxy_addon.writing.outcomes.settled import Dropped


class Full(Enum):
    """What becomes of a folder that is full; the value is what `--when-full` takes."""

    STOP = "stop"
    OLDEST = "oldest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a folder: files and bytes a day, and bytes of all files."""

    files: float = math.inf
    day_bytes: float = math.inf
    folder: float = math.inf
    full: Full = Full.STOP

    @property
    def bound_folder(self) -> bool:
        """Whether anything is said of a folder that is full, which a store and folders by day have not."""
        return self.folder < math.inf or self.full is Full.OLDEST


def today() -> date:
    """The day in UTC."""
    return datetime.now(UTC).date()


class Day:
    """What may still be written on the day that it is."""

    def __init__(self, limits: Limits, today: Callable[[], date] = today) -> None:
        self._limits: Final = limits
        self._today: Final = today
        self._begin()

    def _begin(self) -> None:
        self._date = self._today()
        self._files, self._bytes = self._limits.files, self._limits.day_bytes

    def over(self, size: int) -> Dropped | None:
        """The limit that one more file of this size would pass; None where there is room."""
        if self._today() != self._date:
            self._begin()
        if self._files <= 0:
            return Dropped.FOLDER_LIMIT
        return Dropped.BYTES_LIMIT if size > self._bytes else None

    def wrote(self, size: int) -> None:
        """Count a file that was written."""
        self._files -= 1
        self._bytes -= size

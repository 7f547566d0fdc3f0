"""The choice of turns that become fixtures: all, those with one verdict, or one of so many. Nothing else decides."""

from enum import Enum
from typing import Final

from replay.validator import Status


class Only(Enum):
    """The verdict that a turn must have; the value is what `--only` takes."""

    ALL = "all"
    BLOCKED = "blocked"
    PASS = "pass"  # noqa: S105 (a verdict, not a password)

    def takes(self, status: Status) -> bool:
        """Whether a turn with this verdict is wanted."""
        return self is Only.ALL or self.value == status.value


class Sample:
    """Takes the first of every `number` recognised streams, in the order in which their responses start.

    It counts and tosses no coin, so that the same traffic gives the same files. It looks at no hash of a request, or
    the presence of a file would say something about one.
    """

    def __init__(self, number: int) -> None:
        self._number: Final = number
        self._seen = 0

    def take(self) -> bool:
        """Whether the next stream is in the sample."""
        taken = self._seen % self._number == 0
        self._seen += 1
        return taken

"""A leak, as a value. Every check of this room gives leaks, and none of them quotes what it found."""

from dataclasses import dataclass
from typing import Final

CLOSED_VOCABULARY: Final = "closed vocabulary"


@dataclass(frozen=True, slots=True)
class Leak:
    """A place of a file that says what no fixture may say: the class of the place, and nothing of the value.

    `event` is the number of the payload that holds the place, where one does. `rule` is the name of the rule that found
    it, as `toolreel scan` prints it.
    """

    place: str
    event: int | None = None
    rule: str = CLOSED_VOCABULARY

"""What the doctor says of one thing: how it stands, and how to mend it."""

from dataclasses import dataclass
from enum import Enum


class Grade(Enum):
    """How it stands with a thing."""

    GOOD = "ok"
    NOTE = "note"  # nothing is wrong, but somebody may have meant otherwise
    BAD = "problem"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One thing, how it stands, and for a problem what to do."""

    grade: Grade
    thing: str
    said: str
    mend: str = ""

    def as_dict(self) -> dict[str, str]:
        """For programs."""
        return {"grade": self.grade.value, "thing": self.thing, "said": self.said, "mend": self.mend}


def good(thing: str, said: str) -> Found:
    """As it should be."""
    return Found(grade=Grade.GOOD, thing=thing, said=said)


def note(thing: str, said: str) -> Found:
    """Not wrong, and worth a word."""
    return Found(grade=Grade.NOTE, thing=thing, said=said)


def bad(thing: str, said: str, mend: str) -> Found:
    """In the way of a recording."""
    return Found(grade=Grade.BAD, thing=thing, said=said, mend=mend)

"""What the doctor says of one thing: how it stands, and how to mend it."""

from dataclasses import dataclass
from enum import Enum


class Grade(Enum):
    """How it stands with a thing."""

    GOOD = "ok"
    NOTE = "note"  # nothing is wrong, but somebody may have meant otherwise
    BAD = "problem"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """One thing, how it stands, and for a problem what to do."""

    grade: Grade
    thing: str
    said: str
    mend: str = ""

    def as_dict(self) -> dict[str, str]:
        """For programs."""
        return {"grade": self.grade.value, "thing": self.thing, "said": self.said, "mend": self.mend}


def good(thing: str, said: str) -> Diagnosis:
    """As it should be."""
    return Diagnosis(grade=Grade.GOOD, thing=thing, said=said)


def note(thing: str, said: str) -> Diagnosis:
    """Not wrong, and worth a word."""
    return Diagnosis(grade=Grade.NOTE, thing=thing, said=said)


def bad(thing: str, said: str, mend: str) -> Diagnosis:
    """In the way of a recording."""
    return Diagnosis(grade=Grade.BAD, thing=thing, said=said, mend=mend)

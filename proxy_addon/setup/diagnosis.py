"""The diagnosis of the doctor: how it stands with one thing, and how to mend it."""

from dataclasses import dataclass
from enum import Enum


class Grade(Enum):
    """How it stands with a thing; the value is how the doctor says it."""

    GOOD = "ok"
    NOTE = "note"  # as good, but somebody may have meant otherwise
    BAD = "problem"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """One thing, how it stands, and for what is bad how to mend it."""

    grade: Grade
    thing: str
    said: str
    mend: str = ""

    def as_dict(self) -> dict[str, str]:
        """The diagnosis for programs."""
        return {"grade": self.grade.value, "thing": self.thing, "said": self.said, "mend": self.mend}


def good(thing: str, said: str) -> Diagnosis:
    """The diagnosis of a thing that is as it should be."""
    return Diagnosis(grade=Grade.GOOD, thing=thing, said=said)


def note(thing: str, said: str) -> Diagnosis:
    """The diagnosis of a thing that is good, and worth a word."""
    return Diagnosis(grade=Grade.NOTE, thing=thing, said=said)


def bad(thing: str, said: str, mend: str) -> Diagnosis:
    """The diagnosis of a thing that is in the way of a recording."""
    return Diagnosis(grade=Grade.BAD, thing=thing, said=said, mend=mend)

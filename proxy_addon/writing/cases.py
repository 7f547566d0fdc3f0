"""Cases: the name that a user gives to turns, and the files that the turns get from it.

Example: the second turn of the case `weather` is the file `weather+2.json`. No case name has a plus sign, so no file of
one case is ever taken for that of another.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

# What stands beside the fixture NAME.json: its pin, and what clients made of it. No case is called so.
BESIDE: Final = (".expected", ".adapters")

# A name that begins with a hyphen reads as an option, and Windows keeps these for devices, whatever ends them.
_DEVICES: Final = r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|\Z)"
_ENDS: Final = "|".join(map(re.escape, BESIDE))
CASE_NAME: Final = re.compile(rf"(?!.*(?:{_ENDS})\Z)(?!{_DEVICES})[a-z0-9_][a-z0-9._-]{{0,63}}")

CASE_NAME_SAID: Final = (
    f"1 to 64 of a-z 0-9 . _ -, the first no dot or hyphen, the end not {' or '.join(BESIDE)}, and no device of Windows"
)

# As many characters of a raw value as no file may have, so no name of a file either.
_TELLING: Final = 8

# No run of the recorder has as many turns.
_DIGITS: Final = 10


# What stands between a case and the number of a further turn, and how the file of a fixture ends.
NUMBERED: Final = "+"
SUFFIX: Final = ".json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn of a case: the first is number 1."""

    case: str
    number: int = 1

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{self.case}{f'{NUMBERED}{self.number}' if self.number > 1 else ''}{SUFFIX}"


def number_of(file: str, case: str) -> int | None:
    """The turn of this case that a file is by its name; None where it is none."""
    rest = file.removesuffix(SUFFIX).removeprefix(case)
    if f"{case}{rest}{SUFFIX}" != file:
        return None
    if not rest:
        return 1
    digits = rest.removeprefix(NUMBERED)
    number = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < _DIGITS else 0
    return number if Turn(case=case, number=number).file == file and number > 1 else None


def repeats(case: str, raw: Iterable[str], fixture: str) -> bool:
    """Whether eight characters of a case name stand in one of the `raw` texts, and not in the fixture itself.

    Capital letters count as small ones: `mara-lindqvist` repeats the name in `Mara Lindqvist`. What the fixture has is
    no secret: a case may be called as the tool is.
    """
    grams = {case[at : at + _TELLING] for at in range(len(case) - _TELLING + 1)}
    if not grams:
        return False
    said, shown = [text.lower() for text in raw], fixture.lower()
    return any(gram not in shown and any(gram in text for text in said) for gram in grams)

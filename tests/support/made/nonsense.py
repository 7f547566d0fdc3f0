"""Words, prose and values of no meaning, by chance, and the ways to spell a character in a JSON string."""

import random
import string
from typing import Final

LETTERS: Final = string.ascii_letters + string.digits
# Words of other conversations, and of the placeholder grammar: data may be equal to them.
PROSE: Final = (
    "Hello World|has stage two lymphoma|x|xx|key_1|other_1|unknown_1|call_00000001|tool_calls|null|0|true|"
    'a "quoted" word|back\\slash|line\nbreak|tab\there|Grüße aus Köln|日本語の文|👩‍👩‍👧 family|sk-proj-AbC123|'
    'ann@example.org|+49301234567|2024-05-06|{"a": 1}|[DONE]|data: x|<b>|/Users/ann/.ssh|\u2028|%41%42'
).split("|")


class UnfillableError(Exception):
    """No other value with these answers was found."""


class Nonsense:
    """Texts and values of any kind."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def word(self) -> str:
        return "".join(self._chance.choice(LETTERS) for _ in range(self._chance.randrange(6, 30)))

    def prose(self) -> str:
        """Any text with at least one character, of any length and script."""
        chance = self._chance
        if chance.random() < 0.3:
            return chance.choice(PROSE)
        if chance.random() < 0.2:
            return "".join(chance.choice(LETTERS + ' é"\\\n/😀日<,.{}[]:') for _ in range(chance.randrange(1, 50)))
        return " ".join(self.word() for _ in range(chance.randrange(1, 12)))

    def value(self, depth: int = 0) -> object:
        """Any JSON value."""
        chance = self._chance
        kind = chance.randrange(4 if depth > 2 else 6)
        if kind == 0:
            return chance.choice((None, True, False))
        if kind == 1:
            return self.number()
        if kind in (2, 3):
            return self.prose()
        if kind == 4:
            return [self.value(depth + 1) for _ in range(chance.randrange(4))]
        return {self.prose(): self.value(depth + 1) for _ in range(chance.randrange(4))}

    def number(self) -> int | float:
        chance = self._chance
        return chance.choice((0, 1, -7, chance.randrange(10**18), 0.5, 1e300, -2.75, chance.random()))


SHORT: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f", '"': '\\"', "\\": "\\\\", "/": "\\/"}


def long_escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def escaped(char: str, chance: random.Random) -> str:
    """One character of a JSON string, spelled in one of the ways there are."""
    must = char in '"\\' or char < " " or "\ud800" <= char <= "\udfff"
    if not must and chance.random() < 0.85:
        return char
    if char in SHORT and chance.random() < 0.7:
        return SHORT[char]
    return long_escape(char)

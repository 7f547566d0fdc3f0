"""Masked tokens laid over the cuts of the raw ones: every cut keeps its class, no piece becomes empty.

A cut is between two fragments of one text. Its class is what it divides: two tokens, a token, a string between two
characters, an escape (and where in it), a surrogate pair. How many characters stood between two cuts is not kept.
Knows JSON strings and cuts; knows no schema.
"""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

# One character of a JSON string: a surrogate pair written as two escapes counts as one.
_UNIT: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL
)
_LONE: Final = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}\Z")
_PAIR_LENGTH: Final = 12

# What stands for a character that needs a surrogate pair, and for half of one.
ASTRAL: Final = "\U0001f600"
LONE: Final = "\ud800"


class Split:
    """The boundary between two pieces of a string, at a place between two characters."""


SPLIT: Final = Split()


@dataclass(frozen=True, slots=True)
class Special:
    """A character that must be written as an escape: cut inside, or half a surrogate pair."""

    cuts: tuple[int, ...]  # offsets in the escape
    char: str  # what must stand there; "" where any character may


@dataclass(frozen=True, slots=True)
class StringLayout:
    """How a string token was cut: the order of its splits and of the characters that were cut inside."""

    items: tuple["Split | Special", ...]
    closed: bool  # it ends with its quote

    @property
    def needed(self) -> int:
        """The least number of characters that lays one between any two cuts and fills every special place."""
        specials = sum(isinstance(item, Special) for item in self.items)
        return specials + self._inner()

    @property
    def plain(self) -> bool:
        """Whether each cut stands between two characters."""
        return all(isinstance(item, Split) for item in self.items)

    @property
    def demanded(self) -> str:
        """The first character that a place demands; "" where none does."""
        return next((item.char for item in self.items if isinstance(item, Special) and item.char), "")

    @property
    def demanding(self) -> bool:
        """Whether some place demands a character of its own choice."""
        return bool(self.demanded)

    def _inner(self) -> int:
        """Pieces that no quote and no special character fills."""
        holds_special = [False]  # for each piece
        for item in self.items:
            if isinstance(item, Split):
                holds_special.append(False)
            else:
                holds_special[-1] = True
                holds_special.extend(True for _ in item.cuts)
        quoted = {0, len(holds_special) - 1} if self.closed else {0}
        return sum(1 for piece, filled in enumerate(holds_special) if not filled and piece not in quoted)

    def fit(self, value: str) -> str:
        """`value` with the characters that special places demand; same length."""
        if not self.demanding:
            return value
        chars = list(value)
        for at, special in self._places(len(value)):
            if special is not None and special.char:
                chars[at] = special.char
        return "".join(chars)

    def _places(self, size: int) -> list[tuple[int, "Special | None"]]:
        """Where each item stands in a value of `size` characters: the offset of a special, or of a split."""
        spare = size - self.needed
        at = 0
        places: list[tuple[int, Special | None]] = []
        fresh = True  # nothing stands in this piece yet; the opening quote fills the first
        first = True
        for item in self.items:
            if isinstance(item, Special):
                places.append((at, item))
                at += 1
                fresh = False
                first = False
                continue
            if fresh and (spare > 0 or not first):
                at += 1
            places.append((at, None))
            fresh = True
            first = False
        return places

    def render(self, value: str) -> list[str]:
        """The JSON string of `value` in as many pieces as the raw one had; `value` has at least `needed` characters."""
        pieces = ['"']
        done = 0
        for at, special in self._places(len(value)):
            pieces[-1] += _escaped(value[done:at])
            done = at
            if special is None:
                pieces.append("")
                continue
            escape = _as_escape(value[at])
            bounds = [0, *special.cuts, len(escape)]
            pieces[-1] += escape[: bounds[1]]
            pieces.extend(escape[low:high] for low, high in pairwise(bounds[1:]))
            done = at + 1
        pieces[-1] += _escaped(value[done:]) + ('"' if self.closed else "")
        return pieces


def string_layout(raw: str, cuts: Sequence[int], *, closed: bool) -> StringLayout:
    """The layout of the string token `raw`, quotes included, cut at these offsets (inside the token, ascending)."""
    end = len(raw) - 1 if closed else len(raw)
    if "\\" not in raw or not (cuts or "\\u" in raw):
        return StringLayout(items=(SPLIT,) * len(cuts), closed=closed)
    items: list[Split | Special] = []
    waiting = deque(cuts)
    at = 1
    while at < end:
        while waiting and waiting[0] <= at:
            waiting.popleft()
            items.append(SPLIT)
        match = _UNIT.match(raw, at, end)
        stop = match.end() if match else end
        inner = []
        while waiting and waiting[0] < stop:
            inner.append(waiting.popleft() - at)
        unit = raw[at:stop]
        if _LONE.match(unit):
            items.append(Special(cuts=tuple(inner), char=LONE))
        elif inner:
            pair = len(unit) == _PAIR_LENGTH
            items.append(Special(cuts=tuple(inner), char=ASTRAL if pair else ""))
        at = stop
    items.extend(SPLIT for _ in waiting)
    return StringLayout(items=tuple(items), closed=closed)


def spread(text: str, count: int) -> list[str]:
    """`text` in `count` pieces, one character each and the rest in the last; it has at least `count` characters."""
    return [*text[: count - 1], text[count - 1 :]]


def _escaped(text: str) -> str:
    """The inside of a JSON string: only what must be escaped is."""
    return "".join(_escape_if_needed(char) for char in text) if _NEEDS_ESCAPE.search(text) else text


_NEEDS_ESCAPE: Final = re.compile(r'["\\\x00-\x1f\ud800-\udfff]')


def _escape_if_needed(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    return _as_escape(char) if _NEEDS_ESCAPE.match(char) else char


def _as_escape(char: str) -> str:
    """The character as one escape of six characters, or as two of them above U+FFFF."""
    code = ord(char)
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"

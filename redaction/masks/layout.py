r"""Masked tokens laid over the cuts of the raw ones: every cut keeps its class, and no piece becomes empty.

A cut is the boundary between two fragments of one text. Its class says what it divides: two tokens, one token, a string
between two characters, an escape (and where in it), a surrogate pair. The class is kept, because parsers break at
such places. How many characters stood between two cuts is not kept, because it would tell what was said.

An example: the string token `"Caf\u00e9 Mara"` came in three fragments, `"Caf\u0` and `0e9 ` and `Mara"`. The first cut
is inside an escape, behind its third character. The second one is between two characters. So the layout of the token is

    StringLayout(items=(Special(cuts=(3,), char=""), SPLIT), closed=True)

which is all that is remembered of the text. It needs one character, the one that is written as an escape, and it lets
the pieces of a masked value be told from it:

    the placeholder `x`      `"\u0`  `078`  `"`        `\u0078` is `x`; the quotes fill the first piece and the last
    the placeholder `xxx`    `"\u0`  `078`  `xx"`      what a placeholder has beyond its need stands behind the last cut

Without the first cut the second one would need no character at all: a quote stands on either side. A third cut would
need one between it and the second, so a placeholder has at least `StringLayout.needed` characters; where the schema
gives a shorter one, a longer one is looked for (`masks.scalars`). Half a surrogate pair and a character above U+FFFF
are what they are only as themselves, so a special place may demand its character (`Special.char`), and `fit` puts it
there. Knows JSON strings and cuts; knows no schema.
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
    """A cut of a string between two of its characters."""

    def __repr__(self) -> str:
        return "SPLIT"


SPLIT: Final = Split()


@dataclass(frozen=True, slots=True)
class Special:
    """A character that must be written as an escape: it was cut inside, or it is half a surrogate pair."""

    cuts: tuple[int, ...]  # offsets in the escape
    char: str  # what must stand there; "" where any character may


@dataclass(frozen=True, slots=True)
class StringLayout:
    """How a string token was cut: the order of its splits and of the characters that were cut inside."""

    items: tuple[Split | Special, ...]
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

    @property
    def halved(self) -> bool:
        """Whether half a surrogate pair must stand somewhere: the rules ask no schema about such a text."""
        return any(isinstance(item, Special) and item.char == LONE for item in self.items)

    def demands(self, size: int, ahead: int = 0) -> dict[int, str]:
        """The characters that special places demand of a value of `size` characters, by where they stand in it.

        So many of the characters that it has beyond its need stand `ahead` of them all, if it has so many.
        """
        places = self._places(size, ahead)
        return {at: special.char for at, special in places if special is not None and special.char}

    def _inner(self) -> int:
        """The number of pieces that no quote and no special character fills."""
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
        """`value` with the characters that special places demand, which take the place of others."""
        if not self.demanding:
            return value
        chars = list(value)
        for at, char in self.demands(len(value), self._ahead(value)).items():
            chars[at] = char
        return "".join(chars)

    def _ahead(self, value: str) -> int:
        """How many characters of `value` stand ahead of its special places: the fewest with which it fits them."""
        tried = range(max(0, len(value) - self.needed) + 1) if self.demanding else ()
        fitting = (
            ahead for ahead in tried if all(value[at] == char for at, char in self.demands(len(value), ahead).items())
        )
        return next(fitting, 0)

    def _places(self, size: int, ahead: int = 0) -> list[tuple[int, Special | None]]:
        """Where each item stands in a value of `size` characters: the offset of a special, or of a split."""
        spare = size - self.needed
        at = max(0, min(ahead, spare))
        places: list[tuple[int, Special | None]] = []
        fresh = not at  # nothing stands in this piece yet; the opening quote fills the first
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
        for at, special in self._places(len(value), self._ahead(value)):
            pieces[-1] += _escaped(value[done:at])
            done = at
            if special is None:
                pieces.append("")
                continue
            escape = as_escape(value[at])
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


class Pieces:
    """The pieces of a masked text, filled token by token. Where one ends is said by the cuts of the raw text."""

    def __init__(self, cuts: Sequence[int]) -> None:
        self._cuts = cuts
        self._next = 0  # the first cut that has not been met
        self._at = 0  # the piece that is being filled
        self._pieces: list[list[str]] = [[] for _ in range(len(cuts) + 1)]

    def cuts_in(self, start: int, end: int) -> list[int]:
        """The cuts inside the token from `start` to `end`, as offsets in it. One right before it ends a piece."""
        cuts = self._cuts
        while self._next < len(cuts) and cuts[self._next] <= start:
            self._next += 1
            self._at += 1
        inner = []
        while self._next < len(cuts) and cuts[self._next] < end:
            inner.append(cuts[self._next] - start)
            self._next += 1
        return inner

    def add(self, parts: list[str]) -> None:
        """Takes what stands for the token: the part before its first cut, and the one behind each cut."""
        self._pieces[self._at].append(parts[0])
        for part in parts[1:]:
            self._at += 1
            self._pieces[self._at].append(part)

    def texts(self) -> list[str]:
        """The pieces. White space is dropped, so a piece that had nothing else is one space."""
        return ["".join(parts) or " " for parts in self._pieces]


def cut(text: str, cuts: Sequence[int]) -> list[str]:
    """`text`, cut at these offsets."""
    return [text[low:high] for low, high in pairwise([0, *cuts, len(text)])]


def utf8_width(text: str) -> int:
    """How many bytes a text takes, halves of surrogate pairs included."""
    return len(text.encode("utf-8", "surrogatepass"))


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
    return as_escape(char) if _NEEDS_ESCAPE.match(char) else char


def as_escape(char: str) -> str:
    """The character as one escape of six characters, or as two of them above U+FFFF."""
    code = ord(char)
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"

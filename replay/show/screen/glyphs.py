"""The signs that a terminal draws with, and texts cut to the columns that they take there."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replay.show.picture.cells import Cell
from replay.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Glyphs:
    """One set of signs, each a column wide."""

    cells: Mapping[Cell, str]
    folded: str  # a run of words in one column
    before: str  # around a fragment, so that a space at its end is seen
    behind: str
    more: str  # where a text is cut
    line_end: str
    carriage: str
    to: str  # from one event to another
    rule: str


UNICODE: Final = Glyphs(
    cells={
        Cell.EMPTY: " ",
        Cell.WAITING: "─",
        Cell.NOTHING: "·",
        Cell.REASONING: "░",
        Cell.TEXT: "▒",
        Cell.ARGUMENTS: "█",
        Cell.UNTAKEN: "╳",
        Cell.NAMED: "┼",
        Cell.OPENED: "○",
        Cell.CLOSED: "●",
        Cell.WHOLE: "◉",
        Cell.FINISH: "◆",
        Cell.END: "┤",
        Cell.FINDING: "▲",
    },
    folded="≈",
    before="‹",
    behind="›",
    more="…",
    line_end="⏎",
    carriage="␍",
    to="–",
    rule="─",
)
# For a terminal whose encoding has none of these.
ASCII: Final = Glyphs(
    cells={
        Cell.EMPTY: " ",
        Cell.WAITING: "-",
        Cell.NOTHING: ".",
        Cell.REASONING: ":",
        Cell.TEXT: "~",
        Cell.ARGUMENTS: "=",
        Cell.UNTAKEN: "x",
        Cell.NAMED: "+",
        Cell.OPENED: "(",
        Cell.CLOSED: ")",
        Cell.WHOLE: "O",
        Cell.FINISH: "#",
        Cell.END: "|",
        Cell.FINDING: "!",
    },
    folded="%",
    before="<",
    behind=">",
    more="...",
    line_end="\\n",
    carriage="\\r",
    to="-",
    rule="-",
)


def glyphs(encoding: str | None) -> Glyphs:
    """The signs that this encoding can write."""
    every = "".join((*UNICODE.cells.values(), UNICODE.folded, UNICODE.more, UNICODE.line_end, UNICODE.carriage))
    try:
        every.encode(encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return ASCII
    return UNICODE


def clean(text: str, signs: Glyphs) -> str:
    """A captured text on one line, in characters that cannot drive a terminal; line ends stand as their signs."""
    shown = text.replace("\r", signs.carriage).replace("\n", signs.line_end) if "\n" in text or "\r" in text else text
    return printable(shown)


def columns(text: str) -> int:
    """The columns that a printable text takes: two for a wide character, none for one that joins the one before it."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def fitted(text: str, room: int, signs: Glyphs) -> str:
    """The text, or as much of its beginning as there is room for, and the sign that more follows."""
    if columns(text) <= room:
        return text
    kept, left = [], room - columns(signs.more)
    for character in text:
        left -= _columns(character)
        if left < 0:
            break
        kept.append(character)
    return "".join(kept) + signs.more


def padded(text: str, width: int) -> str:
    """The text with spaces behind it, up to this many columns."""
    return text + " " * max(0, width - columns(text))

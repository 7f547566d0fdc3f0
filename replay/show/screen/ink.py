"""Few colours, each with one meaning, and none where they are not wanted."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from replay.validator import Status

if TYPE_CHECKING:
    from collections.abc import Mapping


class Ink(Enum):
    """What a piece of a line is; the value is what a terminal makes of it."""

    GOOD = "\x1b[32m"  # may be considered for execution
    BAD = "\x1b[31m"  # blocked, and findings
    STRONG = "\x1b[1m"
    QUIET = "\x1b[2m"
    WORDS = "\x1b[36m"  # fragments, as they came


_PLAIN: Final = "\x1b[0m"
BY_STATUS: Final[Mapping[Status, Ink]] = {
    Status.PASS: Ink.GOOD,
    Status.BLOCKED: Ink.BAD,
    Status.NOT_APPLICABLE: Ink.STRONG,
    Status.INVALID: Ink.BAD,
}


class Brush:
    """Paints with colours."""

    def paint(self, text: str, *inks: Ink) -> str:
        """The text in these inks."""
        return f"{''.join(ink.value for ink in inks)}{text}{_PLAIN}" if text.strip() else text


class DryBrush(Brush):
    """Paints nothing."""

    def paint(self, text: str, *inks: Ink) -> str:  # noqa: ARG002 - as a brush does
        """The text as it is."""
        return text

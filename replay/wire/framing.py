"""The parts of every framing: a reader of bytes, its frames, which of them are payloads, and the way back to bytes.

A framing is one module beside this one and one value of `Framing`. Knows no provider and no JSON: the caller says how
the text of a frame is read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "BROKEN",
    "WHITE_SPACE",
    "Block",
    "EventTooLongError",
    "Frame",
    "Framing",
    "LineEnd",
    "Payloads",
    "RenderError",
    "Stream",
    "Tail",
    "chosen",
]

# One event, its unfinished line included. Larger than any turn that could be judged (16 MiB of argument bytes), so
# passing it means that this is no event stream, or one that means harm.
MAX_EVENT_BYTES: Final = 64 * 1024 * 1024


class LineEnd(str, Enum):
    """The three line ends of the standard; the value is the name that a fixture uses."""

    LF = "lf"
    CRLF = "crlf"
    CR = "cr"

    @property
    def raw(self) -> bytes:
        """The bytes on the wire."""
        return _RAW[self]


_RAW: Final = {LineEnd.LF: b"\n", LineEnd.CRLF: b"\r\n", LineEnd.CR: b"\r"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Lines that a blank line ends and that have no data: no event by the standard, and to some clients an empty one.

    A keep-alive is the usual one: `: ping` and a blank line. Its texts are captured data, as those of a frame are.
    """

    event: str = field(default="", repr=False)
    id: str | None = field(default=None, repr=False)
    retry: str | None = field(default=None, repr=False)
    comments: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One dispatched event. Its texts are captured data, so its repr shows none of them.

    `event`, `id`, `retry` and `comments` are those among its own lines; `blocks` came since the event before.
    """

    data: str = field(repr=False)
    event: str = field(default="", repr=False)  # as written; "" where the stream names none, which means "message"
    id: str | None = field(default=None, repr=False)
    retry: str | None = field(default=None, repr=False)  # digits; not converted, since they may be thousands
    utf8: bool = True  # False: a data line had bytes that are no UTF-8; they read as U+FFFD
    comments: int = 0
    blocks: tuple[Block, ...] = ()
    kind: str = ""  # what sort of frame it is, where the framing has several
    levels: int = 0  # how many levels of JSON the framing puts around the data, where it stands in an array of payloads
    broken: bool = False  # a check of the framing failed, so there is nothing to read


def decoded(raw: bytes, *, kind: str = "", event: str = "", levels: int = 0) -> Frame:
    """A frame whose data are these bytes; what is no UTF-8 reads as U+FFFD, and `utf8` says so."""
    try:
        return Frame(data=raw.decode("utf-8"), kind=kind, event=event, levels=levels)
    except UnicodeDecodeError:
        return Frame(data=raw.decode("utf-8", "replace"), kind=kind, event=event, levels=levels, utf8=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """The rest of a stream behind its last event, and the line ends that it used.

    `frames` are those that only the end completes: a last line of JSON without its line end, say.
    """

    pending: bool  # a field without its blank line, or an unfinished line: an event that never arrived
    comments: int  # behind the last blank line
    retry: str | None = field(default=None, repr=False)  # so too: unlike an id it counts without its blank line
    blocks: tuple[Block, ...] = ()
    line_ends: frozenset[LineEnd] = frozenset()
    bom: bool = False
    unclosed: bool = False  # what opens the body was not closed, though no frame is missing for it
    frames: tuple[Frame, ...] = ()
    bare_marker: bool = False  # the last of them is an end marker, whose blank line is missing


@dataclass(frozen=True, slots=True, kw_only=True)
class Payloads:
    """The array of a turn. `frames` has the frame of each item; its repr shows no captured text."""

    items: list[object]
    frames: list[Frame]
    done: int  # how many end markers were framing
    markers: tuple[Frame, ...] = ()  # the frames of these

    def __repr__(self) -> str:
        return f"Payloads({len(self.items)} items, done={self.done})"


class EventTooLongError(Exception):
    """One event is longer than `limit`, a number of bytes. The error holds nothing of the event."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"one event is longer than {limit} bytes")
        self.limit: Final = limit


class RenderError(ValueError):
    """A text that no event stream can carry as this field of the standard. The error names the field, not the text."""

    def __init__(self, field: str) -> None:
        super().__init__(f"no event stream can carry this text as {field}")


# What stands for frames that failed a check of their framing: nothing of them is kept.
BROKEN: Final = Frame(data="", broken=True)

_HALF_A_CHARACTER: Final = re.compile("[\ud800-\udfff]")


def carried(text: str, field: str, *, never: str = "") -> str:
    """The text, where a stream can carry it as this field: without a lone surrogate and without a character of `never`.

    Raises `RenderError`. Surrogates are looked for here, since the codec's own error would hold the whole text.
    """
    if any(character in text for character in never) or (not text.isascii() and _HALF_A_CHARACTER.search(text)):
        raise RenderError(field)
    return text


class Stream(Protocol):
    """The reader of one body: feed it in pieces, close it once. Time and memory are linear in what is fed."""

    def feed(self, piece: bytes) -> list[Frame]:
        """The frames that `piece` completes; raises `EventTooLongError`, then and ever after."""
        ...

    def close(self) -> Tail:
        """End the body; what is left of it."""
        ...


class Framing(Protocol):
    """One framing: how payloads are put into a body and found in it again, an end marker included where it has one."""

    @property
    def name(self) -> str:
        """Its name, which is that of its usual form, too."""
        ...

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms that such a body can have, as `transport.framing` of a fixture says them, the usual one first."""
        ...

    @property
    def marked(self) -> bool:
        """Whether something can stand beside the data of a frame: a name of its own, an id, a comment."""
        ...

    @property
    def content_type(self) -> str:
        """The content type of such a body, in lower case and without parameters."""
        ...

    @property
    def starts(self) -> tuple[bytes, ...]:
        """How a body may start (a byte order mark left aside)."""
        ...

    def open(self, *, limit: int = MAX_EVENT_BYTES) -> Stream:
        """A reader; `limit` bounds the bytes of one frame."""
        ...

    def form(self, frames: Sequence[Frame]) -> str:
        """Which of its forms a body with these frames has."""
        ...

    def collect(self, frames: Iterable[Frame], read: Callable[[Frame], object]) -> Payloads:
        """The payloads of `frames`, each as `read` gives it, none dropped and none merged; end markers apart."""
        ...

    def render(self, event: Frame, *, line_end: LineEnd = LineEnd.LF) -> bytes:
        """The bytes of one frame; raises `RenderError` for a text that has no form in this framing."""
        ...

    def end_marker(self, *, line_end: LineEnd = LineEnd.LF) -> bytes:
        """The bytes of one end marker; empty where the framing has none."""
        ...

    def end_of(self, body: bytes) -> int:
        """Where the last byte of a body ends that says something; what is behind it is white space that is nothing."""
        ...

    def is_end_marker(self, text: str) -> bool:
        """Whether a payload of exactly this text would be read as an end marker."""
        ...


WHITE_SPACE: Final = b" \t\r\n"


def chosen(start: bytes, framings: Sequence[Framing]) -> Framing | None:
    """Which of `framings` a body that starts so has; None where that cannot be known yet.

    The first of them is the usual one, of which a body may start with anything. Each other is known by the first byte
    that is no white space: `[` of a JSON array, say.
    """
    usual, *others = framings
    first = start.lstrip(WHITE_SPACE)[:1]
    if others and not first:
        return None
    return next((framing for framing in others if first in framing.starts), usual)

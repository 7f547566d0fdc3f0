"""One JSON array whose elements come one by one, as Gemini streams without `alt=sse`.

Goes in: the decoded bytes of an `application/json` body, cut anywhere. Comes out: a frame for each element, as soon as
its last byte is there. A body that is one object is one frame (error bodies).

    [{"candidates": …}        an element, whole at its last bracket
    ,                         framing
    {"candidates": …}         the next one
    ]                         framing; where it is missing, nothing changes

An element ends with the bracket that closes its first one; brackets outside strings are counted whatever their kind. So
one that is broken inside, such as `{"a":}`, ends all the same, and the next one is read. Where an element, a comma or
the closing bracket should stand and something else does, nobody can say where the next element begins: that and
everything behind it is one broken frame.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Final

from .framing import (
    BROKEN,
    MAX_EVENT_BYTES,
    WHITE_SPACE,
    EventTooLongError,
    Frame,
    LineEnd,
    Payloads,
    RenderError,
    Tail,
    carried,
    decoded,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["JSON_ARRAY", "JsonArray", "JsonArrays"]

_SPACE: Final = re.compile(rb"[ \t\r\n]*")
_BRACKET_OR_QUOTE: Final = re.compile(rb'[{}\[\]"]')
_QUOTE_OR_ESCAPE: Final = re.compile(rb'["\\]')


class _Want(Enum):
    """What may come next, white space aside; the value is the bytes that may."""

    START = b"[{"
    FIRST_OR_END = b"{]"  # just behind the opening bracket
    ELEMENT = b"{"  # behind a comma
    COMMA_OR_END = b",]"
    NOTHING = b""  # the array or the one object is over
    LOST = b" "  # something else came: the rest is not read


# The kind of a frame that is the whole body.
ONE_OBJECT: Final = "object"

# What comes behind a byte of framing.
_AFTER: Final = {b"[": _Want.FIRST_OR_END, b",": _Want.ELEMENT, b"]": _Want.NOTHING}


class JsonArray:
    """A body being read: feed it in pieces, close it once. Time and memory are linear in what is fed."""

    def __init__(self, *, limit: int = MAX_EVENT_BYTES) -> None:
        self._limit = limit
        self._want = _Want.START
        self._after_element = _Want.NOTHING  # of a body that is one object
        self._element = bytearray()  # the unfinished one
        self._depth = 0  # of brackets in it
        self._in_string = False
        self._escaped = False  # the last byte was a backslash in a string
        self._too_long = False

    def feed(self, piece: bytes) -> list[Frame]:
        """The elements that `piece` completes; raises `EventTooLongError`, then and ever after."""
        self._keep(b"")
        found: list[Frame] = []
        at = 0
        while at < len(piece) and self._want is not _Want.LOST:
            if not self._depth:
                at = self._between(piece, at, found)
                continue
            end = self._inside(piece, at)
            self._keep(piece[at:end])
            at = end
            if not self._depth:
                kind = ONE_OBJECT if self._after_element is _Want.NOTHING else ""
                found.append(decoded(bytes(self._element), kind=kind))
                self._element.clear()
                self._want = self._after_element
        return found

    def close(self) -> Tail:
        """Say that the body ended. An element that did not end never arrived; the tail says that it was there."""
        self._keep(b"")
        over = self._want in (_Want.START, _Want.NOTHING, _Want.LOST)
        return Tail(pending=bool(self._element) or self._want is _Want.LOST, comments=0, unclosed=not over)

    def _keep(self, part: bytes) -> None:
        if self._too_long or len(self._element) + len(part) > self._limit:
            self._too_long = True
            raise EventTooLongError(self._limit)
        self._element += part

    def _between(self, piece: bytes, at: int, found: list[Frame]) -> int:
        """Take one byte of framing, or stand at the first one of an element; how far the piece is read."""
        space = _SPACE.match(piece, at)
        assert space is not None, "no white space matches too"
        at = space.end()
        byte = piece[at : at + 1]
        if not byte:
            return at
        if byte not in self._want.value:
            self._want = _Want.LOST
            found.append(BROKEN)
            return at
        if byte == b"{":
            self._depth = 1
            self._keep(byte)
            return at + 1
        if byte == b"[":
            self._after_element = _Want.COMMA_OR_END
        self._want = _AFTER[byte]
        return at + 1

    def _inside(self, piece: bytes, at: int) -> int:
        """Count brackets of the element that goes on here; where it ends, or the piece does."""
        if self._escaped:
            self._escaped = False
            at += 1
        while True:
            mark = (_QUOTE_OR_ESCAPE if self._in_string else _BRACKET_OR_QUOTE).search(piece, at)
            if mark is None:
                return len(piece)
            at = mark.end()
            byte = mark.group()
            if byte == b'"':
                self._in_string = not self._in_string
            elif byte == b"\\":
                self._escaped = at == len(piece)
                at += 1
                if self._escaped:
                    return len(piece)
            elif byte in b"{[":
                self._depth += 1
            else:
                self._depth -= 1
                if not self._depth:
                    return at


def render(event: Frame) -> bytes:
    """The bytes of one element, without what stands between elements."""
    if event.broken:
        raise RenderError("an element")
    return carried(event.data, "an element").encode("utf-8")


class JsonArrays:
    """The framing of JSON arrays. `opening`, `separator` and `closing` are the bytes around elements."""

    name: Final = "json"
    forms: Final = ("json", "json-object")
    marked: Final = False
    content_type: Final = "application/json"
    starts: Final = (b"[", b"{")
    opening: Final = b"["
    separator: Final = b"\n,\r\n"  # as the service writes it
    closing: Final = b"\n]\n"

    def open(self, *, limit: int = MAX_EVENT_BYTES) -> JsonArray:
        """A reader of one body."""
        return JsonArray(limit=limit)

    def form(self, frames: Sequence[Frame]) -> str:
        """Whether the body is an array or one object."""
        return self.forms[any(frame.kind == ONE_OBJECT for frame in frames)]

    def collect(self, frames: Iterable[Frame], read: Callable[[Frame], object]) -> Payloads:
        """The payloads of elements."""
        kept = list(frames)
        return Payloads(items=[read(frame) for frame in kept], frames=kept, done=0)

    def render(self, event: Frame, *, line_end: LineEnd = LineEnd.LF) -> bytes:  # noqa: ARG002 - it has no lines
        """The bytes of one element."""
        return render(event)

    def end_marker(self, *, line_end: LineEnd = LineEnd.LF) -> bytes:  # noqa: ARG002 - there is none
        """Nothing: the closing bracket ends no turn."""
        return b""

    def end_of(self, body: bytes) -> int:
        """Behind the last bracket, or what else stands there: white space around elements is nothing."""
        return len(body.rstrip(WHITE_SPACE))

    def is_end_marker(self, text: str) -> bool:  # noqa: ARG002
        """No text is one."""
        return False


JSON_ARRAY: Final = JsonArrays()

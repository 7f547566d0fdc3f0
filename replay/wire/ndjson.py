"""Newline-delimited JSON: one payload a line, as Ollama streams.

Goes in: the decoded bytes of an `application/x-ndjson` body, cut anywhere. Comes out: its lines; and back. Lines end
with LF; a CR before it, and lines of white space, are nothing. A last line without LF counts if it is one whole JSON
object, because an object ends itself: `{"done":true}` does, `12` could go on as `123`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from .framing import MAX_EVENT_BYTES, EventTooLongError, Frame, LineEnd, Payloads, RenderError, Tail, carried, decoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["NDJSON", "JsonLines", "NewlineDelimitedJson"]

_SPACE: Final = b" \t\r\n"
# What ends a line, and the white space before it.
_LINE_END: Final = re.compile(rb"[ \t]*\r?\n")


class JsonLines:
    """A body being read: feed it in pieces, close it once. Time and memory are linear in what is fed."""

    def __init__(self, *, limit: int = MAX_EVENT_BYTES) -> None:
        self._limit = limit
        self._line = bytearray()  # the unfinished line
        self._ends: set[LineEnd] = set()
        self._too_long = False

    def feed(self, piece: bytes) -> list[Frame]:
        """The lines that `piece` completes; raises `EventTooLongError`, then and ever after."""
        found = []
        *ended, rest = piece.split(b"\n")
        for part in ended:
            self._add(part)
            line = bytes(self._line)
            self._line.clear()
            self._ends.add(LineEnd.CRLF if line.endswith(b"\r") else LineEnd.LF)
            if line.strip(_SPACE):
                found.append(decoded(line.removesuffix(b"\r")))
        self._add(rest)
        return found

    def close(self) -> Tail:
        """Say that the body ended. A last line that is no whole object never arrived, and the tail says so."""
        self._add(b"")
        last = decoded(bytes(self._line)) if self._line.strip(_SPACE) else None
        whole = last is not None and _is_whole_object(last.data)
        return Tail(
            pending=last is not None and not whole,
            comments=0,
            line_ends=frozenset(self._ends),
            frames=(last,) if last is not None and whole else (),
        )

    def _add(self, part: bytes) -> None:
        if self._too_long or len(self._line) + len(part) > self._limit:
            self._too_long = True
            raise EventTooLongError(self._limit)
        self._line += part


def _is_whole_object(text: str) -> bool:
    """Whether the text is one JSON object from end to end. It may still be broken in a way that ends nowhere else."""
    try:
        return isinstance(json.loads(text), dict)
    except RecursionError:
        return True  # so many levels that Python gives up: whole or not, it is no payload that could stand in a file
    except ValueError:
        return False


def render(event: Frame, *, line_end: LineEnd = LineEnd.LF) -> bytes:
    """The bytes of one line with its end."""
    if event.broken:
        raise RenderError("a line")
    return carried(event.data, "a line", never="\n").encode("utf-8") + (
        line_end.raw if line_end is LineEnd.CRLF else LineEnd.LF.raw
    )


class NewlineDelimitedJson:
    """The framing of newline-delimited JSON."""

    name: Final = "ndjson"
    forms: Final = ("ndjson",)
    marked: Final = False
    content_type: Final = "application/x-ndjson"
    starts: Final = (b"{",)

    def open(self, *, limit: int = MAX_EVENT_BYTES) -> JsonLines:
        """A reader of one body."""
        return JsonLines(limit=limit)

    def form(self, frames: Sequence[Frame]) -> str:  # noqa: ARG002 - it has one
        """The one form."""
        return self.name

    def collect(self, frames: Iterable[Frame], read: Callable[[Frame], object]) -> Payloads:
        """The payloads of lines."""
        kept = list(frames)
        return Payloads(items=[read(frame) for frame in kept], frames=kept, done=0)

    def render(self, event: Frame, *, line_end: LineEnd = LineEnd.LF) -> bytes:
        """The bytes of one line."""
        return render(event, line_end=line_end)

    def end_marker(self, *, line_end: LineEnd = LineEnd.LF) -> bytes:  # noqa: ARG002 - there is none
        """Nothing: a body just ends."""
        return b""

    def end_of(self, body: bytes) -> int:
        """Behind the end of the last line that is none of white space."""
        last = len(body.rstrip(_SPACE))
        found = _LINE_END.match(body, last)
        return found.end() if found is not None else last

    def is_end_marker(self, text: str) -> bool:  # noqa: ARG002
        """No text is one: `[DONE]` is a broken payload here."""
        return False


NDJSON: Final = NewlineDelimitedJson()

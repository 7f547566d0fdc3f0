"""Server-sent events as the WHATWG standard says ("Event stream interpretation"), one piece of bytes at a time.

Goes in: the decoded bytes of a `text/event-stream` body, cut anywhere. Comes out: the events that a client would see,
in order. Knows bytes, lines and fields; knows no JSON and no provider.

Lines are split as bytes and each is decoded by itself. Neither CR nor LF can be part of a longer UTF-8 sequence, so
this gives the same text as decoding the whole stream, and no cut inside a character matters.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final

_BOM: Final = b"\xef\xbb\xbf"

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
class Frame:
    """One dispatched event. Its texts are captured data, so its repr shows none of them.

    `id` and `retry` are the last that were said since the event before, `comments` the number of comment lines since
    then: a block without data dispatches nothing, but the id, the retry and the comments in it count.
    """

    data: str = field(repr=False)
    event: str = field(default="", repr=False)  # as written; "" where the stream names none, which means "message"
    id: str | None = field(default=None, repr=False)
    retry: str | None = field(default=None, repr=False)  # digits; not converted, since they may be thousands
    utf8: bool = True  # False: a data line had bytes that are no UTF-8; they read as U+FFFD
    comments: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """What stood behind the last event when the stream ended, and how its lines ended."""

    pending: bool  # a field without its blank line, or an unfinished line: an event that never arrived
    comments: int
    id: str | None = field(default=None, repr=False)
    retry: str | None = field(default=None, repr=False)
    line_ends: frozenset[LineEnd] = frozenset()
    bom: bool = False


class EventTooLongError(Exception):
    """One event passed the bound. Has the bound, and nothing of the event."""

    def __init__(self, limit: int) -> None:
        """`limit` is the bound in force, in bytes."""
        super().__init__(f"one event is longer than {limit} bytes")
        self.limit: Final = limit


class EventStream:
    """A body being read: feed it in pieces, close it once. Time and memory are linear in what is fed."""

    def __init__(self, *, limit: int = MAX_EVENT_BYTES) -> None:
        """`limit` bounds the bytes of one event; one that passes it raises `EventTooLongError`, now and ever after."""
        self._limit = limit
        self._line = bytearray()  # the unfinished line; never holds a line end
        self._first = True  # a byte order mark is dropped from the first line only
        self._bom = False
        self._after_cr = False  # the last byte was a CR: an LF that comes next belongs to it
        self._ends: set[LineEnd] = set()
        self._too_long = False
        self._comments = 0
        self._id: str | None = None
        self._retry: str | None = None
        self._open()

    def _open(self) -> None:
        """Forget the event being read."""
        self._data: list[str] = []
        self._event = ""
        self._new_id: str | None = None  # counts when its blank line arrives
        self._utf8 = True
        self._fields = 0
        self._held = 0  # bytes of the lines kept for this event

    def feed(self, piece: bytes) -> list[Frame]:
        """The events that `piece` completes."""
        if self._after_cr and piece.startswith(b"\n"):
            self._after_cr = False
            self._ends.add(LineEnd.CRLF)
            piece = piece[1:]
        found = []
        for line in piece.splitlines(keepends=True):  # of bytes: CR, LF and CRLF, nothing else
            self._settle_cr()
            body = line.rstrip(b"\r\n")
            self._line += body
            if self._too_long or self._held + len(self._line) > self._limit:
                self._too_long = True
                raise EventTooLongError(self._limit)
            if len(body) < len(line):
                self._ended_by(line[len(body) :])
                frame = self._take(self._whole_line())
                if frame is not None:
                    found.append(frame)
        return found

    def close(self) -> Tail:
        """Say that the stream ended. An event without its blank line is no event; the tail says that it was there."""
        if self._too_long:
            raise EventTooLongError(self._limit)
        self._settle_cr()
        return Tail(
            pending=self._fields > 0 or bool(self._whole_line()),
            comments=self._comments,
            id=self._id,
            retry=self._retry,
            line_ends=frozenset(self._ends),
            bom=self._bom,
        )

    def _ended_by(self, raw: bytes) -> None:
        if raw == b"\n":
            self._ends.add(LineEnd.LF)
        elif raw == b"\r\n":
            self._ends.add(LineEnd.CRLF)
        else:
            self._after_cr = True

    def _settle_cr(self) -> None:
        """No LF came behind the last CR, so it is a line end by itself."""
        if self._after_cr:
            self._after_cr = False
            self._ends.add(LineEnd.CR)

    def _whole_line(self) -> bytes:
        line = bytes(self._line)
        self._line.clear()
        if self._first:
            self._first = False
            if line.startswith(_BOM):
                self._bom = True
                return line[len(_BOM) :]
        return line

    def _take(self, line: bytes) -> Frame | None:
        """One line without its end: a blank one dispatches, any other is a comment or a field."""
        if not line:
            return self._dispatch()
        name, _, value = line.partition(b":")
        if not name:
            self._comments += 1
            return None
        self._fields += 1
        if value.startswith(b" "):
            value = value[1:]
        if name == b"data":
            self._held += len(line)
            self._data.append(self._text(value))
        elif name == b"event":
            self._event = value.decode("utf-8", "replace")
        elif name == b"id" and b"\0" not in value:
            self._new_id = value.decode("utf-8", "replace")
        elif name == b"retry" and value.isdigit():
            self._retry = value.decode("ascii")
        return None

    def _text(self, value: bytes) -> str:
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            self._utf8 = False
        return value.decode("utf-8", "replace")

    def _dispatch(self) -> Frame | None:
        if self._new_id is not None:
            self._id = self._new_id
        frame = None
        if self._data:
            frame = Frame(
                data="\n".join(self._data),
                event=self._event,
                id=self._id,
                retry=self._retry,
                utf8=self._utf8,
                comments=self._comments,
            )
            self._id = self._retry = None
            self._comments = 0
        self._open()
        return frame

"""Server-sent events as the WHATWG standard says ("Event stream interpretation"), one piece of bytes at a time.

Goes in: the decoded bytes of a `text/event-stream` body, cut anywhere. Comes out: the events that a client would see,
in order; and back: events to bytes. Knows bytes, lines and fields; knows no JSON and no provider.

Lines are split as bytes and each is decoded by itself. Neither CR nor LF can be part of a longer UTF-8 sequence, so
this gives the same text as decoding the whole stream, and no cut inside a character matters.

Reading what is written here gives back the same frames, in each style of line end. One thing has no form on the wire:
a CR in a payload, which every reader takes for a line end. It is refused, not changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .framing import MAX_EVENT_BYTES, Block, EventTooLongError, Frame, LineEnd, Payloads, RenderError, Tail, carried

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["DONE", "SSE", "EventStream", "ServerSentEvents", "render_blocks"]

_BOM: Final = b"\xef\xbb\xbf"

# The exact text that ends a stream, whatever the profile (`docs/conformance.md`, Transport).
DONE: Final = "[DONE]"


_NOTHING: Final = Block()


class EventStream:
    """The reader of one body: feed it in pieces, close it once. Time and memory are linear in what is fed.

    An event of more than `limit` bytes raises an `EventTooLongError`, then and ever after.
    """

    def __init__(self, *, limit: int = MAX_EVENT_BYTES) -> None:
        self._limit = limit
        self._line = bytearray()  # the unfinished line; never holds a line end
        self._first = True  # a byte order mark is dropped from the first line only
        self._bom = False
        self._after_cr = False  # the last byte was a CR: an LF that comes next belongs to it
        self._ends: set[LineEnd] = set()
        self._too_long = False
        self._blocks: list[Block] = []  # without data, since the last event
        self._open()

    def _open(self) -> None:
        """Forget the block being read."""
        self._data: list[str] = []
        self._event = ""
        self._id: str | None = None
        self._retry: str | None = None
        self._comments = 0
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
        """Say that the stream ended. An event without its blank line is no event; the tail says that it was there.

        An end marker is one without it, too: nothing could follow, and some providers and many tools leave it out.
        """
        if self._too_long:
            raise EventTooLongError(self._limit)
        self._settle_cr()
        line = self._whole_line()
        if line:
            self._take(line)
        frame = self._dispatch() if self._data == [DONE] else None
        return Tail(
            pending=self._fields > 0 or (bool(line) and frame is None),
            frames=() if frame is None else (frame,),
            bare_marker=frame is not None,
            comments=self._comments,
            retry=self._retry,
            blocks=tuple(self._blocks),
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
            self._id = value.decode("utf-8", "replace")
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
        frame = None
        if self._data:
            frame = Frame(
                data="\n".join(self._data),
                event=self._event,
                id=self._id,
                retry=self._retry,
                utf8=self._utf8,
                comments=self._comments,
                blocks=tuple(self._blocks),
            )
            self._blocks.clear()
        else:
            block = Block(event=self._event, id=self._id, retry=self._retry, comments=self._comments)
            # A body may be made of blank lines alone: those share one value.
            self._blocks.append(_NOTHING if block == _NOTHING else block)
        self._open()
        return frame


def collect(frames: Iterable[Frame], read: Callable[[Frame], object]) -> Payloads:
    """The payloads of `frames`, each as `read` gives it, none dropped and none merged.

    A `[DONE]` that only further ones follow is framing. One that another event follows stands in the array as the
    string `[DONE]`, unread: clients stop there, so it must be seen (`docs/conformance.md`, Transport).
    """
    kept: list[Frame] = []
    items: list[object] = []
    held: list[Frame] = []  # end markers that nothing followed so far
    for frame in frames:
        if frame.data == DONE:
            held.append(frame)
            continue
        items += [DONE] * len(held)
        kept += held
        held.clear()
        items.append(read(frame))
        kept.append(frame)
    return Payloads(items=items, frames=kept, done=len(held), markers=tuple(held))


def render(event: Frame, *, line_end: LineEnd = LineEnd.LF) -> bytes:
    """The bytes of one event, blank lines included: blocks, comments, id, event name, retry, data lines."""
    lines = _lines_of_blocks(event.blocks)
    lines += _lines_beside(event)
    lines += ["data: " + line for line in carried(event.data, "data", never="\r").split("\n")]
    return _joined([*lines, ""], line_end)


def render_blocks(blocks: Iterable[Block], *, line_end: LineEnd = LineEnd.LF) -> bytes:
    """The bytes of blocks without data, as they stand behind the last event."""
    return _joined(_lines_of_blocks(blocks), line_end)


def _joined(lines: Iterable[str], line_end: LineEnd) -> bytes:
    return "".join(line + line_end.raw.decode("ascii") for line in lines).encode("utf-8")


def _lines_of_blocks(blocks: Iterable[Block]) -> list[str]:
    return [line for block in blocks for line in (*_lines_beside(block), "")]


def _lines_beside(one: Frame | Block) -> list[str]:
    """The lines beside the data: comments, id, event name, retry."""
    lines = [":"] * one.comments
    if one.id is not None:
        lines.append("id: " + carried(one.id, "id", never="\r\n\0"))
    if one.event:
        lines.append("event: " + carried(one.event, "event", never="\r\n"))
    if one.retry is not None:
        lines.append("retry: " + _digits(one.retry))
    return lines


def _digits(text: str) -> str:
    if not (text.isascii() and text.isdigit()):
        raise RenderError("retry")
    return text


class ServerSentEvents:
    """The framing of server-sent events."""

    name: Final = "sse"
    forms: Final = ("sse",)
    marked: Final = True
    content_type: Final = "text/event-stream"
    starts: Final = (b"data:", b"event:", b"id:", b"retry:", b":", b"\n", b"\r")

    def open(self, *, limit: int = MAX_EVENT_BYTES) -> EventStream:
        """A reader of one body."""
        return EventStream(limit=limit)

    def form(self, frames: Sequence[Frame]) -> str:  # noqa: ARG002 - it has one
        """The one form."""
        return self.name

    def collect(self, frames: Iterable[Frame], read: Callable[[Frame], object]) -> Payloads:
        """The payloads of events, end markers apart."""
        return collect(frames, read)

    def render(self, event: Frame, *, line_end: LineEnd = LineEnd.LF) -> bytes:
        """The bytes of one event."""
        return render(event, line_end=line_end)

    def end_marker(self, *, line_end: LineEnd = LineEnd.LF) -> bytes:
        """The bytes of `[DONE]` as an event."""
        return render(Frame(data=DONE), line_end=line_end)

    def end_of(self, body: bytes) -> int:
        """The end of the body: each blank line is told."""
        return len(body)

    def is_end_marker(self, text: str) -> bool:
        """Whether this is the text of an end marker."""
        return text == DONE


SSE: Final = ServerSentEvents()

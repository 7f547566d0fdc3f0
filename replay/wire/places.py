"""What a cut of a body is inside of: between two frames, in a line end, a character, an escape, a string, a field name.

Example: `data: {"city":"Os|lo"}` is cut in a string, `dat|a:` in the name of a field. Clients break at some of these
places and not at others. Knows bytes and framings; knows no provider.
"""

from __future__ import annotations

from enum import Enum
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Protocol

from .aws_event_stream import AWS_EVENT_STREAM
from .json_array import JSON_ARRAY
from .ndjson import NDJSON
from .sse import SSE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = ["Place", "cut_places", "places"]


class Place(Enum):
    """What a cut is inside of; the value is its name in a fixture's `transport.reads`."""

    FRAME = "frame"
    LINE_END = "line_end"
    UTF8 = "utf8"
    ESCAPE = "escape"
    STRING = "string"
    FIELD = "field"
    STRUCTURE = "structure"


def places(frames: Sequence[bytes], framing: str = SSE.name) -> list[Place]:
    """The place of a cut behind each byte of the body but the last; `framing` is the name of the body's."""
    boundaries = set(accumulate(len(frame) for frame in frames))
    found = cut_places(b"".join(frames), framing)
    return [Place.FRAME if at in boundaries else place for at, place in enumerate(found, start=1)]


def cut_places(body: bytes, framing: str = SSE.name) -> Iterator[Place]:
    """The place of a cut behind each byte of the body but the last, where it is not known where its frames end."""
    reader = _READERS[framing]()
    for position in range(1, len(body)):
        before, after = body[position - 1], body[position]
        inside = reader.after(before)
        if inside is not Place.FIELD and after & 0xC0 == 0x80:
            yield Place.UTF8
        elif before == 0x0D and after == 0x0A:
            yield Place.LINE_END
        else:
            yield inside


class _Reader(Protocol):
    """Reads a body byte by byte, and says what a cut behind each byte is inside of."""

    def after(self, byte: int) -> Place: ...


class _Json:
    """JSON texts, with whatever white space and framing is between them."""

    def __init__(self) -> None:
        self._string = False
        self._escape = 0  # bytes of an escape that are still to come

    def after(self, byte: int) -> Place:
        if self._escape:
            self._escape = 4 if self._escape == 1 and byte == ord("u") else self._escape - 1
        elif self._string and byte == ord("\\"):
            self._escape = 1
        elif byte == ord('"'):
            self._string = not self._string
        if self._escape:
            return Place.ESCAPE
        return Place.STRING if self._string else Place.STRUCTURE


class _Lines(_Json):
    """Lines of JSON: a line that is broken leaves no string open for the next one."""

    def after(self, byte: int) -> Place:
        if byte in b"\n":
            self._string, self._escape = False, 0
        return super().after(byte)


class _Events(_Json):
    """Server-sent events: on each line the name of a field, then its value."""

    def __init__(self) -> None:
        super().__init__()
        self._name = True  # in the field name, its colon and the space behind it
        self._seen = b""

    def after(self, byte: int) -> Place:
        if byte in b"\r\n":
            self._name, self._seen, self._string, self._escape = True, b"", False, 0
            return Place.FIELD
        if self._name:
            self._seen += bytes([byte])
            self._name = not (b":" in self._seen[:-1] or self._seen.endswith(b": "))
            if self._name:
                return Place.FIELD
        return super().after(byte)


class _Messages(_Json):
    """Messages of an AWS event stream: lengths, headers and checksums are fields, and the payload is JSON."""

    def __init__(self) -> None:
        super().__init__()
        self._prelude = b""
        self._at = 0  # bytes of the message that were read

    def after(self, byte: int) -> Place:
        if self._at < _LENGTHS:
            self._prelude += bytes([byte])
        self._at += 1
        if self._at < _LENGTHS:
            return Place.FIELD
        total, headers = (int.from_bytes(self._prelude[at : at + 4], "big") for at in (0, 4))
        if self._at >= total:
            self._prelude, self._at, self._string, self._escape = b"", 0, False, 0
            return Place.FRAME
        inside = _PRELUDE + headers < self._at <= total - _CHECKSUM
        found = super().after(byte) if inside else Place.FIELD
        return found if self._at < total - _CHECKSUM else Place.FIELD


# Of a message: its two lengths, those and their checksum, the checksum behind its payload; in bytes.
_LENGTHS: Final = 8
_PRELUDE: Final = 12
_CHECKSUM: Final = 4

# By the name of a framing.
_READERS: Final[Mapping[str, Callable[[], _Reader]]] = {
    SSE.name: _Events,
    NDJSON.name: _Lines,
    JSON_ARRAY.name: _Json,
    AWS_EVENT_STREAM.name: _Messages,
}

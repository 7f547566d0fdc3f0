"""A body to the pieces in which it is written: whole frames, single bytes, chosen cuts, or the reads of the recording.

Each cut has a place, by what it is inside of: `data: {"city":"Os|lo"}` is cut in a string, `data: {"ci|ty"` too, and
`dat|a:` in the name of a field. Clients break at some of these places and not at others. Knows bytes; knows no HTTP.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, Protocol, overload

from replay.body.packing import packer
from replay.body.transport import COMPLETE
from replay.errors import ToolreelError
from replay.wire.aws_event_stream import AWS_EVENT_STREAM
from replay.wire.json_array import JSON_ARRAY
from replay.wire.ndjson import NDJSON
from replay.wire.sse import SSE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from replay.body.rendering import Rendered


class Mode(Enum):
    """Which pieces a body is written in; the value is how the option says it."""

    FRAMES = "frames"  # one event each
    ALL = "all"  # one byte each
    SOME = "N"  # cut at so many positions, at every kind of place that the body has
    READS = "reads"  # where the network reads of the recording ended


class Place(Enum):
    """What a cut is inside of; the value is its name in a fixture's `transport.reads`."""

    FRAME = "frame"
    LINE_END = "line_end"
    UTF8 = "utf8"
    ESCAPE = "escape"
    STRING = "string"
    FIELD = "field"
    STRUCTURE = "structure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """How to cut. `number` is for `Mode.SOME`."""

    mode: Mode = Mode.FRAMES
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One write. `at` is when, in milliseconds since the head of the response; None: as soon as the one before."""

    data: bytes
    at: int | None = None


class Singles(Sequence[Piece]):
    """A piece for each byte of a coded body, made when it is asked for: a body of megabytes has as many."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def __len__(self) -> int:
        return len(self._body)

    @overload
    def __getitem__(self, at: int) -> Piece: ...
    @overload
    def __getitem__(self, at: slice) -> list[Piece]: ...
    def __getitem__(self, at: int | slice) -> Piece | list[Piece]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        return Piece(data=bytes([self._body[at]]))


def read_cuts(text: str) -> Cuts:
    """What the option `--cuts` says."""
    if text in (Mode.FRAMES.value, Mode.ALL.value, Mode.READS.value):
        return Cuts(mode=Mode(text))
    if text.isascii() and text.isdigit() and len(text) <= 9 and int(text):
        return Cuts(mode=Mode.SOME, number=int(text))
    raise ToolreelError(f"--cuts {text}: must be all, reads, frames, or a number of places of 1 or more")


def pieces(rendered: Rendered, cuts: Cuts, transport: Mapping[str, object]) -> Sequence[Piece]:
    """The pieces of the whole body, content coding applied.

    `transport` is the fixture's, for its `reads` and `milliseconds`; where it has no reads, `Mode.READS` is one piece a
    frame.
    """
    if cuts.mode is Mode.ALL:
        coded = b"".join(_coded(rendered, [b"".join(rendered.frames)]))
        return Singles(coded)
    plain, reads = list(rendered.frames), None
    if cuts.mode is Mode.SOME:
        body = b"".join(rendered.frames)
        plain = split(body, chosen(rendered.frames, cuts.number, rendered.framing.name))
    elif cuts.mode is Mode.READS:
        reads = _reads(transport.get("reads"))
        if reads is not None:
            plain = split(b"".join(rendered.frames), _ends(rendered, reads))
    times = _times(transport.get("milliseconds"), len(plain))
    return [Piece(data=data, at=at) for data, at in zip(_coded(rendered, plain), times, strict=True)]


def split(body: bytes, positions: Iterable[int]) -> list[bytes]:
    """The body cut at the positions, each of which lies inside it."""
    return [body[start:end] for start, end in pairwise([0, *sorted(set(positions)), len(body)])]


def chosen(frames: Sequence[bytes], number: int, framing: str = SSE.name) -> list[int]:
    """`number` positions of the body to cut at: each kind of place in turn, so that a few cuts find the rare ones too.

    They depend on the bytes alone, so a fixture is cut alike on every machine.
    """
    by_place: dict[Place, list[int]] = {}
    for position, place in enumerate(places(frames, framing), start=1):
        by_place.setdefault(place, []).append(position)
    seeded = random.Random(hashlib.sha256(b"".join(frames)).digest())  # noqa: S311 - no secret
    for place in Place:
        seeded.shuffle(by_place.get(place, []))
    found: list[int] = []
    # Whole frames come by themselves; what tears one comes first.
    order = [by_place[place] for place in (*tuple(Place)[1:], Place.FRAME) if place in by_place]
    while order and len(found) < number:
        for positions in order:
            found.append(positions.pop())
        order = [positions for positions in order if positions]
    return found[:number]


def places(frames: Sequence[bytes], framing: str = SSE.name) -> list[Place]:
    """The place of a cut behind each byte of the body but the last; `framing` is the name of the body's."""
    body = b"".join(frames)
    boundaries = set(accumulate(len(frame) for frame in frames))
    found = []
    reader = _READERS[framing]()
    for position in range(1, len(body)):
        before, after = body[position - 1], body[position]
        inside = reader.after(before)
        if position in boundaries:
            found.append(Place.FRAME)
        elif inside is not Place.FIELD and after & 0xC0 == 0x80:
            found.append(Place.UTF8)
        elif before == 0x0D and after == 0x0A:
            found.append(Place.LINE_END)
        else:
            found.append(inside)
    return found


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


def _coded(rendered: Rendered, plain: Sequence[bytes]) -> Iterator[bytes]:
    """Each piece as it goes over the wire. What is coded can be decoded piece by piece, as a provider flushes it."""
    packing = packer(rendered.coding)
    for piece in plain[:-1]:
        yield packing.pack(piece)
    for piece in plain[-1:]:
        # A stream that was cut lost the end of its coding too.
        yield packing.pack(piece) + (packing.end() if rendered.stream_end == COMPLETE else b"")


def _reads(told: object) -> list[tuple[int, Place]] | None:
    """`transport.reads`: the frame and the place in which each read ended; None where they are not recorded."""
    if not isinstance(told, list):
        return None
    by_name = {place.value: place for place in Place}
    return [
        (read[0], by_name[read[1]])
        for read in told
        if isinstance(read, list) and len(read) == 2 and type(read[0]) is int and read[1] in by_name
    ]


def _ends(rendered: Rendered, reads: Sequence[tuple[int, Place]]) -> list[int]:
    """The positions of recorded reads: the first such place in the frame behind the read before, else the frame's end.

    Recorded are the frame and the place, not the byte: lengths are not kept.
    """
    frames = rendered.frames
    starts = [0, *accumulate(len(frame) for frame in frames)]
    at_position = places(frames, rendered.framing.name)
    last, ends = 0, []
    for at, place in reads:
        if not 0 <= at < len(frames):
            continue
        start, end = starts[at], starts[at + 1]
        inside = range(max(start, last) + 1, end)
        last = next((position for position in inside if at_position[position - 1] is place), end)
        if last < starts[-1]:
            ends.append(last)
    return ends


def _times(told: object, count: int) -> list[int | None]:
    """`transport.milliseconds`, where it has one for each piece and they never go back."""
    if isinstance(told, list) and len(told) == count and all(type(one) is int and one >= 0 for one in told):
        return list(accumulate(told, max))
    return [None] * count

"""A body to the pieces in which it is written: whole frames, single bytes, chosen cuts, or the reads of the recording.

A recording may have kept where its reads ended and when they came; then a piece has its time, whatever the cuts: it can
be sent once the last read of it had come. Knows bytes; knows no HTTP.
"""

from __future__ import annotations

import hashlib
import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, overload

from replay.body.packing import packer
from replay.body.transport import COMPLETE
from replay.errors import ToolreelError
from replay.wire.places import Place, places
from replay.wire.sse import SSE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from replay.body.rendering import Rendered


# What stands before a seed in the option.
_SEED: Final = "seed:"


class Mode(Enum):
    """Which pieces a body is written in; the value is how the option says it."""

    FRAMES = "frames"  # one event each
    ALL = "all"  # one byte each
    SOME = "N"  # cut at so many positions, at every kind of place that the body has
    SEED = "seed"  # as many cuts, and where, as a seed chooses
    READS = "reads"  # where the network reads of the recording ended
    AT = "at"  # at given positions of the body; no option says it


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """How to cut. `positions`, in bytes of the uncoded body, are for `Mode.AT`."""

    mode: Mode = Mode.FRAMES
    number: int = 0  # of the cuts for `Mode.SOME`, of the seed for `Mode.SEED`
    positions: tuple[int, ...] = ()

    @property
    def option(self) -> str:
        """What the option `--cuts` says for these."""
        spelled = {Mode.SOME: f"{self.number}", Mode.SEED: f"{_SEED}{self.number}"}
        return spelled.get(self.mode, self.mode.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One write. `at` is when, in milliseconds since the head of the response; None: as soon as the one before."""

    data: bytes
    at: int | None = None


class Singles(Sequence[Piece]):
    """A piece for each byte of a coded body, made when it is asked for: a body of megabytes has as many."""

    def __init__(self, body: bytes, when: When | None = None) -> None:
        self._body = body
        self._when = when

    def __len__(self) -> int:
        return len(self._body)

    @overload
    def __getitem__(self, at: int) -> Piece: ...
    @overload
    def __getitem__(self, at: slice) -> list[Piece]: ...
    def __getitem__(self, at: int | slice) -> Piece | list[Piece]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        return Piece(data=bytes([self._body[at]]), at=None if self._when is None else self._when.at(at + 1))


def read_cuts(text: str) -> Cuts:
    """What the option `--cuts` says."""
    if text in (Mode.FRAMES.value, Mode.ALL.value, Mode.READS.value):
        return Cuts(mode=Mode(text))
    seed = text.removeprefix(_SEED)
    if seed.isascii() and seed.isdigit() and len(seed) <= 9 and (seed != text or int(seed)):
        return Cuts(mode=Mode.SOME if seed == text else Mode.SEED, number=int(seed))
    raise ToolreelError(
        f"--cuts {text}: must be all, reads, frames, a number of places of 1 or more, or seed: and a number, as seed:7"
    )


def pieces(rendered: Rendered, cuts: Cuts, transport: Mapping[str, object]) -> Sequence[Piece]:
    """The pieces of the whole body, content coding applied.

    `transport` is the fixture's, for its `reads` and `milliseconds`; where it has no reads, `Mode.READS` is one piece a
    frame.
    """
    reads = read_ends(rendered, transport)
    when = _when(rendered, reads, transport.get("milliseconds"))
    if cuts.mode is Mode.ALL:
        coded = b"".join(_coded(rendered, [b"".join(rendered.frames)]))
        return Singles(coded, when if rendered.coding == "identity" else None)
    plain = list(rendered.frames)
    if cuts.mode in (Mode.SOME, Mode.SEED, Mode.AT) or (cuts.mode is Mode.READS and reads is not None):
        plain = split(b"".join(rendered.frames), positions(rendered, cuts, transport))
    ends = accumulate(len(piece) for piece in plain)
    times = [None if when is None else when.at(end) for end in ends]
    return [Piece(data=data, at=at) for data, at in zip(_coded(rendered, plain), times, strict=True)]


def split(body: bytes, positions: Iterable[int]) -> list[bytes]:
    """The body cut at those of the positions that lie inside it."""
    inside = sorted({position for position in positions if 0 < position < len(body)})
    return [body[start:end] for start, end in pairwise([0, *inside, len(body)])]


def positions(rendered: Rendered, cuts: Cuts, transport: Mapping[str, object]) -> list[int]:
    """Where in the uncoded body these cuts are, ascending, but for `Mode.FRAMES`."""
    size = sum(map(len, rendered.frames))
    if cuts.mode is Mode.ALL:
        return list(range(1, size))
    if cuts.mode is Mode.SOME:
        found: Sequence[int] = chosen(rendered.frames, cuts.number, rendered.framing.name)
    elif cuts.mode is Mode.SEED:
        found = seeded(rendered.frames, cuts.number, rendered.framing.name)
    else:
        found = cuts.positions if cuts.mode is Mode.AT else read_ends(rendered, transport) or ()
    return sorted({position for position in found if 0 < position < size})


def seeded(frames: Sequence[bytes], seed: int, framing: str = SSE.name) -> list[int]:
    """The positions of the body that a seed chooses: few cuts as often as many, the same ones every time."""
    few_or_many = random.Random(f"{seed}:{hashlib.sha256(b''.join(frames)).hexdigest()}")  # noqa: S311 - no secret
    number = round(sum(map(len, frames)) ** few_or_many.random())
    return chosen(frames, number, framing, seed=f"{seed}:".encode())


def chosen(frames: Sequence[bytes], number: int, framing: str = SSE.name, *, seed: bytes = b"") -> list[int]:
    """`number` positions of the body to cut at: each kind of place in turn, so that a few cuts find the rare ones too.

    They depend on the bytes and the seed alone, so a fixture is cut alike on every machine.
    """
    by_place: dict[Place, list[int]] = {}
    for position, place in enumerate(places(frames, framing), start=1):
        by_place.setdefault(place, []).append(position)
    order_of_cuts = random.Random(hashlib.sha256(seed + b"".join(frames)).digest())  # noqa: S311 - no secret
    for place in Place:
        order_of_cuts.shuffle(by_place.get(place, []))
    found: list[int] = []
    # Whole frames come by themselves; what tears one comes first.
    order = [by_place[place] for place in (*tuple(Place)[1:], Place.FRAME) if place in by_place]
    while order and len(found) < number:
        for positions in order:
            found.append(positions.pop())
        order = [positions for positions in order if positions]
    return found[:number]


def _coded(rendered: Rendered, plain: Sequence[bytes]) -> Iterator[bytes]:
    """Each piece as it goes over the wire. What is coded can be decoded piece by piece, as a provider flushes it."""
    packing = packer(rendered.coding)
    for piece in plain[:-1]:
        yield packing.pack(piece)
    for piece in plain[-1:]:
        # A stream that was cut lost the end of its coding too.
        yield packing.pack(piece) + (packing.end() if rendered.stream_end == COMPLETE else b"")


def read_ends(rendered: Rendered, transport: Mapping[str, object]) -> list[int] | None:
    """Where in the body each recorded read ended, in bytes; None where the fixture does not say it.

    Recorded are the frame and the place, not the byte, since lengths are not kept: so it is the first such place in the
    frame behind the read before, else the frame's end.
    """
    told = transport.get("reads")
    if not isinstance(told, list):
        return None
    by_name = {place.value: place for place in Place}
    starts = [0, *accumulate(len(frame) for frame in rendered.frames)]
    at_position = places(rendered.frames, rendered.framing.name)
    last, found = 0, []
    for read in told:
        if not (isinstance(read, list) and len(read) == 2 and type(read[0]) is int and read[1] in by_name):
            continue
        if read[0] < 0:
            continue
        at = min(read[0], len(rendered.frames) - 1)  # what came behind the last frame ended with it
        start, end = starts[at], starts[at + 1]
        inside = range(max(start, last) + 1, end)
        place = by_name[read[1]]
        last = max(last, next((position for position in inside if at_position[position - 1] is place), end))
        found.append(last)
    return found


class When:
    """When each part of a body came: positions that never go back, and for each the milliseconds since the head."""

    def __init__(self, ends: Sequence[int], times: Sequence[int]) -> None:
        self._ends = ends
        self._times = list(accumulate(times, max))

    def at(self, end: int) -> int:
        """When all bytes before this position had come."""
        return self._times[min(bisect_left(self._ends, end), len(self._times) - 1)]


def _when(rendered: Rendered, reads: Sequence[int] | None, told: object) -> When | None:
    """`transport.milliseconds`: one for each read where those are kept, else one for each event and end marker."""
    if not isinstance(told, list) or not told or not all(type(one) is int and one >= 0 for one in told):
        return None
    ends = reads if reads is not None else list(accumulate(len(frame) for frame in rendered.frames))
    # Behind the last event there may be an end of the framing, or half an event, which has no time of its own.
    if not (len(told) == len(ends) or (reads is None and len(told) == len(ends) - 1)):
        return None
    return When(ends[: len(told)], told)

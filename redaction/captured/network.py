"""What a fixture keeps of the network if it is asked to: where reads ended, by place, and times on a coarse grid.

Example: `data: {"city":"Os` came after 240 milliseconds, and the rest of the event after 310. Then `reads` is
`[[0, "string"], [0, "frame"]]`, for both reads ended in event 0, and `milliseconds` is `[200, 300]`. No number of bytes
is kept. Knows bodies, framings and places; masks nothing.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from redaction.captured.exchange import Arrivals, Came, Exchange, Kept
from redaction.captured.payloads import Body, UndoCoding
from replay.wire.coding import CodingError
from replay.wire.framing import Framing
from replay.wire.places import Place, cut_places

# The grid of times, in milliseconds. Two tokens of a fast model are some 10 apart, those of a slow one 50: what is told
# is how many came in a tenth of a second.
GRID: Final = 100
GRID_SAID: Final = f"{GRID}ms"

# Bytes of a coded body given to the decoder at once, so that a bomb stops soon after its bound.
_SLICE: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Network:
    """What is kept: for each read its event and place, and the times of the reads, or else of the events."""

    reads: tuple[tuple[int, Place], ...] | None = None
    times: tuple[int, ...] | None = None

    @property
    def capture(self) -> dict[str, object]:
        """The members of `capture` that name what is kept."""
        said = {Kept.TIMES: (self.times, GRID_SAID), Kept.READS: (self.reads, "places")}
        return {kept.value: word for kept, (found, word) in said.items() if found is not None}

    @property
    def transport(self) -> dict[str, object]:
        """The members of `transport`."""
        found: dict[str, object] = {}
        if self.reads is not None:
            found["reads"] = [[at, place.value] for at, place in self.reads]
        if self.times is not None:
            found["milliseconds"] = list(self.times)
        return found


NOTHING: Final = Network()


def network(exchange: Exchange, body: Body, kept: Collection[Kept], *, limit: int, undo: UndoCoding) -> Network:
    """What is kept of how the body of an exchange came, as far as that is known and asked for."""
    arrivals = exchange.arrivals
    if not kept or arrivals is None:
        return NOTHING
    with_reads = Kept.READS in kept and arrivals.of is Came.READ
    with_times = Kept.TIMES in kept and len(arrivals.times) == len(arrivals.ends) > 0
    if not (with_reads or with_times):
        return NOTHING
    text, ends = _decoded(exchange, arrivals, limit=limit, undo=undo)
    # White space at the end is nothing of the stream, and no fixture tells whether there was some.
    last = body.framing.end_of(text)
    ends = [min(end, last) for end in ends]
    # A read of which the decoder gave nothing yet divides nothing.
    told = [at for at, (before, end) in enumerate(pairwise([0, *ends])) if end > before]
    reads = _reads(text, [ends[at] for at in told], body.framing)
    times = [arrivals.times[at] // GRID * GRID for at in told] if with_times else []
    if not with_reads:
        return Network(times=tuple(_of_events(reads, times, body)))
    return Network(reads=tuple(read.read for read in reads), times=tuple(times) if with_times else None)


def _decoded(exchange: Exchange, arrivals: Arrivals, *, limit: int, undo: UndoCoding) -> tuple[bytes, list[int]]:
    """The body without its content coding, and where in it each piece ended."""
    found = bytearray()
    ends: list[int] = []
    coding = undo(exchange.content_coding, limit=limit)
    try:
        for start, end in pairwise([0, *arrivals.ends]):
            for at in range(start, end, _SLICE):
                found += coding.feed(exchange.body[at : min(at + _SLICE, end)])
            ends.append(len(found))
    except CodingError:  # it broke off here, which is told elsewhere
        ends += [len(found)] * (len(arrivals.ends) - len(ends))
    return bytes(found), ends


@dataclass(frozen=True, slots=True)
class _Read:
    """Where a read ended, and how many events had come whole by then."""

    read: tuple[int, Place]
    whole: int


def _reads(text: bytes, ends: Sequence[int], framing: Framing) -> list[_Read]:
    """The end of each read in the decoded body. What comes behind the last event counts as one more."""
    stream = framing.open()
    inside = _places(text, ends, framing)
    whole, done = 0, 0
    found: list[_Read] = []
    for end in ends:
        # The bytes that end an event are looked at alone: a read that ends with them ends between two events.
        last = max(done, end - len(_last_line_end(text, end)))
        before = whole + len(stream.feed(text[done:last]))
        whole = before + len(stream.feed(text[last:end]))
        torn = found[-1] if found else None
        if whole > before:
            halved = text[end - 1 : end + 1] == b"\r\n"
            read = (whole - 1, Place.LINE_END if halved else Place.FRAME)
        elif torn is not None and torn.read == (whole - 1, Place.LINE_END) and text[done:end] == b"\n":
            read = (whole - 1, Place.FRAME)  # the other half of that line end
        else:
            read = (whole, inside.get(end, Place.FRAME))
        found.append(_Read(read, whole))
        done = end
    return found


def _last_line_end(text: bytes, end: int) -> bytes:
    return b"\r\n" if text[max(end - 2, 0) : end] == b"\r\n" else text[max(end - 1, 0) : end]


def _places(text: bytes, ends: Sequence[int], framing: Framing) -> dict[int, Place]:
    """What a cut at each of these positions is inside of; a position at the end of the body is not in it."""
    wanted = {end for end in ends if end < len(text)}
    upto = text[: max(wanted, default=0) + 1]
    return {at: place for at, place in enumerate(cut_places(upto, framing.name), start=1) if at in wanted}


def _of_events(reads: Sequence[_Read], times: Sequence[int], body: Body) -> Iterator[int]:
    """The time of each event and end marker: that of the read with which it was whole."""
    count = len(body.frames) + body.done
    given = 0
    for read, at in zip(reads, times, strict=True):
        whole = min(read.whole, count)
        yield from [at] * (whole - given)
        given = max(given, whole)
    yield from [*times[-1:]] * (count - given)  # whole only with the end of the body

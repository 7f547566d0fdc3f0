"""The run of an import: its sources are read, their entries decided, in one process or several, and settled in order.

Only the deciding is shared out: it is nearly all of the work, and knows one entry at a time. Out: a line for each
entry, the same ones in the same order however many processes there are. Prints nothing; no click.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Final

from proxy_addon.importing import paths, sources
from proxy_addon.importing.deciding import Decided, Decider, Ready
from proxy_addon.importing.entries import MAX_ENTRY_BYTES, Item, NoSourceError, SourceError
from proxy_addon.importing.importer import Importer, Naming
from proxy_addon.importing.order import Order, size
from proxy_addon.importing.paths import Found
from proxy_addon.importing.readers.formats import Format
from proxy_addon.importing.recognition import Claim
from proxy_addon.importing.sources import Source
from proxy_addon.silence import silence_process
from proxy_addon.writing.redacting.decoders import decoder
from redaction.captured.exchange import Contract, Ending, Kept, Pieces, Widths
from redaction.proof.tripwire import load
from redaction.redactor import redact
from replay import processes

# The formats of a source that is one body, and does not say whose.
BODIES: Final = frozenset({Format.BODY, Format.PAYLOADS})

# What a process takes at once: so many entries, or so many bytes of them, whichever comes first.
_BATCH: Final = 32
_BATCH_BYTES: Final = 256 * 1024

Advance = Callable[[int], None]
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding:
    """How entries are decided: what a process needs for a `Decider` of its own."""

    widths: Widths
    pieces: Pieces
    last: str
    contract: Contract
    kept: Collection[Kept]
    schemas: Mapping[str, object]
    claim: Claim
    ending: Ending | None
    content_type: str | None

    def decider(self) -> Decider:
        """A decider for this process."""
        return Decider(
            redact=partial(
                redact,
                undo=decoder,
                tripwire=load(),
                widths=self.widths,
                pieces=self.pieces,
                last=self.last,
                contract=self.contract,
                kept=self.kept,
            ),
            schemas=self.schemas,
            claim=self.claim,
            ending=self.ending,
            content_type=self.content_type,
            kept=self.kept,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """An entry as it was read. `place` begins its line, and its turn is one of `case`."""

    place: str
    item: Item | Ready = field(repr=False)
    case: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    """The end of a source, or where it broke off."""

    found: Found
    error: SourceError | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run over these sources. `ready` reads a source that is a body; `jobs` processes decide."""

    found: Sequence[Found]
    importer: Importer
    naming: Naming | None
    ready: Callable[[Source, Advance], Ready]
    deciding: Deciding
    jobs: int

    def all(self, advance: Advance, say: Say) -> list[str]:
        """Import every source, and say a line for each entry; the errors of the sources that are broken."""
        broken = []
        sources_left = iter(self.found)
        names = self._names(next(sources_left, None))
        for event in self._decided(self._read(advance)):
            if not isinstance(event, _End):
                for line in names.take(*event):
                    say(line)
                continue
            for line in names.end():
                say(line)
            names = self._names(next(sources_left, None))
            if isinstance(event.error, NoSourceError) and not event.found.named:
                say(f"{event.found.source.path}: passed over, no exchange or stream in it")
            elif event.error is not None:
                broken.append(str(event.error))
        return broken

    def _names(self, found: Found | None) -> "_Names":
        return _Names(self.importer, None if found is None else self._name(found.source), self.naming)

    def _name(self, source: Source) -> str | None:
        return paths.name_after(source.path) if self.naming is not Naming.SHAPE else None

    def _read(self, advance: Advance) -> Iterator[_Read | _End]:
        """The entries of all sources, and behind those of each its end."""
        for found in self.found:
            error = None
            try:
                yield from self._entries(found.source, advance)
            except SourceError as raised:
                error = raised
            yield _End(found=found, error=error)

    def _entries(self, source: Source, advance: Advance) -> Iterator[_Read]:
        case = self.importer.case(self._name(source))
        if source.format in BODIES:
            yield _Read(place=f"{source.path}: ", item=self.ready(source, advance), case=case)
            return
        # Only turns of a case are numbered; all others are named by what they are, in whatever order.
        order = Order.AS_THEY_STAND if case is None else Order.BEGUN
        for number, item in sources.numbered(source, order, advance):
            yield _Read(place=f"{source.path}, entry {number}: ", item=item, case=case)

    def _decided(self, read: Iterable[_Read | _End]) -> Iterator[tuple[str, Decided] | _End]:
        """What was read, and in the place of each entry its place and what was decided of it."""
        if self.jobs > 1:
            yield from _shared_out(read, self.deciding, self.jobs)
            return
        decider = self.deciding.decider()
        for one in read:
            yield one if isinstance(one, _End) else (one.place, decider.decide(one.item, one.case))


class _Names:
    """The names of the turns of one source. Where it gives one turn alone, that one is named after it.

    Whether it is alone shows at the end of the source, so the first turn waits, and the lines behind it with it.
    """

    def __init__(self, importer: Importer, name: str | None, naming: Naming | None) -> None:
        self._importer: Final = importer
        self._alone = name if naming is None else None
        self._each: Final = name if naming is Naming.FILE else None
        self._waiting: list[tuple[str, Decided]] = []

    def take(self, place: str, decided: Decided) -> Iterator[str]:
        """The lines that can be said once this entry is there."""
        if decided.is_turn and self._waiting:
            self._alone = None
            yield from self._told(None)
        self._waiting.append((place, decided))
        if self._alone is None or not self._waiting[0][1].is_turn:
            yield from self._told(self._each)

    def end(self) -> Iterator[str]:
        """The lines that have waited for the end of the source."""
        yield from self._told(self._alone or self._each)

    def _told(self, name: str | None) -> Iterator[str]:
        for place, decided in self._waiting:
            yield f"{place}{self._importer.settle(decided, name)}"
        self._waiting.clear()


def _shared_out(read: Iterable[_Read | _End], deciding: Deciding, jobs: int) -> Iterator[tuple[str, Decided] | _End]:
    """What was read, decided by `jobs` processes. The ends of sources stay here, each in its place."""
    here: deque[str | _End] = deque()
    decided = processes.ordered(
        _decide, _batches(read, here), jobs=jobs, begin=_begin, given=(deciding,), size=_bytes, held=MAX_ENTRY_BYTES
    )
    for one in chain.from_iterable(decided):
        place = here.popleft()
        while isinstance(place, _End):
            yield place
            place = here.popleft()
        yield place, one
    yield from (end for end in here if isinstance(end, _End))


def _batches(read: Iterable[_Read | _End], here: deque[str | _End]) -> Iterator[list[_Read]]:
    """The entries in batches. What stays here of each, and the ends of sources, go to `here`."""
    batch: list[_Read] = []
    for one in read:
        if isinstance(one, _End):
            here.append(one)
            continue
        here.append(one.place)
        batch.append(one)
        if len(batch) >= _BATCH or _bytes(batch) >= _BATCH_BYTES:
            yield batch
            batch = []
    if batch:
        yield batch


def _bytes(batch: Sequence[_Read]) -> int:
    return sum(size(one.item.entry if isinstance(one.item, Ready) else one.item) for one in batch)


# The decider of a process that decides alone. Set once: in every batch it would cost more than an entry.
_MINE: Final[list[Decider]] = []


def _begin(deciding: Deciding) -> None:
    silence_process()
    _MINE.append(deciding.decider())


def _decide(batch: Sequence[_Read]) -> list[Decided]:
    return [_MINE[0].decide(one.item, one.case) for one in batch]

"""Which argument fragments belong together: the text of one slot, over all its deltas.

Reads payloads with the validator's own readers, so that what it takes for a fragment of a slot is taken here too.
What a payload without a good shape carries, and what comes after a terminal, is kept apart: the validator does not take
it. Knows where each family puts its fragments; masks nothing itself.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from redaction.captured.payloads import Broken
from redaction.families.policy import VERBATIM_IDS
from redaction.masks.arguments import Lengths, mask_arguments
from redaction.masks.mask import Path
from redaction.masks.schemas import property_names
from replay.validator.profiles.blocks import read_event
from replay.validator.profiles.chunks import read_chunk
from replay.validator.schema import unsupported
from replay.validator.signals import BlockDelta, BlockStart, BlockStop, Chunk, Fault, MessageDelta, MessageStop, Stray


@dataclass(frozen=True, slots=True)
class Piece:
    """One fragment: the event it came in, the path to it there, and where the same text stands once more."""

    event: int
    path: Path
    text: str = field(repr=False)
    mirror: Path | None = None


@dataclass(slots=True)
class Group:
    """The fragments of one text, in order, and the name of the tool it is for ("" where none arrived)."""

    tool: str = field(default="", repr=False)
    pieces: list[Piece] = field(default_factory=list, repr=False)

    def text(self) -> str:
        """The assembled text."""
        return "".join(piece.text for piece in self.pieces)


# Slot, whether it came after the slot's end, and a number of its own where it has no slot.
_Key: TypeAlias = tuple[int, int, bool, int]


def groups(profile: str, payloads: Sequence[object]) -> list[Group]:
    """The texts of a turn, by first appearance."""
    found: dict[_Key, Group] = {}
    for key, tool, piece in _READERS[profile](profile, payloads):
        group = found.setdefault(key, Group())
        group.tool = group.tool or tool
        if piece is not None:
            group.pieces.append(piece)
    return [group for group in found.values() if group.pieces]


def argument_texts(profile: str, payloads: Sequence[object]) -> list[str]:
    """Every argument text of a turn: those of its slots assembled, then each one that belongs to no slot."""
    found = groups(profile, payloads)
    pieces = [piece for group in found for piece in group.pieces]
    placed = {(piece.event, piece.path): piece.text for piece in pieces}
    placed.update({(piece.event, piece.mirror): piece.text for piece in pieces if piece.mirror is not None})
    known: dict[int, list[tuple[Path, str]]] = {}
    stray = []
    for event, payload in enumerate(payloads):
        if id(payload) not in known:
            known[id(payload)] = list(_argument_strings(payload))
        stray += [text for path, text in known[id(payload)] if placed.get((event, path)) != text]
    return [group.text() for group in found] + stray


_ARGUMENT_KEYS: Final = frozenset({"arguments", "partial_json"})


def _argument_strings(payload: object) -> Iterator[tuple[Path, str]]:
    """The strings under the keys of argument text, wherever they stand."""
    waiting: list[tuple[Path, object]] = [((), payload)]
    while waiting:
        path, here = waiting.pop()
        if isinstance(here, Mapping):
            waiting += [((*path, key), inner) for key, inner in here.items()]
        elif isinstance(here, list):
            waiting += [((*path, at), inner) for at, inner in enumerate(here)]
        elif isinstance(here, str) and path and path[-1] in _ARGUMENT_KEYS:
            yield path, here


def masked_fragments(
    profile: str, payloads: Sequence[object], schemas: Mapping[str, object], lengths: Lengths
) -> dict[int, dict[Path, str]]:
    """The masked fragments of a turn, by event and path; raises `leaves.NoSampleError`."""
    masked: dict[int, dict[Path, str]] = {}
    for group in groups(profile, payloads):
        schema = schemas.get(group.tool)
        names = property_names(schema)
        checked = schema if group.tool in schemas and unsupported(schema) is None else None
        texts = mask_arguments([piece.text for piece in group.pieces], checked, names, lengths)
        for piece, text in zip(group.pieces, texts, strict=True):
            places = masked.setdefault(piece.event, {})
            places[piece.path] = text
            if piece.mirror is not None:
                places[piece.mirror] = text
    return masked


_Found: TypeAlias = Iterator[tuple[_Key, str, Piece | None]]


def _chunk_pieces(profile: str, payloads: Sequence[object]) -> _Found:
    finished: set[int] = set()
    single = 0
    read: dict[int, Chunk | Fault] = {}  # a fixture's equal payloads are one object
    for event, payload in enumerate(payloads):
        if isinstance(payload, Broken):
            continue
        chunk = read.get(id(payload)) or read_chunk(payload, VERBATIM_IDS[profile])
        read[id(payload)] = chunk
        if isinstance(chunk, Fault) or chunk.parts is None:
            continue
        for at, part in enumerate(chunk.parts):
            for entry, delta in enumerate(part.deltas):
                key = (part.choice, delta.slot or 0, part.choice in finished, 0)
                if delta.slot is None:
                    single += 1
                    key = (part.choice, 0, False, single)
                piece = None
                if delta.fragment is not None:
                    path: Path = ("tool_calls", entry, "function", "arguments")
                    mirror = ("choices", at, "message", *path) if part.stray is Stray.MIRROR else None
                    piece = Piece(event, ("choices", at, "delta", *path), delta.fragment, mirror)
                yield key, delta.name or "", piece
            if part.finish is not None:
                finished.add(part.choice)


def _block_pieces(_: str, payloads: Sequence[object]) -> _Found:
    ended = False
    stopped: set[int] = set()
    for event, payload in enumerate(payloads):
        if isinstance(payload, Broken):
            continue
        signal = read_event(payload)
        if isinstance(signal, BlockStart) and signal.slot is not None:
            yield (0, signal.slot, False, 0), signal.name or "", None
        elif isinstance(signal, BlockDelta) and signal.fragment is not None:
            late = ended or signal.slot in stopped
            key = (0, signal.slot or 0, late, 0) if signal.slot is not None else (0, 0, False, event + 1)
            yield key, "", Piece(event, ("delta", "partial_json"), signal.fragment)
        elif isinstance(signal, BlockStop) and signal.slot is not None:
            stopped.add(signal.slot)
        elif isinstance(signal, MessageStop) or (isinstance(signal, MessageDelta) and signal.reason is not None):
            ended = True


_READERS: Final[Mapping[str, Callable[[str, Sequence[object]], _Found]]] = {
    "openai": _chunk_pieces,
    "mistral": _chunk_pieces,
    "anthropic": _block_pieces,
}

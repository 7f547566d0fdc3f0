"""Which argument fragments belong together: the text of one slot, over all its deltas; masked and laid back.

Asks the family where its fragments stand. What a payload without a good shape carries, and what comes after a
terminal, is kept apart: the validator does not take it. Masks each text by itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from redaction.families import FAMILIES
from redaction.families.family import Key, Path, Piece
from redaction.masks.arguments import Lengths, mask_arguments
from redaction.masks.schemas import property_names
from replay.validator.schema import unsupported


@dataclass(slots=True)
class Group:
    """The fragments of one text, in order, and the name of the tool it is for ("" where none arrived)."""

    tool: str = field(default="", repr=False)
    pieces: list[Piece] = field(default_factory=list, repr=False)

    def text(self) -> str:
        """The assembled text."""
        return "".join(piece.text for piece in self.pieces)


def groups(profile: str, payloads: Sequence[object]) -> list[Group]:
    """The texts of a turn, by first appearance."""
    found: dict[Key, Group] = {}
    for key, tool, piece in FAMILIES[profile].fragments(payloads):
        group = found.setdefault(key, Group())
        group.tool = group.tool or tool
        if piece is not None:
            group.pieces.append(piece)
    return [group for group in found.values() if group.pieces]


def argument_texts(profile: str, payloads: Sequence[object]) -> list[str]:
    """Every argument text of a turn: those of its slots assembled, then each one that belongs to no slot."""
    found = groups(profile, payloads)
    keys = FAMILIES[profile].spoken.arguments
    pieces = [piece for group in found for piece in group.pieces]
    placed = {(piece.event, piece.path): piece.text for piece in pieces}
    placed.update({(piece.event, piece.mirror): piece.text for piece in pieces if piece.mirror is not None})
    known: dict[int, list[tuple[Path, str]]] = {}
    stray = []
    for event, payload in enumerate(payloads):
        if id(payload) not in known:
            known[id(payload)] = list(_argument_strings(payload, keys))
        stray += [text for path, text in known[id(payload)] if placed.get((event, path)) != text]
    return [group.text() for group in found] + stray


def _argument_strings(payload: object, keys: frozenset[str]) -> Iterator[tuple[Path, str]]:
    """The strings under the keys of argument text, wherever they stand."""
    waiting: list[tuple[Path, object]] = [((), payload)]
    while waiting:
        path, here = waiting.pop()
        if isinstance(here, Mapping):
            waiting += [((*path, key), inner) for key, inner in here.items()]
        elif isinstance(here, list):
            waiting += [((*path, at), inner) for at, inner in enumerate(here)]
        elif isinstance(here, str) and path and path[-1] in keys:
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

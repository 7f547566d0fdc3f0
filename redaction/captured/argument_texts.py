"""The argument texts of a turn: which fragments belong together, and what they say once they are joined.

The fragments `{"ci` and `ty":"Oslo"}` of slot 0 are one text, `{"city":"Oslo"}`. The family says where its fragments
stand. What a payload without a good shape carries, and what comes after a terminal, is kept apart, because the
validator does not take it. The masks ask for the texts of the capture, the proof for those of the finished file.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from redaction.families import FAMILIES
from redaction.families.family import Key, Path, Piece, Spoken
from replay.validator._printed import printed


@dataclass(slots=True)
class Group:
    """The fragments of one text, in order, and the name of the tool it is for ("" where none arrived).

    `copies` are its full copies, but for the first one where that is the text itself; `free`: the text is no JSON.
    """

    tool: str = field(default="", repr=False)
    pieces: list[Piece] = field(default_factory=list, repr=False)
    copies: list[Piece] = field(default_factory=list, repr=False)
    free: bool = False
    copied: bool = False

    def add(self, piece: Piece) -> None:
        """Take a piece: the first full copy is the text where no byte came before it."""
        repeats = piece.copy and (self.copied or bool(self.text()))
        self.copied = self.copied or piece.copy
        (self.copies if repeats else self.pieces).append(piece)

    def text(self) -> str:
        """The assembled text."""
        return "".join(piece.text for piece in self.pieces)


def groups(profile: str, payloads: Sequence[object]) -> list[Group]:
    """The texts of a turn, by first appearance."""
    found: dict[Key, Group] = {}
    for key, tool, piece, free in FAMILIES[profile].fragments(payloads):
        group = found.setdefault(key, Group())
        group.tool = group.tool or tool
        group.free = group.free or free
        if piece is not None:
            group.add(piece)
    return [group for group in found.values() if group.pieces or group.copies]


def argument_texts(profile: str, payloads: Sequence[object]) -> list[str]:
    """Every argument text of a turn: those of its slots assembled and copied, then each one that belongs to no slot."""
    found = groups(profile, payloads)
    spoken = FAMILIES[profile].spoken
    pieces = [piece for group in found for piece in (*group.pieces, *group.copies)]
    placed = {(piece.event, piece.path): piece.text for piece in pieces}
    placed.update({(piece.event, piece.mirror): piece.text for piece in pieces if piece.mirror is not None})
    known: dict[int, list[tuple[Path, str]]] = {}
    stray = []
    for event, payload in enumerate(payloads):
        if id(payload) not in known:
            known[id(payload)] = list(_argument_strings(payload, spoken))
        stray += [text for path, text in known[id(payload)] if placed.get((event, path)) != text]
    return [text for group in found for text in _distinct(group)] + stray


def _distinct(group: Group) -> dict[str, None]:
    """The text of a group, and each copy that differs."""
    return dict.fromkeys([group.text(), *(copy.text for copy in group.copies)])


def _argument_strings(payload: object, spoken: Spoken) -> Iterator[tuple[Path, str]]:
    """The strings under the keys of argument text, wherever they stand, and the objects, as they are printed."""
    waiting: list[tuple[Path, object]] = [((), payload)]
    while waiting:
        path, here = waiting.pop()
        if path and path[-1] in spoken.whole_arguments and isinstance(here, dict) and here:
            yield path, printed(here) or ""
        elif isinstance(here, Mapping):
            waiting += [((*path, key), inner) for key, inner in here.items()]
        elif isinstance(here, list):
            waiting += [((*path, at), inner) for at, inner in enumerate(here)]
        elif isinstance(here, str) and path and path[-1] in spoken.arguments:
            yield path, here

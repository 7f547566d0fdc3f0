"""The pieces of a call's object, laid one after the other: which object they make, and which of them fit.

    {"jsonPath": "$.city", "stringValue": "Os", "willContinue": true}      {"city": "Os"…
    {"jsonPath": "$.city", "stringValue": "lo"}                            {"city": "Oslo"}
    {"jsonPath": "$.days[2]", "numberValue": 5}                            does not fit: there is no `days[1]`

The masks ask for the values behind each leaf of the object, the proof for the text that the object is printed as. Knows
pieces; knows no payload and no schema.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from replay.validator.listener import Heard
from replay.validator.paths import NO_VALUE, Path, Piece, Pieces
from replay.validator.strict_json import parse, printed

# A path has no more steps, and a file nests no deeper.
_NESTING = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """The object that pieces make. `leaves` has the pieces of each string or number of it, by its path.

    `misfits` are those that do not fit, and all that came behind the first of them.
    """

    value: Mapping[str, object] = field(repr=False)
    text: str = field(repr=False)
    leaves: Mapping[Path, Sequence[Heard]] = field(repr=False)
    misfits: Sequence[Heard] = field(repr=False)


def lay(heard: Sequence[Heard]) -> Laid:
    """Lay pieces in their order."""
    pieces = Pieces()
    leaves: dict[Path, list[Heard]] = {}
    misfits: list[Heard] = []
    for one in heard:
        piece = piece_of(one)
        pieces.take(piece)
        if not pieces.fits:
            misfits.append(one)
        elif has_leaf(piece):
            leaves.setdefault(piece.path, []).append(one)
    text = pieces.text()
    value = parse(text, max_nesting=_NESTING).value if text else {}
    assert isinstance(value, dict), "a path leads into an object"
    return Laid(value=value, text=text, leaves=leaves, misfits=misfits)


def piece_of(heard: Heard) -> Piece:
    """The piece that was told."""
    assert heard.piece is not None, "a listener hears it with its form"
    return heard.piece


def has_leaf(piece: Piece) -> bool:
    """Whether a piece brings a string or a number, or some of one."""
    return piece.value is not NO_VALUE and piece.value is not None and not isinstance(piece.value, bool)


def said(piece: Piece) -> str:
    """The text of a string or number in a piece: of a string its own, of a number the one it is printed as."""
    return piece.value if isinstance(piece.value, str) else printed(piece.value) or ""

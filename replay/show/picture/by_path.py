"""The text that each event brought to a call whose arguments came by path.

    event 1   {"jsonPath": "$.city", "stringValue": "Os", "willContinue": true}   brings   {"city":"Os
    event 2   {"jsonPath": "$.city", "stringValue": "lo"}                         brings   lo"
    event 3   {"jsonPath": "$.days[0]", "numberValue": 3}                         brings   ,"days":[3]}

What a piece counts in bytes is no measure of that: names, quotes and brackets of the printed object are of no piece. An
event brings what stands for good once it came, so the texts of all events are the arguments, one behind the other. A
value that is laid before another that came earlier waits for it.
"""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from replay.validator.listener import Fate, Form
from replay.validator.paths import NO_VALUE, Pieces
from replay.validator.strict_json import printed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from replay.validator.listener import Heard


def is_laid(heard: Heard) -> bool:
    """Whether it is a piece of an object that is laid by path; one that passed a limit may be laid in part."""
    return heard.form is Form.PIECE and heard.fate in (Fate.TAKEN, Fate.NOT_TAKEN)


def brought(heard: Iterable[Heard], arguments: str) -> Mapping[int, str]:
    """By event, the text that its pieces brought to a call; all of them are `arguments`, what it had at the end."""
    pieces = Pieces()
    reached: list[tuple[int, int]] = []
    for event, group in groupby(heard, key=lambda one: one.event):
        reached.append((event, _reach(pieces, list(group), arguments)))
    # What a later event still moves does not stand yet.
    stands: list[int] = []
    for _, length in reversed(reached):
        stands.append(min(length, stands[-1]) if stands else len(arguments))
    cuts = pairwise((0, *reversed(stands)))
    return {event: arguments[start:end] for (event, _), (start, end) in zip(reached, cuts, strict=True)}


def _reach(pieces: Pieces, heard: Sequence[Heard], arguments: str) -> int:
    """How much of the arguments stands after these pieces of one event."""
    for one in heard:
        if one.fate is not Fate.TAKEN:  # nothing is laid behind a limit
            return len(arguments)
        assert one.piece is not None, "a listener hears it with its form"
        pieces.take(one.piece)
    return _common(pieces.text(), arguments)


def _common(text: str, whole: str) -> int:
    """How many characters two texts begin with alike."""
    low, high = 0, min(len(text), len(whole))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if whole.startswith(text[:middle]) else (low, middle - 1)
    return low


def text_of(heard: Heard) -> str:
    """The text that was heard, of a piece its value as printed; empty where it has none."""
    if heard.piece is None or heard.piece.value is NO_VALUE:
        return heard.text
    value = heard.piece.value
    return value if isinstance(value, str) else printed(value) or ""

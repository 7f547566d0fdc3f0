"""What a payload says beside its calls: text, reasoning, a finish reason. The wire family says where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from replay.families import Said, Words

# In a path: each item of an array.
EACH: Final = "[]"


class Saying(NamedTuple):
    """Some words of one payload. Captured text."""

    words: Words
    choice: int
    text: str


def sayings(payload: object, rows: Sequence[Said]) -> Iterator[Saying]:
    """The words of a payload, in the order of the rows; an empty text says nothing."""
    if not isinstance(payload, dict):
        return
    kind = payload.get("type")
    for row in rows:
        if row.of and kind not in row.of:
            continue
        for choice, holder in _at(payload, row.path[:-1], None):
            value = holder.get(row.path[-1]) if isinstance(holder, dict) and _speaks(holder, row) else None
            if isinstance(value, str) and value:
                yield Saying(row.words, choice or 0, value)


def _speaks(holder: dict[str, object], row: Said) -> bool:
    """Whether an object says what the row looks for, by its flags."""
    return not (row.flag and holder.get(row.flag) is not True) and not (row.unless and holder.get(row.unless) is True)


def _at(value: object, path: Sequence[str], choice: int | None) -> Iterator[tuple[int | None, object]]:
    """The values at the end of the path, each with the choice that it is in: the `index` of the outermost array."""
    if not path:
        yield choice, value
        return
    step, rest = path[0], path[1:]
    if step == EACH:
        for item in value if isinstance(value, list) else ():
            index = item.get("index") if isinstance(item, dict) else None
            inside = index if type(index) is int and index >= 0 else 0
            yield from _at(item, rest, inside if choice is None else choice)
    elif isinstance(value, dict) and step in value:
        yield from _at(value[step], rest, choice)

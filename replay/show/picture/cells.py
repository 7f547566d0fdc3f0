"""A picture as a grid: a row for each lane, a column for each event and for the end. Terminal and page draw it."""

from __future__ import annotations

from enum import IntEnum, unique
from typing import TYPE_CHECKING, Final

from .model import Did, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .model import Act, Picture


@unique
class Cell(IntEnum):
    """What one event is in one lane. Where several events share a column, the highest value is drawn."""

    EMPTY = 0
    WAITING = 1  # the call is open, and nothing came for it
    NOTHING = 2  # an event that says nothing of calls or words
    REASONING = 3
    TEXT = 4
    ARGUMENTS = 5
    UNTAKEN = 6  # arguments came, and no call took them
    NAMED = 7  # an id or a name came, and no arguments
    OPENED = 8
    CLOSED = 9
    WHOLE = 10  # opened and closed by one event
    FINISH = 11
    END = 12
    FINDING = 13


# By what an act did, the first that applies.
_BY_DEED: Final = (
    (Did.FINISH, Cell.FINISH),
    (Did.CLOSED, Cell.CLOSED),
    (Did.OPENED, Cell.OPENED),
    (Did.ARGUMENTS, Cell.ARGUMENTS),
    (Did.LATE, Cell.UNTAKEN),
    (Did.NOT_TAKEN, Cell.UNTAKEN),
    (Did.ID, Cell.NAMED),
    (Did.NAME, Cell.NAMED),
    (Did.TEXT, Cell.TEXT),
    (Did.REASONING, Cell.REASONING),
    (Did.NOTHING, Cell.NOTHING),
)


def cell(act: Act) -> Cell:
    """What an act is drawn as. Being blocked draws nothing by itself: a finding says why."""
    if Did.CLOSED in act.did and Did.OPENED in act.did:
        return Cell.WHOLE
    return next((found for did, found in _BY_DEED if did in act.did), Cell.EMPTY)


def grid(picture: Picture) -> list[list[Cell]]:
    """By lane, the cell of each event; the last column is the end of the stream."""
    columns = len(picture.events) + 1
    rows = [[Cell.EMPTY] * columns for _ in picture.lanes]
    for event in picture.events:
        for act in event.acts:
            row = rows[act.lane]
            row[event.number] = max(row[event.number], cell(act))
    for mark in picture.marks:
        at = mark.finding.event
        rows[mark.lane][columns - 1 if at is None else at] = Cell.FINDING
    rows[0][-1] = max(rows[0][-1], Cell.END)
    for number, _ in picture.calls():
        _fill(rows[number])
    return rows


def _fill(row: list[Cell]) -> None:
    """Mark where a call waits: between its first sign and its last, or to the end where it never closed."""
    signs = [at for at, found in enumerate(row[:-1]) if found is not Cell.EMPTY]
    if not signs:
        return
    closed = [at for at in signs if row[at] in (Cell.CLOSED, Cell.WHOLE)]
    last = closed[-1] if closed else len(row) - 1
    for at in range(signs[0], last):
        if row[at] is Cell.EMPTY:
            row[at] = Cell.WAITING


def spoken_only(picture: Picture) -> list[bool]:
    """For each event, whether it brings nothing but words, or nothing at all: such runs can be folded."""
    marked = {mark.finding.event for mark in picture.marks}
    plain = (Kind.TEXT, Kind.REASONING)
    return [
        event.number not in marked
        and all(picture.lanes[act.lane].kind in plain or act.did == (Did.NOTHING,) for act in event.acts)
        for event in picture.events
    ]


def runs(flags: Sequence[bool], shortest: int) -> Iterator[range]:
    """The columns in order: a range of one for each place, a longer one for a run of set flags that is long enough."""
    at = 0
    while at < len(flags):
        end = at
        while end < len(flags) and flags[end]:
            end += 1
        if end - at >= shortest:
            yield range(at, end)
            at = end
        else:
            stop = max(end, at + 1)
            yield from (range(one, one + 1) for one in range(at, stop))
            at = stop


def merged(row: Sequence[Cell], columns: Iterable[range]) -> list[Cell]:
    """One row, drawn with these columns."""
    return [max(row[at] for at in column) for column in columns]

"""Turns that have another outcome where their bytes are cut elsewhere, and the smallest cut that shows it.

The bytes are the same, and network reads are no events: a client that does otherwise goes by the reads of its socket.
Each turn is run twice, with one write an event and cut as was asked for. Where the two differ, cuts are taken away
until none is left that can be:

    1,204 cuts, a call is lost      602 of them: lost      ...      1 of them: lost
    smallest cut: at byte 311 of 1,205, in an escape
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from replay.body.rendering import render
from replay.fewest import fewest
from replay.serve.cutting import Cuts, Mode, positions
from replay.wire.places import places

from .outcomes import Outcome, compare, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .outcomes import Heard
    from .trials import Trial
    from .turns import Driver, Turn

# Runs that the search for the smallest cut of one turn may take.
RUNS: Final = 200
# Positions that are named.
_NAMED: Final = 4


def differ(whole: Trial, cut: Trial) -> bool:
    """Whether a turn has another outcome where it is cut, or other calls are handed over."""
    return whole.observed is not cut.observed or shown(whole.heard.handed) != shown(cut.heard.handed)


def smallest(driver: Driver, cut: Trial, cuts: Cuts, first: int) -> str:
    """The smallest cut with which the adapter does as it did in this trial, in words; `first` is a free turn number."""
    turn = cut.turn
    rendered = render(turn.fixture.loaded)
    told = turn.fixture.loaded.value.get("transport")
    given = positions(rendered, cuts, told if isinstance(told, dict) else {})
    number = first
    with driver.session() as ask:

        def same(some: Sequence[int]) -> bool:
            nonlocal number
            if number - first >= RUNS:
                return False
            asked = replace(turn, number=number)
            number += 1
            return _like(cut, asked, ask(asked, Cuts(mode=Mode.AT, positions=tuple(some))))

        found = fewest(given, same)
    where = places(rendered.frames, rendered.framing.name)
    size = sum(map(len, rendered.frames))
    if not found:
        return "none: the whole body comes in one piece"
    named = [f"at byte {at:,} of {size:,}, in {_WORDS[where[at - 1].value]}" for at in found[:_NAMED]]
    return "; ".join(named) + (f"; and {len(found) - _NAMED:,} more" if len(found) > _NAMED else "")


def _like(cut: Trial, turn: Turn, heard: Heard) -> bool:
    outcome: Outcome = compare(turn.report, heard, texts=turn.texts)
    return outcome is cut.observed and shown(heard.handed) == shown(cut.heard.handed)


_WORDS: Final = {
    "frame": "the space between two events",
    "line_end": "a line end",
    "utf8": "a character",
    "escape": "an escape",
    "string": "a string",
    "field": "the name of a field",
    "structure": "the structure of a payload",
}

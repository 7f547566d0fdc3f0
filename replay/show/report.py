"""The page of a run: of every fixture that `replay` or pytest judged, or that `diff` ran clients on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from replay.diff import outcome_pins
from replay.errors import ToolreelError
from replay.show.picture.reading import read, shown

from .pages import page
from .pages.source import Of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from replay.diff.outcomes import Outcome
    from replay.show.picture.reading import Shown
    from replay.validator import Allowance


def html(fixtures: Mapping[str, Collection[Allowance]], of: Of) -> str:
    """The page of these fixtures, each judged with the allowances it is listed with; of a single one, that of a turn.

    A fixture that cannot be read is left out: the run has said so.
    """
    those = [one for path, accept in fixtures.items() if (one := _shown(path, accept)) is not None]
    if len(those) == 1:
        return page.turn(those[0])
    return page.folder(those, of)


def of_clients(outcomes: Mapping[str, Sequence[tuple[str, str, Outcome]]]) -> str:
    """The page of fixtures that clients were run on, with what each made of it just now: name, version, outcome."""
    those = []
    for path, found in sorted(outcomes.items()):
        one = _shown(path, ())
        if one is not None:
            now = outcome_pins.write({name: {version: outcome} for name, version, outcome in found})
            those.append(shown(replace(one.source, outcomes=now)))
    return page.folder(those, Of.DIFF)


def _shown(path: str, accept: Collection[Allowance]) -> Shown | None:
    try:
        return read(path, accept)
    except ToolreelError:
        return None

"""The page of a run: of every fixture that `replay` or pytest judged, or that `diff` ran clients on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from replay.errors import ToolreelError
from replay.judging.coverage import survey
from replay.show.picture.reading import Client, read

from .pages import page

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from replay.diff.outcomes import Outcome
    from replay.show.picture.reading import Shown
    from replay.validator import Allowance


def html(fixtures: Mapping[str, Collection[Allowance]], title: str) -> str:
    """The page of these fixtures, each judged with the allowances it is listed with; of a single one, that of a turn.

    A fixture that cannot be read is left out: the run has said so.
    """
    those = [one for path, accept in fixtures.items() if (one := _shown(path, accept)) is not None]
    if len(those) == 1:
        return page.turn(those[0])
    return page.folder(those, survey(one.path for one in those), title)


def of_clients(outcomes: Mapping[str, Sequence[tuple[str, str, Outcome]]], title: str) -> str:
    """The page of fixtures that clients were run on, with what each made of it just now: name, version, outcome."""
    those = []
    for path, found in sorted(outcomes.items()):
        shown = _shown(path, ())
        if shown is not None:
            clients = tuple(Client(name=name, version=version, outcome=outcome) for name, version, outcome in found)
            those.append(replace(shown, clients=clients))
    return page.folder(those, survey(one.path for one in those), title)


def _shown(path: str, accept: Collection[Allowance]) -> Shown | None:
    try:
        return read(path, accept)
    except ToolreelError:
        return None

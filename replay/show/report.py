"""The page of a run: of every fixture that was judged. `replay --report html=FILE` and the pytest plugin write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replay.errors import ToolreelError
from replay.judging.coverage import survey

from . import page
from .reading import read

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from replay.validator import Allowance

    from .reading import Shown


def html(fixtures: Mapping[str, Collection[Allowance]], title: str) -> str:
    """The page of these fixtures, each judged with the allowances it is listed with; of a single one, that of a turn.

    A fixture that cannot be read is left out: the run has said so.
    """
    those = [one for path, accept in fixtures.items() if (one := _shown(path, accept)) is not None]
    if len(those) == 1:
        return page.turn(those[0])
    return page.folder(those, survey(one.path for one in those), title)


def _shown(path: str, accept: Collection[Allowance]) -> Shown | None:
    try:
        return read(path, accept)
    except ToolreelError:
        return None

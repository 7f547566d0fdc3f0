"""What became of one fixture in a replay, as values: its outcome, both verdicts, and what differs between them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from replay.corpus.discovery import pin_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replay.corpus.pins import Adapter
    from replay.validator import Finding, Report

    from .comparison.timeline import Moment
    from .told import Told


class Outcome(Enum):
    """How a fixture compares with its pin; the value is its name in a report."""

    AS_PINNED = "as_pinned"
    CHANGED = "changed"  # the verdict is not the pinned one
    UNPINNED = "unpinned"  # no pin beside the fixture
    OUTDATED = "outdated"  # the pin was made by older rules
    EMPTY = "empty"  # no event is in the fixture, and nothing says that the client left before one came
    ORPHAN = "orphan"  # a pin without its fixture
    NOT_INVARIANT = "not_invariant"  # cut elsewhere, the same bytes gave another verdict
    REPINNED = "repinned"  # changed, and written
    PINNED = "pinned"  # unpinned, and written
    PRUNED = "pruned"  # orphan, and removed
    ERROR = "error"  # the fixture or its pin could not be read, or the pin not be written


# 1: something differs. 2: something could not be read, so that nothing is known of it. The highest one counts.
EXIT_CODES: Final[Mapping[Outcome, int]] = {
    Outcome.AS_PINNED: 0,
    Outcome.CHANGED: 1,
    Outcome.UNPINNED: 1,
    Outcome.OUTDATED: 1,
    Outcome.EMPTY: 1,
    Outcome.ORPHAN: 1,
    Outcome.NOT_INVARIANT: 1,
    Outcome.REPINNED: 0,
    Outcome.PINNED: 0,
    Outcome.PRUNED: 0,
    Outcome.ERROR: 2,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A finding that only one of the two verdicts has, and what happened around it."""

    finding: Finding  # one of the found verdict has its message
    line: int  # of the fixture file, from 1
    moments: tuple[Moment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallChange:
    """A call that both verdicts have and that is not the same, and what happened where they part."""

    choice: int
    slot: int
    line: int  # of the fixture file, from 1
    moments: tuple[Moment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of one fixture, of an orphan the one that is missing. The reports in it have no messages."""

    fixture: str
    outcome: Outcome
    pinned: Report | None = None
    found: Report | None = None
    advice: str = ""  # one line: what differs and the next step; empty where nothing is to be done
    line: int = 1  # of the fixture file: where to look first
    new: tuple[Change, ...] = ()  # findings that the pin does not have
    gone: tuple[Change, ...] = ()  # findings that only the pin has
    told: Told | None = None  # where the fixture came from, where the run is asked for that
    calls: tuple[CallChange, ...] = ()  # the first few that differ, where no such finding names the slot
    adapters: tuple[Adapter | None, Adapter | None] = (None, None)  # pinned and found
    hint: str = ""  # with which allowances, named by the fixture, a blocked turn would pass
    orphan: str = ""  # the file that stands without its fixture, of a result about one

    @property
    def pin(self) -> str:
        """Where the pin of the fixture stands, or would."""
        return self.orphan or pin_path(self.fixture)

"""The mutation score of an adapter: of how many blocked kinds it hands over nothing, by wire family.

A fixture that `toolreel derive` made names its kind. Where the verdict blocks its turn, the kind is a blocked one, and
an adapter that hands over a call of it has not caught it:

    openai: hands over nothing on 96 of 102 blocked kinds (94 %)

A kind is caught if none of its fixtures is `unsafe`. An outcome without its control does not count at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from replay.validator import Status

from .outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .runs import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Of one adapter and family: how many blocked kinds there were, and how many it caught."""

    adapter: str
    version: str
    profile: str
    kinds: int
    caught: int

    @property
    def percent(self) -> int:
        """The share that it caught, rounded down, so that 100 means all."""
        return 100 * self.caught // self.kinds


@dataclass(slots=True)
class Scores:
    """What is counted for the scores of a run."""

    _caught: dict[tuple[str, str, str], dict[str, bool]] = field(default_factory=dict)

    def add(self, result: Result) -> None:
        """Count one result, if its turn is derived and of a blocked kind."""
        outcome, report = result.outcome, result.report
        if not result.derived or report is None or report.status is not Status.BLOCKED:
            return
        if outcome in (None, Outcome.NO_CONTROL):
            return
        kinds = self._caught.setdefault((result.adapter, result.version, report.profile or ""), {})
        kinds[result.derived] = kinds.get(result.derived, True) and outcome is not Outcome.UNSAFE

    def __iter__(self) -> Iterator[Score]:
        for (adapter, version, profile), kinds in self._caught.items():
            yield Score(adapter=adapter, version=version, profile=profile, kinds=len(kinds), caught=sum(kinds.values()))

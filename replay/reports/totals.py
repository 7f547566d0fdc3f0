"""Counts over the results of a replay, so that no result need be kept."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from replay.judging.results import EXIT_CODES, Outcome

if TYPE_CHECKING:
    from replay.judging.results import Result
    from replay.validator import Status


@dataclass(slots=True, kw_only=True)
class Totals:
    """The number of results with each outcome, and of verdicts with each status."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    statuses: Counter[Status] = field(default_factory=Counter)

    def add(self, result: Result) -> None:
        """Count one result."""
        self.outcomes[result.outcome] += 1
        if result.found is not None:
            self.statuses[result.found.status] += 1

    @property
    def fixtures(self) -> int:
        """How many fixtures there were; an orphan is a pin."""
        return self.outcomes.total() - self.outcomes[Outcome.ORPHAN] - self.outcomes[Outcome.PRUNED]

    @property
    def exit_code(self) -> int:
        """The exit code of the worst outcome."""
        return max((EXIT_CODES[outcome] for outcome, count in self.outcomes.items() if count), default=0)

"""Counts over the results of a replay, so that no result need be kept."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from replay.judging.results import EXIT_CODES, Outcome

if TYPE_CHECKING:
    from replay.judging.results import Result
    from replay.validator import Allowance, Status

# Of a run in which nothing is amiss, and in which there was no fixture to judge: an argument names none.
NOTHING_JUDGED: Final = 2


@dataclass(slots=True, kw_only=True)
class Totals:
    """The number of results with each outcome, and of verdicts with each status, and the allowances that were used."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    statuses: Counter[Status] = field(default_factory=Counter)
    used: set[Allowance] = field(default_factory=set)

    def add(self, result: Result) -> None:
        """Count one result."""
        self.outcomes[result.outcome] += 1
        if result.found is not None:
            self.statuses[result.found.status] += 1
            self.used.update(use.name for use in result.found.allowances)

    @property
    def fixtures(self) -> int:
        """How many fixtures there were; an orphan is a pin."""
        return self.outcomes.total() - self.outcomes[Outcome.ORPHAN] - self.outcomes[Outcome.PRUNED]

    @property
    def exit_code(self) -> int:
        """The exit code of the worst outcome. A run that judged no fixture proves nothing, so it never ends with 0."""
        worst = max((EXIT_CODES[outcome] for outcome, count in self.outcomes.items() if count), default=0)
        return worst if self.fixtures else worst or NOTHING_JUDGED

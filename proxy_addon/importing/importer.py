"""The importer: stores and counts the entries of sources, one after the other, as the writer does with captures.

What an entry is by itself was decided before (`deciding`). What is said of one is closed words and the name of a file.
"""

from collections import Counter
from dataclasses import replace
from enum import Enum, unique
from typing import Final

from proxy_addon.importing.deciding import Decided
from proxy_addon.importing.entries import Unusable
from proxy_addon.writing.cases import Turn
from proxy_addon.writing.outcomes import advice
from proxy_addon.writing.outcomes.counts import Counts
from proxy_addon.writing.outcomes.declared_tools import DeclaredTools
from proxy_addon.writing.outcomes.settled import How, Settled
from proxy_addon.writing.settling import Wanted, store
from proxy_addon.writing.storage.sink import Sink
from redaction.captured.exchange import Ending
from replay.validator import Code, Report

# Behind the line of a turn that is blocked because nobody said that all of it came.
END_HINT: Final = "blocked only because nothing says that the stream came to its end: if it did, --end complete"


def lacks_only_its_end(report: Report | None) -> bool:
    """Whether the one finding against a turn is that its transport may have been cut before the message's terminal."""
    if report is None or len(report.findings) != 1:
        return False
    (found,) = report.findings
    return found.code is Code.MISSING_TERMINAL and found.choice is None and found.slot is None


@unique
class Naming(Enum):
    """How fixtures get their names; the value is how the command line says it."""

    FILE = "file"  # after the source, each turn of it
    SHAPE = "shape"  # as the recorder names them: provider, model and digest


class Importer:
    """Takes what was decided of the entries of one run, in their order; each is stored, where it is to be, and counted.

    `case` names what is written. `ending` is what the user says of all responses.
    """

    def __init__(self, *, folder: Sink, ending: Ending | None, case: str | None, naming: Naming | None = None) -> None:
        self._folder: Final = folder
        self._ending: Final = ending
        self._case: Final = case
        self._naming: Final = naming
        self._counts: Final = Counts()
        self._tools: Final = DeclaredTools()
        self._unusable: Counter[Unusable] = Counter()
        self._turns: Counter[str] = Counter()  # of each case

    def case(self, name: str | None) -> str | None:
        """The case of the turns of a source, `name` being that of a fixture after the source."""
        return name if self._naming is Naming.FILE else self._case

    @property
    def clean(self) -> bool:
        """Whether every turn that was found is in a fixture."""
        summary = self._counts.summary()
        return not (summary.refused or summary.dropped or summary.left_out or self._unusable)

    def lines(self) -> list[str]:
        """End the run; the totals, one to a line."""
        found = [f"{case}: {says}" for case, says in self._folder.end()]
        found += self._counts.summary().lines()
        if self._unusable:
            found.append(f"entries that could not be used: {self._unusable.total()}")
            found += [f"  {why.value}: {count}" for why, count in self._unusable.items()]
        return found

    def settle(self, decided: Decided, name: str | None = None) -> str:
        """Store an entry, under `name` where nothing else names it and its shape is new; the line about it."""
        case = self.case(name)
        if isinstance(decided.found, Unusable):
            self._turns[case or ""] += decided.takes_place
            return self._cannot(decided.found, decided.note)
        number = self._turns[case or ""] + 1
        settled = self._stored(decided.found, None if case is None else Turn(case=case, number=number), name)
        if decided.is_turn and settled.how is not How.PASSED:
            self._turns[case or ""] = number
        return self._told(settled) + decided.lacks

    def _stored(self, found: Wanted | Settled, turn: Turn | None, name: str | None) -> Settled:
        if isinstance(found, Settled):
            return found
        wanted = replace(found, turn=turn)
        if name is not None:
            fixture = replace(wanted.proved.fixture, stem=name)
            wanted = replace(wanted, proved=replace(wanted.proved, fixture=fixture))
        return store(wanted, folder=self._folder, tools=self._tools)

    def _told(self, settled: Settled) -> str:
        """Count what became of an entry; the line about it."""
        self._counts.settled(settled)
        hint = f"; {END_HINT}" if self._ending is None and lacks_only_its_end(settled.report) else ""
        return f"{advice.line(settled)}{hint}"

    def _cannot(self, why: Unusable, note: str = "") -> str:
        self._unusable[why] += 1
        return f"not usable: {why.value}{note and f'; {note}'}"

"""The numbers of a run: what became of its captures, and how many exchanges passed without one.

Only closed words are counted; no name, path or text of the traffic ever gets in here.
"""

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from proxy_addon.writing.outcomes.settled import ENDED_HERE, OTHER_CASE, How, Passed, Settled, Why, unwritten
from proxy_addon.writing.outcomes.unrecorded import Kind, counted
from redaction.captured.exchange import FIRST_RUNGS

_ENDED_HERE: Final = frozenset(why.value for why in ENDED_HERE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The numbers of a run that has ended. Every captured stream is in exactly one of the first five."""

    written: int
    same_shape: int
    left_out: Mapping[str, int]
    refused: Mapping[str, int]
    dropped: Mapping[str, int]
    passed: Mapping[str, int]
    bad_case_names: int
    bugs: Mapping[str, int]
    lines_lost: int = 0
    removed: int = 0  # fixtures that made room for younger ones
    cases_ended: int = 0  # otherwise than they were recorded
    rungs: Mapping[str, int] = field(default_factory=dict)
    not_recorded: Mapping[Kind, int] = field(default_factory=dict)  # what passed, in finer kinds
    recorded: Mapping[tuple[str, str], int] = field(default_factory=dict)  # turns by upstream and profile

    @property
    def captured(self) -> int:
        """How many streams were recognised."""
        others = (*self.left_out.values(), *self.refused.values(), *self.dropped.values())
        return self.written + self.same_shape + sum(others)

    @property
    def cases_changed(self) -> int:
        """How many turns of recorded cases were others, more or fewer."""
        return self.cases_ended + sum(self.left_out.get(why.value, 0) for why in OTHER_CASE)

    def as_dict(self) -> dict[str, object]:
        """The numbers for programs, as `--report json` prints them."""
        return {
            "captured": self.captured,
            "written": self.written,
            "same_shape": self.same_shape,
            "left_out": dict(self.left_out),
            "refused": dict(self.refused),
            "dropped": dict(self.dropped),
            "passed": dict(self.passed),
            "bad_case_names": self.bad_case_names,
            "bugs": dict(self.bugs),
            "removed": self.removed,
            "lines_lost": self.lines_lost,
            "cases_changed": self.cases_changed,
            "rungs": dict(self.rungs),
            "not_recorded": counted(self.not_recorded.items()),
            "recorded": [
                {"upstream": upstream, "profile": profile, "count": count}
                for (upstream, profile), count in self.recorded.items()
            ],
        }

    def lines(self) -> list[str]:
        """The numbers for people, one to a line."""
        left_out, refused, dropped = (sum(part.values()) for part in (self.left_out, self.refused, self.dropped))
        found = [
            (
                f"captured {self.captured}: {self.written} written, {self.same_shape} same shape as one already there, "
                f"{f'{left_out} left out, ' if left_out else ''}{refused} refused, {dropped} dropped"
            ),
            *(f"  on the rung {rung}: {count}" for rung, count in self.rungs.items() if rung not in FIRST_RUNGS),
            *(f"  left out, {why}: {count}" for why, count in self.left_out.items()),
            *(f"  refused, {why}: {count}" for why, count in self.refused.items()),
            *(f"  dropped, {why}: {count}" for why, count in self.dropped.items()),
            *self._not_captured(),
        ]
        if self.bad_case_names:
            found.append(f"X-Toolreel-Case values that are no case name (recorded without): {self.bad_case_names}")
        if self.removed:
            found.append(f"removed, the oldest first (--max-folder): {self.removed}")
        if self.lines_lost:
            found.append(f"lines that nobody read: {self.lines_lost}")
        found.extend(f"bug in the recorder, {kind}: {count}" for kind, count in self.bugs.items())
        return found

    def _not_captured(self) -> list[str]:
        """The lines of the exchanges that are no capture: those that reached a provider, then those that did not."""
        ended = {why: count for why, count in self.passed.items() if why in _ENDED_HERE}
        passed = {why: count for why, count in self.passed.items() if why not in _ENDED_HERE}
        found = [f"passed through without capture: {sum(passed.values())}", *self._reasons(passed)]
        if ended:
            found += [f"not passed on: {sum(ended.values())}", *self._reasons(ended)]
        return found

    def _reasons(self, counts: Mapping[str, int]) -> list[str]:
        return [line for why, count in counts.items() for line in (f"  {why}: {count}", *self._kinds(why))]

    def _kinds(self, why: str) -> list[str]:
        """The lines of the kinds that passed for this reason."""
        kinds = ((kind, count) for kind, count in self.not_recorded.items() if kind.why.value == why)
        return [f"    {kind.upstream}, {kind.what.name}: {count}" for kind, count in kinds]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of captures, and why. Closed words, but for the name that the user gave the upstream."""

    upstream: str
    how: How
    why: Why | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The numbers of a run that goes on, as a watcher sees them. Each capture is seen once, and has one outcome later.

    `how` of an outcome is `PASSED` for what was seen as a turn and proved to be none.
    """

    seen: Mapping[str, int]  # by upstream
    outcomes: Mapping[Outcome, int]
    not_recorded: Mapping[Kind, int]
    recorded: Mapping[tuple[str, str], int]  # by upstream and profile
    bugs: int


class Counts:
    """The counters of one run. The event loop and the writer's thread both count here."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._settled: dict[How, Counter[str]] = {how: Counter() for how in How}
        self._rungs: Counter[str] = Counter()
        self._bad_case_names = 0
        self._cases_ended = 0
        self._bugs: Counter[str] = Counter()
        self._kinds: Counter[Kind] = Counter()
        self._told: dict[Kind, int] = {}
        self._recorded: Counter[tuple[str, str]] = Counter()
        self._seen: Counter[str] = Counter()
        self._outcomes: Counter[Outcome] = Counter()

    def seen(self, upstream: str) -> None:
        """Count a stream of an upstream that is recognised as a turn. What becomes of it is counted later."""
        with self._lock:
            self._seen[upstream] += 1

    def no_turn(self, why: Passed, *, upstream: str) -> None:
        """Count what was seen as a turn and is none."""
        with self._lock:
            self._outcomes[Outcome(upstream=upstream, how=How.PASSED, why=why)] += 1

    def settled(self, found: Settled, *, upstream: str = "") -> None:
        """Count what became of a capture, whose upstream this is."""
        with self._lock:
            self._settled[found.how][found.counted] += 1
            if found.how is not How.PASSED:
                self._outcomes[Outcome(upstream=upstream, how=found.how, why=found.why)] += 1
            if found.how is How.WRITTEN and found.rung:
                self._rungs[found.rung] += 1
            if found.how in (How.WRITTEN, How.SAME_SHAPE) and found.report is not None:
                self._recorded[upstream, found.report.profile or ""] += 1

    def passed(self, kind: Kind) -> bool:
        """Count an exchange that passed without a capture; whether it is the first of its kind."""
        self.settled(unwritten(kind.why))
        with self._lock:
            self._kinds[kind] += 1
            if kind in self._told:
                return False
            self._told[kind] = 1  # whoever asks says it now
            return True

    def passed_since(self) -> tuple[tuple[Kind, int], ...]:
        """What passed so far, by kind, where it is more than was said the last time; else nothing."""
        with self._lock:
            now = dict(self._kinds)
            if now == self._told:
                return ()
            self._told = now
            return tuple(now.items())

    def bad_case_name(self) -> None:
        """Count a case header that was removed and not used."""
        with self._lock:
            self._bad_case_names += 1

    def case_ended(self) -> None:
        """Count a case that came to another end than it was recorded with."""
        with self._lock:
            self._cases_ended += 1

    def bug(self, error: Exception) -> None:
        """Count what a hook of ours raised. The traffic went on; only the type of the exception is kept."""
        self.bug_of(type(error).__name__)

    def bug_of(self, kind: str) -> None:
        """Count what a hook raised, by the name of its type."""
        with self._lock:
            self._bugs[kind] += 1

    def totals(self) -> Totals:
        """The numbers so far, as a watcher sees them."""
        with self._lock:
            return Totals(
                seen=dict(self._seen),
                outcomes=dict(self._outcomes),
                not_recorded=dict(self._kinds),
                recorded=dict(self._recorded),
                bugs=self._bugs.total(),
            )

    def summary(self) -> Summary:
        """The numbers so far."""
        with self._lock:
            return Summary(
                written=self._settled[How.WRITTEN].total(),
                same_shape=self._settled[How.SAME_SHAPE].total(),
                left_out=dict(self._settled[How.LEFT_OUT]),
                refused=dict(self._settled[How.REFUSED]),
                dropped=dict(self._settled[How.DROPPED]),
                passed=dict(self._settled[How.PASSED]),
                bad_case_names=self._bad_case_names,
                bugs=dict(self._bugs),
                rungs=dict(self._rungs),
                not_recorded=dict(self._kinds),
                recorded=dict(self._recorded),
                cases_ended=self._cases_ended,
            )

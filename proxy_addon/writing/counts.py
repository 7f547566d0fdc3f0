"""The numbers of a run: what became of its captures, and how many exchanges passed without one.

Only closed words are counted; no name, path or text of the traffic ever gets in here.
"""

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from proxy_addon.writing.settled import How, Passed, Settled, unwritten
from redaction.captured.exchange import FIRST_RUNGS


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
    rungs: Mapping[str, int] = field(default_factory=dict)

    @property
    def captured(self) -> int:
        """How many streams were recognised."""
        others = (*self.left_out.values(), *self.refused.values(), *self.dropped.values())
        return self.written + self.same_shape + sum(others)

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
            "faults": dict(self.bugs),
            "lines_lost": self.lines_lost,
            "rungs": dict(self.rungs),
        }

    def lines(self) -> list[str]:
        """The numbers for people, one to a line."""
        parts = (self.left_out, self.refused, self.dropped, self.passed)
        left_out, refused, dropped, passed = (sum(part.values()) for part in parts)
        found = [
            (
                f"captured {self.captured}: {self.written} written, {self.same_shape} same shape as one already there, "
                f"{f'{left_out} left out, ' if left_out else ''}{refused} refused, {dropped} dropped"
            ),
            *(f"  on the rung {rung}: {count}" for rung, count in self.rungs.items() if rung not in FIRST_RUNGS),
            *(f"  left out, {why}: {count}" for why, count in self.left_out.items()),
            *(f"  refused, {why}: {count}" for why, count in self.refused.items()),
            *(f"  dropped, {why}: {count}" for why, count in self.dropped.items()),
            f"passed through without capture: {passed}",
            *(f"  {why}: {count}" for why, count in self.passed.items()),
        ]
        if self.bad_case_names:
            found.append(f"X-Toolreel-Case values that are no case name (recorded without): {self.bad_case_names}")
        if self.lines_lost:
            found.append(f"lines that nobody read: {self.lines_lost}")
        found.extend(f"fault in the recorder, {kind}: {count}" for kind, count in self.bugs.items())
        return found


class Counts:
    """The counters of one run. The event loop and the writer's thread both count here."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._settled: dict[How, Counter[str]] = {how: Counter() for how in How}
        self._rungs: Counter[str] = Counter()
        self._bad_case_names = 0
        self._bugs: Counter[str] = Counter()

    def settled(self, found: Settled) -> None:
        """Count what became of a capture."""
        with self._lock:
            self._settled[found.how][found.counted] += 1
            if found.how is How.WRITTEN and found.rung:
                self._rungs[found.rung] += 1

    def passed(self, why: Passed) -> None:
        """Count an exchange that passed without a capture."""
        self.settled(unwritten(why))

    def bad_case_name(self) -> None:
        """Count a case header that was removed and not used."""
        with self._lock:
            self._bad_case_names += 1

    def bug(self, error: Exception) -> None:
        """Count what a hook of ours raised. The traffic went on; only the type of the exception is kept."""
        with self._lock:
            self._bugs[type(error).__name__] += 1

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
            )

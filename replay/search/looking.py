"""The search itself: Hypothesis composes streams, the probe tries them, and what is found is shrunk and made short.

A find is told from another one by its outcome and by the codes of the verdict: an adapter that runs cut calls and calls
of unknown tools has two finds. Needs the extra `search`.
"""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky, NoSuchExample

from replay.derive.kinds import KINDS
from replay.derive.making import KindError, fixture_of, fixture_value
from replay.derive.reducing import same_codes
from replay.derive.short_files import shortest
from replay.derive.twins import TWINS
from replay.derived import FOUND, UNDONE
from replay.diff.outcomes import Outcome

from .streams import DAMAGES, Damage, Plan, composed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis.database import ExampleDatabase

    from replay.derive.kinds.kind import Made
    from replay.derive.recording import Recording
    from replay.derive.short_files import Short
    from replay.validator import Report

    from .probe import Probe, Seen

# What a request forbade: a client under test asks in its own words, and cannot know.
_OF_THE_REQUEST: Final = frozenset({"call-forbidden", "parallel-forbidden"})
# What takes hundreds of calls to tell: it is tried as it is, and not with anything else.
_LONG: Final = frozenset({"too-many-calls"})
# Streams of one go of Hypothesis, after which it begins with other ones.
_A_GO: Final = 400
# Damages further behind the start of the first call are of no other kind than those before.
_FURTHEST: Final = 12

# The outcome, the status and the codes of the verdict, by which finds are told apart.
Signature = tuple[Outcome, str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Find:
    """A stream on which the adapter does not do what the verdict says: the plan, and the shortest fixture of it."""

    plan: Plan
    outcome: Outcome
    short: Short = field(repr=False)


class Search:
    """A search over the kinds of one recording, with one probe, until a moment of `time.monotonic`."""

    def __init__(
        self, one: Recording, probe: Probe, *, until: float, seed: int, database: ExampleDatabase | None = None
    ) -> None:
        self._one, self._probe = one, probe
        self._until, self._seed, self._database = until, seed, database
        self._known: set[Signature] = set()

    def finds(self) -> Iterator[Find]:
        """One find after another, each of another signature."""
        # Every kind as it is comes first: most adapters fall over one of these.
        for name in self._kinds():
            if not self._over():
                yield from self._tried(Plan(name))
        go = 0
        while not self._over():
            plan = self._one_more(go)
            go += 1
            if plan is not None:
                yield from self._tried(plan)

    def _kinds(self) -> list[str]:
        there = [name for name, kind in KINDS.items() if self._one.profile in kind.of]
        return [name for name in there if name not in _OF_THE_REQUEST]

    def _over(self) -> bool:
        return time.monotonic() >= self._until

    def _one_more(self, go: int) -> Plan | None:
        """A plan with a new signature, as short as Hypothesis makes it; None where this go has none."""
        try:
            return find(
                self._plans(),
                self._is_new,
                settings=settings(
                    max_examples=_A_GO,
                    database=self._database,
                    deadline=None,
                    phases=(Phase.reuse, Phase.generate, Phase.shrink),
                    suppress_health_check=list(HealthCheck),
                ),
                random=random.Random(f"{self._seed}:{go}"),  # noqa: S311 - a choice of tests, no secret
                database_key=f"{self._one.digest}".encode(),
            )
        except (NoSuchExample, Flaky):  # what comes once and not again, as a timeout on a busy machine, is no find
            return None

    def _plans(self) -> st.SearchStrategy[Plan]:
        kinds = [name for name in self._kinds() if name not in _LONG]
        twins = [name for name, (families, _) in TWINS.items() if self._one.profile in families]
        damages = st.builds(Damage, st.sampled_from(sorted(DAMAGES)), st.integers(0, _FURTHEST))
        return st.builds(
            Plan,
            st.sampled_from(kinds),
            st.lists(st.sampled_from(twins), max_size=2, unique=True).map(tuple) if twins else st.just(()),
            st.lists(damages, max_size=2).map(tuple),
        )

    def _is_new(self, plan: Plan) -> bool:
        """Whether the adapter does with the stream of a plan what no find shows yet. Nothing is, once time is over."""
        if self._over():
            return False
        return self._new(composed(self._one, plan)) is not None

    def _new(self, made: Made | None) -> Signature | None:
        """The signature of what the adapter does with this turn, where it is wrong and no find has it."""
        seen = self._probe.of_value(fixture_value(self._one, made)) if made is not None else None
        if seen is None or seen.outcome is Outcome.AGREE or _signature(seen) in self._known:
            return None
        return _signature(seen)

    def _tried(self, plan: Plan) -> Iterator[Find]:
        made = composed(self._one, plan)
        wanted = self._new(made)
        if made is None or wanted is None:
            return
        self._known.add(wanted)
        try:
            data = fixture_of(self._one, plan.kind if plan.kind in UNDONE else FOUND, made)
        except KindError:
            return
        seen = self._probe.of_bytes(data)
        if seen is None or seen.outcome is Outcome.AGREE:
            return
        wanted = _signature(seen)

        value = json.loads(data)
        judged_alike = same_codes(value)

        def keeps(value: dict[str, object]) -> bool:
            # The verdict is known at once; the adapter is asked where it is the same.
            again = self._probe.of_value(value) if judged_alike(value) else None
            return again is not None and _signature(again) == wanted

        short = shortest(value, data, keeps, FOUND)
        yield Find(plan=plan, outcome=seen.outcome, short=short)


def _signature(seen: Seen) -> Signature:
    return seen.outcome, seen.report.status.value, _codes(seen.report)


def _codes(report: Report) -> tuple[str, ...]:
    return tuple(sorted({finding.code.value for finding in report.findings}))

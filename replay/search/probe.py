"""One adapter, asked for one stream after another: what it makes of each, compared with the verdict."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from replay.corpus.loading import load
from replay.diff import controls
from replay.diff.outcomes import Outcome, compare
from replay.diff.turns import Driver, Turn
from replay.families import FAMILIES
from replay.serve.matching import ServedFixture
from replay.validator import Envelope, judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from replay.diff.outcomes import Heard
    from replay.serve.cutting import Cuts
    from replay.validator import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the adapter made of one stream."""

    outcome: Outcome
    report: Report = field(repr=False)


class Probe:
    """Asks within a session of a driver; counts what it asks."""

    def __init__(self, ask: Callable[[Turn, Cuts | None], Heard]) -> None:
        self._ask = ask
        self.asked = 0

    def of_value(self, value: Mapping[str, object]) -> Seen | None:
        """What is made of a fixture that is given as a JSON value; None where it is none."""
        return self.of_bytes(json.dumps(value, default=float).encode())

    def of_bytes(self, data: bytes) -> Seen | None:
        """What is made of a fixture that is given as the bytes of its file; None where it is none."""
        turn = _turn(data)
        return None if turn is None else self._seen(turn)

    def outcome_of(self, data: bytes) -> str:
        """The word for what is made of a fixture; "nothing" where the bytes are none."""
        seen = self.of_bytes(data)
        return "nothing" if seen is None else seen.outcome.value

    def keeps(self, data: bytes) -> Callable[[dict[str, object]], bool]:
        """Whether a fixture value has the outcome of this fixture."""
        wanted = self.of_bytes(data)

        def same(value: dict[str, object]) -> bool:
            seen = self.of_value(value)
            return seen is not None and wanted is not None and seen.outcome is wanted.outcome

        return same

    def shows(self, data: bytes) -> str:
        """The tool for which the adapter hands over no healthy call, so that nothing it does says anything; or ""."""
        turn = _turn(data)
        if turn is None:
            return "any tool"
        for control in controls.controls([turn]):
            if self._seen(control.turn).outcome is not Outcome.AGREE:
                return control.need.name
        return ""

    def _seen(self, turn: Turn) -> Seen:
        self.asked += 1
        turn = replace(turn, number=self.asked)
        heard = self._ask(turn, None)
        return Seen(outcome=compare(turn.report, heard, texts=turn.texts), report=turn.report)


@contextmanager
def probe(driver: Driver) -> Iterator[Probe]:
    """A probe of the adapter of this driver."""
    with driver.session() as ask:
        yield Probe(ask)


def _turn(data: bytes) -> Turn | None:
    loaded = load(data)
    envelope = loaded.envelope
    if not isinstance(envelope, Envelope):
        return None
    upstream = FAMILIES[envelope.profile].provider
    fixture = ServedFixture(name="probe", profile=envelope.profile, upstream=upstream, loaded=loaded)
    return Turn(path="probe", fixture=fixture, report=judge(envelope))

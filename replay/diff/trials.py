"""What an adapter makes of turns, as far as it counts: with a control for each, and run again where it does not agree.

An outcome other than `agree` is seen three times or it is said how often; without its control it says nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from . import controls
from .outcomes import BY_WEIGHT, End, Outcome, compare

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .controls import Need
    from .crew import Crew
    from .outcomes import Heard
    from .turns import Turn

# How often a turn is run whose first run does not agree.
RUNS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """All runs of one turn. `heard` is the run with the worst outcome, which is `observed`."""

    turn: Turn
    observed: Outcome
    heard: Heard = field(repr=False)
    runs: Mapping[Outcome, int]
    split: str = ""  # the smallest cut that makes a difference, in words
    lacking: str = ""  # the tool for which there is no control; "" where all that is needed was shown

    @property
    def outcome(self) -> Outcome:
        """The outcome, where it counts. An adapter that returns no list of calls broke, whatever is shown of it."""
        return Outcome.NO_CONTROL if self.lacking and self.heard.end is not End.NO_CALLS else self.observed

    @property
    def advice(self) -> str:
        """What to do where the outcome does not count."""
        return (
            f"this outcome says nothing: of a healthy turn with one call of {self.lacking!r} the adapter does not hand "
            "over exactly this call; mend the adapter, or add a recording of such a turn to the fixtures"
        )


def tried(crew: Crew, turns: Sequence[Turn]) -> tuple[Trial, ...]:
    """The turns, numbered from 0, run once with their controls, and those that do not agree twice more."""
    made = controls.controls(turns)
    heard = crew.heard([*turns, *(one.turn for one in made)])
    first = [(turn, one, _outcome(turn, one)) for turn, one in zip(turns, heard, strict=False)]
    shown = controls.shown_by(turn for turn, one, _ in first if _handed_over(turn, one))
    shown |= frozenset(
        one.need for one, said in zip(made, heard[len(turns) :], strict=True) if _handed_over(one.turn, said)
    )
    odd = [turn for turn, _, outcome in first if outcome is not Outcome.AGREE]
    start = len(turns) + len(made)
    again = [replace(turn, number=start + at) for at, turn in enumerate(odd * (RUNS - 1))]
    runs: dict[int, list[tuple[Outcome, Heard]]] = {turn.number: [(outcome, one)] for turn, one, outcome in first}
    for turn, later, one in zip(odd * (RUNS - 1), again, crew.heard(again) if again else (), strict=True):
        runs[turn.number].append((_outcome(later, one), one))
    return tuple(_trial(turn, runs[turn.number], shown) for turn in turns)


def _trial(turn: Turn, runs: Sequence[tuple[Outcome, Heard]], shown: frozenset[Need]) -> Trial:
    observed, heard = min(runs, key=lambda run: BY_WEIGHT.index(run[0]))
    lacking = sorted(need.name for need in controls.needs(turn) - shown)
    counted = Counter(outcome for outcome, _ in runs)
    return Trial(turn=turn, observed=observed, heard=heard, runs=dict(counted), lacking=lacking[0] if lacking else "")


def _handed_over(turn: Turn, heard: Heard) -> bool:
    """Whether exactly the calls of the turn were handed over, however the adapter came out of it."""
    return _outcome(turn, replace(heard, end=End.RETURNED)) is Outcome.AGREE


def _outcome(turn: Turn, heard: Heard) -> Outcome:
    return compare(turn.report, heard, texts=turn.texts)

"""How long two pieces of work take, side by side: each round does both, so that what else runs meets both alike.

Example: `against(loads, judge)` is `Ratio(least=0.41, middle=0.43, most=0.47)`, where judging takes 0.43 times as long.
Where the environment variable TOOLREEL_FIGURES names a file, each figure becomes a line of it, for the page on speed.
"""

import gc
import json
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROUNDS: Final = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """The quotients of all rounds: the smallest, the one in the middle, the largest."""

    least: float
    middle: float
    most: float

    def __str__(self) -> str:
        return f"{self.middle:.2f} ({self.least:.2f} to {self.most:.2f})"


def against(
    baseline: Callable[[], object], work: Callable[[], object], *, rounds: int = ROUNDS, seconds: float = 0.02
) -> Ratio:
    """How many times as long `work` takes; each is repeated until a round of it lasts `seconds` of processor time."""
    gc.collect()
    sides = [(side, _repeats(side, seconds)) for side in (baseline, work)]
    quotients = []
    for _ in range(rounds):
        base, own = (_time(side, repeats) / repeats for side, repeats in sides)
        quotients.append(own / base)
    return ratio_of(quotients)


def ratio_of(quotients: list[float]) -> Ratio:
    """What the quotients of all rounds come to."""
    return Ratio(least=min(quotients), middle=statistics.median(quotients), most=max(quotients))


def _repeats(side: Callable[[], object], seconds: float) -> int:
    took = _time(side, 1)
    return max(1, round(seconds / max(took, 1e-6)))


def _time(side: Callable[[], object], repeats: int) -> float:
    gc.disable()
    try:
        start = time.process_time()
        for _ in range(repeats):
            side()
        return time.process_time() - start
    finally:
        gc.enable()


def tell(workload: str, figure: str, baseline: str, ratio: Ratio, note: str = "") -> None:
    """Print a figure beside its baseline, and keep it where a file was named."""
    print(f"\n{workload}: {figure} {ratio} times {baseline}{note and f'; {note}'}")
    path = os.environ.get("TOOLREEL_FIGURES")
    if path:
        row = {"workload": workload, "figure": figure, "baseline": baseline, "note": note}
        row |= {"least": ratio.least, "middle": ratio.middle, "most": ratio.most}
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

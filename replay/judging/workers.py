"""A replay in several processes, with its results in the same order as in one.

Fixtures go out in small batches, and few batches are out at a time, so memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from replay import processes
from replay.validator import Report, Status, Use

from . import runner
from .results import Outcome, Result
from .run_options import Detail

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.corpus.discovery import Plan

    from .run_options import Options

# Fixtures of one message to a worker at most: enough to make its cost small.
BATCH: Final = 64
# Messages that each worker gets at least, where there are fixtures enough: so all are busy to the end.
SHARES: Final = 8

# What a worker was started with. Set once, in the worker alone: in every message it would cost more than the judging.
_mine: list[tuple[Sequence[str], Options]] = []

# A verdict as pinned is told by the place of its fixture in the plan, its status and the allowances that were used:
# nothing more of it is reported.
AsPinned = tuple[int, Status, Sequence[Use]]


def replay(plan: Plan, options: Options, *, jobs: int) -> Iterator[Result]:
    """As `runner.replay`, by `jobs` processes.

    A result as pinned has the status of its report and the allowances that were used, and no calls.
    """
    size = max(1, min(BATCH, len(plan.fixtures) // (jobs * SHARES)))
    batches = ((start, size) for start in range(0, len(plan.fixtures), size))
    given = (plan.fixtures, options)
    for told in processes.ordered(_batch, batches, jobs=jobs, begin=_begin, given=given):
        yield from results(told, plan)
    yield from runner.orphans(plan.alone, options)


def results(told: list[Result | AsPinned], plan: Plan) -> Iterator[Result]:
    """The results that were told, those as pinned made whole again."""
    for one in told:
        if isinstance(one, Result):
            yield one
        else:
            at, status, used = one
            report = Report(status=status, profile=None, allowances=used)
            yield Result(fixture=plan.fixtures[at], outcome=Outcome.AS_PINNED, pinned=report, found=report)


def _begin(fixtures: Sequence[str], options: Options) -> None:
    """Take what the worker was started with."""
    _mine.append((fixtures, options))


def _batch(batch: tuple[int, int]) -> list[Result | AsPinned]:
    [(fixtures, options)] = _mine
    start, size = batch
    return told(start, fixtures[start : start + size], options)


def told(start: int, names: Sequence[str], options: Options) -> list[Result | AsPinned]:
    """What is told of these fixtures, the first of which has the place `start` in the plan."""
    told: list[Result | AsPinned] = []
    for at, name in enumerate(names, start):
        for result in runner.fixtures((name,), options):
            short = options.detail is Detail.DIFFERENCES and result.outcome is Outcome.AS_PINNED
            if short and result.found is not None and not result.advice:
                told.append((at, result.found.status, result.found.allowances))
            else:
                told.append(result)
    return told

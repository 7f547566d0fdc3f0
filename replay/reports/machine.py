"""The report of a replay for programs: one JSON object for each result, ASCII, without messages of findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replay.pins import without_messages
from replay.runner import Outcome
from replay.terminal import printable_json
from replay.validator import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replay.runner import Result

    from .tally import Tally


def line(result: Result) -> str:
    """One result on one line."""
    return printable_json(members(result))


def document(results: Sequence[dict[str, object]], tally: Tally) -> str:
    """All results and their counts as one document."""
    counts = {
        "fixtures": tally.fixtures,
        "outcomes": {outcome.value: tally.outcomes[outcome] for outcome in Outcome},
        "statuses": {status.value: tally.statuses[status] for status in Status},
    }
    return printable_json({"results": results, "summary": counts}, indent=1)


def members(result: Result) -> dict[str, object]:
    """The members of one result. The verdicts stand in it only where they differ, or where none is pinned."""
    found: dict[str, object] = {
        "fixture": str(result.fixture),
        "pin": str(result.pin),
        "outcome": result.outcome.value,
        "status": None if result.found is None else result.found.status.value,
        "executable": result.found is not None and result.found.executable,
        "advice": result.advice or None,
    }
    if result.outcome is not Outcome.AS_PINNED:
        for name, report in (("pinned", result.pinned), ("found", result.found)):
            if report is not None:
                found[name] = without_messages(report)
    return found

"""The report of a replay for programs: one JSON object for each result, ASCII, without messages of findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replay.corpus.pins import without_messages
from replay.judging.results import Outcome
from replay.terminal import printable_json
from replay.validator import Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.corpus.pins import Adapter
    from replay.judging.results import Result

    from .totals import Totals


class Lines:
    """JSON Lines: one result a line, and no summary."""

    def begin(self) -> Iterator[str]:
        """Nothing stands before the first result."""
        yield from ()

    def result(self, one: Result) -> Iterator[str]:
        """One result on one line."""
        yield printable_json(members(one))

    def end(self, totals: Totals) -> Iterator[str]:  # noqa: ARG002 - one shape for all reports
        """Nothing stands behind the last one."""
        yield from ()


class Document:
    """One JSON document: `results`, one to a line as they come in, and `summary`."""

    def __init__(self) -> None:
        self._comma = ""

    def begin(self) -> Iterator[str]:
        """The document is open."""
        yield '{"results": ['

    def result(self, one: Result) -> Iterator[str]:
        """One more line; the comma belongs to the one before, and stands here because nobody knows the last one."""
        yield f"{self._comma}{printable_json(members(one))}"
        self._comma = ","

    def end(self, totals: Totals) -> Iterator[str]:
        """The summary, and the document is closed."""
        yield f'], "summary": {printable_json(counts(totals))}}}'


def counts(totals: Totals) -> dict[str, object]:
    """The summary's members."""
    return {
        "fixtures": totals.fixtures,
        "outcomes": {outcome.value: totals.outcomes[outcome] for outcome in Outcome},
        "statuses": {status.value: totals.statuses[status] for status in Status},
    }


def members(result: Result) -> dict[str, object]:
    """The members of one result. The verdicts stand in it only where they differ, or where none is pinned."""
    found: dict[str, object] = {
        "fixture": result.fixture,
        "pin": result.pin,
        "outcome": result.outcome.value,
        "status": None if result.found is None else result.found.status.value,
        "executable": result.found is not None and result.found.executable,
        "advice": "; ".join(line for line in (result.hint, result.advice) if line) or None,
    }
    if result.outcome is not Outcome.AS_PINNED:
        for name, report in (("pinned", result.pinned), ("found", result.found)):
            if report is not None:
                found[name] = without_messages(report)
        if result.pinned is not None and result.adapters[0] != result.adapters[1]:
            found["clients"] = dict(zip(("pinned", "found"), map(_client, result.adapters), strict=True))
    return found


def _client(client: Adapter | None) -> dict[str, str] | None:
    return None if client is None else {"name": client.name, "version": client.version}

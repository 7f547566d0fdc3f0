"""A result that fails a run as annotations, each with a rule, a file and a line, for reports that point at files.

A finding that the pin lacks is an annotation under its own code. Any other difference has a rule of the replay's own,
such as `unpinned_fixture`. These reports are made to be published, on a page of a forge or of CI: they say codes and
places, and no id, name or argument of a turn. The report as text says these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replay.judging.results import EXIT_CODES, Outcome
from replay.reports import verdict_lines
from replay.terminal import printable
from replay.validator import Code
from replay.validator.rules import summary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from replay.judging.results import Change, Result

# The replay's own rules: what they report, and what to do.
RULES: Final[Mapping[Outcome, tuple[str, str, str]]] = {
    Outcome.CHANGED: (
        "changed_verdict",
        "The verdict is not the pinned one.",
        "Look at what differs. If the new verdict is right, run `toolreel replay --update FIXTURE` and commit the pin.",
    ),
    Outcome.UNPINNED: (
        "unpinned_fixture",
        "The fixture has no pin beside it.",
        "Run `toolreel replay --update FIXTURE`, look at the pin as at code, and commit it.",
    ),
    Outcome.OUTDATED: (
        "outdated_pin",
        "The pin was made by older rules.",
        "Run `toolreel replay --update FIXTURE`; it shows what moves.",
    ),
    Outcome.EMPTY: (
        "empty_fixture",
        "The fixture holds no event.",
        "Record the turn again, or delete the file.",
    ),
    Outcome.ORPHAN: (
        "orphan_pin",
        "The pin has no fixture beside it.",
        "Bring the fixture back, or run `toolreel replay --prune PIN`.",
    ),
    Outcome.NOT_INVARIANT: (
        "not_invariant",
        "The same bytes, read in other pieces, gave another verdict.",
        "This is a bug of toolreel; please report it with the fixture.",
    ),
    Outcome.ERROR: (
        "unreadable_file",
        "The fixture or its pin cannot be read.",
        "Run `toolreel replay FIXTURE`: the report as text says which file and what to do.",
    ),
}
_MEANS: Final = "the stream breaks this rule, and the pin does not say so"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAnnotation:
    """One annotation. `message` is one printable line."""

    rule: str
    path: str
    line: int
    title: str
    message: str


def of(result: Result) -> Iterator[FileAnnotation]:
    """The annotations of one result; none where its outcome does not fail a run."""
    if not EXIT_CODES[result.outcome]:
        return
    rule, title, _ = RULES[result.outcome]
    path = result.pin if result.outcome is Outcome.ORPHAN else result.fixture
    if result.outcome is Outcome.CHANGED and result.new:
        for change in result.new:
            yield FileAnnotation(
                rule=change.finding.code.value,
                path=path,
                line=change.line,
                title=f"{title.rstrip('.')}: {change.finding.code.value}",
                message=f"{_said(change)} {_MEANS.capitalize()}; {_next(result)}",
            )
        return
    yield FileAnnotation(rule=rule, path=path, line=result.line, title=title.rstrip("."), message=_whole(result, title))


def steps(result: Result) -> Iterator[str]:
    """What to do, by the lines of the result; of a file that cannot be read the rule's own, for an error quotes it."""
    lines = ("", RULES[Outcome.ERROR][2]) if result.outcome is Outcome.ERROR else (result.hint, result.advice)
    return (printable(line) for line in lines if line)


def _next(result: Result) -> str:
    return "; ".join(steps(result))


def _said(change: Change) -> str:
    finding = change.finding
    return f"{summary(finding.code).rstrip('.:')} ({verdict_lines.place(finding)})."


def _whole(result: Result, title: str) -> str:
    differs = [] if result.found is None else list(verdict_lines.published(result.pinned, result.found))
    return "; ".join([title.rstrip("."), *differs, *steps(result)])


def codes() -> Iterator[str]:
    """Every rule that an annotation may name, in one order."""
    yield from (code.value for code in Code)
    yield from (rule for rule, _, _ in RULES.values())

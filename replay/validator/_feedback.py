"""Feedback: what to hand back to the model for the calls of a blocked turn. In memory only: it may say what was sent.

A report keeps no value of an argument beside the text of the call itself; what was sent is looked up there when it is
asked for, and is in no repr here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import TYPE_CHECKING, Final

from replay.validator.codes import Code
from replay.validator.schema import NOWHERE, follow, tokens_of
from replay.validator.strict_json import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.validator.findings import Call, Finding, Report


@unique
class Retry(str, Enum):
    """Whether asking again makes sense without a person who looks first."""

    WITH_FEEDBACK = "with_feedback"  # the model can correct its call
    NOT_AUTOMATIC = "not_automatic"  # the turn is cut, mixed or damaged, or the model has no part in it


# Of each code. One finding that is no matter of the model's is enough to ask nothing of it.
RETRY: Final[Mapping[Code, Retry]] = {
    Code.INVALID_FIXTURE: Retry.NOT_AUTOMATIC,
    Code.IDENTITY_COLLISION: Retry.NOT_AUTOMATIC,
    Code.DUPLICATE_START: Retry.NOT_AUTOMATIC,
    Code.DUPLICATE_ID: Retry.NOT_AUTOMATIC,
    Code.MISSING_SLOT: Retry.NOT_AUTOMATIC,
    Code.MISSING_ID: Retry.NOT_AUTOMATIC,
    Code.MISSING_NAME: Retry.NOT_AUTOMATIC,
    Code.MISSING_TERMINAL: Retry.NOT_AUTOMATIC,
    Code.WRONG_TERMINAL: Retry.NOT_AUTOMATIC,
    Code.DUPLICATE_TERMINAL: Retry.NOT_AUTOMATIC,
    Code.DELTA_AFTER_TERMINAL: Retry.NOT_AUTOMATIC,
    Code.TERMINAL_WITHOUT_CALL: Retry.NOT_AUTOMATIC,
    Code.ORPHAN_EVENT: Retry.NOT_AUTOMATIC,
    Code.MALFORMED_EVENT: Retry.NOT_AUTOMATIC,
    Code.UNSUPPORTED_EVENT: Retry.NOT_AUTOMATIC,
    Code.STREAM_ERROR: Retry.NOT_AUTOMATIC,
    Code.TURN_COLLISION: Retry.NOT_AUTOMATIC,
    Code.LIMIT_EXCEEDED: Retry.NOT_AUTOMATIC,
    Code.UNREQUESTED_CALL: Retry.NOT_AUTOMATIC,
    Code.COPY_MISMATCH: Retry.NOT_AUTOMATIC,
    Code.SEQUENCE_BREAK: Retry.NOT_AUTOMATIC,
    Code.UNKNOWN_TOOL: Retry.WITH_FEEDBACK,
    Code.UNSUPPORTED_SCHEMA: Retry.NOT_AUTOMATIC,
    Code.EMPTY_ARGUMENTS: Retry.WITH_FEEDBACK,
    Code.MALFORMED_ARGUMENTS: Retry.WITH_FEEDBACK,
    Code.TRAILING_DATA: Retry.WITH_FEEDBACK,
    Code.NON_FINITE_NUMBER: Retry.WITH_FEEDBACK,
    Code.DUPLICATE_KEY: Retry.WITH_FEEDBACK,
    Code.INVALID_UNICODE: Retry.WITH_FEEDBACK,
    Code.NON_OBJECT_ARGUMENTS: Retry.WITH_FEEDBACK,
    Code.SCHEMA_VIOLATION: Retry.WITH_FEEDBACK,
}

# Characters of one value, and names of one object, that are told.
MAX_SHOWN: Final = 200
MAX_NAMES: Final = 12

NOT_EXECUTED: Final = "The call was not executed."
NO_FINDING_HERE: Final = "- Nothing is wrong with this call; another one of the same turn was refused."
LAST_LINES: Final[Mapping[Retry, str]] = {
    Retry.WITH_FEEDBACK: "Correct what is wrong and send every call of the turn again.",
    Retry.NOT_AUTOMATIC: "Do not send it again unless you are asked to.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What to answer to one call id. Holds what was sent, so `repr` shows none of it."""

    text: str = field(repr=False)
    retry: Retry


class Feedback(Mapping[str, Answer]):
    """Answers by call id, for every call of a refused turn that has one. Its `repr` shows neither ids nor texts.

    `retry` is that of the turn, where there is anything to retry: it holds for a turn without calls too.
    """

    __slots__ = ("_answers", "retry")

    def __init__(self, answers: Mapping[str, Answer], retry: Retry | None) -> None:
        self._answers: Final = answers
        self.retry: Final = retry  # None where nothing was found

    def __getitem__(self, identity: str) -> Answer:
        """Return the answer to one call; like any mapping's KeyError, that of an unknown id names it."""
        return self._answers[identity]

    def __iter__(self) -> Iterator[str]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)

    def __repr__(self) -> str:
        return f"<Feedback: {len(self)} answers, retry {self.retry.value if self.retry else 'not needed'}>"


def feedback_on(report: Report) -> Feedback:
    """What to hand back to the model, by call id; empty where nothing was found. For memory only.

    Two calls that share an id share its answer.
    """
    if not report.findings:
        return Feedback({}, None)
    corrigible = all(RETRY[finding.code] is Retry.WITH_FEEDBACK for finding in report.findings)
    retry = Retry.WITH_FEEDBACK if corrigible else Retry.NOT_AUTOMATIC
    texts: dict[str, list[str]] = {}
    for call in report.calls:
        if call.id:
            texts.setdefault(call.id, []).extend(_lines(call, report.findings))
    return Feedback(
        {
            identity: Answer(
                text="\n".join([NOT_EXECUTED, *(dict.fromkeys(lines) or [NO_FINDING_HERE]), LAST_LINES[retry]]),
                retry=retry,
            )
            for identity, lines in texts.items()
        },
        retry,
    )


def _lines(call: Call, findings: Sequence[Finding]) -> list[str]:
    """A line for each finding that concerns the call: its own, its choice's, the turn's."""
    return [_line(call, finding) for finding in findings if _concerns(finding, call)]


def _concerns(finding: Finding, call: Call) -> bool:
    return finding.choice in (None, call.choice) and finding.slot in (None, call.slot)


def _line(call: Call, finding: Finding) -> str:
    sent = SENT[finding.code](call, finding) if finding.code in SENT else None
    return f"- {finding.message}" + (f"; you sent {sent}" if sent is not None else "")


def _name(call: Call, _: Finding) -> str | None:
    return None if call.name is None else _shown(call.name)


def _value(call: Call, finding: Finding) -> str | None:
    """The value that was rejected, as words; None where the text does not have it."""
    parsed = parse(call.arguments, max_nesting=len(call.arguments))
    if parsed.code is not None:
        return None
    value = follow(parsed.value, tokens_of(finding.path or ""))
    return None if value is NOWHERE else _shown(value)


# The codes whose messages gain by what was sent.
SENT: Final[Mapping[Code, Callable[[Call, Finding], str | None]]] = {
    Code.UNKNOWN_TOOL: _name,
    Code.NON_OBJECT_ARGUMENTS: _value,
    Code.SCHEMA_VIOLATION: _value,
}


def _shown(value: object) -> str:
    """A value in a few words: scalars as JSON, containers by what they hold."""
    if isinstance(value, dict):
        names = [_cut(json.dumps(name, ensure_ascii=False)) for name in value]
        more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        return f"an object with {', '.join(names[:MAX_NAMES])}{more}" if names else "an empty object"
    if isinstance(value, list):
        return f"an array of {len(value)} item{'' if len(value) == 1 else 's'}"
    if isinstance(value, (str, bool)) or value is None:
        return _cut(json.dumps(value, ensure_ascii=False))
    return _cut(str(value))  # a number, exact


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"

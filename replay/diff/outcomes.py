"""The outcome of one turn: what an adapter handed over, compared with the verdict. Values only; no process, no file."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final

from replay.validator import Status, strict_json
from replay.validator.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from replay.validator import Call, Report


class Outcome(Enum):
    """How an adapter fared with a turn; the value is its name in reports and pins."""

    AGREE = "agree"
    UNSAFE = "unsafe"  # calls of a turn that may not be executed are handed over, all or some
    WRONG = "wrong"  # of a passing turn, other ids, names or arguments than those that passed
    LOST = "lost"  # of a passing turn, calls are missing or refused
    CRASH = "crash"  # the adapter broke: its process ended, or an error that is a bug by its type came out
    HANG = "hang"  # nothing came out within the time limit
    SPLIT = "split"  # with its bytes cut elsewhere the turn has another outcome, or other calls are handed over
    # It has not handed over exactly the call of a healthy turn with these tools, so what it does here says nothing.
    NO_CONTROL = "no_control"


# What counts, and can be pinned and demanded.
COUNTING: Final = tuple(outcome for outcome in Outcome if outcome is not Outcome.NO_CONTROL)
# What one run of a turn can end in, the worst first: of several runs the worst counts.
BY_WEIGHT: Final = (
    Outcome.UNSAFE,
    Outcome.WRONG,
    Outcome.CRASH,
    Outcome.HANG,
    Outcome.SPLIT,
    Outcome.LOST,
    Outcome.AGREE,
)


class End(Enum):
    """How an adapter came out of a turn."""

    RETURNED = "returned"
    REFUSED = "refused"  # an error that someone meant to raise
    BROKEN = "broken"
    HUNG = "hung"
    UNASKED = "unasked"  # it came back without having asked for the turn
    NO_CALLS = "no_calls"  # it returned something that is no list of calls
    LATE = "late"  # it handed a call over once it had come back


class Unreadable(Enum):
    """Stands for a call that could not be read from the adapter; it equals none."""

    CALL = "an unreadable call"


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """One call that an adapter handed over. Captured data, so its repr shows none of it."""

    name: object = field(repr=False)
    arguments: object = field(repr=False)  # the text, or the value that the client parsed
    id: object = field(default=None, repr=False)
    has_id: bool = False  # a client that gives no id has none compared


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """All that came from an adapter for one turn. `error` is the name of a type, never a message."""

    handed: tuple[Handed, ...]
    end: End
    error: str | None = None


def compare(report: Report, heard: Heard, *, texts: Container[str | None] = ()) -> Outcome:
    """The outcome of a turn. What was handed over counts first: it is executed, whatever happens afterwards.

    `texts` are the names of the tools that take a text as it stands, whatever it looks like.
    """
    if report.status is not Status.PASS:
        if heard.handed:
            return Outcome.UNSAFE
        return _BY_END[heard.end]
    missing = list(report.calls)
    for call in heard.handed:
        at = next(
            (at for at, one in enumerate(missing) if equal(one, call, texts=texts)),
            None,
        )
        if at is None:
            return Outcome.WRONG
        del missing[at]
    ended = _BY_END[heard.end]
    if ended is not Outcome.AGREE:
        return ended
    return Outcome.LOST if missing else Outcome.AGREE


# Of a turn that may not be executed, coming back empty-handed and refusing are both right.
_BY_END = {
    End.RETURNED: Outcome.AGREE,
    End.REFUSED: Outcome.AGREE,
    End.BROKEN: Outcome.CRASH,
    End.UNASKED: Outcome.CRASH,
    End.NO_CALLS: Outcome.CRASH,
    End.LATE: Outcome.CRASH,
    End.HUNG: Outcome.HANG,
}


def equal(expected: Call, handed: Handed, *, texts: Container[str | None] = ()) -> bool:
    """Whether this is the call that passed: the same id and name, and the same text or the same JSON value."""
    if handed.name != expected.name or (handed.has_id and handed.id != expected.id):
        return False
    arguments = handed.arguments
    if expected.name in texts:
        return arguments == expected.arguments
    if isinstance(arguments, str):
        if arguments == expected.arguments:
            return True
        parsed = strict_json.parse(arguments, max_nesting=DEFAULT_LIMITS.max_nesting)
        if parsed.code is not None:
            return False
        arguments = parsed.value
    return strict_json.same(_value(expected.arguments), arguments)


def _value(text: str) -> object:
    # A call that passed was parsed before; the nesting was within the limit in force then.
    return strict_json.parse(text, max_nesting=len(text) + 1).value


def shown(calls: Sequence[Handed]) -> list[tuple[str, str, str]]:
    """Name, id and arguments of each call as texts, for a report."""
    return [(_text(call.name), _text(call.id) if call.has_id else "", _text(call.arguments)) for call in calls]


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=True, default=str, sort_keys=False)

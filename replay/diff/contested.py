"""What of a turn is read in more than one way by those who build clients. States facts; takes no side.

For example, `n=2`: the verdict counts the calls of every choice, and many clients look at the first one alone. Or a
turn that is blocked, and would pass where a reviewed allowance is in force.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from replay.validator import Allowance, Report, Status, judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from replay.validator import Envelope

ALLOWED: Final = "passes with an allowance"
CHOICES: Final = "more than one choice"
NAME_REPEATED: Final = "a name sent again"
NAME_IN_PIECES: Final = "a name in pieces, or another one"
ID_REPEATED: Final = "an id sent again"
ID_CHANGED: Final = "another id in one slot"
NO_INDEX: Final = "a call without an index"
FINISHED_AGAIN: Final = "a finish reason sent again"
CHOSEN: Final = "stop as the finish reason of calls"


def marks(envelope: Envelope, report: Report) -> tuple[str, ...]:
    """The marks of a turn, in the order of the names above; none where nobody is known to read it otherwise."""
    found = [_allowed(envelope, report), *_of_chunks(envelope)]
    return tuple(dict.fromkeys(mark for mark in found if mark))


def allowances(envelope: Envelope, report: Report) -> tuple[Allowance, ...]:
    """The allowances that a blocked turn would pass with: one where one is enough; none where no set of them is."""
    if report.status is not Status.BLOCKED:
        return ()
    for accept in (*((one,) for one in Allowance), tuple(Allowance)):
        found = judge(replace(envelope, allow=accept), accept=frozenset(accept))
        if found.status is Status.PASS:
            return tuple(dict.fromkeys(use.name for use in found.allowances))
    return ()


def _allowed(envelope: Envelope, report: Report) -> str:
    named = ", ".join(f"`{one.value}`" for one in allowances(envelope, report))
    return f"{ALLOWED}: {named}" if named else ""


def _of_chunks(envelope: Envelope) -> Iterator[str]:
    """The marks of a stream of chunks with choices; a stream of another form has none of these."""
    slots: dict[tuple[int, int], dict[str, list[str]]] = {}
    finished: Counter[int] = Counter()
    reasons: dict[int, object] = {}
    for choice in _choices(envelope):
        at = _place(choice.get("index"))
        if choice.get("finish_reason") is not None:
            finished[at] += 1
            reasons.setdefault(at, choice["finish_reason"])
        for call in _calls(choice):
            if type(call.get("index")) is not int:
                yield NO_INDEX
            said = slots.setdefault((at, _place(call.get("index"))), {"id": [], "name": []})
            function = call.get("function")
            name = function.get("name") if isinstance(function, dict) else None
            for key, value in (("id", call.get("id")), ("name", name)):
                if isinstance(value, str) and value:
                    said[key].append(value)
    if len({at for at, _ in slots} | finished.keys()) > 1:
        yield CHOICES
    for said in slots.values():
        yield from _again(said["name"], NAME_REPEATED, NAME_IN_PIECES)
        yield from _again(said["id"], ID_REPEATED, ID_CHANGED)
    if any(count > 1 for count in finished.values()):
        yield FINISHED_AGAIN
    if any(reasons.get(at) == "stop" for at, _ in slots):
        yield CHOSEN


def _place(index: object) -> int:
    """The place that an index means; what is no number, or is not there, has one of its own."""
    return index if type(index) is int else -1


def _again(values: list[str], same: str, other: str) -> Iterator[str]:
    if len(values) > 1:
        yield same if len(set(values)) == 1 else other


def _choices(envelope: Envelope) -> Iterator[Mapping[str, object]]:
    for payload in envelope.payloads:
        choices = payload.get("choices") if isinstance(payload, dict) else None
        yield from (one for one in choices if isinstance(one, dict)) if isinstance(choices, list) else ()


def _calls(choice: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    delta = choice.get("delta")
    calls = delta.get("tool_calls") if isinstance(delta, dict) else None
    yield from (one for one in calls if isinstance(one, dict)) if isinstance(calls, list) else ()

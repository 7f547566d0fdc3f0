"""A turn made as short as it can be while something about it stays: fewer events, then fragments, then less schema.

    a recording of 400 events, blocked for `identity_collision`
    events      the 3 that it needs: a call begins, another begins at its index, the finish reason
    fragments   empty ones, where what they bring is not needed; one in place of several
    schema      the tools that are called, without the properties and words that nothing depends on

What has to stay is a question that the caller asks of each try; for a verdict it is `same_codes`. Nothing is made up: a
try has less than its source, and everything else as it was.
"""

from __future__ import annotations

import copy
from itertools import combinations, count
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from replay.families import array
from replay.fewest import fewest
from replay.validator import Envelope, envelope_from, judge

from .calls import ARGUMENT_TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# A fixture as a JSON value, and whether it is still what is looked for.
FixtureValue: TypeAlias = dict[str, Any]
Keeps: TypeAlias = "Callable[[FixtureValue], bool]"

_NUMBER: Final = "sequence_number"
# With more events the tries of three that could go together would be too many.
_FEW: Final = 14
# What of a transport counts the events of the recording.
_COUNTS: Final = ("event_names", "comments", "data_lines", "blocks", "ids", "retries", "reads", "milliseconds")


def same_codes(value: FixtureValue) -> Keeps:
    """Whether a try has the same status and the same codes of findings as this fixture."""
    wanted = _codes(value)
    return lambda one: _codes(one) == wanted


def _codes(value: FixtureValue) -> object:
    envelope = envelope_from(value)
    if not isinstance(envelope, Envelope):
        return None
    report = judge(envelope)
    return report.status, frozenset(finding.code for finding in report.findings)


def reduced(value: FixtureValue, keeps: Keeps) -> FixtureValue:
    """The shortest fixture that is found for which `keeps` holds, as it does for `value`."""
    found = {**value, "transport": _without_counts(value.get("transport"))}
    if not found["transport"]:
        del found["transport"]
    before: object = None
    while before != found:
        before = found
        for step in (_bare, _fewer_events, _fewer_fragments, _joined, _less_schema):
            found = step(found, keeps)
    return found


def _without_counts(transport: object) -> dict[str, Any]:
    told = transport if isinstance(transport, dict) else {}
    kept = {name: one for name, one in told.items() if name not in _COUNTS}
    return {**kept, "event_names": "type"} if told.get("event_names") == "type" else kept


def _bare(value: FixtureValue, keeps: Keeps) -> FixtureValue:
    """The turn without arguments, and its tools without demands: neither can go as long as the other is there."""
    found = copy.deepcopy({**value, "tool_schemas": {key: {} for key in value["tool_schemas"]}})
    for holder, name in _texts(found[array(str(value["profile"]))]):
        holder[name] = ""
    return found if keeps(found) else value


def _fewer_events(value: FixtureValue, keeps: Keeps) -> FixtureValue:
    payloads = value[array(str(value["profile"]))]
    of = _with_payloads(value)

    # Of no event at all nothing can be learned, whatever a client makes of it.
    def stays(some: Sequence[Any]) -> bool:
        return bool(some) and keeps(of(some))

    return of(_without_companions(fewest(payloads, stays), stays))


def _with_payloads(value: FixtureValue) -> Callable[[Sequence[Any]], FixtureValue]:
    """Makes the turn of some of its payloads: numbered anew where they have no gap, so that none is looked for."""
    member = array(str(value["profile"]))
    numbered = _numbered(value[member]) == value[member]
    return lambda some: {**value, member: _numbered(some) if numbered else list(some)}


def _without_companions(payloads: list[Any], stays: Callable[[Sequence[Any]], bool]) -> list[Any]:
    """The payloads without two or three that can only go together, as start and end of a message can.

    They do not stand side by side, so that `fewest` does not try them.
    """
    found = payloads
    while len(found) <= _FEW:
        numbers = range(len(found))
        tries = ([found[at] for at in numbers if at not in gone] for n in (2, 3) for gone in combinations(numbers, n))
        shorter = next(filter(stays, tries), None)
        if shorter is None:
            break
        found = shorter
    return found


def _numbered(payloads: Sequence[Any]) -> list[Any]:
    """The payloads with consecutive numbers, where they have numbers."""
    number, found = count(_first_number(payloads)), []
    for payload in payloads:
        has = isinstance(payload, dict) and type(payload.get(_NUMBER)) is int
        found.append({**payload, _NUMBER: next(number)} if has else payload)
    return found


def _first_number(payloads: Sequence[Any]) -> int:
    return next((one[_NUMBER] for one in payloads if isinstance(one, dict) and type(one.get(_NUMBER)) is int), 0)


def _fewer_fragments(value: FixtureValue, keeps: Keeps) -> FixtureValue:
    member = array(str(value["profile"]))
    found = copy.deepcopy(value)
    for holder, name in _texts(found[member]):
        text, holder[name] = holder[name], ""
        if text and not keeps(found):
            holder[name] = text
    return found


def _joined(value: FixtureValue, keeps: Keeps) -> FixtureValue:
    """The turn with one fragment where several stood that differ in nothing but their text."""
    member = array(str(value["profile"]))
    of = _with_payloads(value)
    found, at = value, 0
    while at < len(found[member]):
        payloads = found[member]
        like = _blank(payloads[at])
        other = next(
            (to for to in range(at + 1, len(payloads)) if like is not None and _blank(payloads[to]) == like), 0
        )
        if other:
            tried = copy.deepcopy([*payloads[:other], *payloads[other + 1 :]])
            (holder, name), (_, text) = next(_texts([tried[at]])), _text(payloads[other])
            holder[name] += text
            one = of(tried)
            if keeps(one):
                found = one
                continue
        at += 1
    return found


def _text(payload: Any) -> tuple[str, str]:
    """The member with the one text of a payload, and the text."""
    ((holder, name),) = _texts([payload])
    return name, holder[name]


def _blank(payload: Any) -> Any:
    """The payload without the text of its fragment; None where it has none, or several."""
    places = list(_texts([payload]))
    if len(places) != 1 or not places[0][0][places[0][1]]:
        return None
    again = copy.deepcopy(payload)
    ((holder, name),) = _texts([again])
    holder[name] = ""
    again.pop(_NUMBER, None)
    return again


def _texts(payloads: Any) -> Iterator[tuple[Any, str]]:
    """Each place of a text of arguments: what holds it, and the member."""
    waiting = list(reversed(payloads)) if isinstance(payloads, list) else []
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield from (
                (item, name) for name, inner in item.items() if name in ARGUMENT_TEXTS and isinstance(inner, str)
            )
            waiting += reversed(list(item.values()))
        elif isinstance(item, list):
            waiting += reversed(item)


def _less_schema(value: FixtureValue, keeps: Keeps) -> FixtureValue:
    names = fewest(
        list(value["tool_schemas"]),
        lambda some: keeps({**value, "tool_schemas": {name: value["tool_schemas"][name] for name in some}}),
    )
    found = copy.deepcopy({**value, "tool_schemas": {name: value["tool_schemas"][name] for name in names}})
    for name in names:
        _without_words(found["tool_schemas"], name, lambda: keeps(found))
    return found


def _without_words(holder: Any, name: Any, stays: Callable[[], bool]) -> None:
    """Take every member out of an object that can be missing, and of those that cannot what can."""
    inner = holder[name]
    if not isinstance(inner, dict):
        return
    for key in list(inner):
        taken = inner.pop(key)
        if not stays():
            holder[name] = inner = {**inner, key: taken}
            _without_words(inner, key, stays)

"""Calls whose index, id or name is lost, comes twice, or belongs to another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from replay.derive.wires.gemini import GeminiWire
from replay.derive.wires.responses import ResponsesWire
from replay.validator import Code

from .kind import (
    ALL,
    BLOCKS,
    CHAT,
    GEMINI,
    LATE,
    OLLAMA,
    RESPONSES,
    TEXTS,
    Kind,
    Made,
    NotInThisError,
    alone,
    at_choice,
    at_slot,
    before_call,
    broken,
    wire_of,
)

if TYPE_CHECKING:
    from replay.derive.recording import Recording


def _reused_index(one: Recording) -> Made:
    """Another call begins at the same index while the first one's arguments come."""
    call, wire = one.first, one.wire
    first, *rest = one.pieces(call.text)
    told = wire.open(call.slot, id=call.id, name=call.name) + wire.grow(call.slot, first)
    at = before_call(one) + len(told)
    told += wire.open(call.slot, id=one.second.id, name=one.second.name)
    told += [payload for piece in rest for payload in wire.grow(call.slot, piece)]
    return broken(alone(one, told + wire.shut(call)), at_slot(one, Code.IDENTITY_COLLISION, call, at))


def _started_twice(one: Recording) -> Made:
    call = one.first
    told = one.told()
    told.insert(1, told[0])
    return broken(alone(one, told), at_slot(one, Code.DUPLICATE_START, call, before_call(one) + 1))


def _id_of_other(one: Recording) -> Made:
    """A fragment of the first call has the id of the second."""
    calls, wire = (one.first, one.second), one.wire
    told = [payload for call in calls for payload in wire.open(call.slot, id=call.id, name=call.name)]
    at = before_call(one) + len(told)
    told += wire.identity(one.first.slot, id=one.second.id)
    told += [payload for call in calls for payload in [*wire.grow(call.slot, call.text), *wire.shut(call)]]
    return broken(one.turn(told, after=calls), at_slot(one, Code.IDENTITY_COLLISION, one.first, at))


def _name_in_pieces(one: Recording) -> Made:
    call, wire = one.first, one.wire
    half = max(1, len(call.name) // 2)
    told = wire.open(call.slot, id=call.id, name=call.name[:half])
    at = before_call(one) + len(told)
    told += wire.identity(call.slot, name=call.name[half:] or call.name * 2)
    told += wire.grow(call.slot, call.text) + wire.shut(call)
    return broken(alone(one, told), at_slot(one, Code.IDENTITY_COLLISION, call, at))


def _ended_as_other(one: Recording) -> Made:
    """The end of the item has another call id than its start."""
    call, wire = one.first, one.wire
    told = wire.open(call.slot, id=call.id, name=call.name) + wire.grow(call.slot, call.text)
    told += wire.shut(replace(call, id=one.second.id))
    at = before_call(one) + len(told) - 1
    return broken(alone(one, told), at_slot(one, Code.IDENTITY_COLLISION, call, at))


def _other_item_id(one: Recording) -> Made:
    """A fragment has the index of the first call and the item id of the second: clients that go by it build two."""
    calls = (one.first, one.second)
    wire = wire_of(one, ResponsesWire)
    told = [payload for call in calls for payload in wire.open(call.slot, id=call.id, name=call.name)]
    at = before_call(one) + len(told)
    told += [
        {**payload, "item_id": wire.item_id(one.second.slot)} for payload in wire.grow(calls[0].slot, calls[0].text)
    ]
    told += wire.grow(calls[1].slot, calls[1].text)
    told += [payload for call in calls for payload in wire.shut(call)]
    return broken(one.turn(told, after=calls), at_slot(one, Code.IDENTITY_COLLISION, one.first, at))


def _same_id(one: Recording) -> Made:
    second = replace(one.second, id=one.first.id)
    told = one.told(one.first)
    if not one.wire.has_ids:
        raise NotInThisError("the recording has calls without ids")
    at = before_call(one) + len(told)
    payloads = one.turn(told, one.told(second), after=(one.first, second))
    return broken(payloads, at_slot(one, Code.DUPLICATE_ID, second, at))


def _closing_event(one: Recording, told: list[object]) -> int:
    """The event that closes the call: its own end, or the reason."""
    return before_call(one) + len(told) - (1 if one.wire.shut(one.first) else 0)


def _id_lost(one: Recording) -> Made:
    call = replace(one.first, id="")
    told = one.wire.open(call.slot, id=None, name=call.name)
    told += one.wire.grow(call.slot, call.text) + one.wire.shut(call)
    expected = at_slot(one, Code.MISSING_ID, call, _closing_event(one, told))
    return broken(alone(one, told, call), expected)


def _name_lost(one: Recording) -> Made:
    call = replace(one.first, name="")
    told = one.wire.open(call.slot, id=call.id, name=None, text="" if one.wire.texts else call.text)
    if one.wire.texts:
        told += one.wire.grow(call.slot, call.text) + one.wire.shut(call)
    expected = at_slot(one, Code.MISSING_NAME, call, _closing_event(one, told))
    return broken(alone(one, told, call), expected)


def _index_lost(one: Recording) -> Made:
    """No event of the call has an index."""
    call, wire = one.first, one.wire
    told = wire.open(None, id=call.id, name=call.name) + wire.grow(None, call.text)
    return broken(one.turn(told, after=()), at_choice(one, Code.MISSING_SLOT, before_call(one)))


def _orphan(one: Recording) -> Made:
    """A fragment is for a block that never began."""
    told = one.told()
    at = before_call(one) + len(told)
    told += one.wire.grow(one.second.slot, one.second.text)
    return broken(alone(one, told), at_slot(one, Code.ORPHAN_EVENT, one.second, at))


def _goes_on(one: Recording) -> Made:
    """A part without a name goes on with a call, and none is open."""
    payloads = alone(one, [wire_of(one, GeminiWire).part(args=one.values), *one.told()])
    return broken(payloads, at_choice(one, Code.ORPHAN_EVENT, before_call(one)))


def _other_choice(one: Recording) -> Made:
    """A fragment of the call comes in another choice, where no call began and nothing ends it."""
    call, wire = one.first, one.wire
    first, *rest = one.pieces(call.text)
    told = wire.open(call.slot, id=call.id, name=call.name) + wire.grow(call.slot, first)
    astray = wire.grow(call.slot, "".join(rest))
    other = wire.choice + 1
    for payload in astray:
        payload["choices"][0]["index"] = other
    lost = replace(at_slot(one, Code.MISSING_TERMINAL, call), choice=other)
    return broken(alone(one, told + astray), lost, at_slot(one, Code.MALFORMED_ARGUMENTS, call))


def _continued_as_other(one: Recording) -> Made:
    """A call that goes on names another id."""
    call, wire = one.first, wire_of(one, GeminiWire)
    told = wire.part(id=call.id, name=call.name, willContinue=True)
    again = wire.part(id=one.second.id, args=one.values)
    return broken(alone(one, [told, again]), at_slot(one, Code.IDENTITY_COLLISION, call, before_call(one) + 1))


IDENTITY: Final = (
    Kind(
        name="reused-index",
        does="another call begins at the index of one whose arguments still come",
        of=TEXTS,
        make=_reused_index,
    ),
    Kind(name="start-twice", does="the start of the call comes twice", of=BLOCKS, make=_started_twice),
    Kind(name="id-of-other-call", does="a fragment has the id of another call", of=LATE, make=_id_of_other),
    Kind(name="name-in-pieces", does="the name comes in two pieces", of=LATE, make=_name_in_pieces),
    Kind(
        name="other-id-at-end",
        does="the end of the item has another call id than its start",
        of=RESPONSES,
        make=_ended_as_other,
    ),
    Kind(name="other-item-id", does="a fragment has the item id of another call", of=RESPONSES, make=_other_item_id),
    Kind(
        name="continued-as-other",
        does="a call goes on under another id",
        of=GEMINI,
        make=_continued_as_other,
    ),
    Kind(name="same-id", does="two calls have one id", of=ALL, make=_same_id),
    Kind(name="id-lost", does="the id never comes", of=TEXTS, make=_id_lost),
    Kind(name="name-lost", does="the name never comes", of=TEXTS | OLLAMA, make=_name_lost),
    Kind(name="index-lost", does="the events of the call have no index", of=TEXTS, make=_index_lost),
    Kind(name="orphan", does="a fragment comes for a call that never began", of=BLOCKS, make=_orphan),
    Kind(
        name="continues-nothing",
        does="a part goes on with a call, and none is open",
        of=GEMINI,
        make=_goes_on,
    ),
    Kind(name="other-choice", does="the rest of the arguments comes in another choice", of=CHAT, make=_other_choice),
)

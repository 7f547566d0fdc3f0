"""Payloads that are broken, unknown, of another turn or an error, and turns that the request forbade."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from replay.derive.wires.chat import ChatWire
from replay.derive.wires.objects import ObjectWire
from replay.derive.wires.responses import ResponsesWire
from replay.validator import Code, Limits

from .kind import (
    ALL,
    ANTHROPIC,
    CHAT,
    MARKED,
    OLLAMA,
    RESPONSES,
    TEXTS,
    Kind,
    Made,
    NotInThisError,
    alone,
    at_choice,
    at_slot,
    at_turn,
    before_call,
    broken,
    wire_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from replay.derive.calls import Payload
    from replay.derive.recording import Recording


def _inside(one: Recording, payloads: list[Payload], code: Code) -> Made:
    """These payloads stand behind the first payload of the call; what is found concerns the whole turn."""
    told = one.told()
    told[1:1] = payloads
    return broken(alone(one, told), at_turn(code, before_call(one) + 1))


def _error(one: Recording) -> Made:
    return _inside(one, one.wire.error(), Code.STREAM_ERROR)


def _error_at_end(one: Recording) -> Made:
    """The provider fails in the arguments, and the stream ends there."""
    call, wire = one.first, one.wire
    told = wire.open(call.slot, id=call.id, name=call.name, text="" if wire.texts else call.text)
    told += wire.grow(call.slot, one.pieces(call.text)[0]) if wire.texts else []
    at = before_call(one) + len(told)
    payloads = [*wire.lead, *told, *wire.error()]
    expected = (at_turn(Code.STREAM_ERROR, at), at_slot(one, Code.MISSING_TERMINAL, call))
    return broken(payloads, *expected)


def _other_turn(one: Recording) -> Made:
    told = one.told()
    other = one.wire.other_turn(one.first)
    if not other:
        raise NotInThisError("nothing tells one response from another")
    told[1:1] = other
    return broken(alone(one, told), at_turn(Code.TURN_COLLISION, before_call(one) + 1))


def _no_object(one: Recording) -> Made:
    return _inside(one, [[1]], Code.MALFORMED_EVENT)


def _no_json(one: Recording) -> Made:
    return _inside(one, ['{"broken'], Code.MALFORMED_EVENT)


def _end_marker(one: Recording) -> Made:
    """The end marker comes in the middle: clients stop there."""
    return _inside(one, ["[DONE]"], Code.MALFORMED_EVENT)


def _index(one: Recording, index: object) -> Made:
    """One more fragment has an index that is none."""
    told = one.told()
    at = before_call(one) + len(told)
    told += one.wire.grow(index, "")
    return broken(alone(one, told), at_choice(one, Code.MALFORMED_EVENT, at))


def _object_for_text(one: Recording) -> Made:
    """The arguments are an object where the wire has text."""
    call, wire = one.first, one.wire
    told = one.told()
    at = before_call(one) + 1
    fragment: Any = one.values
    told[1:1] = wire.grow(call.slot, fragment)
    return broken(alone(one, told), at_slot(one, Code.MALFORMED_EVENT, call, at))


def _text_for_object(one: Recording) -> Made:
    """The arguments are a text that holds JSON where the wire has an object."""
    told = wire_of(one, ObjectWire).whole(id=None, name=one.first.name, arguments=one.first.text)  # type: ignore[type-abstract]
    payloads = alone(one, [*told, *one.told()])
    return broken(payloads, at_choice(one, Code.MALFORMED_EVENT, before_call(one)))


def _in_chunk(delta: Any) -> Callable[[Recording], list[Payload]]:
    return lambda one: [wire_of(one, ChatWire).chunk(copy.deepcopy(delta))]


def _unsupported(one: Recording, payload: Callable[[Recording], list[Payload]], at: Callable[..., Any]) -> Made:
    told = one.told()
    made = payload(one)
    event = before_call(one) + 1
    told[1:1] = made
    return broken(alone(one, told), at(Code.UNSUPPORTED_EVENT, event))


def _legacy(one: Recording) -> Made:
    """A call of the older form stands beside the call."""
    delta = {"function_call": {"name": one.first.name, "arguments": one.first.text}}
    return _unsupported(one, _in_chunk(delta), partial(at_choice, one))


def _unknown(one: Recording) -> Made:
    return _inside(one, [one.wire.unknown], Code.UNSUPPORTED_EVENT)


def _other_type(one: Recording) -> Made:
    """The call says of itself that it is no function."""
    told = one.told()
    for payload in told[:1]:
        payload["choices"][0]["delta"]["tool_calls"][0]["type"] = "custom"
    return broken(alone(one, told), at_slot(one, Code.UNSUPPORTED_EVENT, one.first, before_call(one)))


def _many(one: Recording) -> Made:
    """One call more than the limit allows."""
    most = Limits().max_slots
    calls = [replace(one.first, slot=one.first.slot + at, id=one.wire.id_of(at)) for at in range(most + 1)]
    told: list[Payload] = []
    for call in calls:
        at = before_call(one) + len(told)
        told += one.wire.told(call, [call.text])
    return broken(one.turn(told, after=calls), at_turn(Code.LIMIT_EXCEEDED, at))


def _forbidden(one: Recording) -> Made:
    expected = at_turn(Code.UNREQUESTED_CALL)
    return broken(alone(one, one.told()), expected, tool_choice="none")


def _two_where_one(one: Recording) -> Made:
    calls = (one.first, one.second)
    payloads = one.turn(*map(one.told, calls), after=calls)
    return broken(payloads, at_choice(one, Code.UNREQUESTED_CALL), parallel=False)


# -- OpenAI's Responses API: copies and numbers


def _copy_differs(one: Recording, where: str) -> Made:
    """A full copy has another text than the fragments."""
    call, wire = one.first, wire_of(one, ResponsesWire)
    told = wire.open(call.slot, id=call.id, name=call.name) + wire.grow(call.slot, call.text)
    other = replace(call, text=call.text + " ")
    told += wire.copied(other if where == "text" else call) + wire.closed(other if where == "item" else call)
    payloads = one.turn(told, after=(other if where == "list" else call,))
    at = before_call(one) + {"text": 2, "item": 3, "list": 4}[where]
    if where == "list" and not wire_of(one, ResponsesWire).lists:
        raise NotInThisError("the recording has no final list")
    return broken(payloads, at_slot(one, Code.COPY_MISMATCH, call, at))


def _list_lacks(one: Recording) -> Made:
    calls = (one.first, one.second)
    told = [payload for call in calls for payload in one.told(call)]
    if not wire_of(one, ResponsesWire).lists:
        raise NotInThisError("the recording has no final list")
    at = before_call(one) + len(told)
    return broken(one.turn(told, after=calls[:1]), at_slot(one, Code.COPY_MISMATCH, one.second, at))


def _list_adds(one: Recording) -> Made:
    told = one.told()
    if not wire_of(one, ResponsesWire).lists:
        raise NotInThisError("the recording has no final list")
    at = before_call(one) + len(told)
    payloads = one.turn(told, after=(one.first, one.second))
    return broken(payloads, at_choice(one, Code.COPY_MISMATCH, at))


def _numbers(one: Recording, change: Callable[[list[Payload], int], int]) -> Made:
    """The numbered events after a change of their list, which gives the event where the sequence breaks."""
    if not wire_of(one, ResponsesWire).numbers:
        raise NotInThisError("the events of the recording have no numbers")
    payloads = one.wire.finished(alone(one, [*one.wire.ping(), *one.told()]))
    at = change(payloads, before_call(one))
    return broken(payloads, at_turn(Code.SEQUENCE_BREAK, at), numbered=False)


def _lost(payloads: list[Payload], at: int) -> int:
    del payloads[at]
    return at


def _doubled(payloads: list[Payload], at: int) -> int:
    payloads.insert(at, payloads[at])
    return at + 1


EVENTS: Final = (
    Kind(name="error-in-the-middle", does="an error stands between the fragments", of=ALL, make=_error),
    Kind(name="error-at-the-end", does="an error ends the stream in the arguments", of=ALL, make=_error_at_end),
    Kind(
        name="other-response",
        does="a payload of another response stands in the call",
        of=ALL - OLLAMA,
        make=_other_turn,
    ),
    Kind(name="no-object", does="a payload is an array", of=ALL, make=_no_object),
    Kind(name="broken-payload", does="a payload is no JSON", of=ALL, make=_no_json),
    Kind(name="early-end-marker", does="`[DONE]` comes in the middle", of=MARKED, make=_end_marker),
    Kind(name="index-is-text", does="an index is a text", of=TEXTS, make=partial(_index, index="0")),
    Kind(name="index-is-negative", does="an index is below zero", of=TEXTS, make=partial(_index, index=-1)),
    Kind(name="object-for-text", does="a fragment is an object", of=TEXTS, make=_object_for_text),
    Kind(
        name="text-for-object", does="the arguments are a text that holds JSON", of=ALL - TEXTS, make=_text_for_object
    ),
    Kind(name="unknown-event", does="a payload is of a kind that nobody knows", of=ALL, make=_unknown),
    Kind(
        name="legacy-call",
        does="a call of the older form `function_call` stands beside the call",
        of=CHAT,
        make=_legacy,
    ),
    Kind(name="other-call-type", does="the call says that it is no function", of=CHAT, make=_other_type),
    Kind(name="too-many-calls", does="a turn has one call more than the limit", of=ALL, make=_many),
    Kind(name="call-forbidden", does="the request forbade calls", of=ALL, make=_forbidden),
    Kind(
        name="parallel-forbidden",
        does="the request forbade a second call",
        of=CHAT | RESPONSES | ANTHROPIC,
        make=_two_where_one,
    ),
    Kind(
        name="copy-differs",
        does="the copy that ends the text is another text",
        of=RESPONSES,
        make=partial(_copy_differs, where="text"),
    ),
    Kind(
        name="item-differs",
        does="the copy in the end of the item is another text",
        of=RESPONSES,
        make=partial(_copy_differs, where="item"),
    ),
    Kind(
        name="list-differs",
        does="the copy in the final list is another text",
        of=RESPONSES,
        make=partial(_copy_differs, where="list"),
    ),
    Kind(name="list-lacks-call", does="the final list lacks a call", of=RESPONSES, make=_list_lacks),
    Kind(name="list-adds-call", does="the final list has a call that never came", of=RESPONSES, make=_list_adds),
    Kind(
        name="event-lost",
        does="an event that says nothing is lost, and its number with it",
        of=RESPONSES,
        make=partial(_numbers, change=_lost),
    ),
    Kind(
        name="event-doubled",
        does="an event that says nothing comes twice",
        of=RESPONSES,
        make=partial(_numbers, change=_doubled),
    ),
)

"""Streams that end too early, twice, for another reason, or go on behind their end."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from replay.derive.wires.blocks import BlockWire
from replay.derive.wires.wire import End
from replay.validator import Code

from .kind import (
    ALL,
    ANTHROPIC,
    BLOCKS,
    GEMINI,
    OBJECTS,
    OLLAMA,
    PLAIN_BLOCKS,
    RESPONSES,
    TEXTS,
    Kind,
    Made,
    NotInThisError,
    alone,
    at_choice,
    at_slot,
    broken,
    wire_of,
)

if TYPE_CHECKING:
    from replay.derive.recording import Recording

_CUT: Final = "upstream_disconnected"


def _missing(one: Recording, told: list[object]) -> Made:
    """The stream breaks off behind these payloads."""
    return broken([*one.wire.lead, *told], at_slot(one, Code.MISSING_TERMINAL, one.first), stream_end=_CUT)


def _after_start(one: Recording) -> Made:
    return _missing(one, one.wire.open(one.first.slot, id=one.first.id, name=one.first.name))


def _in_arguments(one: Recording) -> Made:
    call, wire = one.first, one.wire
    return _missing(one, wire.open(call.slot, id=call.id, name=call.name) + wire.grow(call.slot, call.text[:-1]))


def _after_arguments(one: Recording) -> Made:
    call, wire = one.first, one.wire
    return _missing(one, wire.open(call.slot, id=call.id, name=call.name) + wire.grow(call.slot, call.text))


def _after_call(one: Recording) -> Made:
    return _missing(one, one.told())


def _without_stop(one: Recording) -> Made:
    """The block never stops, and the message ends all the same."""
    call, wire = one.first, one.wire
    told = wire.open(call.slot, id=call.id, name=call.name) + wire.grow(call.slot, call.text)
    return broken(alone(one, told), at_slot(one, Code.MISSING_TERMINAL, call))


def _wrong(one: Recording, why: End) -> Made:
    told = one.told()
    at = len(one.wire.lead) + len(told)
    return broken(one.wire.turn(told, after=(one.first,), why=why), at_choice(one, Code.WRONG_TERMINAL, at))


def _wrong_inside(one: Recording, why: End) -> Made:
    """The reason comes while the arguments are not whole, as where a limit was reached."""
    call, wire = one.first, one.wire
    cut = replace(call, text=call.text[:-1])
    told = wire.open(call.slot, id=call.id, name=call.name) + wire.grow(call.slot, cut.text)
    told += wire.shut(cut)
    at = len(wire.lead) + len(told)
    return broken(wire.turn(told, after=(cut,), why=why), at_choice(one, Code.WRONG_TERMINAL, at))


def _twice(one: Recording) -> Made:
    """The reason comes twice."""
    told = one.told()
    end = one.wire.end((one.first,))
    at = len(one.wire.lead) + len(told) + 1
    payloads = [*one.wire.lead, *told, end[0], *one.wire.end((one.first,))]
    return broken(payloads, at_choice(one, Code.DUPLICATE_TERMINAL, at))


def _stop_twice(one: Recording) -> Made:
    told = one.told()
    told.append(one.wire.shut(one.first)[-1])
    at = len(one.wire.lead) + len(told) - 1
    return broken(alone(one, told), at_slot(one, Code.DUPLICATE_TERMINAL, one.first, at))


def _fragment_behind(one: Recording) -> Made:
    told = one.told()
    end = one.wire.end((one.first,))
    at = len(one.wire.lead) + len(told) + 1
    payloads = [*one.wire.lead, *told, end[0], *one.wire.grow(one.first.slot, one.pieces(one.first.text)[-1]), *end[1:]]
    return broken(payloads, at_slot(one, Code.DELTA_AFTER_TERMINAL, one.first, at))


def _fragment_behind_stop(one: Recording) -> Made:
    """A fragment comes behind the end of its own call, before the message ends."""
    told = one.told()
    at = len(one.wire.lead) + len(told)
    told += one.wire.grow(one.first.slot, one.pieces(one.first.text)[-1])
    return broken(alone(one, told), at_slot(one, Code.DELTA_AFTER_TERMINAL, one.first, at))


def _call_behind(one: Recording) -> Made:
    told = one.told()
    end = one.wire.end((one.first,))
    at = len(one.wire.lead) + len(told) + 1
    late = one.wire.open(one.second.slot, id=one.second.id, name=one.second.name)[:1]
    payloads = [*one.wire.lead, *told, end[0], *late, *end[1:]]
    return broken(payloads, at_slot(one, Code.DELTA_AFTER_TERMINAL, one.second, at))


def _no_call(one: Recording) -> Made:
    at = len(one.wire.lead)
    return broken(one.wire.turn(after=()), at_choice(one, Code.TERMINAL_WITHOUT_CALL, at))


def _claimed(one: Recording) -> Made:
    """A reason that says a call was malformed or not expected, without any call."""
    payloads = one.wire.turn(after=())
    at = len(one.wire.lead)
    payloads[at]["candidates"][0]["finishReason"] = "MALFORMED_FUNCTION_CALL"
    return broken(payloads, at_choice(one, Code.TERMINAL_WITHOUT_CALL, at))


def _start_lost(one: Recording) -> Made:
    begins = wire_of(one, BlockWire).begins  # type: ignore[type-abstract]
    payloads = alone(one, one.told())
    kept = [payload for payload in payloads if not begins(payload)]
    if len(kept) == len(payloads):
        raise NotInThisError("the recording has no start of its message")
    return broken(kept, at_slot(one, Code.MISSING_TERMINAL, one.first))


def _end_lost(one: Recording) -> Made:
    """The reason is there, and the event that closes the message is not."""
    payloads = [payload for payload in alone(one, one.told()) if payload.get("type") != "message_stop"]
    return broken(payloads, at_slot(one, Code.MISSING_TERMINAL, one.first))


_WITH_TEXT: Final = ALL - OBJECTS - RESPONSES
ENDING: Final = (
    Kind(
        name="cut-after-start", does="the stream breaks off behind the start of the call", of=TEXTS, make=_after_start
    ),
    Kind(name="cut-in-arguments", does="the stream breaks off in the arguments", of=TEXTS, make=_in_arguments),
    Kind(
        name="cut-after-arguments",
        does="the stream breaks off where the arguments are whole",
        of=TEXTS,
        make=_after_arguments,
    ),
    Kind(
        name="cut-after-call", does="the stream breaks off behind the whole call", of=BLOCKS | OBJECTS, make=_after_call
    ),
    Kind(name="stop-lost", does="the end of the call is missing", of=BLOCKS, make=_without_stop),
    Kind(name="start-of-message-lost", does="the start of the message is missing", of=PLAIN_BLOCKS, make=_start_lost),
    Kind(
        name="end-of-message-lost",
        does="the event that closes the message is missing",
        of=ANTHROPIC,
        make=_end_lost,
    ),
    Kind(
        name="ended-as-text",
        does="a whole call ends for the reason of text",
        of=_WITH_TEXT,
        make=partial(_wrong, why=End.TEXT),
    ),
    Kind(
        name="ended-by-length",
        does="a whole call ends for the reason of a limit",
        of=ALL,
        make=partial(_wrong, why=End.LENGTH),
    ),
    Kind(
        name="ended-by-filter",
        does="a whole call ends for the reason of a filter",
        of=ALL - OLLAMA,
        make=partial(_wrong, why=End.FILTER),
    ),
    Kind(
        name="cut-by-length",
        does="a limit ends the message in the arguments",
        of=TEXTS,
        make=partial(_wrong_inside, why=End.LENGTH),
    ),
    Kind(name="second-terminal", does="the reason comes twice", of=ALL, make=_twice),
    Kind(name="second-stop", does="the end of the call comes twice", of=BLOCKS, make=_stop_twice),
    Kind(name="delta-behind-terminal", does="a fragment comes behind the reason", of=TEXTS, make=_fragment_behind),
    Kind(
        name="delta-behind-stop",
        does="a fragment comes behind the end of its call",
        of=BLOCKS,
        make=_fragment_behind_stop,
    ),
    Kind(name="call-behind-terminal", does="a call begins behind the reason", of=ALL, make=_call_behind),
    Kind(
        name="terminal-without-call",
        does="the reason says that there is a call, and there is none",
        of=_WITH_TEXT,
        make=_no_call,
    ),
    Kind(
        name="malformed-call-claimed",
        does="the reason says that a call was malformed, and there is none",
        of=GEMINI,
        make=_claimed,
    ),
)

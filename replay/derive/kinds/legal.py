"""Legal twins: streams that look otherwise and say the same. A client that stumbles over one of them has a bug."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from replay.derive import samples
from replay.derive.wires.gemini import GeminiWire
from replay.derive.wires.responses import ResponsesWire
from replay.derive.wires.wire import End
from replay.validator import Status

from .kind import (
    ALL,
    CHAT,
    COHERE,
    COMMENTED,
    COUNTED,
    GEMINI,
    LATE,
    PINGED,
    RESPONSES,
    TEXTS,
    Kind,
    Made,
    NotInThisError,
    alone,
    before_call,
    wire_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from replay.derive.calls import Payload, ToolCall
    from replay.derive.recording import Recording


_MEMBER: Final = "sign"


def _cut(one: Recording, pieces: Iterable[str]) -> Made:
    """The first call in these fragments."""
    return Made(payloads=alone(one, one.wire.told(one.first, pieces)))


def _every_character(one: Recording) -> Made:
    return _cut(one, one.first.text)


def _by_path(one: Recording) -> Made:
    wire = wire_of(one, GeminiWire)
    return Made(payloads=alone(one, wire.by_path(one.first)))


def _late_id_by_path(one: Recording) -> Made:
    wire = wire_of(one, GeminiWire)
    first, *rest = wire.by_path(one.first)
    return Made(payloads=alone(one, [first, wire.part(id=one.first.id, willContinue=True), *rest]))


def _empty_pieces(one: Recording) -> Made:
    """Each text by path begins with an empty piece."""
    wire = wire_of(one, GeminiWire)
    found, open_paths = [], set()
    for payload in wire.by_path(one.first):
        for piece in wire.pieces_of(payload):
            if "stringValue" in piece and piece["jsonPath"] not in open_paths:
                open_paths.add(piece["jsonPath"])
                found.append(
                    wire.part(partialArgs=[{**piece, "stringValue": "", "willContinue": True}], willContinue=True)
                )
        found.append(payload)
    if not open_paths:
        raise NotInThisError("the arguments have no text")
    return Made(payloads=alone(one, found))


def _two_candidates(one: Recording) -> Made:
    """Two candidates each have a call, and their pieces take turns."""
    wire = wire_of(one, GeminiWire)
    told = []
    for pair in zip_longest(wire.by_path(one.first), wire.by_path(one.second)):
        for number, payload in enumerate(pair):
            if payload is not None:
                payload["candidates"][0]["index"] = number
                told.append(payload)
    end = wire.end(())[0]
    end["candidates"][0]["index"] = 1
    return Made(payloads=one.turn(told, [end], after=()))


def _beyond_ascii(one: Recording) -> Made:
    call, schemas = _declared_word(one)
    return Made(payloads=alone(one, one.told(call), call), schemas=schemas)


def _with_text(one: Recording, add: str) -> dict[str, Any]:
    found = samples.with_text(one.schema, one.values, add)
    if found is None:
        raise NotInThisError("the tool's schema leaves no room for such a text")
    return found


def _spelled(one: Recording, text: str, pieces: list[str]) -> Made:
    call = replace(one.first, text=text)
    return Made(payloads=alone(one, one.wire.told(call, pieces), call))


def _in_escapes(one: Recording) -> Made:
    """Each escape is cut behind its second digit."""
    text = json.dumps(_with_text(one, "\u00e9"), separators=(",", ":"), default=str)
    before, _, after = text.partition("\\u00e9")
    return _spelled(one, text, [before + "\\u0", "0e9" + after])


def _surrogate_pair(one: Recording) -> Made:
    text = json.dumps(_with_text(one, "\U0001f600"), separators=(",", ":"), default=str)
    before, _, after = text.partition("\\ud83d\\ude00")
    return _spelled(one, text, [before + "\\ud83d", "\\ude00" + after])


# A word of two, three and four bytes a character. Redaction keeps no such text but one that the tool declares.
_WORD: Final = "\u00e9\u65e5\U0001f600"


def _declared_word(one: Recording) -> tuple[ToolCall, dict[str, Any]]:
    """The first call with one more member, whose tool declares that it can have this value alone."""
    schema = {**one.schema, "properties": {**one.schema.get("properties", {}), _MEMBER: {"enum": [_WORD]}}}
    schemas = {**one.schemas, one.first.name: schema}
    return replace(one.first, text=samples.written({**one.values, _MEMBER: _WORD})), schemas


def _multi_byte(one: Recording) -> Made:
    call, schemas = _declared_word(one)
    return Made(payloads=alone(one, one.wire.told(call, call.text), call), schemas=schemas)


def _one_delta(one: Recording) -> Made:
    return _cut(one, [one.first.text])


def _whole_at_once(one: Recording) -> Made:
    call = one.first
    opened = one.wire.open(call.slot, id=call.id, name=call.name, text=call.text)
    return Made(payloads=alone(one, opened + one.wire.shut(call)))


def _empty_deltas(one: Recording) -> Made:
    return _cut(one, [piece for part in one.pieces(one.first.text) for piece in ("", part)] + [""])


def _late_id(one: Recording) -> Made:
    return _late(one, id=one.first.id)


def _late_name(one: Recording) -> Made:
    return _late(one, name=one.first.name)


def _late(one: Recording, **later: str) -> Made:
    """What `later` has comes behind the first fragment."""
    call, wire = one.first, one.wire
    first, *rest = one.pieces(call.text)
    opened = wire.open(call.slot, id=None if "id" in later else call.id, name=None if "name" in later else call.name)
    told = [*opened, *wire.grow(call.slot, first), *wire.identity(call.slot, **later)]
    told += [payload for piece in rest for payload in wire.grow(call.slot, piece)]
    return Made(payloads=alone(one, told + wire.shut(call)))


def _late_in_the_end(one: Recording) -> Made:
    """Id and name stand in the end of the item alone."""
    call, wire = one.first, one.wire
    told = wire.open(call.slot, id=None, name=None)
    told += [payload for piece in one.pieces(call.text) for payload in wire.grow(call.slot, piece)]
    return Made(payloads=alone(one, told + wire.shut(call)))


def _repeated_identity(one: Recording) -> Made:
    call, wire = one.first, one.wire
    told = wire.open(call.slot, id=call.id, name=call.name)
    for piece in one.pieces(call.text):
        told += wire.identity(call.slot, id=call.id, name=call.name) + wire.grow(call.slot, piece)
    return Made(payloads=alone(one, told + wire.shut(call)))


def _two(one: Recording, first: ToolCall, second: ToolCall) -> Made:
    return Made(payloads=one.turn(one.told(first), one.told(second), after=(first, second)))


def _parallel(one: Recording) -> Made:
    return _two(one, one.first, one.second)


def _interleaved(one: Recording) -> Made:
    calls, wire = (one.first, one.second), one.wire
    told = [payload for call in calls for payload in wire.open(call.slot, id=call.id, name=call.name)]
    for pieces in zip_longest(*(one.pieces(call.text) for call in calls)):
        told += [
            payload
            for call, piece in zip(calls, pieces, strict=True)
            if piece is not None
            for payload in wire.grow(call.slot, piece)
        ]
    told += [payload for call in calls for payload in wire.shut(call)]
    return Made(payloads=one.turn(told, after=calls))


def _other_order(one: Recording) -> Made:
    """The call of the higher number comes first."""
    first, second = replace(one.first, slot=one.second.slot), replace(one.second, slot=one.first.slot)
    return _two(one, first, second)


def _sparse(one: Recording) -> Made:
    return _two(one, replace(one.first, slot=one.first.slot + 2), replace(one.second, slot=one.first.slot + 7))


def _same_call_twice(one: Recording) -> Made:
    again = replace(one.second, name=one.first.name, text=one.first.text)
    return _two(one, one.first, again)


def _pings(one: Recording) -> Made:
    found: list[Payload] = []
    for payload in one.told():
        found += [*one.wire.ping(), payload]
    return Made(payloads=alone(one, found))


def _comments(one: Recording) -> Made:
    payloads = alone(one, one.told())
    return Made(payloads=payloads, comments=tuple(range(before_call(one), len(payloads))))


def _usage(one: Recording) -> Made:
    return Made(payloads=alone(one, one.wire.usage() + one.told()))


def _text_around(one: Recording) -> Made:
    return Made(payloads=alone(one, [*one.wire.say("x"), *one.told()]))


def _text_between(one: Recording) -> Made:
    calls = (one.first, one.second)
    return Made(payloads=one.turn(one.told(calls[0]), one.wire.say("x"), one.told(calls[1]), after=calls))


def _no_call(one: Recording) -> Made:
    why = End.TEXT if End.TEXT in one.wire.reasons else End.CALLS
    return Made(payloads=one.wire.turn(one.wire.say("x"), after=(), why=why), status=Status.NOT_APPLICABLE)


def _copies_alone(one: Recording) -> Made:
    call, wire = one.first, one.wire
    return Made(payloads=alone(one, wire.open(call.slot, id=call.id, name=call.name) + wire.shut(call)))


def _no_text_done(one: Recording) -> Made:
    call = one.first
    wire = wire_of(one, ResponsesWire)
    told = wire.open(call.slot, id=call.id, name=call.name) + wire.grow(call.slot, call.text)
    return Made(payloads=alone(one, told + wire.closed(call)))


LEGAL: Final = (
    Kind(name="every-character", does="each character of the arguments comes alone", of=TEXTS, make=_every_character),
    Kind(
        name="by-path",
        does="the arguments come by path, texts character by character",
        of=GEMINI,
        make=_by_path,
    ),
    Kind(name="late-id-by-path", does="the id comes with a later piece", of=GEMINI, make=_late_id_by_path),
    Kind(
        name="empty-pieces",
        does="texts by path begin with an empty piece",
        of=GEMINI,
        make=_empty_pieces,
    ),
    Kind(
        name="two-candidates",
        does="the pieces of two candidates' calls take turns",
        of=GEMINI,
        make=_two_candidates,
    ),
    Kind(name="beyond-ascii", does="a text has characters beyond ASCII", of=ALL - TEXTS, make=_beyond_ascii),
    Kind(name="in-escapes", does="an escape in a text is cut", of=TEXTS, make=_in_escapes),
    Kind(
        name="surrogate-pair",
        does="an escaped pair of surrogates is cut between its halves",
        of=TEXTS,
        make=_surrogate_pair,
    ),
    Kind(name="multi-byte", does="characters of two to four bytes come alone", of=TEXTS, make=_multi_byte),
    Kind(name="one-delta", does="all arguments come in one fragment", of=TEXTS, make=_one_delta),
    Kind(
        name="whole-at-once",
        does="all arguments come with the start of the call",
        of=CHAT | COHERE,
        make=_whole_at_once,
    ),
    Kind(name="empty-deltas", does="empty fragments stand between the others", of=TEXTS, make=_empty_deltas),
    Kind(name="late-id", does="the id comes behind the first fragment", of=LATE, make=_late_id),
    Kind(name="late-name", does="the name comes behind the first fragment", of=LATE, make=_late_name),
    Kind(
        name="late-identity",
        does="id and name come with the end of the item alone",
        of=RESPONSES,
        make=_late_in_the_end,
    ),
    Kind(name="repeated-identity", does="each fragment says id and name again", of=LATE, make=_repeated_identity),
    Kind(name="parallel", does="a second call of another tool follows", of=ALL, make=_parallel),
    Kind(name="interleaved", does="the fragments of two calls take turns", of=TEXTS, make=_interleaved),
    Kind(name="other-order", does="the call with the higher index comes first", of=TEXTS, make=_other_order),
    Kind(name="sparse-indices", does="indices have gaps", of=TEXTS, make=_sparse),
    Kind(name="equal-calls", does="two calls have the same tool and the same arguments", of=ALL, make=_same_call_twice),
    Kind(
        name="pings",
        does="payloads that say nothing stand between the fragments",
        of=PINGED,
        make=_pings,
    ),
    Kind(
        name="comments",
        does="comments keep the connection alive between the events",
        of=COMMENTED,
        make=_comments,
    ),
    Kind(
        name="usage-first",
        does="a payload that counts tokens comes before the call",
        of=COUNTED,
        make=_usage,
    ),
    Kind(name="text-before", does="text comes before the call", of=ALL, make=_text_around),
    Kind(name="text-between", does="text comes between two calls", of=ALL, make=_text_between),
    Kind(name="no-call", does="the answer is text alone", of=ALL, make=_no_call),
    Kind(name="copies-alone", does="the arguments come in the full copies alone", of=RESPONSES, make=_copies_alone),
    Kind(name="no-text-done", does="the event that ends the text is missing", of=RESPONSES, make=_no_text_done),
)

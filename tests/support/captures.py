"""Streamed turns as providers send them, from a seed, and one fault operator for each kind of finding.

A turn is text, then one to three calls of declared tools whose arguments satisfy their schemas, in fragments as small
as tokens. Every operator takes a healthy turn and gives payloads in which, at the least, its finding is reported.
"""

import json
import random
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from support.exchanges import sse_body

from redaction.captured.exchange import Ending, Exchange

PROFILES: Final = ("openai", "mistral", "anthropic")
LETTERS: Final = string.ascii_letters + string.digits
WORDS: Final = (
    "the a my our patient account balance doctor Berlin Zürich café Łódź 東京 🙂 invoice is was has had and or but "
    'with please remind me tomorrow about Ann Bob\'s "quoted" C:\\Users /home/ann 100% stage two lymphoma '
    "password: secret"
).split()

Payload: TypeAlias = Any
Chance: TypeAlias = random.Random


def prose(chance: Chance) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(chance.randrange(1, 14)))


def word(chance: Chance, size: int = 8) -> str:
    return "".join(chance.choice(LETTERS) for _ in range(size))


@dataclass(frozen=True, slots=True)
class Kind:
    """A schema of one property, values that satisfy it, and values that do not."""

    schema: object
    good: Callable[[Chance], object]
    bad: Callable[[Chance], object] | None = None


def _digits(chance: Chance, size: int) -> str:
    return "".join(chance.choice(string.digits) for _ in range(size))


KINDS: Final[Mapping[str, Kind]] = {
    "city": Kind({"type": "string", "minLength": 1, "description": "where"}, prose, lambda _: ""),
    "unit": Kind(
        {"type": "string", "enum": ["celsius", "fahrenheit"]},
        lambda chance: chance.choice(("celsius", "fahrenheit")),
        lambda chance: prose(chance),
    ),
    "code": Kind(
        {"type": "string", "pattern": "^[A-Z]{3}[0-9]{2,4}$"},
        lambda chance: "".join(chance.choice("ABCXYZ") for _ in range(3)) + _digits(chance, chance.randrange(2, 5)),
        lambda chance: prose(chance),
    ),
    "phone": Kind(
        {"type": "string", "pattern": "^\\+?[1-9]\\d{1,14}$"},
        lambda chance: "+4" + _digits(chance, chance.randrange(6, 13)),
        lambda chance: "call " + word(chance),
    ),
    "day": Kind(
        {"type": "string", "format": "date"},
        lambda chance: f"20{_digits(chance, 2)}-0{chance.randrange(1, 10)}-1{chance.randrange(10)}",
        lambda chance: prose(chance),
    ),
    "mail": Kind(
        {"type": "string", "format": "email", "maxLength": 40},
        lambda chance: f"{word(chance)}@{word(chance).lower()}.example",
        lambda chance: word(chance),
    ),
    "key": Kind(
        {"type": "string", "format": "uuid"},
        lambda chance: "-".join("".join(chance.choice("0123456789abcdef") for _ in range(n)) for n in (8, 4, 4, 4, 12)),
        lambda chance: word(chance),
    ),
    "count": Kind(
        {"type": "integer", "minimum": 1, "maximum": 50},
        lambda chance: chance.randrange(1, 51),
        lambda chance: chance.choice((0, -3, 51 + chance.randrange(10**6), 2.5, "two")),
    ),
    "price": Kind(
        {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.01},
        lambda chance: chance.randrange(1, 10**6) / 100,
        lambda chance: chance.choice((0, -chance.randrange(1, 99), 0.001 + chance.randrange(9))),
    ),
    "account": Kind({"type": "integer"}, lambda chance: chance.randrange(10**15), lambda chance: prose(chance)),
    "tags": Kind(
        {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "maxItems": 5},
        lambda chance: list({prose(chance): None for _ in range(chance.randrange(5))}),
        lambda chance: [tag := prose(chance), word(chance), tag],
    ),
    "scores": Kind(
        {"type": "array", "items": {"type": "number", "minimum": 0}, "minItems": 1},
        lambda chance: [chance.randrange(1000) / 4 for _ in range(chance.randrange(1, 6))],
        lambda chance: chance.choice(([], [1, -chance.randrange(1, 99)], [prose(chance)])),
    ),
    "facts": Kind(
        {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
        lambda chance: {prose(chance): chance.choice((prose(chance), None)) for _ in range(chance.randrange(4))},
        lambda chance: {prose(chance): chance.randrange(99)},
    ),
    "headers": Kind(
        {"type": "object", "patternProperties": {"^x-[a-z]+$": {"type": "string"}}, "additionalProperties": False},
        lambda chance: {f"x-{chance.choice(('trace', 'user', 'team'))}": prose(chance)},
        lambda chance: {word(chance): prose(chance)},
    ),
    "flags": Kind(
        {"type": "object", "propertyNames": {"maxLength": 6}},
        lambda chance: {word(chance, chance.randrange(1, 7)): chance.random() < 0.5 for _ in range(3)},
        lambda chance: {word(chance, 12): True},
    ),
    "either": Kind(
        {"anyOf": [{"type": "string", "maxLength": 5}, {"type": "integer"}]},
        lambda chance: chance.choice((word(chance, 4), chance.randrange(10**9))),
        lambda chance: prose(chance) + "......",
    ),
    "choice": Kind(
        {"oneOf": [{"const": "none"}, {"type": "object", "properties": {"to": {"$ref": "#/$defs/mail"}}}]},
        lambda chance: chance.choice(("none", {"to": f"{word(chance)}@b.example", word(chance): prose(chance)})),
        lambda chance: prose(chance),
    ),
    "shape": Kind(
        {
            "if": {"properties": {"kind": {"const": "circle"}}, "required": ["kind"]},
            "then": {"required": ["radius"]},
            "type": "object",
            "properties": {"kind": {"enum": ["circle", "line"]}, "radius": {"type": "number", "maximum": 10}},
        },
        lambda chance: {"kind": "circle", "radius": chance.randrange(10), word(chance): prose(chance)},
        lambda chance: {"kind": "circle", word(chance): prose(chance)},
    ),
    "pair": Kind(
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
        lambda chance: [prose(chance), chance.randrange(10**6)],
        lambda chance: [prose(chance), prose(chance)],
    ),
    "safe": Kind({"type": "boolean"}, lambda chance: chance.random() < 0.5, lambda chance: prose(chance)),
    "anything": Kind(
        True,
        lambda chance: chance.choice(
            (None, prose(chance), {prose(chance): [prose(chance), chance.randrange(99), {}]}, chance.randrange(10**9))
        ),
    ),
}
DEFINITIONS: Final = {"mail": {"type": "string", "format": "email"}}


@dataclass(slots=True)
class Call:
    """One call: its tool, and its arguments as text in fragments."""

    name: str
    value: dict[str, object]
    text: str
    pieces: list[str] = field(default_factory=list)
    call_id: str = ""


@dataclass(slots=True)
class Turn:
    """A healthy turn, and what makes it one."""

    profile: str
    chance: Chance
    schemas: dict[str, dict[str, object]]
    calls: list[Call]
    texts: list[str]
    ending: Ending = Ending.MESSAGE_END


def cut(text: str, chance: Chance) -> list[str]:
    """Fragments of a text: whole, two, as small as tokens, or one character each."""
    style = chance.choice(("whole", "two", "tokens", "tokens", "tokens", "characters"))
    if style == "whole" or len(text) < 2:
        return [text]
    if style == "two":
        at = chance.randrange(1, len(text))
        return [text[:at], text[at:]]
    if style == "characters":
        return list(text)
    pieces, at = [], 0
    while at < len(text):
        size = chance.randrange(1, 9)
        pieces.append(text[at : at + size])
        at += size
    if chance.random() < 0.3:
        pieces.insert(chance.randrange(len(pieces) + 1), "")
    return pieces


def written(value: object, chance: Chance) -> str:
    """The value as a model writes JSON: with or without white space and escapes."""
    separators = chance.choice(((",", ":"), (", ", ": ")))
    indent = chance.choice((None, None, None, 1))
    return json.dumps(value, ensure_ascii=chance.random() < 0.5, separators=separators, indent=indent)


def turn(profile: str, chance: Chance) -> Turn:
    """A healthy turn of this profile."""
    schemas: dict[str, dict[str, object]] = {}
    calls = []
    for number in range(chance.randrange(1, 4)):
        name = f"{chance.choice(('get', 'send', 'find'))}_{chance.choice(('weather', 'mail', 'record'))}_{number}"
        kinds = chance.sample(sorted(KINDS), chance.randrange(1, 6))
        schema: dict[str, object] = {
            "type": "object",
            "title": prose(chance),
            "properties": {kind: KINDS[kind].schema for kind in kinds},
            "required": kinds[:1],
            "$defs": DEFINITIONS,
        }
        schemas[name] = schema
        value = {kind: KINDS[kind].good(chance) for kind in kinds}
        if chance.random() < 0.2:
            schema["additionalProperties"] = False
        elif chance.random() < 0.5:
            value[f"extra {word(chance)}"] = prose(chance)
        text = written(value, chance)
        size = 9 if profile == "mistral" else 24
        calls.append(Call(name, value, text, cut(text, chance), call_id=word(chance, size)))
    texts = [prose(chance) + " " for _ in range(chance.randrange(3))]
    return Turn(profile, chance, schemas, calls, texts)


def retold(one: Turn, at: int, text: str) -> None:
    """Another argument text for the call at `at`."""
    one.calls[at].text = text
    one.calls[at].pieces = cut(text, one.chance)


# -- the payloads


def chunk(one: Turn, delta: object, finish: str | None = None) -> Payload:
    return {
        "id": "chatcmpl-" + one.calls[0].call_id,
        "object": "chat.completion.chunk",
        "created": 1700000000,
        "model": "gpt-4o-2024-08-06",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def entry(slot: int, **members: object) -> dict[str, object]:
    return {"tool_calls": [{"index": slot, **members}]}


def fragment(one: Turn, slot: int, text: str) -> Payload:
    return chunk(one, entry(slot, function={"arguments": text}))


def event(kind: str, **members: object) -> Payload:
    return {"type": kind, **members}


def start(slot: int, block: object) -> Payload:
    return event("content_block_start", index=slot, content_block=block)


def delta(slot: int, **members: object) -> Payload:
    return event("content_block_delta", index=slot, delta=members)


def partial(slot: int, text: str) -> Payload:
    return delta(slot, type="input_json_delta", partial_json=text)


def stop(slot: int) -> Payload:
    return event("content_block_stop", index=slot)


def payloads(one: Turn) -> list[Payload]:
    """The turn on the wire."""
    return _events(one) if one.profile == "anthropic" else _chunks(one)


def _chunks(one: Turn) -> list[Payload]:
    found = [chunk(one, {"role": "assistant", "content": ""})]
    found += [chunk(one, {"content": text}) for text in one.texts]
    for slot, call in enumerate(one.calls):
        opening = {"name": call.name, "arguments": ""}
        found.append(chunk(one, entry(slot, id=call.call_id, type="function", function=opening)))
    waiting = [list(call.pieces) for call in one.calls]
    while any(waiting):  # in turns, as parallel calls may come
        slot = one.chance.choice([slot for slot, pieces in enumerate(waiting) if pieces])
        found.append(fragment(one, slot, waiting[slot].pop(0)))
    found.append(chunk(one, {}, "tool_calls"))
    usage = {"prompt_tokens": one.chance.randrange(999), "completion_tokens": one.chance.randrange(999)}
    found.append({**chunk(one, {}), "choices": [], "usage": usage})
    return found


def _events(one: Turn) -> list[Payload]:
    message = {"id": "msg_" + one.calls[0].call_id, "type": "message", "role": "assistant", "content": []}
    usage = {"input_tokens": one.chance.randrange(999)}
    found = [event("message_start", message={**message, "model": "claude-sonnet-4-20250514", "usage": usage})]
    slot = 0
    if one.texts:
        found += [start(0, {"type": "text", "text": ""})]
        found += [delta(0, type="text_delta", text=text) for text in one.texts]
        found += [stop(0)]
        slot = 1
    for number, call in enumerate(one.calls, slot):
        found.append(start(number, {"type": "tool_use", "id": "toolu_" + call.call_id, "name": call.name, "input": {}}))
        found += [partial(number, text) for text in call.pieces]
        found.append(stop(number))
    end = event("message_delta", delta={"stop_reason": "tool_use", "stop_sequence": None})
    return [*found, {**end, "usage": {"output_tokens": one.chance.randrange(999)}}, event("message_stop")]


def slot_of(one: Turn, number: int) -> int:
    """The slot of the call with this number."""
    return number + 1 if one.profile == "anthropic" and one.texts else number


def end_of(found: Sequence[Payload]) -> int:
    """Where the terminal of the choice or message stands."""
    for at, payload in enumerate(found):
        if payload["type" if "type" in payload else "id"] == "message_delta":
            return at
        if payload.get("choices") and payload["choices"][0].get("finish_reason"):
            return at
    raise AssertionError


# -- the faults


Fault: TypeAlias = Callable[[Turn], list[Payload]]


def _with_text(make: Callable[[Turn], str]) -> Fault:
    def apply(one: Turn) -> list[Payload]:
        retold(one, one.chance.randrange(len(one.calls)), make(one))
        return payloads(one)

    return apply


def _inside(one: Turn, number: str) -> str:
    """The arguments of a call with one more member, of which this is the value."""
    call = one.calls[0]
    return call.text.rstrip("}\n ") + f', "{word(one.chance)}": {number}}}'


def _broken(one: Turn) -> str:
    text, chance = one.calls[0].text, one.chance
    at = chance.randrange(1, len(text))
    return chance.choice(
        (
            text[:at],
            text[:at] + chance.choice(("\\q", "}}", '"', "'", ",,", "\x01", "x", "0", ":")) + text[at:],
            "```json\n" + text + "\n```",
            prose(chance),
            text.replace(":", "=", 1),
            text.replace('"', "'"),
            text[:-1] + ",}",
            "{" + word(chance) + ": 1}",
            text[:at] + "\\u12",
        )
    )


def _deep(one: Turn) -> str:
    levels = 64 + one.chance.randrange(1, 30)
    return '{"anything": ' + "[" * levels + json.dumps(prose(one.chance)) + "]" * levels + "}"


def _twice(one: Turn) -> str:
    key = json.dumps(one.chance.choice((prose(one.chance), sorted(one.calls[0].value)[0])))
    return f"{{{key}: {json.dumps(prose(one.chance))}, {key}: {one.chance.randrange(99)}}}"


def _lone(one: Turn) -> str:
    half = f"\\u{one.chance.choice(('d83d', 'dc00', 'DBFF'))}"
    secret = json.dumps(prose(one.chance))[1:-1]
    return f'{{"{secret}": "{secret}{half} {secret}"}}'


def _violation(one: Turn) -> list[Payload]:
    chance = one.chance
    at = chance.randrange(len(one.calls))
    call = one.calls[at]
    kinds = [kind for kind in call.value if kind in KINDS and KINDS[kind].bad is not None]
    value = dict(call.value)
    if not kinds or chance.random() < 0.15:
        first = next(iter(value))
        del value[first]  # the one that is required
    else:
        kind = chance.choice(kinds)
        bad = KINDS[kind].bad
        assert bad is not None
        value[kind] = bad(chance)
    retold(one, at, written(value, chance))
    return payloads(one)


def _unsupported_schema(one: Turn) -> list[Payload]:
    schema = one.schemas[one.calls[0].name]
    extra: dict[str, object] = one.chance.choice(
        ({"unevaluatedProperties": False}, {"$id": word(one.chance)}, {"pattern": f"(?={word(one.chance)})"})
    )
    schema.update(extra)
    return payloads(one)


def _unknown_tool(one: Turn) -> list[Payload]:
    one.calls[0].name = f"{word(one.chance)}_tool"
    return payloads(one)


def _renamed(one: Turn) -> list[Payload]:
    """The first call says another id or name later on."""
    found, slot, chance = payloads(one), slot_of(one, 0), one.chance
    if one.profile == "anthropic":
        at = next(at for at, payload in enumerate(found) if payload.get("index") == slot)
        block = {"type": "tool_use", "id": word(chance), "name": one.calls[0].name, "input": {}}
        return [*found[: at + 1], start(slot, block), *found[at + 1 :]]
    members: dict[str, object] = chance.choice(({"id": word(chance)}, {"function": {"name": word(chance)}}))
    at = end_of(found)
    return [*found[:at], chunk(one, entry(slot, **members)), *found[at:]]


def _started_twice(one: Turn) -> list[Payload]:
    found, slot = payloads(one), slot_of(one, 0)
    at = next(at for at, payload in enumerate(found) if payload.get("index") == slot)
    return [*found[: at + 1], found[at], *found[at + 1 :]]


def _same_id(one: Turn) -> list[Payload]:
    second = Call(one.calls[0].name, one.calls[0].value, one.calls[0].text, list(one.calls[0].pieces))
    second.call_id = one.calls[0].call_id
    one.calls.append(second)
    return payloads(one)


def _without_slot(one: Turn) -> list[Payload]:
    found = payloads(one)
    at = end_of(found)
    if one.profile == "anthropic":
        stray = event("content_block_delta", delta={"type": "input_json_delta", "partial_json": prose(one.chance)})
    else:
        stray = chunk(one, {"tool_calls": [{"function": {"arguments": prose(one.chance)}}]})
    return [*found[:at], stray, *found[at:]]


def _without(member: str) -> Fault:
    def apply(one: Turn) -> list[Payload]:
        found = payloads(one)
        for payload in found:
            block = payload.get("content_block")
            if block is not None and block["type"] == "tool_use":
                block[member] = one.chance.choice(("", None))
                break
            calls = [call for choice in payload.get("choices", ()) for call in choice["delta"].get("tool_calls", ())]
            if calls:
                (calls[0] if member == "id" else calls[0]["function"]).pop(member)
                break
        return found

    return apply


def _cut_off(one: Turn) -> list[Payload]:
    found = payloads(one)
    one.ending = one.chance.choice((Ending.UPSTREAM, Ending.CLIENT, Ending.PROXY, Ending.CLOSE))
    if one.profile == "anthropic":
        first = next(at for at, payload in enumerate(found) if payload.get("index") == slot_of(one, 0))
    else:
        first = next(at for at, payload in enumerate(found) if "tool_calls" in json.dumps(payload))
    return found[: one.chance.randrange(first + 1, end_of(found))]


def _other_reason(one: Turn) -> list[Payload]:
    found = payloads(one)
    end = found[end_of(found)]
    if one.profile == "anthropic":
        end["delta"]["stop_reason"] = one.chance.choice(("end_turn", "max_tokens", "refusal", word(one.chance)))
    else:
        end["choices"][0]["finish_reason"] = one.chance.choice(("stop", "length", word(one.chance)))
    return found


def _ended_twice(one: Turn) -> list[Payload]:
    found = payloads(one)
    return [*found[: end_of(found) + 1], found[end_of(found)], *found[end_of(found) + 1 :]]


def _after_the_end(one: Turn) -> list[Payload]:
    found = payloads(one)
    at, slot = end_of(found), slot_of(one, 0)
    text = prose(one.chance)
    late = partial(slot, text) if one.profile == "anthropic" else fragment(one, slot, text)
    return [*found[: at + 1], late, *found[at + 1 :]]


def _no_call(one: Turn) -> list[Payload]:
    found = payloads(one)
    kept = {"content_block_start", "content_block_delta", "content_block_stop"}
    return [
        payload
        for payload in found
        if not (payload.get("type") in kept and payload.get("index", 0) >= slot_of(one, 0))
        and not any("tool_calls" in choice["delta"] for choice in payload.get("choices", ()))
    ]


def _orphan(one: Turn) -> list[Payload]:
    found = payloads(one)
    at = end_of(found)
    return [*found[:at], partial(90 + one.chance.randrange(9), prose(one.chance)), *found[at:]]


def _malformed(one: Turn) -> list[Payload]:
    found, chance = payloads(one), one.chance
    wrong: list[Payload] = [
        [prose(chance)],
        chance.randrange(99),
        "upstream said " + prose(chance),
        '{"a": "' + word(chance),
        "{} {}",
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
    ]
    if one.profile == "anthropic":
        wrong += [event("content_block_delta", index=-1, delta={"type": "input_json_delta", "partial_json": "x"})]
        wrong += [partial(0, 7), {"type": chance.randrange(9)}]  # type: ignore[arg-type]
    else:
        wrong += [chunk(one, {"tool_calls": prose(chance)}), chunk(one, entry(-1)), chunk(one, entry(0, id=7))]
    at = chance.randrange(len(found))
    return [*found[:at], chance.choice(wrong), *found[at:]]


def _unsupported(one: Turn) -> list[Payload]:
    found, chance = payloads(one), one.chance
    strange: list[Payload]
    if one.profile == "anthropic":
        strange = [event(f"{word(chance)}_event", text=prose(chance)), start(80, {"type": word(chance)})]
    else:
        legacy = {"name": word(chance), "arguments": prose(chance)}
        strange = [chunk(one, {"function_call": legacy}), {"id": word(chance), word(chance): prose(chance)}]
    at = end_of(found)
    return [*found[:at], chance.choice(strange), *found[at:]]


def _error(one: Turn) -> list[Payload]:
    found, chance = payloads(one), one.chance
    error = {"type": chance.choice(("overloaded_error", word(chance))), "message": f"bad key sk-{word(chance, 20)}"}
    at = chance.randrange(len(found))
    body: Payload = {"type": "error", "error": error} if one.profile == "anthropic" else {"error": error}
    return [*found[:at], body, *found[at:]]


def _second_turn(one: Turn) -> list[Payload]:
    found = payloads(one)
    at = end_of(found)
    if one.profile == "anthropic":
        return [*found[:at], found[0], *found[at:]]
    return [*found[:at], {**fragment(one, 0, ""), "id": word(one.chance)}, *found[at:]]


# For each code the operators that bring it about, and the profiles that have it.
FAULTS: Final[Mapping[str, tuple[Fault, tuple[str, ...]]]] = {
    "identity_collision": (_renamed, PROFILES),
    "duplicate_start": (_started_twice, ("anthropic",)),
    "duplicate_id": (_same_id, PROFILES),
    "missing_slot": (_without_slot, PROFILES),
    "missing_id": (_without("id"), PROFILES),
    "missing_name": (_without("name"), PROFILES),
    "missing_terminal": (_cut_off, PROFILES),
    "wrong_terminal": (_other_reason, PROFILES),
    "duplicate_terminal": (_ended_twice, PROFILES),
    "delta_after_terminal": (_after_the_end, PROFILES),
    "terminal_without_call": (_no_call, PROFILES),
    "orphan_event": (_orphan, ("anthropic",)),
    "malformed_event": (_malformed, PROFILES),
    "unsupported_event": (_unsupported, PROFILES),
    "stream_error": (_error, PROFILES),
    "turn_collision": (_second_turn, PROFILES),
    "limit_exceeded": (_with_text(_deep), PROFILES),
    "unknown_tool": (_unknown_tool, PROFILES),
    "unsupported_schema": (_unsupported_schema, PROFILES),
    "empty_arguments": (_with_text(lambda one: one.chance.choice(("", " ", "\n\t "))), ("openai", "mistral")),
    "malformed_arguments": (_with_text(_broken), PROFILES),
    "trailing_data": (
        _with_text(lambda one: one.calls[0].text + one.chance.choice(("{}", " x", " 1", prose(one.chance), "]"))),
        PROFILES,
    ),
    "non_finite_number": (
        _with_text(lambda one: _inside(one, one.chance.choice(("NaN", "-Infinity", "1e999", "9" * 400)))),
        PROFILES,
    ),
    "duplicate_key": (_with_text(_twice), PROFILES),
    "invalid_unicode": (_with_text(_lone), PROFILES),
    "non_object_arguments": (
        _with_text(
            lambda one: written(
                one.chance.choice(([prose(one.chance)], prose(one.chance), one.chance.randrange(10**9), None, True)),
                one.chance,
            )
        ),
        PROFILES,
    ),
    "schema_violation": (_violation, PROFILES),
}


def exchange(one: Turn, found: Sequence[Payload]) -> Exchange:
    """The turn as it was recorded, with its request."""
    chance = one.chance
    text = prose(chance)
    request: dict[str, object] = {"messages": [{"role": "user", "content": text}], "stream": True}
    if one.profile == "anthropic":
        request["model"] = "claude-sonnet-4-20250514"
        request["tools"] = [
            {"name": name, "description": text, "input_schema": schema} for name, schema in one.schemas.items()
        ]
    else:
        request["model"] = "gpt-4o"
        request["tools"] = [
            {"type": "function", "function": {"name": name, "description": text, "parameters": schema}}
            for name, schema in one.schemas.items()
        ]
    done = one.profile != "anthropic" and one.ending is Ending.MESSAGE_END
    return Exchange(
        profile=one.profile,
        provider=one.profile,
        request_body=json.dumps(request).encode(),
        content_type="text/event-stream",
        body=sse_body(found, done=done),
        ending=one.ending,
        secrets=(f"Bearer {word(chance, 40)}",),
    )


def clean(profile: str, chance: Chance) -> Exchange:
    """A healthy exchange."""
    one = turn(profile, chance)
    return exchange(one, payloads(one))


def faulty(code: str, profile: str, chance: Chance) -> Exchange:
    """An exchange in which this code is to be found."""
    one = turn(profile, chance)
    found = FAULTS[code][0](one)
    return exchange(one, found)

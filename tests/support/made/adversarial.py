"""Turns that are not as they should be, in the ways in which clients go apart: for each kind one from a chance.

An example of the kind `index with another id`: `{"city":"Os` for index 0 and the id `a`, then `{"city":"Rome"}` for
index 0 and the id `b`. Every turn is one of chat completions, with a tool whose members have several types.
"""

import json
import random
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from support.builders.chunks import chunk_of, entry
from support.recorded.exchanges import request_body

from redaction.captured.exchange import Exchange

SCHEMA: Final[dict[str, object]] = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "minimum": 0},
        "heat": {"type": "number"},
        "on": {"type": "boolean"},
        "unit": {"type": "string", "enum": ["celsius", "kelvin"]},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["city"],
}
TOOLS: Final = {"get_weather": SCHEMA, "send": {"type": "object", "properties": {"to": {"type": "string"}}}}
Chance: TypeAlias = random.Random
Payloads: TypeAlias = list[Any]


def _city(chance: Chance) -> str:
    return chance.choice(("Oslo", "Rome", "Bad Homburg", "São Paulo", 'a "b"', "São\nX", "[1]", "{", "12"))


def _arguments(chance: Chance, **more: object) -> str:
    members: dict[str, object] = {"city": _city(chance), **more}
    if chance.random() < 0.5:
        members["days"] = chance.randrange(9)
    return json.dumps(members, ensure_ascii=chance.random() < 0.5)


def _cut(text: str, chance: Chance, most: int = 5) -> list[str]:
    cuts = sorted(chance.sample(range(1, len(text)), min(len(text) - 1, chance.randrange(most))))
    return [text[low:high] for low, high in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def _call(slot: int | None, text: str, chance: Chance, **first: str) -> Payloads:
    head, *rest = _cut(text, chance)
    return [chunk_of(entry(slot, head, **first)), *(chunk_of(entry(slot, piece)) for piece in rest)]


def _another_id(chance: Chance) -> Payloads:
    one, other = _arguments(chance), _arguments(chance)
    if chance.random() < 0.5:
        one = one[: chance.randrange(1, len(one))]
    return [
        *_call(0, one, chance, id="call_a", name="get_weather"),
        *_call(0, other, chance, id="call_b", name=chance.choice(("get_weather", "send"))),
    ]


def _no_index(chance: Chance) -> Payloads:
    payloads = _call(None, _arguments(chance), chance, id="call_a", name="get_weather")
    if chance.random() < 0.5:
        payloads += _call(None, _arguments(chance), chance, id="call_b", name="get_weather")
    return payloads


def _index_lost(chance: Chance) -> Payloads:
    head, *rest = _cut(_arguments(chance), chance)
    first = chunk_of(entry(0, head, id="call_a", name="get_weather"))
    return [first, *(chunk_of(entry(None, piece)) for piece in rest)]


def _name_in_pieces(chance: Chance) -> Payloads:
    head, tail = chance.choice((("get_", "weather"), ("get", "_weather"), ("se", "nd"), ("foo", "bar")))
    text = _arguments(chance)
    return [
        chunk_of(entry(0, "", id="call_a", name=head)),
        chunk_of(entry(0, text[:3], name=tail)),
        chunk_of(entry(0, text[3:])),
    ]


def _one_id_twice(chance: Chance) -> Payloads:
    one = _arguments(chance)
    other = one if chance.random() < 0.4 else _arguments(chance)
    return [
        *_call(0, one, chance, id="call_a", name="get_weather"),
        *_call(1, other, chance, id="call_a", name="get_weather"),
    ]


_ODD: Final = ("1", "1.0", "soon", "true", "no", "", " 3 ", "1e2", "nan", "[1]", '{"a":1}', 1.0, 2.5, 0, 1, True, None)


def _other_types(chance: Chance) -> Payloads:
    odd: dict[str, object] = {
        name: chance.choice(_ODD) for name in ("days", "heat", "on", "unit", "tags") if chance.random() < 0.4
    }
    return _call(0, _arguments(chance, **odd), chance, id="call_a", name="get_weather")


def _behind_the_end(chance: Chance) -> Payloads:
    text = _arguments(chance)
    at = chance.randrange(1, len(text))
    return [
        *_call(0, text[:at], chance, id="call_a", name="get_weather"),
        chunk_of(finish=chance.choice(("tool_calls", "stop", "length"))),
        chunk_of(entry(0, text[at:])),
    ]


def _cut_off(chance: Chance) -> Payloads:
    text = _arguments(chance)
    return _call(0, text[: chance.randrange(1, len(text))], chance, id="call_a", name="get_weather")


_ODD_INDICES: Final = ("1", "one", "", True, False, 1.0, 0.5, -1, 2**31, [1], {"at": 1}, 5000.0)
_ODD_IDS: Final = (0, 7, 41, 1.5, True, ["a"], [], {"a": 1}, {})


def _of_another_shape(chance: Chance) -> Payloads:
    """A call whose index, id, name or arguments are of another type, or in a payload of another shape."""
    text = _arguments(chance)
    odd: dict[str, Any] = entry(1, text, id="call_b", name="get_weather")
    payload = chunk_of(odd)
    match chance.randrange(6):
        case 0:
            odd["index"] = chance.choice(_ODD_INDICES)
        case 1:
            odd["id"] = chance.choice(_ODD_IDS)
        case 2:
            odd["function"]["name"] = chance.choice(_ODD_IDS)
        case 3:
            odd["function"]["arguments"] = chance.choice((json.loads(text), {}, 5, 0, [1], True))
        case 4:
            payload["choices"].append(chance.choice(("text", 5, [])))
        case _:
            payload["choices"][0]["delta"]["tool_calls"] = chance.choice((odd, {}, "x"))
    return [*_call(0, _arguments(chance), chance, id="call_a", name="get_weather"), payload]


_LONG_NUMBERS: Final = ("9007199254740993", "12345678901234567890", "1e-999", "0.10000000000000000555", "1e22", "0.1")


def _long_numbers(chance: Chance) -> Payloads:
    text = _arguments(chance)[:-1] + f', "heat": {chance.choice(_LONG_NUMBERS)}}}'
    return _call(0, text, chance, id="call_a", name="get_weather")


_NO_NUMBERS: Final = (float("nan"), float("inf"), float("-inf"))


def _no_numbers(chance: Chance) -> Payloads:
    """A call some of whose payloads have a number that JSON has not: beside the call, or in the place of its parts."""
    payloads = _call(0, _arguments(chance), chance, id="call_a", name="get_weather")
    for payload in payloads:
        match chance.randrange(6):
            case 0 | 1:
                payload["created"] = chance.choice(_NO_NUMBERS)
            case 2:
                payload["note"] = chance.choice(_NO_NUMBERS)
            case 3:
                payload["choices"][0]["logprobs"] = {"content": [{"token": "a", "logprob": chance.choice(_NO_NUMBERS)}]}
            case 4 if chance.random() < 0.3:
                payload["choices"][0]["delta"]["tool_calls"][0]["index"] = chance.choice(_NO_NUMBERS)
            case _:
                pass
    return payloads


def _pair_over_two_events(chance: Chance) -> Payloads:
    """A call in whose arguments a surrogate pair is cut over two payloads, or where a half is left alone."""
    before, behind = json.dumps({"city": _city(chance) + "\U0001f600" + _city(chance)}, ensure_ascii=False).split(
        "\U0001f600"
    )
    head, *rest = _cut(before, chance)
    first = [chunk_of(entry(0, head, id="call_a", name="get_weather")), *(chunk_of(entry(0, one)) for one in rest)]
    pair = chance.choice((["\ud83d", "\ude00"], ["\ud83d"], ["\ude00"], ["a\ud83d", "\ude00b"], ["\ud83da", "\ude00"]))
    return [*first, *(chunk_of(entry(0, one)) for one in (*pair, *_cut(behind, chance)))]


KINDS: Final[Mapping[str, Callable[[Chance], Payloads]]] = {
    "index with another id": _another_id,
    "no index": _no_index,
    "index lost on the way": _index_lost,
    "name in pieces": _name_in_pieces,
    "one id twice": _one_id_twice,
    "values of other types": _other_types,
    "behind the finish reason": _behind_the_end,
    "cut off": _cut_off,
    "of another shape": _of_another_shape,
    "numbers that no double holds": _long_numbers,
    "numbers that JSON has not": _no_numbers,
    "surrogate pair over two events": _pair_over_two_events,
}


_DRESS: Final = {"id": "chatcmpl-Ab9", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o-mini"}


def _without_nulls(value: Any) -> Any:
    """The value without the members that are null, as most providers leave them out."""
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value


def exchange(kind: str, chance: Chance) -> Exchange:
    """A turn of this kind, as it was recorded."""
    opening = {"choices": [{"index": 0, "delta": {"role": "assistant", "content": None}, "finish_reason": None}]}
    payloads = [_DRESS | payload for payload in (opening, *KINDS[kind](chance))]
    if chance.random() < 0.9:
        payloads.append(_DRESS | chunk_of(finish="tool_calls"))
    if chance.random() < 0.5:
        payloads = [_without_nulls(payload) for payload in payloads]
    body = "".join(f"data: {json.dumps(payload)}\n\n" for payload in payloads) + "data: [DONE]\n\n"
    return Exchange(
        profile="openai",
        provider="openai",
        request_body=request_body("openai", TOOLS),
        content_type="text/event-stream",
        body=body.encode(),
    )

"""Turns of chat completions, as OpenAI and Mistral stream them: chunks with choices; and what goes wrong with them."""

import json
from collections.abc import Mapping, Sequence
from typing import Final

from support.streamed.changes import CHANGES, EMPTY, told
from support.streamed.family import Fault, Wire
from support.streamed.pieces import Call, Payload, Turn, prose, strange, word

from redaction.captured.exchange import Ending


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


def tell(one: Turn) -> list[Payload]:
    """The turn on the wire."""
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


def request(one: Turn, text: str) -> dict[str, object]:
    """What asked for the turn."""
    asked: dict[str, object] = {"messages": [{"role": "user", "content": text}], "stream": True, "model": "gpt-4o"}
    asked["tools"] = [
        {"type": "function", "function": {"name": name, "description": text, "parameters": schema}}
        for name, schema in one.schemas.items()
    ]
    if one.tool_choice is not None:
        asked["tool_choice"] = one.tool_choice
    if one.parallel is not None:
        asked["parallel_tool_calls"] = one.parallel
    return asked


def end_of(found: Sequence[Payload]) -> int:
    """Where the finish reason stands."""
    return next(at for at, one in enumerate(found) if one["choices"] and one["choices"][0]["finish_reason"])


# -- the faults


def _renamed(one: Turn) -> list[Payload]:
    """The first call says another id or name later on."""
    found, chance = tell(one), one.chance
    members: dict[str, object] = chance.choice(({"id": word(chance)}, {"function": {"name": word(chance)}}))
    at = end_of(found)
    return [*found[:at], chunk(one, entry(0, **members)), *found[at:]]


def _same_id(one: Turn) -> list[Payload]:
    first = one.calls[0]
    one.calls.append(Call(first.name, first.value, first.text, list(first.pieces), call_id=first.call_id))
    return tell(one)


def _without_slot(one: Turn) -> list[Payload]:
    found = tell(one)
    at = end_of(found)
    stray = chunk(one, {"tool_calls": [{"function": {"arguments": prose(one.chance)}}]})
    return [*found[:at], stray, *found[at:]]


def _opening(found: Sequence[Payload]) -> dict[str, object]:
    """The entry that opens the first call."""
    entries = (entry for one in found for choice in one["choices"] for entry in choice["delta"].get("tool_calls", ()))
    return next(entries)


def _without_id(one: Turn) -> list[Payload]:
    found = tell(one)
    del _opening(found)["id"]
    return found


def _without_name(one: Turn) -> list[Payload]:
    found = tell(one)
    function = _opening(found)["function"]
    assert isinstance(function, dict)
    del function["name"]
    return found


def _cut_off(one: Turn) -> list[Payload]:
    found = tell(one)
    one.ending = one.chance.choice((Ending.UPSTREAM, Ending.CLIENT, Ending.PROXY, Ending.CLOSE))
    first = next(at for at, payload in enumerate(found) if "tool_calls" in json.dumps(payload))
    return found[: one.chance.randrange(first + 1, end_of(found))]


def _other_reason(one: Turn) -> list[Payload]:
    found = tell(one)
    found[end_of(found)]["choices"][0]["finish_reason"] = one.chance.choice(("stop", "length", word(one.chance)))
    return found


def _ended_twice(one: Turn) -> list[Payload]:
    found = tell(one)
    return [*found[: end_of(found) + 1], found[end_of(found)], *found[end_of(found) + 1 :]]


def _after_the_end(one: Turn) -> list[Payload]:
    found = tell(one)
    at = end_of(found)
    return [*found[: at + 1], fragment(one, 0, prose(one.chance)), *found[at + 1 :]]


def _no_call(one: Turn) -> list[Payload]:
    found = tell(one)
    return [chunk for chunk in found if not any("tool_calls" in choice["delta"] for choice in chunk["choices"])]


def _malformed(one: Turn) -> list[Payload]:
    found, chance = tell(one), one.chance
    wrong: list[Payload] = [
        *strange(chance),
        chunk(one, {"tool_calls": prose(chance)}),
        chunk(one, entry(-1)),
        chunk(one, entry(0, id=7)),
    ]
    at = chance.randrange(len(found))
    return [*found[:at], chance.choice(wrong), *found[at:]]


def _unsupported(one: Turn) -> list[Payload]:
    found, chance = tell(one), one.chance
    legacy = {"name": word(chance), "arguments": prose(chance)}
    unknown = [chunk(one, {"function_call": legacy}), {"id": word(chance), word(chance): prose(chance)}]
    at = end_of(found)
    return [*found[:at], chance.choice(unknown), *found[at:]]


def _error(one: Turn) -> list[Payload]:
    found, chance = tell(one), one.chance
    error = {"type": chance.choice(("overloaded_error", word(chance))), "message": f"bad key sk-{word(chance, 20)}"}
    at = chance.randrange(len(found))
    return [*found[:at], {"error": error}, *found[at:]]


def _second_turn(one: Turn) -> list[Payload]:
    found = tell(one)
    at = end_of(found)
    return [*found[:at], {**fragment(one, 0, ""), "id": word(one.chance)}, *found[at:]]


FAULTS: Final[Mapping[str, Fault]] = {
    **told({**CHANGES, **EMPTY}, tell),
    "identity_collision": _renamed,
    "duplicate_id": _same_id,
    "missing_slot": _without_slot,
    "missing_id": _without_id,
    "missing_name": _without_name,
    "missing_terminal": _cut_off,
    "wrong_terminal": _other_reason,
    "duplicate_terminal": _ended_twice,
    "delta_after_terminal": _after_the_end,
    "terminal_without_call": _no_call,
    "malformed_event": _malformed,
    "unsupported_event": _unsupported,
    "stream_error": _error,
    "turn_collision": _second_turn,
}
OPENAI: Final = Wire(tell=tell, request=request, faults=FAULTS, done=True)
MISTRAL: Final = Wire(tell=tell, request=request, faults=FAULTS, done=True, id_size=9)

"""Turns of Anthropic's messages: content blocks one by one; and what goes wrong with them."""

from collections.abc import Mapping, Sequence
from typing import Final

from support.streamed.changes import CHANGES, told
from support.streamed.family import Fault, Wire
from support.streamed.pieces import Call, Payload, Turn, prose, strange, word

from redaction.captured.exchange import Ending


def event(kind: str, **members: object) -> Payload:
    return {"type": kind, **members}


def start(slot: int, block: object) -> Payload:
    return event("content_block_start", index=slot, content_block=block)


def delta(slot: int, **members: object) -> Payload:
    return event("content_block_delta", index=slot, delta=members)


def partial(slot: int, text: object) -> Payload:
    return delta(slot, type="input_json_delta", partial_json=text)


def stop(slot: int) -> Payload:
    return event("content_block_stop", index=slot)


def tell(one: Turn) -> list[Payload]:
    """The turn on the wire."""
    message = {"id": "msg_" + one.calls[0].call_id, "type": "message", "role": "assistant", "content": []}
    usage = {"input_tokens": one.chance.randrange(999)}
    found = [event("message_start", message={**message, "model": "claude-sonnet-4-20250514", "usage": usage})]
    if one.texts:
        found += [start(0, {"type": "text", "text": ""})]
        found += [delta(0, type="text_delta", text=text) for text in one.texts]
        found += [stop(0)]
    for number, call in enumerate(one.calls, first_of(one)):
        found.append(start(number, {"type": "tool_use", "id": "toolu_" + call.call_id, "name": call.name, "input": {}}))
        found += [partial(number, text) for text in call.pieces]
        found.append(stop(number))
    end = event("message_delta", delta={"stop_reason": "tool_use", "stop_sequence": None})
    return [*found, {**end, "usage": {"output_tokens": one.chance.randrange(999)}}, event("message_stop")]


_CHOICES: Final = {"auto": "auto", "none": "none", "required": "any", "named": "tool"}


def request(one: Turn, text: str) -> dict[str, object]:
    """What asked for the turn."""
    asked: dict[str, object] = {"messages": [{"role": "user", "content": text}], "stream": True}
    asked["model"] = "claude-sonnet-4-20250514"
    asked["tools"] = [
        {"name": name, "description": text, "input_schema": schema} for name, schema in one.schemas.items()
    ]
    if one.tool_choice is not None or one.parallel is not None:
        choice: dict[str, object] = {"type": _CHOICES[one.tool_choice or "auto"]}
        if one.parallel is not None:
            choice["disable_parallel_tool_use"] = not one.parallel
        asked["tool_choice"] = choice
    return asked


def first_of(one: Turn) -> int:
    """The slot of the first call."""
    return 1 if one.texts else 0


def opening_of(one: Turn, found: Sequence[Payload]) -> int:
    """Where the first call starts."""
    return next(at for at, payload in enumerate(found) if payload.get("index") == first_of(one))


def end_of(found: Sequence[Payload]) -> int:
    """Where the stop reason stands."""
    return next(at for at, payload in enumerate(found) if payload["type"] == "message_delta")


# -- the faults


def _renamed(one: Turn) -> list[Payload]:
    """The first call is started again as another."""
    found = tell(one)
    at = opening_of(one, found)
    block = {"type": "tool_use", "id": word(one.chance), "name": one.calls[0].name, "input": {}}
    return [*found[: at + 1], start(first_of(one), block), *found[at + 1 :]]


def _started_twice(one: Turn) -> list[Payload]:
    found = tell(one)
    at = opening_of(one, found)
    return [*found[: at + 1], found[at], *found[at + 1 :]]


def _same_id(one: Turn) -> list[Payload]:
    first = one.calls[0]
    one.calls.append(Call(first.name, first.value, first.text, list(first.pieces), call_id=first.call_id))
    return tell(one)


def _without_slot(one: Turn) -> list[Payload]:
    found = tell(one)
    at = end_of(found)
    stray = event("content_block_delta", delta={"type": "input_json_delta", "partial_json": prose(one.chance)})
    return [*found[:at], stray, *found[at:]]


def _without(member: str) -> Fault:
    def apply(one: Turn) -> list[Payload]:
        found = tell(one)
        found[opening_of(one, found)]["content_block"][member] = one.chance.choice(("", None))
        return found

    return apply


def _cut_off(one: Turn) -> list[Payload]:
    found = tell(one)
    one.ending = one.chance.choice((Ending.UPSTREAM, Ending.CLIENT, Ending.PROXY, Ending.CLOSE))
    return found[: one.chance.randrange(opening_of(one, found) + 1, end_of(found))]


def _other_reason(one: Turn) -> list[Payload]:
    found = tell(one)
    reasons = ("end_turn", "max_tokens", "refusal", word(one.chance))
    found[end_of(found)]["delta"]["stop_reason"] = one.chance.choice(reasons)
    return found


def _ended_twice(one: Turn) -> list[Payload]:
    found = tell(one)
    return [*found[: end_of(found) + 1], found[end_of(found)], *found[end_of(found) + 1 :]]


def _after_the_end(one: Turn) -> list[Payload]:
    found = tell(one)
    at = end_of(found)
    return [*found[: at + 1], partial(first_of(one), prose(one.chance)), *found[at + 1 :]]


def _no_call(one: Turn) -> list[Payload]:
    blocks = {"content_block_start", "content_block_delta", "content_block_stop"}
    first = first_of(one)
    return [payload for payload in tell(one) if payload["type"] not in blocks or payload["index"] < first]


def _orphan(one: Turn) -> list[Payload]:
    found = tell(one)
    at = end_of(found)
    return [*found[:at], partial(90 + one.chance.randrange(9), prose(one.chance)), *found[at:]]


def _malformed(one: Turn) -> list[Payload]:
    found, chance = tell(one), one.chance
    negative = event("content_block_delta", index=-1, delta={"type": "input_json_delta", "partial_json": "x"})
    wrong: list[Payload] = [*strange(chance), negative, partial(0, 7), {"type": chance.randrange(9)}]
    at = chance.randrange(len(found))
    return [*found[:at], chance.choice(wrong), *found[at:]]


def _unsupported(one: Turn) -> list[Payload]:
    found, chance = tell(one), one.chance
    unknown = [event(f"{word(chance)}_event", text=prose(chance)), start(80, {"type": word(chance)})]
    at = end_of(found)
    return [*found[:at], chance.choice(unknown), *found[at:]]


def _error(one: Turn) -> list[Payload]:
    found, chance = tell(one), one.chance
    error = {"type": chance.choice(("overloaded_error", word(chance))), "message": f"bad key sk-{word(chance, 20)}"}
    at = chance.randrange(len(found))
    return [*found[:at], {"type": "error", "error": error}, *found[at:]]


def _second_turn(one: Turn) -> list[Payload]:
    found = tell(one)
    at = end_of(found)
    return [*found[:at], found[0], *found[at:]]


FAULTS: Final[Mapping[str, Fault]] = {
    **told(CHANGES, tell),
    "identity_collision": _renamed,
    "duplicate_start": _started_twice,
    "duplicate_id": _same_id,
    "missing_slot": _without_slot,
    "missing_id": _without("id"),
    "missing_name": _without("name"),
    "missing_terminal": _cut_off,
    "wrong_terminal": _other_reason,
    "duplicate_terminal": _ended_twice,
    "delta_after_terminal": _after_the_end,
    "terminal_without_call": _no_call,
    "orphan_event": _orphan,
    "malformed_event": _malformed,
    "unsupported_event": _unsupported,
    "stream_error": _error,
    "turn_collision": _second_turn,
}
ANTHROPIC: Final = Wire(tell=tell, request=request, faults=FAULTS, done=False)

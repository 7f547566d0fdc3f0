"""Turns of Anthropic's messages: content blocks one by one; and what goes wrong with them."""

from collections.abc import Mapping
from typing import Final

from support.streamed.changes import CHANGES, DUPLICATE, told
from support.streamed.family import Fault, Telling, Wire, failed
from support.streamed.pieces import Payload, Turn, prose, strange, word


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


def first_of(one: Turn) -> int:
    """The slot of the first call."""
    return 1 if one.texts else 0


def _opening(one: Turn, found: list[Payload]) -> int:
    """Where the first call starts."""
    return next(at for at, payload in enumerate(found) if payload.get("index") == first_of(one))


def _end(_: Turn, found: list[Payload]) -> int:
    """Where the stop reason stands."""
    return next(at for at, payload in enumerate(found) if payload["type"] == "message_delta")


# -- the faults


def _renamed(one: Turn, found: list[Payload]) -> None:
    """The first call is started again as another."""
    block = {"type": "tool_use", "id": word(one.chance), "name": one.calls[0].name, "input": {}}
    found.insert(_opening(one, found) + 1, start(first_of(one), block))


def _without(member: str) -> Fault:
    def change(one: Turn, found: list[Payload]) -> None:
        found[_opening(one, found)]["content_block"][member] = one.chance.choice(("", None))

    return TELLING.changed(change)


def _other_reason(one: Turn, found: list[Payload]) -> None:
    reasons = ("end_turn", "max_tokens", "refusal", word(one.chance))
    found[_end(one, found)]["delta"]["stop_reason"] = one.chance.choice(reasons)


def _no_call(one: Turn, found: list[Payload]) -> None:
    found[:] = [
        payload
        for payload in found
        if not payload["type"].startswith("content_block_") or payload["index"] < first_of(one)
    ]


def _malformed(one: Turn) -> list[Payload]:
    negative = event("content_block_delta", index=-1, delta={"type": "input_json_delta", "partial_json": "x"})
    return [*strange(one.chance), negative, partial(0, 7), {"type": one.chance.randrange(9)}]


def _unsupported(one: Turn) -> list[Payload]:
    chance = one.chance
    return [event(f"{word(chance)}_event", text=prose(chance)), start(80, {"type": word(chance)})]


def _stray(one: Turn) -> list[Payload]:
    return [event("content_block_delta", delta={"type": "input_json_delta", "partial_json": prose(one.chance)})]


TELLING: Final = Telling(tell=tell, opening=_opening, end=_end)
FAULTS: Final[Mapping[str, Fault]] = {
    **told({**CHANGES, **DUPLICATE}, tell),
    "identity_collision": TELLING.changed(_renamed),
    "duplicate_start": TELLING.twice(_opening),
    "missing_slot": TELLING.before_end(_stray),
    "missing_id": _without("id"),
    "missing_name": _without("name"),
    "missing_terminal": TELLING.cut_off,
    "wrong_terminal": TELLING.changed(_other_reason),
    "duplicate_terminal": TELLING.twice(_end),
    "delta_after_terminal": TELLING.behind_end(lambda one: [partial(first_of(one), prose(one.chance))]),
    "terminal_without_call": TELLING.changed(_no_call),
    "orphan_event": TELLING.before_end(lambda one: [partial(90 + one.chance.randrange(9), prose(one.chance))]),
    "malformed_event": TELLING.anywhere(_malformed),
    "unsupported_event": TELLING.before_end(_unsupported),
    "stream_error": TELLING.anywhere(lambda one: [{"type": "error", "error": failed(one.chance)}]),
    "turn_collision": TELLING.changed(lambda one, found: found.insert(_end(one, found), found[0])),
}
ANTHROPIC: Final = Wire(model="claude-sonnet-4-20250514", tell=tell, faults=FAULTS)

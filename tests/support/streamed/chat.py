"""Turns of chat completions, as OpenAI and Mistral stream them: chunks with choices; and what goes wrong with them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from support.builders import asking
from support.streamed.changes import CHANGES, DUPLICATE, EMPTY, told
from support.streamed.family import Family, Fault, Telling, failed
from support.streamed.pieces import Payload, Turn, prose, strange, word


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


def _entries(payload: Payload) -> list[Payload]:
    return [entry for choice in payload["choices"] for entry in choice["delta"].get("tool_calls", ())]


def _opening(_: Turn, found: list[Payload]) -> int:
    """Where the first call starts."""
    return next(at for at, payload in enumerate(found) if _entries(payload))


def _end(_: Turn, found: list[Payload]) -> int:
    """Where the finish reason stands."""
    return next(at for at, one in enumerate(found) if one["choices"] and one["choices"][0]["finish_reason"])


# -- the faults


def _renamed(one: Turn) -> list[Payload]:
    """The first call says another id or name later on."""
    chance = one.chance
    members: dict[str, object] = chance.choice(({"id": word(chance)}, {"function": {"name": word(chance)}}))
    return [chunk(one, entry(0, **members))]


def _malformed(one: Turn) -> list[Payload]:
    found = strange(one.chance)
    return found + [chunk(one, delta) for delta in ({"tool_calls": prose(one.chance)}, entry(-1), entry(0, id=7))]


def _unsupported(one: Turn) -> list[Payload]:
    chance = one.chance
    legacy = {"name": word(chance), "arguments": prose(chance)}
    return [chunk(one, {"function_call": legacy}), {"id": word(chance), word(chance): prose(chance)}]


def _other_reason(one: Turn, found: list[Payload]) -> None:
    reasons = ("stop", "length", word(one.chance))
    found[_end(one, found)]["choices"][0]["finish_reason"] = one.chance.choice(reasons)


def _opener(one: Turn, found: list[Payload]) -> Payload:
    """The entry that opens the first call."""
    return _entries(found[_opening(one, found)])[0]


def _no_call(_: Turn, found: list[Payload]) -> None:
    found[:] = [payload for payload in found if not _entries(payload)]


TELLING: Final = Telling(tell=tell, opening=_opening, end=_end)
FAULTS: Final[Mapping[str, Fault]] = {
    **told({**CHANGES, **EMPTY, **DUPLICATE}, tell),
    "identity_collision": TELLING.before_end(_renamed),
    "missing_slot": TELLING.before_end(
        lambda one: [chunk(one, {"tool_calls": [{"function": {"arguments": prose(one.chance)}}]})]
    ),
    "missing_id": TELLING.changed(lambda one, found: _opener(one, found).pop("id")),
    "missing_name": TELLING.changed(lambda one, found: _opener(one, found)["function"].pop("name")),
    "missing_terminal": TELLING.cut_off,
    "wrong_terminal": TELLING.changed(_other_reason),
    "duplicate_terminal": TELLING.twice(_end),
    "delta_after_terminal": TELLING.behind_end(lambda one: [fragment(one, 0, prose(one.chance))]),
    "terminal_without_call": TELLING.changed(_no_call),
    "malformed_event": TELLING.anywhere(_malformed),
    "unsupported_event": TELLING.before_end(_unsupported),
    "stream_error": TELLING.anywhere(lambda one: [{"error": failed(one.chance)}]),
    "turn_collision": TELLING.before_end(lambda one: [{**fragment(one, 0, ""), "id": word(one.chance)}]),
}
OPENAI: Final = Family(
    api="openai.chat",
    url="https://api.openai.com/v1/chat/completions",
    sample="chat",
    ask=asking.chat,
    model="gpt-4o",
    tell=tell,
    faults=FAULTS,
    done=True,
)
MISTRAL: Final = replace(OPENAI, api="mistral.chat", url="https://api.mistral.ai/v1/chat/completions", id_size=9)

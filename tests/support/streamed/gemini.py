"""Turns of Gemini: calls that come whole, as objects, or in pieces by path; and what goes wrong with them."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from support.builders import asking
from support.streamed.changes import CHANGES, FORBIDDEN, told
from support.streamed.family import Family, Fault, Telling, as_printed, failed
from support.streamed.pieces import Call, Chance, Payload, Turn, prose, strange, word

# Of the common changes, those that an object can have.
_OF_OBJECTS: Final = ("limit_exceeded", "unknown_tool", "unsupported_schema", "schema_violation")


def chunk(*parts: object, reason: str | None = None, **members: Any) -> Payload:
    """One chunk of the first candidate; `members` are those of the chunk."""
    candidate: dict[str, Any] = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    if reason is not None:
        candidate["finishReason"] = reason
    return {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 7}, "modelVersion": "gemini", **members}


def call(**members: Any) -> Payload:
    """A part that is a call."""
    return {"functionCall": members}


def pieces(value: object, chance: Chance, path: str = "$") -> Iterator[Payload]:
    """The pieces of an object, in order."""
    if isinstance(value, dict):
        if not value and path != "$":
            yield {"jsonPath": path}
        for name, inner in value.items():
            plain = name.isidentifier() and chance.random() < 0.7
            yield from pieces(inner, chance, path + (f".{name}" if plain else f"[{json.dumps(name)}]"))
    elif isinstance(value, list):
        if not value:
            yield {"jsonPath": path + "[]"}
        for at, inner in enumerate(value):
            yield from pieces(inner, chance, f"{path}[{at}]")
    elif isinstance(value, str):
        at = chance.randrange(len(value) + 1)
        texts = [value] if chance.random() < 0.3 else [value[:at], value[at:]]
        yield from ({"jsonPath": path, "stringValue": text, "willContinue": True} for text in texts[:-1])
        yield {"jsonPath": path, "stringValue": texts[-1]}
    elif isinstance(value, bool):
        yield {"jsonPath": path, "boolValue": value}
    elif value is None:
        yield {"jsonPath": path, "nullValue": chance.choice((None, "NULL_VALUE"))}
    else:
        yield {"jsonPath": path, "numberValue": value}


def told_call(made: Call, chance: Chance) -> Iterator[Payload]:
    """The parts of a call, each for a chunk of its own."""
    value = json.loads(made.text)
    members = {"id": made.call_id, "name": made.name} if chance.random() < 0.7 else {"name": made.name}
    if chance.random() < 0.5:
        yield {**call(**members, args=value), "thoughtSignature": prose(chance)}
        return
    yield call(**members, willContinue=True)
    waiting = list(pieces(value, chance))
    while waiting:
        size = chance.randrange(1, 4)
        yield call(partialArgs=waiting[:size], willContinue=True)
        del waiting[:size]
    yield call()


def tell(one: Turn) -> list[Payload]:
    """The turn on the wire."""
    chance, answer = one.chance, {"responseId": one.calls[0].call_id}
    found = [chunk({"text": text, "thought": chance.random() < 0.3}, **answer) for text in one.texts]
    for made in one.calls:
        found += [chunk(part, **answer) for part in told_call(made, chance)]
    return [*found, chunk({"text": ""}, reason="STOP", **answer)]


def _parts(payload: Payload) -> list[Payload]:
    return [part for one in payload["candidates"] for part in one["content"]["parts"]]


def _opening(_: Turn, found: list[Payload]) -> int:
    """Where the first call starts."""
    return next(at for at, payload in enumerate(found) if any("functionCall" in part for part in _parts(payload)))


def _end(_: Turn, found: list[Payload]) -> int:
    return next(at for at, payload in enumerate(found) if "finishReason" in payload["candidates"][0])


# -- the faults


def _no_call(one: Turn, found: list[Payload]) -> None:
    found[:] = [payload for payload in found if not any("functionCall" in part for part in _parts(payload))]
    found[-1]["candidates"][0]["finishReason"] = one.chance.choice(("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"))


def _other_reason(one: Turn, found: list[Payload]) -> None:
    reason = one.chance.choice(("MAX_TOKENS", "SAFETY", word(one.chance), 7))
    found[_end(one, found)]["candidates"][0]["finishReason"] = reason


def _same_id(one: Turn) -> list[Payload]:
    id_ = word(one.chance)
    calls = [chunk(call(id=id_, name=one.calls[0].name, args=json.loads(one.calls[0].text))) for _ in range(2)]
    return [*calls, chunk(reason="STOP")]


def _renamed(one: Turn) -> list[Payload]:
    """A call that goes on under another id."""
    chance = one.chance
    first = call(id=word(chance), name=one.calls[0].name, willContinue=True)
    return [chunk(first), chunk(call(id=word(chance), args=json.loads(one.calls[0].text))), chunk(reason="STOP")]


def _misplaced(one: Turn) -> list[Payload]:
    """Pieces of which one does not fit."""
    chance = one.chance
    value = list(pieces(json.loads(one.calls[0].text), chance))
    odd = [{"jsonPath": f"$.{word(chance)}[{chance.randrange(1, 9)}]", "stringValue": prose(chance)}]
    odd += [{"jsonPath": f"$.{word(chance)}", "stringValue": prose(chance), "willContinue": True}]
    parts = call(name=one.calls[0].name, partialArgs=[*value, chance.choice(odd)])
    return [chunk(parts), chunk(reason="STOP")]


def _malformed(one: Turn) -> list[Payload]:
    chance = one.chance
    path = chance.choice((word(chance), f"$.{word(chance)}..x", "$", f"$.{word(chance)}[]"))
    piece = {"jsonPath": path, "stringValue": prose(chance)}
    return [*strange(chance), chunk(call(name="x", args=prose(chance))), chunk(call(partialArgs=[piece])), chunk(7)]


def _unsupported(one: Turn) -> list[Payload]:
    chance = one.chance
    return [{word(chance): prose(chance)}, chunk({chance.choice(("computerCall", "xCALL")): {"a": prose(chance)}})]


TELLING: Final = Telling(tell=tell, opening=_opening, end=_end)
FAULTS: Final[Mapping[str, Fault]] = {
    **told({**{code: CHANGES[code] for code in _OF_OBJECTS}, **FORBIDDEN}, tell),
    "duplicate_id": _same_id,
    "identity_collision": _renamed,
    "malformed_arguments": _misplaced,
    "missing_terminal": lambda one: [
        payload for payload in tell(one) if "finishReason" not in payload["candidates"][0]
    ],
    "wrong_terminal": TELLING.changed(_other_reason),
    "duplicate_terminal": TELLING.twice(_end),
    "delta_after_terminal": TELLING.behind_end(lambda one: [chunk(call(name="f", args={word(one.chance): 1}))]),
    "terminal_without_call": TELLING.changed(_no_call),
    "orphan_event": TELLING.changed(lambda one, found: found.insert(0, chunk(call(args={"a": prose(one.chance)})))),
    "malformed_event": TELLING.anywhere(_malformed),
    "unsupported_event": TELLING.before_end(_unsupported),
    "stream_error": TELLING.anywhere(lambda one: [{"error": {"code": 503, **failed(one.chance)}}]),
    "turn_collision": TELLING.before_end(
        lambda one: [chunk(call(name="f", args={"a": prose(one.chance)}), responseId=word(one.chance))]
    ),
}
GEMINI: Final = Family(
    api="gemini.stream",
    url="https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    sample="gemini",
    ask=asking.gemini,
    model="gemini-2.5-flash",
    tell=tell,
    faults=FAULTS,
    id_size=12,
    reported=as_printed,
)

"""Turns of ConverseStream of Amazon Bedrock: content blocks one by one; and what goes wrong with them."""

from collections.abc import Mapping
from typing import Any, Final

from support.builders import asking
from support.streamed.changes import CHANGES, DUPLICATE, told
from support.streamed.family import Family, Fault, Telling
from support.streamed.pieces import Payload, Turn, prose, strange, word

MODEL: Final = "anthropic.claude-sonnet-4-20250514-v1:0"
BEGIN: Final[Payload] = {"messageStart": {"role": "assistant"}}


def begin(index: object, **members: Any) -> Payload:
    """The start of a block that says this of it."""
    return {"contentBlockStart": {"contentBlockIndex": index, "start": members}}


def start(index: object, **members: Any) -> Payload:
    """The start of a call of the tool `f`, where nothing else is given."""
    return begin(index, toolUse={"toolUseId": f"tooluse_{index}", "name": "f", **members})


def delta(index: object, **members: Any) -> Payload:
    return {"contentBlockDelta": {"contentBlockIndex": index, "delta": members}}


def grow(index: object, text: object = "{}") -> Payload:
    """One fragment of a tool's input."""
    return delta(index, toolUse={"input": text})


def stop(index: object) -> Payload:
    return {"contentBlockStop": {"contentBlockIndex": index}}


def end(reason: object = "tool_use", **members: Any) -> Payload:
    """The end of a message for this reason; `members` stand beside it."""
    return {"messageStop": {"stopReason": reason, **members}}


def first_of(one: Turn) -> int:
    """The slot of the first call."""
    return 1 if one.texts else 0


def tell(one: Turn) -> list[Payload]:
    """The turn on the wire."""
    chance = one.chance
    found = [BEGIN, *(delta(0, text=text) for text in one.texts)]
    found += [stop(0)] if one.texts else []
    for number, call in enumerate(one.calls, first_of(one)):
        found.append(start(number, toolUseId="tooluse_" + call.call_id, name=call.name))
        found += [grow(number, text) for text in call.pieces]
        found.append(stop(number))
    for payload in found[1:]:
        next(iter(payload.values()))["p"] = "abcdefghijklmnopqrstuvwxyz"[: chance.randrange(27)]
    usage = {"inputTokens": chance.randrange(999), "outputTokens": chance.randrange(999)}
    return [*found, end(), {"metadata": {"usage": usage, "metrics": {"latencyMs": chance.randrange(999)}}}]


def _opening(_: Turn, found: list[Payload]) -> int:
    """Where the first call starts."""
    return next(at for at, payload in enumerate(found) if "contentBlockStart" in payload)


def _end(_: Turn, found: list[Payload]) -> int:
    return next(at for at, payload in enumerate(found) if "messageStop" in payload)


# -- the faults


def _opened(one: Turn, found: list[Payload]) -> dict[str, Any]:
    """What the start of the first call says of it."""
    said: dict[str, Any] = found[_opening(one, found)]["contentBlockStart"]["start"]["toolUse"]
    return said


def _renamed(one: Turn, found: list[Payload]) -> None:
    """The first call is started again as another."""
    again = start(first_of(one), toolUseId=word(one.chance), name=one.calls[0].name)
    found.insert(_opening(one, found) + 1, again)


def _without_id(one: Turn, found: list[Payload]) -> None:
    _opened(one, found)["toolUseId"] = one.chance.choice(("", None))


def _without_name(one: Turn, found: list[Payload]) -> None:
    _opened(one, found)["name"] = one.chance.choice(("", None))


def _other_reason(one: Turn, found: list[Payload]) -> None:
    reasons = ("end_turn", "max_tokens", "malformed_tool_use", "tool_calls", word(one.chance))
    found[_end(one, found)]["messageStop"]["stopReason"] = one.chance.choice(reasons)


def _no_call(one: Turn, found: list[Payload]) -> None:
    def of_text(payload: Payload) -> bool:
        return next(iter(payload.values())).get("contentBlockIndex", -1) < first_of(one)

    found[:] = [payload for payload in found if of_text(payload)]


def _malformed(one: Turn) -> list[Payload]:
    chance = one.chance
    two = {**BEGIN, "metadata": {"usage": word(chance)}}
    return [*strange(chance), grow(-1, "x"), grow(0, 7), {word(chance): prose(chance)}, two, {"type": word(chance)}]


def _unsupported(one: Turn) -> list[Payload]:
    chance = one.chance
    odd = [begin(80, **{word(chance): prose(chance)}), start(81, type=word(chance))]
    return [{word(chance): {"text": prose(chance)}}, *odd]


def _stray(one: Turn) -> list[Payload]:
    found = grow(None, prose(one.chance))
    del found["contentBlockDelta"]["contentBlockIndex"]
    return [found]


def _failed(one: Turn) -> list[Payload]:
    chance = one.chance
    kind = chance.choice(("throttlingException", "modelStreamErrorException", word(chance) + "Exception"))
    message = f"account {chance.randrange(10**12)} {prose(chance)}"
    return [{kind: {"message": message, "originalMessage": message}}, {"error": {"type": kind, "message": message}}]


TELLING: Final = Telling(tell=tell, opening=_opening, end=_end)
# Of the common changes, those that a request of this family can bring about: no word of it forbids a call.
_ASKED: Final = {code: change for code, change in CHANGES.items() if code != "unrequested_call"}
FAULTS: Final[Mapping[str, Fault]] = {
    **told({**_ASKED, **DUPLICATE}, tell),
    "identity_collision": TELLING.changed(_renamed),
    "duplicate_start": TELLING.twice(_opening),
    "missing_slot": TELLING.before_end(_stray),
    "missing_id": TELLING.changed(_without_id),
    "missing_name": TELLING.changed(_without_name),
    "missing_terminal": TELLING.cut_off,
    "wrong_terminal": TELLING.changed(_other_reason),
    "duplicate_terminal": TELLING.twice(_end),
    "delta_after_terminal": TELLING.behind_end(lambda one: [grow(first_of(one), prose(one.chance))]),
    "terminal_without_call": TELLING.changed(_no_call),
    "orphan_event": TELLING.before_end(lambda one: [grow(90 + one.chance.randrange(9), prose(one.chance))]),
    "malformed_event": TELLING.anywhere(_malformed),
    "unsupported_event": TELLING.before_end(_unsupported),
    "stream_error": TELLING.anywhere(_failed),
    "turn_collision": TELLING.changed(lambda one, found: found.insert(_end(one, found), found[0])),
}
BEDROCK: Final = Family(
    api="bedrock.converse_stream",
    url=f"https://bedrock-runtime.us-east-1.amazonaws.com/model/{MODEL}/converse-stream",
    sample="converse",
    ask=asking.converse,
    model=MODEL,
    tell=tell,
    faults=FAULTS,
)

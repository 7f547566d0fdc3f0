"""Turns of the second version of Cohere's chat: a plan, then calls one by one; and what goes wrong with them."""

from collections.abc import Mapping
from typing import Any, Final

from support.builders import asking
from support.streamed.changes import CHANGES, DUPLICATE, FORBIDDEN, told
from support.streamed.family import Family, Fault, Telling, failed
from support.streamed.pieces import Payload, Turn, prose, strange, word


def begin(**members: Any) -> Payload:
    """The start of a message; `members` stand in the message."""
    message = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": [], **members}
    return {"type": "message-start", "delta": {"message": message}}


def call(kind: str, index: object, **members: Any) -> Payload:
    """An event of a call; `members` are those of its function, and `id` and `type` its own."""
    own = {name: members.pop(name) for name in ("id", "type") if name in members}
    return {"type": kind, "index": index, "delta": {"message": {"tool_calls": {**own, "function": members}}}}


def start(index: object, **members: Any) -> Payload:
    """The start of a call of the tool `f`, where nothing else is given."""
    return call("tool-call-start", index, **{"id": f"f_{index}", "type": "function", "name": "f", **members})


def grow(index: object, text: object = "{}") -> Payload:
    """One fragment of a call's arguments."""
    return call("tool-call-delta", index, arguments=text)


def stop(index: object) -> Payload:
    return {"type": "tool-call-end", "index": index}


def end(reason: object = "TOOL_CALL", **members: Any) -> Payload:
    """The end of a message for this reason; `members` stand beside it."""
    return {"type": "message-end", "delta": {"finish_reason": reason, **members}}


def tell(one: Turn) -> list[Payload]:
    """The turn on the wire."""
    chance = one.chance
    found = [{"id": f"{one.calls[0].call_id}-0000", **begin()}]
    found += [{"type": "tool-plan-delta", "delta": {"message": {"tool_plan": text}}} for text in one.texts]
    for number, made in enumerate(one.calls):
        first, pieces = ("", made.pieces) if chance.random() < 0.7 else (made.pieces[0], made.pieces[1:])
        found.append(start(number, id=f"{made.name}_{made.call_id}", name=made.name, arguments=first))
        found += [grow(number, text) for text in pieces]
        found.append(stop(number))
    usage = {"tokens": {"input_tokens": chance.randrange(999), "output_tokens": chance.randrange(999)}}
    return [*found, end(usage=usage)]


def _opening(_: Turn, found: list[Payload]) -> int:
    """Where the first call starts."""
    return next(at for at, payload in enumerate(found) if payload["type"] == "tool-call-start")


def _end(_: Turn, found: list[Payload]) -> int:
    return next(at for at, payload in enumerate(found) if payload["type"] == "message-end")


# -- the faults


def _opened(one: Turn, found: list[Payload]) -> dict[str, Any]:
    """What the start of the first call says of it."""
    said: dict[str, Any] = found[_opening(one, found)]["delta"]["message"]["tool_calls"]
    return said


def _renamed(one: Turn, found: list[Payload]) -> None:
    """The first call is named otherwise, or started again as another."""
    another = call("tool-call-delta", 0, id=word(one.chance), arguments="")
    again = start(0, id=word(one.chance), name=one.calls[0].name)
    found.insert(_opening(one, found) + 1, one.chance.choice((another, again)))


def _without_id(one: Turn, found: list[Payload]) -> None:
    _opened(one, found)["id"] = one.chance.choice(("", None))


def _without_name(one: Turn, found: list[Payload]) -> None:
    _opened(one, found)["function"]["name"] = one.chance.choice(("", None))


def _other_reason(one: Turn, found: list[Payload]) -> None:
    reasons = ("COMPLETE", "MAX_TOKENS", "TOOL_CALLS", word(one.chance))
    found[_end(one, found)]["delta"]["finish_reason"] = one.chance.choice(reasons)


def _no_call(_: Turn, found: list[Payload]) -> None:
    found[:] = [payload for payload in found if not payload["type"].startswith("tool-call-")]


def _malformed(one: Turn) -> list[Payload]:
    return [*strange(one.chance), grow(-1, "x"), grow(0, 7), {"type": one.chance.randrange(9)}]


def _unsupported(one: Turn) -> list[Payload]:
    chance = one.chance
    return [{"type": f"{word(chance)}-event", "text": prose(chance)}, start(80, type=word(chance))]


def _stray(one: Turn) -> list[Payload]:
    found = grow(None, prose(one.chance))
    del found["index"]
    return [found]


def _failed(one: Turn) -> list[Payload]:
    return [{"type": "error", "error": failed(one.chance)}, end("ERROR", error=prose(one.chance))]


TELLING: Final = Telling(tell=tell, opening=_opening, end=_end)
FAULTS: Final[Mapping[str, Fault]] = {
    **told({**CHANGES, **FORBIDDEN, **DUPLICATE}, tell),
    "identity_collision": TELLING.changed(_renamed),
    "duplicate_start": TELLING.twice(_opening),
    "missing_slot": TELLING.before_end(_stray),
    "missing_id": TELLING.changed(_without_id),
    "missing_name": TELLING.changed(_without_name),
    "missing_terminal": TELLING.cut_off,
    "wrong_terminal": TELLING.changed(_other_reason),
    "duplicate_terminal": TELLING.twice(_end),
    "delta_after_terminal": TELLING.behind_end(lambda one: [grow(0, prose(one.chance))]),
    "terminal_without_call": TELLING.changed(_no_call),
    "orphan_event": TELLING.before_end(lambda one: [grow(90 + one.chance.randrange(9), prose(one.chance))]),
    "malformed_event": TELLING.anywhere(_malformed),
    "unsupported_event": TELLING.before_end(_unsupported),
    "stream_error": TELLING.anywhere(_failed),
    "turn_collision": TELLING.changed(lambda one, found: found.insert(_end(one, found), found[0])),
}
COHERE: Final = Family(
    api="cohere.v2",
    url="https://api.cohere.com/v2/chat",
    sample="cohere",
    ask=asking.cohere,
    model="command-a-03-2025",
    tell=tell,
    faults=FAULTS,
    done=True,
    id_size=12,
)

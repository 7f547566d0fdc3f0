"""Turns of Ollama: lines with whole calls; and what goes wrong with them."""

import json
from collections.abc import Mapping
from typing import Any, Final

from support.builders import asking
from support.streamed.changes import CHANGES, told
from support.streamed.family import Family, Fault, Telling, as_printed
from support.streamed.pieces import Payload, Turn, prose, strange, word

# Of the common changes, those that an object can have.
_OF_OBJECTS: Final = ("limit_exceeded", "unknown_tool", "unsupported_schema", "schema_violation")


def line(*calls: object, done: bool = False, **members: Any) -> Payload:
    """One line; `members` are those of its message, and `done_reason` its own."""
    reason = members.pop("done_reason", None)
    message = {"role": "assistant", "content": "", **members}
    if calls:
        message["tool_calls"] = list(calls)
    found = {"model": "llama3", "created_at": "2026-11-30T20:00:00Z", "message": message, "done": done}
    return found if reason is None else {**found, "done_reason": reason, "eval_count": 12}


def call(name: object = "f", arguments: object = None, **members: Any) -> Payload:
    """One whole call."""
    return {**members, "function": {"index": 0, "name": name, "arguments": arguments}}


def end(reason: str = "stop") -> Payload:
    return line(done=True, done_reason=reason)


def tell(one: Turn) -> list[Payload]:
    """The turn on the wire."""
    chance = one.chance
    found = [line(content=text, thinking=prose(chance)) for text in one.texts]
    entries = [
        call(made.name, json.loads(made.text), **({"id": made.call_id} if chance.random() < 0.7 else {}))
        for made in one.calls
    ]
    found += [line(*entries)] if chance.random() < 0.4 else [line(entry) for entry in entries]
    return [*found, end()]


def _opening(_: Turn, found: list[Payload]) -> int:
    """Where the first call is."""
    return next(at for at, payload in enumerate(found) if "tool_calls" in payload["message"])


def _end(_: Turn, found: list[Payload]) -> int:
    return next(at for at, payload in enumerate(found) if payload["done"])


# -- the faults


def _same_id(one: Turn) -> list[Payload]:
    made = one.calls[0]
    entry = call(made.name, json.loads(made.text), id=word(one.chance))
    return [line(entry), line(entry), end()]


def _nameless(one: Turn, found: list[Payload]) -> None:
    found[_opening(one, found)]["message"]["tool_calls"][0]["function"]["name"] = one.chance.choice(("", None))


def _without_arguments(one: Turn, found: list[Payload]) -> None:
    found[_opening(one, found)]["message"]["tool_calls"][0]["function"]["arguments"] = None


def _other_reason(one: Turn, found: list[Payload]) -> None:
    found[_end(one, found)]["done_reason"] = one.chance.choice(("length", word(one.chance), None))


def _malformed(one: Turn) -> list[Payload]:
    chance = one.chance
    return [*strange(chance), line(call("f", prose(chance))), line(7), {"message": prose(chance)}]


def _unsupported(one: Turn) -> list[Payload]:
    chance = one.chance
    return [{word(chance): prose(chance), "done": False}, line(call("f", {"a": prose(chance)}, type=word(chance)))]


TELLING: Final = Telling(tell=tell, opening=_opening, end=_end)
FAULTS: Final[Mapping[str, Fault]] = {
    **told({code: CHANGES[code] for code in _OF_OBJECTS}, tell),
    "duplicate_id": _same_id,
    "missing_name": TELLING.changed(_nameless),
    "empty_arguments": TELLING.changed(_without_arguments),
    "missing_terminal": lambda one: [payload for payload in tell(one) if not payload["done"]],
    "wrong_terminal": TELLING.changed(_other_reason),
    "duplicate_terminal": TELLING.twice(_end),
    "delta_after_terminal": TELLING.behind_end(lambda one: [line(call("f", {word(one.chance): 1}))]),
    "malformed_event": TELLING.anywhere(_malformed),
    "unsupported_event": TELLING.before_end(_unsupported),
    "stream_error": TELLING.anywhere(lambda one: [{"error": f"an error with {prose(one.chance)}"}]),
}
OLLAMA: Final = Family(
    api="ollama.chat",
    url="http://127.0.0.1:11434/api/chat",
    sample="ollama",
    ask=asking.ollama,
    model="llama3",
    tell=tell,
    faults=FAULTS,
    id_size=12,
    reported=as_printed,
)

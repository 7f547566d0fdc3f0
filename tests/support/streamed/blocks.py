"""Turns of Anthropic's messages: content blocks one by one; and what goes wrong with them."""

from collections.abc import Mapping
from typing import Final

from support.builders import asking
from support.builders.blocks import STOP, begin, block, delta, grow, reason, stop
from support.streamed.changes import CHANGES, DUPLICATE, told
from support.streamed.family import Family, Fault, Telling, failed
from support.streamed.pieces import Payload, Turn, prose, strange, word

MODEL: Final = "claude-sonnet-4-20250514"


def tell(one: Turn) -> list[Payload]:
    """The turn on the wire."""
    message = {"id": "msg_" + one.calls[0].call_id, "type": "message", "role": "assistant"}
    usage = {"input_tokens": one.chance.randrange(999)}
    found = [begin(**message, model=MODEL, usage=usage)]
    if one.texts:
        found += [block(0, "text", text="")]
        found += [delta(0, "text_delta", text=text) for text in one.texts]
        found += [stop(0)]
    for number, call in enumerate(one.calls, first_of(one)):
        found.append(block(number, "tool_use", id="toolu_" + call.call_id, name=call.name, input={}))
        found += [grow(number, text) for text in call.pieces]
        found.append(stop(number))
    end = reason(usage={"output_tokens": one.chance.randrange(999)})
    end["delta"]["stop_sequence"] = None
    return [*found, end, STOP]


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
    again = block(first_of(one), "tool_use", id=word(one.chance), name=one.calls[0].name, input={})
    found.insert(_opening(one, found) + 1, again)


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
    return [*strange(one.chance), grow(-1, "x"), grow(0, 7), {"type": one.chance.randrange(9)}]


def _unsupported(one: Turn) -> list[Payload]:
    chance = one.chance
    return [{"type": f"{word(chance)}_event", "text": prose(chance)}, block(80, word(chance))]


def _stray(one: Turn) -> list[Payload]:
    found = grow(None, prose(one.chance))
    del found["index"]
    return [found]


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
    "delta_after_terminal": TELLING.behind_end(lambda one: [grow(first_of(one), prose(one.chance))]),
    "terminal_without_call": TELLING.changed(_no_call),
    "orphan_event": TELLING.before_end(lambda one: [grow(90 + one.chance.randrange(9), prose(one.chance))]),
    "malformed_event": TELLING.anywhere(_malformed),
    "unsupported_event": TELLING.before_end(_unsupported),
    "stream_error": TELLING.anywhere(lambda one: [{"type": "error", "error": failed(one.chance)}]),
    "turn_collision": TELLING.changed(lambda one, found: found.insert(_end(one, found), found[0])),
}
ANTHROPIC: Final = Family(
    api="anthropic.messages",
    url="https://api.anthropic.com/v1/messages",
    sample="blocks",
    ask=asking.messages,
    model=MODEL,
    tell=tell,
    faults=FAULTS,
)

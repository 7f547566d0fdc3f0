"""What goes wrong in turns of OpenAI's Responses API, and the row of its family.

Operators work on events without numbers; `sequence_number` is given at the end, so that a fault is alone in its turn.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from support.builders import asking
from support.builders.items import added, done
from support.streamed.changes import CHANGES, EMPTY, told
from support.streamed.family import CUT_ENDINGS, Family, Fault
from support.streamed.pieces import Call, Payload, Turn, prose, strange, word
from support.streamed.response_turns import (
    MODEL,
    dress,
    ended,
    event,
    fragment,
    id_of,
    item_of,
    kind_of,
    more,
    numbered,
    response,
    tell,
    told_items,
)


def _at(found: Sequence[Payload], kind: str, index: int | None = None) -> int:
    """Where the first event of this type, of that item, stands."""
    return next(
        at
        for at, one in enumerate(found)
        if one["type"] == f"response.{kind}" and (index is None or one.get("output_index") == index)
    )


def _put(found: list[Payload], at: int, *more: Payload) -> list[Payload]:
    return [*found[:at], *more, *found[at:]]


def _of_items(change: Callable[[Turn, list[Payload]], list[Payload]]) -> Fault:
    """An operator that changes the events before they get their numbers."""

    def apply(one: Turn) -> list[Payload]:
        return numbered(change(one, copy.deepcopy(told_items(one))), one.chance)

    return apply


def first_of(one: Turn) -> int:
    """The index of the first call."""
    return len(one.lead)


def _any(one: Turn) -> int:
    """The index of any call."""
    return first_of(one) + one.chance.randrange(len(one.calls))


def _renamed(one: Turn, found: list[Payload]) -> list[Payload]:
    """A call under another call id, name or item id later on, added again as another, or ended as another item."""
    index, chance = _any(one), one.chance
    call = one.calls[index - first_of(one)]
    begin, end = _at(found, "output_item.added", index), _at(found, "output_item.done", index)
    how = chance.choice(("call_id", "name", "id", "item_id", "added", "type"))
    if how == "item_id":
        return _put(found, begin + 1, {**fragment(one, index, ""), "item_id": word(chance)})
    if how == "added":
        other = {**item_of(one, index, call, "", "in_progress"), "call_id": word(chance)}
        return _put(found, chance.randrange(begin + 1, len(found)), added(index, other))
    if how == "type":
        found[end]["item"] = {"id": word(chance), "type": "message", "content": []}
    else:
        found[end]["item"][how] = word(chance)
    return found


def _started_twice(one: Turn, found: list[Payload]) -> list[Payload]:
    at = _at(found, "output_item.added", one.chance.randrange(first_of(one) + len(one.calls)))
    return _put(found, one.chance.randrange(at + 1, len(found)), found[at])


def _same_id(one: Turn) -> list[Payload]:
    """Two calls with one call id, or with one item id."""
    chance = one.chance
    first = one.calls[0]
    one.calls.append(Call(first.name, first.value, first.text, list(first.pieces), first.call_id, False, first.members))
    if chance.random() < 0.5:
        return numbered(told_items(one), chance)
    one.calls[-1].call_id = word(chance, 24)
    mine, other = first_of(one), first_of(one) + len(one.calls) - 1
    ids = {id_of("fc_", one, other): id_of("fc_", one, mine)}
    return numbered([_with_ids(payload, ids) for payload in told_items(one)], chance)


def _with_ids(value: Any, ids: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _with_ids(inner, ids) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_ids(inner, ids) for inner in value]
    return ids.get(value, value) if isinstance(value, str) else value


def _without_slot(one: Turn, found: list[Payload]) -> list[Payload]:
    """An event of a call without index, or with null."""
    index, chance = _any(one), one.chance
    kinds = ("output_item.added", "output_item.done")
    stray = {**found[_at(found, chance.choice(kinds), index)]}
    if chance.random() < 0.5:
        stray = chance.choice((fragment, ended))(one, index, prose(chance))
    stray["output_index"] = None
    if chance.random() < 0.5:
        del stray["output_index"]
    return _put(found, chance.randrange(1, len(found)), stray)


def _without(member: str) -> Fault:
    def change(one: Turn, found: list[Payload]) -> list[Payload]:
        index, none = _any(one), one.chance.choice(("", None))
        for kind in ("output_item.added", "output_item.done"):
            found[_at(found, kind, index)]["item"][member] = none
        if one.chance.random() < 0.5:
            found[-1]["response"]["output"] = []
        return found

    return _of_items(change)


def _cut_off(one: Turn, found: list[Payload]) -> list[Payload]:
    """A stream that breaks off, or that lacks its beginning, its end or the end of a call."""
    chance = one.chance
    first = _at(found, "output_item.added", first_of(one))
    how = chance.choice(("cut", "cut", "cut", "created", "completed", "item"))
    if how == "cut":
        one.ending = chance.choice(CUT_ENDINGS)
        return found[: chance.randrange(first + 1, len(found))]
    if how == "created":
        return [one for one in found if one["type"] != "response.created"]
    at = len(found) - 1 if how == "completed" else _at(found, "output_item.done", _any(one))
    return [*found[:at], *found[at + 1 :]]


def _other_reason(one: Turn, found: list[Payload]) -> list[Payload]:
    """A response, or a call, that did not come to its own end."""
    chance = one.chance
    end, item = found[-1], found[_at(found, "output_item.done", _any(one))]["item"]
    how = chance.choice(("event", "status", "item"))
    if how == "item":
        item["status"] = chance.choice(("incomplete", "failed", word(chance)))
    else:
        end["response"]["status"] = chance.choice(("incomplete", "cancelled", word(chance)))
    if how == "event":
        end["type"] = "response.incomplete"
        end["response"]["incomplete_details"] = {"reason": chance.choice(("max_output_tokens", word(chance)))}
    return found


def _ended_twice(one: Turn, found: list[Payload]) -> list[Payload]:
    """A second end of the response, of an item, or of a text."""
    index, chance = _any(one), one.chance
    how = chance.choice(("completed", "item", "text"))
    if how == "completed":
        last = found[-1]
        return [*found, chance.choice((last, {**last, "type": "response.incomplete"}))]
    if how == "item":
        at = _at(found, "output_item.done", chance.randrange(first_of(one) + len(one.calls)))
        return _put(found, chance.randrange(at + 1, len(found)), found[at])
    at = _at(found, "output_item.done", index)
    text = one.calls[index - first_of(one)].text
    return _put(found, at, ended(one, index, text), ended(one, index, chance.choice((text, prose(chance)))))


def _after_the_end(one: Turn, found: list[Payload]) -> list[Payload]:
    """A fragment, a text or an item of a call after the end of the text, of the item or of the response."""
    index, chance = _any(one), one.chance
    late = chance.choice((fragment, ended))(one, index, prose(chance))
    how = chance.choice(("text", "item", "response", "new"))
    if how == "text":
        at = _at(found, "output_item.done", index)
        return _put(found, at, ended(one, index, None), fragment(one, index, prose(chance)))
    if how == "item":
        return _put(found, _at(found, "output_item.done", index) + 1, late)
    if how == "new":
        call = one.calls[index - first_of(one)]
        late = added(70 + chance.randrange(9), {**item_of(one, 70, call, "", "in_progress"), "call_id": word(chance)})
    return [*found, late]


def _orphan(one: Turn, found: list[Payload]) -> list[Payload]:
    """An event of a call that was never added, or of another kind than the item at its index."""
    index, chance = _any(one), one.chance
    call = one.calls[index - first_of(one)]
    at = chance.randrange(_at(found, "output_item.added", index) + 1, len(found))
    never = 90 + chance.randrange(9)
    other = Call(call.name, {}, "", call_id=word(chance), free=not call.free)
    _, _, stem = kind_of(other)
    strays = [
        {**fragment(one, index, prose(chance)), "output_index": never},
        {**ended(one, index, prose(chance)), "output_index": never},
        done(never, item_of(one, never, other, prose(chance), "completed")),
        event(f"{stem}.delta", output_index=index, item_id=word(chance), delta=prose(chance)),
        event("output_text.delta", output_index=index, content_index=0, item_id=word(chance), delta=prose(chance)),
        event("mcp_call_arguments.delta", output_index=index, item_id=word(chance), delta=prose(chance)),
    ]
    return _put(found, at, chance.choice(strays))


def _malformed(one: Turn, found: list[Payload]) -> list[Payload]:
    index, chance = _any(one), one.chance
    call = one.calls[index - first_of(one)]
    item = item_of(one, index, call, "", "in_progress")
    wrong: list[Payload] = [
        *strange(chance),
        {"type": chance.randrange(9)},
        {**fragment(one, index, "x"), "output_index": chance.choice((-1, "0", 1.5, True, 2**31, prose(chance)))},
        fragment(one, index, chance.choice((None, 7, [prose(chance)], {prose(chance): 1}))),
        {**fragment(one, index, ""), "item_id": {"a": prose(chance)}},
        ended(one, index, chance.choice((7, [prose(chance)], {prose(chance): 1}))),
        added(80, chance.choice((None, prose(chance), [item], {**item, "type": 7}))),
        done(80, {**item, chance.choice(("id", "call_id", "name", "namespace", "status")): [prose(chance)]}),
        added(80, item_of(one, 80, call, {"a": prose(chance)}, "in_progress")),
        added(80, {**item, "caller": chance.choice((prose(chance), {"type": [prose(chance)]}))}),
        event("in_progress", response=chance.choice((prose(chance), [prose(chance)], 7))),
        event("queued", response={"id": 7, prose(chance): prose(chance)}),
        event("in_progress", response={"output": {prose(chance): 1}}),
    ]
    return _put(found, chance.randrange(1, len(found)), chance.choice(wrong))


def _bad_number(one: Turn) -> list[Payload]:
    """A sequence number that is none, or any other fault of shape."""
    chance = one.chance
    if chance.random() < 0.85:
        return _of_items(_malformed)(one)
    found = tell(one)
    at = chance.randrange(len(found))
    found[at] = {**found[at], "sequence_number": chance.choice((-1, "7", 0.5, prose(chance), [prose(chance)]))}
    return found


def _unsupported(one: Turn, found: list[Payload]) -> list[Payload]:
    """Items and events that are unknown, calls that the client runs, another context, a call where none may stand."""
    index, chance = _any(one), one.chance
    call = one.calls[index - first_of(one)]
    at = chance.randrange(_at(found, "output_item.added", index) + 1, len(found))
    how = chance.choice(("event", "item", "built-in", "compaction", "early text", "listed"))
    if how == "early text":
        member = kind_of(call)[1]
        found[_at(found, "output_item.added", index)]["item"][member] = chance.choice((call.text, prose(chance)))
        return found
    if how == "listed":
        found[0]["response"]["output"] = [item_of(one, index, call, prose(chance), "completed")]
        return found
    patch = {"type": "create_file", "path": prose(chance), "diff": prose(chance)}
    shell = {"type": "exec", "command": [prose(chance)], "env": {word(chance): prose(chance)}}
    built_in: list[Payload] = [
        {"type": "apply_patch_call", "call_id": word(chance), "operation": patch},
        {"type": "local_shell_call", "call_id": word(chance), "action": shell},
        {"type": "computer_call", "call_id": word(chance), "action": {"type": "type", "text": prose(chance)}},
        {"type": "shell_call", "environment": {"type": "local"}, "action": {"commands": [prose(chance)]}},
        {"type": "tool_search_call", "execution": "client", "arguments": {"queries": [prose(chance)]}},
    ]
    items: dict[str, Payload] = {
        "item": {"type": f"{word(chance)}_call", "name": word(chance), "arguments": prose(chance)},
        "built-in": chance.choice(built_in),
        "compaction": {"type": "compaction", "id": word(chance), "encrypted_content": word(chance, 40)},
    }
    if how == "event":
        return _put(found, at, event(word(chance), text=prose(chance), delta=prose(chance), output_index=index))
    began, finished = added(60, items[how]), done(60, items[how])
    return _put(found, at, *chance.choice(((began, finished), (began,), (finished,))))


def _error(one: Turn, found: list[Payload]) -> list[Payload]:
    chance = one.chance
    code = chance.choice(("server_error", "insufficient_quota", word(chance)))
    message = f"bad key sk-{word(chance, 20)}"
    error = {"type": code, "code": code, "message": message, "param": None}
    failed = response(one, "failed", [], error={"code": code, "message": message})
    errors = [
        {"type": "error", "code": code, "message": message, "param": None},
        {"type": "error", "error": error},
        event("failed", response=failed),
        event("failed", response=response(one, "failed", [])),
        event("in_progress", response=failed),
        event(word(chance), error=chance.choice((message, error, [message]))),
    ]
    return _put(found, chance.randrange(1, len(found)), chance.choice(errors))


def _second_turn(one: Turn, found: list[Payload]) -> list[Payload]:
    """Another beginning, or an event of another response once a call is there."""
    chance = one.chance
    after = chance.randrange(_at(found, "output_item.added", first_of(one)) + 1, len(found))
    if chance.random() < 0.4:
        return _put(found, chance.randrange(1, len(found)), found[0])
    other = {"id": id_of("resp_", one, word(chance))}
    if chance.random() < 0.3:
        found[-1]["response"].update(other)
        return found
    return _put(found, after, event("in_progress", response={**found[0]["response"], **other}))


def _other_copy(one: Turn, found: list[Payload]) -> list[Payload]:
    """A full copy that differs from the text, a final list that lacks a call, or that has one more."""
    index, chance = _any(one), one.chance
    call = one.calls[index - first_of(one)]
    member = kind_of(call)[1]
    output = [found[_at(found, "output_item.done", at)]["item"] for at in range(first_of(one) + len(one.calls))]
    listed = copy.deepcopy(output)
    differs = chance.choice((prose(chance), call.text + " ", call.text[:-1], "", call.text.swapcase() + "."))
    how = chance.choice(("done", "item", "list", "lacks", "more"))
    if how in ("done", "item"):
        found = _in_deltas(one, found, index)
        end = _at(found, "output_item.done", index)
        if how == "done":
            return _put(found, end, ended(one, index, differs))
        found[end]["item"][member] = differs
        return found
    if how == "list":
        listed[index][member] = differs
    elif how == "lacks":
        del listed[index]
        listed.append({"type": "message", "id": word(chance), "content": []})  # or the list might be none
    else:
        listed.append({**listed[index], "call_id": word(chance)})
    found[-1]["response"]["output"] = listed
    return found


def _in_deltas(one: Turn, found: Sequence[Payload], index: int) -> list[Payload]:
    """The events with the text of the call in deltas, and no copy before the end of its item."""
    call = one.calls[index - first_of(one)]
    _, _, stem = kind_of(call)
    texts = (f"response.{stem}.delta", f"response.{stem}.done")
    kept = [payload for payload in found if not (payload["type"] in texts and payload["output_index"] == index)]
    deltas = [fragment(one, index, piece) for piece in call.pieces]
    return _put(kept, _at(kept, "output_item.added", index) + 1, *deltas)


def _misnumbered(one: Turn) -> list[Payload]:
    """An event lost, doubled or moved, or a number that jumps."""
    chance = one.chance
    found = [{**payload, "sequence_number": at} for at, payload in enumerate(told_items(one))]
    at = chance.randrange(1, len(found) - 1)
    how = chance.choice(("lost", "doubled", "moved", "jump"))
    if how == "lost":
        return [*found[:at], *found[at + 1 :]]
    if how == "doubled":
        return _put(found, at, found[at])
    if how == "moved":
        return [*found[:at], found[at + 1], found[at], *found[at + 2 :]]
    step = chance.choice((1, 5, 10**6, 2**31 - 10**4))
    return [*found[:at], *({**one, "sequence_number": one["sequence_number"] + step} for one in found[at:])]


def _unsupported_schema(one: Turn) -> list[Payload]:
    """A schema outside the subset, or a grammar that nothing here can check."""
    custom = [call for call in one.calls if call.free]
    if custom and one.chance.random() < 0.7:
        one.schemas[one.chance.choice(custom).name] = {"type": "string", "format": "grammar"}
        return tell(one)
    return BASE["unsupported_schema"](one)


BASE: Final[Mapping[str, Fault]] = told({**CHANGES, **EMPTY}, tell)
FAULTS: Final[Mapping[str, Fault]] = {
    **BASE,
    "identity_collision": _of_items(_renamed),
    "duplicate_start": _of_items(_started_twice),
    "duplicate_id": _same_id,
    "missing_slot": _of_items(_without_slot),
    "missing_id": _without("call_id"),
    "missing_name": _without("name"),
    "missing_terminal": _of_items(_cut_off),
    "wrong_terminal": _of_items(_other_reason),
    "duplicate_terminal": _of_items(_ended_twice),
    "delta_after_terminal": _of_items(_after_the_end),
    "orphan_event": _of_items(_orphan),
    "malformed_event": _bad_number,
    "unsupported_event": _of_items(_unsupported),
    "stream_error": _of_items(_error),
    "turn_collision": _of_items(_second_turn),
    "copy_mismatch": _of_items(_other_copy),
    "sequence_break": _misnumbered,
    "unsupported_schema": _unsupported_schema,
}
RESPONSES: Final = Family(
    api="openai.responses",
    url="https://api.openai.com/v1/responses",
    sample="responses",
    ask=asking.responses,
    model=MODEL,
    more=more,
    tell=tell,
    faults=FAULTS,
    dress=dress,
)

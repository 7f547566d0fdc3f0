"""Turns of OpenAI's Responses API: items one by one, the text of each call in full copies too."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from support.builders import asking
from support.builders.items import TEXTS, added, done
from support.streamed.family import wanted
from support.streamed.pieces import Call, Chance, Payload, Turn, cut, prose, word

MODEL: Final = "gpt-5.2-2025-12-11"
NO_GRAMMAR: Final = {"type": "string"}
# How the text of a call comes: in deltas with every copy, without `….done`, in copies alone, with an empty `….done`.
STYLES: Final = ("all", "all", "all", "no done", "copies", "empty done")


def dress(one: Turn) -> None:
    """Custom tools, namespaces, a program that waits, and the items that come before the calls."""
    chance = one.chance
    one.prompt = prose(chance)
    one.tool_choice = chance.choice((None, "auto", "required", "named"))
    one.parallel = chance.choice((None, True))
    one.lead = [kind for kind in LEADS if kind != "message" and chance.random() < 0.25]
    if one.texts:
        one.lead.insert(chance.randrange(len(one.lead) + 1), "message")
    schemas: dict[str, dict[str, object]] = {}
    for at, call in enumerate(one.calls):
        schema = one.schemas[call.name]
        if at and chance.random() < 0.4:  # the first call is one of a function
            text = "\n".join(prose(chance) for _ in range(chance.randrange(1, 3)))
            call.free, call.value, call.text, call.pieces = True, {}, text, cut(text, chance)
            schema = dict(NO_GRAMMAR)
        space = chance.choice(("", "", "", "crm", "mail", call.name))
        if space:
            call.members["namespace"] = space
            call.name = call.name if space == call.name else f"{space}.{call.name}"
        if "program" in one.lead and not call.free:
            call.members["caller"] = {"type": "program", "caller_id": id_of("call_", one, "program")}
        schemas[call.name] = schema
    one.schemas = schemas


def id_of(prefix: str, one: Turn, about: object, size: int = 50) -> str:
    """An id as OpenAI makes them, always the same for the same thing."""
    return prefix + hashlib.sha256(f"{one.calls[0].call_id} {about}".encode()).hexdigest()[:size]


def event(kind: str, **members: object) -> Payload:
    return {"type": f"response.{kind}", **members}


# -- the request, and what a response repeats of it


def _repeated(one: Turn) -> dict[str, Any]:
    """What the request asks for and a response repeats: the system prompt, the tools and the choice."""
    found = asking.responses(wanted(one, one.prompt))
    server = {"type": "mcp", "server_label": word(one.chance), "headers": {"authorization": one.prompt}}
    return {**found, "tools": [*found["tools"], server]}


def more(one: Turn, text: str) -> dict[str, Any]:
    said = [{"role": "user", "content": [{"type": "input_text", "text": text}]}]
    return {**_repeated(one), "input": said, "store": False}


def response(one: Turn, status: str, output: Sequence[object], **members: object) -> Payload:
    """The response as it stands; it repeats the system prompt and the tools."""
    ended = status != "in_progress"
    tokens = one.chance.randrange(999)
    usage = {"input_tokens": tokens, "output_tokens": tokens, "total_tokens": 2 * tokens} if ended else None
    repeated = _repeated(one)
    return {
        "id": id_of("resp_", one, "response"),
        "object": "response",
        "created_at": 1700000000,
        "status": status,
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": one.prompt,
        "model": MODEL,
        "output": list(output),
        "parallel_tool_calls": one.parallel is not False,
        "previous_response_id": None,
        "reasoning": {"effort": "medium", "summary": None},
        "store": False,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}, "verbosity": "medium"},
        "tool_choice": repeated.get("tool_choice", "auto"),
        "tools": repeated["tools"],
        "truncation": "disabled",
        "usage": usage,
        "user": None,
        "metadata": {},
        **members,
    }


# -- the items before the calls


def _within(one: Turn, index: int, begun: Payload, inside: Sequence[Payload], last: Payload) -> list[Payload]:
    """An item with the events between its start and its end."""
    at = {"item_id": begun["id"], "output_index": index}
    return [added(index, begun), *({**piece, **at} for piece in inside), done(index, last)]


def _reasoning(one: Turn, index: int) -> list[Payload]:
    secret = word(one.chance, 60)
    item = {"id": id_of("rs_", one, index), "type": "reasoning", "summary": [], "encrypted_content": secret}
    if one.chance.random() < 0.5:
        return _within(one, index, item, [], item)
    text = prose(one.chance)
    part: dict[str, object] = {"type": "summary_text", "text": text}
    inside = [
        event("reasoning_summary_part.added", summary_index=0, part={**part, "text": ""}),
        *(event("reasoning_summary_text.delta", summary_index=0, delta=piece) for piece in cut(text, one.chance)),
        event("reasoning_summary_text.done", summary_index=0, text=text),
        event("reasoning_summary_part.done", summary_index=0, part=part),
    ]
    return _within(one, index, item, inside, {**item, "summary": [part]})


def _message(one: Turn, index: int) -> list[Payload]:
    item = {"id": id_of("msg_", one, index), "type": "message", "status": "in_progress", "role": "assistant"}
    text = "".join(one.texts)
    part: dict[str, object] = {"type": "output_text", "annotations": [], "logprobs": [], "text": text}
    inside = [
        event("content_part.added", content_index=0, part={**part, "text": ""}),
        *(event("output_text.delta", content_index=0, delta=piece, logprobs=[]) for piece in one.texts),
        event("output_text.done", content_index=0, text=text, logprobs=[]),
        event("content_part.done", content_index=0, part=part),
    ]
    last = {**item, "status": "completed", "content": [part]}
    return _within(one, index, {**item, "content": []}, inside, last)


def _web_search(one: Turn, index: int) -> list[Payload]:
    query = prose(one.chance)
    item = {"id": id_of("ws_", one, index), "type": "web_search_call", "status": "in_progress"}
    inside = [event(f"web_search_call.{stage}") for stage in ("in_progress", "searching", "completed")]
    action = {"type": "search", "query": query, "queries": [query]}
    return _within(one, index, item, inside, {**item, "status": "completed", "action": action})


def _mcp(one: Turn, index: int) -> list[Payload]:
    text = prose(one.chance)
    item = {"id": id_of("mcp_", one, index), "type": "mcp_call", "name": word(one.chance), "server_label": "wiki"}
    inside = [
        event("mcp_call.in_progress"),
        *(event("mcp_call_arguments.delta", delta=piece) for piece in cut(text, one.chance)),
        event("mcp_call_arguments.done", arguments=text),
        event("mcp_call.completed"),
    ]
    last = {**item, "status": "completed", "arguments": text, "output": prose(one.chance), "error": None}
    return _within(one, index, {**item, "status": "in_progress", "arguments": ""}, inside, last)


def _program(one: Turn, index: int) -> list[Payload]:
    item = {"id": id_of("cm_", one, index), "type": "program", "call_id": id_of("call_", one, "program")}
    last = {**item, "code": f"await tools.x({prose(one.chance)!r})", "fingerprint": word(one.chance, 60)}
    return _within(one, index, {**item, "code": ""}, [], last)


LEADS: Final[Mapping[str, Callable[[Turn, int], list[Payload]]]] = {
    "reasoning": _reasoning,
    "message": _message,
    "web search": _web_search,
    "mcp": _mcp,
    "program": _program,
}


# -- the calls


def kind_of(call: Call) -> tuple[str, str, str]:
    """The type of its item, the member that has its text, and the stem of the events of its text."""
    kind = "custom_tool_call" if call.free else "function_call"
    return kind, *TEXTS[kind]


def item_of(one: Turn, index: int, call: Call, text: object, status: str) -> Payload:
    """The item of a call."""
    kind, member, _ = kind_of(call)
    short = call.name.rpartition(".")[2]
    item = {"id": id_of("ctc_" if call.free else "fc_", one, index), "type": kind, "status": status, member: text}
    return {**item, "call_id": "call_" + call.call_id, "name": short, **call.members}


def fragment(one: Turn, index: int, text: object) -> Payload:
    """A delta for the call at `index`."""
    call = one.calls[index - len(one.lead)]
    _, _, stem = kind_of(call)
    item_id = id_of("ctc_" if call.free else "fc_", one, index)
    size = len(text) if isinstance(text, str) else 0
    return event(
        f"{stem}.delta",
        item_id=item_id,
        output_index=index,
        delta=text,
        obfuscation=word(one.chance, 16 - size % 16),
    )


def ended(one: Turn, index: int, text: object) -> Payload:
    """`….done` of the call at `index`."""
    _, member, stem = kind_of(one.calls[index - len(one.lead)])
    item_id = fragment(one, index, "")["item_id"]
    return event(f"{stem}.done", item_id=item_id, output_index=index, **{member: text})


def _call(one: Turn, index: int) -> list[Payload]:
    call = one.calls[index - len(one.lead)]
    style = one.chance.choice(STYLES)
    found = [added(index, item_of(one, index, call, "", "in_progress"))]
    if style != "copies":
        found += [fragment(one, index, piece) for piece in call.pieces]
    if style != "no done":
        found.append(ended(one, index, None if style == "empty done" else call.text))
    return [*found, done(index, item_of(one, index, call, call.text, _finished(call)))]


def _finished(call: Call) -> str:
    return "in_progress" if "caller" in call.members else "completed"


def told_items(one: Turn) -> list[Payload]:
    """The turn on the wire, its events without numbers."""
    chance = one.chance
    created = response(one, "in_progress", [])
    found = [event("created", response=created)]
    if chance.random() < 0.8:
        found.append(event("in_progress", response=response(one, "in_progress", [])))
    for index, lead in enumerate(one.lead):
        found += LEADS[lead](one, index)
    waiting = [_call(one, index) for index in range(len(one.lead), len(one.lead) + len(one.calls))]
    if chance.random() < 0.4:
        while any(waiting):  # in turns, as parallel calls may come
            found.append(chance.choice([events for events in waiting if events]).pop(0))
    else:
        found += [event for events in waiting for event in events]
    output = [one["item"] for one in found if one["type"] == "response.output_item.done"]
    output.sort(key=lambda item: str(item["id"]))  # its order does not matter
    if chance.random() < 0.1:
        output = []  # as the backend of Codex sends it
    return [*found, event("completed", response=response(one, "completed", output))]


def numbered(found: Sequence[Payload], chance: Chance) -> list[Payload]:
    """The events with their numbers, which some gateways leave out, or begin at another than 0."""
    if chance.random() < 0.1:
        return list(found)
    number = chance.choice((0, 0, 0, 0, 1, 999_990, chance.randrange(10**9)))
    numbers = []
    for one in found:
        numbers.append({**one, "sequence_number": number} if isinstance(one, dict) else one)
        number += isinstance(one, dict)
    return numbers


def tell(one: Turn) -> list[Payload]:
    """The turn on the wire."""
    return numbered(told_items(one), one.chance)

"""The events of the Responses API, built from the inside: items, the text of their calls, the response around them."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

Payload = dict[str, Any]

ARGUMENTS: Final = "response.function_call_arguments"
INPUT: Final = "response.custom_tool_call_input"
# By the type of an item: the member that has its text, and what the types of the events of this text begin with.
TEXTS: Final = {
    "function_call": ("arguments", "function_call_arguments"),
    "custom_tool_call": ("input", "custom_tool_call_input"),
}


def call(index: int = 0, **members: Any) -> Payload:
    """The item of a call of the tool `f`, where no other is named."""
    return {"type": "function_call", "id": f"fc_{index}", "call_id": f"call_{index}", "name": "f", **members}


def custom(index: int = 0, **members: Any) -> Payload:
    """The item of a call of a custom tool."""
    return {"type": "custom_tool_call", "id": f"ctc_{index}", "call_id": f"call_{index}", "name": "free", **members}


def added(index: object, item: object) -> Payload:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(index: object, item: object) -> Payload:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def grow(index: object, text: object = "{}", kind: str = ARGUMENTS, **members: Any) -> Payload:
    """One fragment of the text of a call."""
    return {"type": f"{kind}.delta", "output_index": index, "delta": text, **members}


def whole(index: object, text: object = "{}", **members: Any) -> Payload:
    """The text of a call, whole once more."""
    return {"type": f"{ARGUMENTS}.done", "output_index": index, "arguments": text, **members}


def response(kind: str = "completed", **members: Any) -> Payload:
    """An event that says how the response stands."""
    return {"type": f"response.{kind}", "response": {"id": "resp_1", **members}}


def numbered(events: Iterable[Payload]) -> list[Payload]:
    """The events with their numbers in the sequence."""
    return [{**event, "sequence_number": at} for at, event in enumerate(events)]


def grown(index: int, item: Payload, pieces: Sequence[str], **members: Any) -> list[Payload]:
    """A whole call whose text comes in these pieces, and then as its copies; `members` stand in each fragment."""
    member, stem = TEXTS[item["type"]]
    inside = [grow(index, piece, f"response.{stem}", item_id=item["id"], **members) for piece in pieces]
    text = {member: "".join(pieces)}
    ended = {"type": f"response.{stem}.done", "output_index": index, "item_id": item["id"], **text}
    last = done(index, {**item, **text, "status": "completed"})
    return [added(index, {**item, member: "", "status": "in_progress"}), *inside, ended, last]


def said(index: int, pieces: Sequence[str]) -> list[Payload]:
    """A whole message whose text comes in these pieces."""
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
    part = {"type": "output_text", "text": "".join(pieces), "annotations": []}
    at = {"content_index": 0, "item_id": "msg_1"}
    inside = [grow(index, piece, "response.output_text", **at) for piece in pieces]
    ended = {"type": "response.output_text.done", "output_index": index, **at, "text": part["text"]}
    last = done(index, {**item, "content": [part]})
    return [added(index, {**item, "status": "in_progress", "content": []}), *inside, ended, last]


def turn(*events: Payload, **members: Any) -> list[Payload]:
    """A whole response with these events of items, which it lists at its end."""
    output = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    begun = response("created", **members, status="in_progress", output=[])
    return numbered([begun, *events, response(**members, status="completed", output=output)])

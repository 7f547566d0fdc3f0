"""The events of Anthropic's messages, built from the inside: what a block says, when it starts, grows and stops."""

from collections.abc import Iterable
from typing import Any, Final

Payload = dict[str, Any]

STOP: Final = {"type": "message_stop"}


def begin(*blocks: object, **members: Any) -> Payload:
    """The start of a message that has these blocks already."""
    return {"type": "message_start", "message": {"content": list(blocks), **members}}


def block(index: object, kind: object, **members: Any) -> Payload:
    """The start of a block of this kind."""
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, **members}}


def start(index: object, kind: str = "tool_use", **members: Any) -> Payload:
    """The start of a block that has an id and the name `f`, where nothing else is given."""
    return block(index, kind, **{"id": f"toolu_{index}", "name": "f", **members})


def delta(index: object, kind: object, **members: Any) -> Payload:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **members}}


def grow(index: object, text: object = "{}") -> Payload:
    """One fragment of a tool's input."""
    return delta(index, "input_json_delta", partial_json=text)


def stop(index: object) -> Payload:
    return {"type": "content_block_stop", "index": index}


def reason(word: object = "tool_use", **members: Any) -> Payload:
    """The end of a message with this stop reason; `members` stand beside the delta."""
    return {"type": "message_delta", "delta": {"stop_reason": word}, **members}


def grown(index: object, pieces: Iterable[str], **members: Any) -> list[Payload]:
    """A whole call whose input comes in these pieces."""
    return [start(index, input={}, **members), *(grow(index, piece) for piece in pieces), stop(index)]


def turn(*events: Payload, **members: Any) -> list[Payload]:
    """A whole message with these events of blocks."""
    return [begin(**members), *events, reason(usage={"output_tokens": 9}), STOP]

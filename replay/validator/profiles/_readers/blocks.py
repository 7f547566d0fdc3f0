"""Events of one message of Anthropic's: what each says, its shape checked whole (`docs/conformance.md`, section 3).

Turns a payload into a `BlockEvent` or a `PayloadFinding`; knows no state. Example:
`{"type": "content_block_stop", "index": 1}` becomes `BlockStop(slot=1)`, and with `"index": "1"` a `malformed_event`.
"""

from collections.abc import Callable, Mapping
from typing import Final

from replay.validator._machine.signals import (
    BlockDelta,
    BlockEvent,
    BlockStart,
    BlockStop,
    MessageDelta,
    MessageStart,
    MessageStop,
    PayloadFinding,
    Ping,
    Unknown,
)
from replay.validator._messages import Reason
from replay.validator._printed import printed
from replay.validator.profiles._readers.shape import (
    NOT_AN_OBJECT,
    STREAM_ERROR,
    ShapeError,
    index_of,
    is_error,
)

# A message has one choice.
CHOICE: Final = 0
TOOL_USE: Final = "tool_use"

BLOCKS: Final = frozenset(
    {
        "text",
        "thinking",
        "redacted_thinking",
        "tool_use",
        # provider-executed or inert: no tool slots
        "server_tool_use",
        "mcp_tool_use",
        "container_upload",
        "compaction",
        "fallback",
    }
)
# What the provider's own tools return: every kind that ends so.
RESULT_SUFFIX: Final = "_tool_result"
# Another context or another model took over: legal only before a tool slot has opened.
TAKEOVERS: Final = frozenset({"compaction", "fallback"})
# Deltas, and the blocks they fit.
DELTAS: Final[Mapping[str, frozenset[str]]] = {
    "text_delta": frozenset({"text"}),
    "citations_delta": frozenset({"text"}),
    "thinking_delta": frozenset({"thinking"}),
    "signature_delta": frozenset({"thinking"}),
    "input_json_delta": frozenset({"tool_use", "server_tool_use", "mcp_tool_use"}),
    "compaction_delta": frozenset({"compaction"}),
}
INPUT_DELTA: Final = "input_json_delta"


def read_event(payload: object) -> BlockEvent | PayloadFinding:
    """What one payload says, its shape checked whole."""
    if not isinstance(payload, dict):
        return NOT_AN_OBJECT
    if is_error(payload):
        return STREAM_ERROR
    try:
        return _event(payload)
    except ShapeError as error:
        return error.finding


def _event(payload: dict[str, object]) -> BlockEvent:
    kind = payload.get("type")
    if not isinstance(kind, str):
        raise ShapeError("an event must have a string `type`")
    reader = READERS.get(kind)
    return reader(payload) if reader is not None else Unknown()


def _index(payload: dict[str, object]) -> int | None:
    return index_of(payload, "index", CHOICE)


def _message_start(payload: dict[str, object]) -> MessageStart:
    message = payload.get("message")
    if not (message is None or isinstance(message, dict)):
        raise ShapeError("`message` must be an object or null")
    if message is None:
        return MessageStart()
    content = message.get("content")
    if not (content is None or isinstance(content, list)):
        raise ShapeError("`message.content` must be an array or null")
    blocks = tuple([_block(block, f"message.content[{place}]", place) for place, block in enumerate(content or ())])
    reason = message.get("stop_reason")
    if not (reason is None or isinstance(reason, str)):
        raise ShapeError("`message.stop_reason` must be a string or null")
    return MessageStart(blocks, reason or None)


def _block_start(payload: dict[str, object]) -> BlockStart:
    index = _index(payload)
    return _block(payload.get("content_block"), "content_block", index)


def _block(block: object, where: str, index: int | None) -> BlockStart:
    if not isinstance(block, dict):
        raise ShapeError(f"`{where}` must be an object", CHOICE, index)
    kind = block.get("type")
    if not isinstance(kind, str):
        raise ShapeError(f"`{where}` must have a string `type`", CHOICE, index)
    if kind != TOOL_USE:
        known = kind in BLOCKS or kind.endswith(RESULT_SUFFIX)
        return BlockStart(index, kind, unsupported=None if known else Reason.UNKNOWN_BLOCK)
    identity, name, given = block.get("id"), block.get("name"), block.get("input")
    if not (identity is None or isinstance(identity, str)):
        raise ShapeError(f"`{where}.id` must be a string or null", CHOICE, index)
    if not (name is None or isinstance(name, str)):
        raise ShapeError(f"`{where}.name` must be a string or null", CHOICE, index)
    if not (given is None or isinstance(given, dict)):
        raise ShapeError(f"`{where}.input` must be an object or null", CHOICE, index)
    return BlockStart(index, kind, identity or None, name or None, _text(given, where) if given else None)


def _text(given: dict[str, object], where: str) -> str:
    """The input of a call that came whole."""
    text = printed(given)
    if text is None:  # no file can hold it: there it is a string, and no event
        raise ShapeError(f"`{where}.input` holds a number or a string that JSON cannot: no double or no Unicode")
    return text


def _block_delta(payload: dict[str, object]) -> BlockDelta:
    index = _index(payload)
    delta = payload.get("delta")
    if not isinstance(delta, dict):
        raise ShapeError("`delta` must be an object", CHOICE, index)
    kind = delta.get("type")
    if not isinstance(kind, str):
        raise ShapeError("`delta` must have a string `type`", CHOICE, index)
    if kind != INPUT_DELTA:
        return BlockDelta(index, kind)
    fragment = delta.get("partial_json")
    if not isinstance(fragment, str):
        raise ShapeError("`delta.partial_json` must be a string", CHOICE, index)
    return BlockDelta(index, kind, fragment)


def _message_delta(payload: dict[str, object]) -> MessageDelta:
    delta = payload.get("delta")
    if not (delta is None or isinstance(delta, dict)):
        raise ShapeError("`delta` must be an object or null", CHOICE)
    reason = delta.get("stop_reason") if delta is not None else None
    if not (reason is None or isinstance(reason, str)):
        raise ShapeError("`delta.stop_reason` must be a string or null", CHOICE)
    return MessageDelta(reason or None)


READERS: Final[Mapping[str, Callable[[dict[str, object]], BlockEvent]]] = {
    "message_start": _message_start,
    "content_block_start": _block_start,
    "content_block_delta": _block_delta,
    "content_block_stop": lambda payload: BlockStop(_index(payload)),
    "message_delta": _message_delta,
    "message_stop": lambda _: MessageStop(),
    "ping": lambda _: Ping(),
}
# An error is an event like the others, decided before its type is looked up.
EVENTS: Final = frozenset(READERS) | {"error"}

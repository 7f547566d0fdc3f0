"""The second version of Cohere's chat: what its events say, and the words of its calls (`docs/conformance.md`).

The calls alone are blocks here: a text, a plan and a citation count by indices of their own, and are not looked into.
Example: `{"type": "tool-call-end", "index": 1}` becomes `BlockStop(slot=1)`. The reader knows no state; the turn is
that of `blocks`.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar, Final

from replay.validator._machine.signals import (
    BlockDelta,
    BlockEvent,
    BlockStart,
    BlockStop,
    MessageEnd,
    MessageStart,
    PayloadFinding,
    Ping,
    Unknown,
)
from replay.validator._messages import Reason
from replay.validator.profiles._dialect import Dialect
from replay.validator.profiles._readers.shape import (
    NOT_AN_OBJECT,
    STREAM_ERROR,
    ShapeError,
    index_of,
    is_error,
    object_in,
    object_or_null_in,
    text_in,
)
from replay.validator.profiles.blocks import CHOICE, BlockProtocol

CALL: Final = "call"
PIECE: Final = "piece"
FUNCTION: Final = "function"
COMPLETE: Final = "TOOL_CALL"
INDEX: Final = "index"
CALL_TYPES: Final = frozenset({None, "", FUNCTION})
WHERE: Final = "delta.message.tool_calls"
# Events that say nothing of calls. Their indices are their own.
ASIDES: Final = frozenset(
    {
        *("tool-plan-delta", "content-start", "content-delta", "content-end"),
        *("citation-start", "citation-end", "debug"),
    }
)


def read_event(payload: object) -> BlockEvent | PayloadFinding:
    """What one payload says, its shape checked whole."""
    if not isinstance(payload, dict):
        return NOT_AN_OBJECT
    delta = payload.get("delta")
    if is_error(payload) or (isinstance(delta, dict) and delta.get("error") is not None):
        return STREAM_ERROR
    try:
        return _event(payload)
    except ShapeError as error:
        return error.finding


def _event(payload: dict[str, object]) -> BlockEvent:
    kind = payload.get("type")
    if not isinstance(kind, str):
        raise ShapeError("an event must have a string `type`")
    if kind in ASIDES:
        return Ping()
    reader = READERS.get(kind)
    return reader(payload) if reader is not None else Unknown()


def _message_start(payload: dict[str, object]) -> MessageStart:
    delta = object_or_null_in(payload, "delta", "delta")
    message = object_or_null_in(delta, "message", "delta.message")
    return MessageStart(lists_calls=message.get("tool_calls") not in (None, []))


def _message_end(payload: dict[str, object]) -> MessageEnd:
    delta = object_or_null_in(payload, "delta", "delta", CHOICE)
    return MessageEnd(text_in(delta, "finish_reason", "delta.finish_reason", CHOICE))


class _Call:
    """What a start or a delta of a call says: both have the same members."""

    __slots__ = ("fragment", "id", "index", "name", "type")

    def __init__(self, payload: dict[str, object]) -> None:
        index = self.index = index_of(payload, INDEX, CHOICE)
        delta = object_in(payload, "delta", "delta", CHOICE, index)
        message = object_in(delta, "message", "delta.message", CHOICE, index)
        call = object_in(message, "tool_calls", WHERE, CHOICE, index)
        self.type = text_in(call, "type", f"{WHERE}.type", CHOICE, index)
        self.id = text_in(call, "id", f"{WHERE}.id", CHOICE, index)
        function = object_or_null_in(call, FUNCTION, f"{WHERE}.function", CHOICE, index)
        self.name = text_in(function, "name", f"{WHERE}.function.name", CHOICE, index)
        text_in(function, "arguments", f"{WHERE}.function.arguments", CHOICE, index)
        fragment = function.get("arguments")
        self.fragment = fragment if isinstance(fragment, str) else None


def _call_start(payload: dict[str, object]) -> BlockStart:
    call = _Call(payload)
    unsupported = None if call.type in CALL_TYPES else Reason.NO_FUNCTION
    return BlockStart(call.index, CALL, call.id, call.name, fragment=call.fragment, unsupported=unsupported)


def _call_delta(payload: dict[str, object]) -> BlockDelta:
    call = _Call(payload)
    return BlockDelta(call.index, PIECE, call.fragment, call.id, call.name)


NO_DELTA: Final = frozenset[str]()
READERS: Final[Mapping[str, Callable[[dict[str, object]], BlockEvent]]] = {
    "message-start": _message_start,
    "tool-call-start": _call_start,
    "tool-call-delta": _call_delta,
    "tool-call-end": lambda payload: BlockStop(index_of(payload, INDEX, CHOICE)),
    "message-end": _message_end,
}
_ARGUMENTS: Final = ("delta", "message", "tool_calls", FUNCTION, "arguments")

DIALECT: Final = Dialect(
    read=read_event,
    call=CALL,
    fits={PIECE: frozenset({CALL})},
    complete=COMPLETE,
    claims=frozenset({COMPLETE}),
    start_path=_ARGUMENTS,
    fragment_path=_ARGUMENTS,
    index=INDEX,
    block_stop="tool-call-end",
    message_start="message-start",
    message_stop="message-end",
)


class CohereProtocol(BlockProtocol):
    """The state of one turn of the family `cohere-v2`."""

    dialect: ClassVar[Dialect] = DIALECT

    def take(self, payload: object, event: int) -> None:
        """Take one payload: at once if it is text, or one more fragment of an open call, as most are; else whole."""
        slot = None
        try:
            kind, delta = payload["type"], payload.get("delta", NO_DELTA)  # type: ignore[index,attr-defined]
            if kind in ASIDES and "error" not in payload and "error" not in delta:  # type: ignore[operator]
                return
            if kind == "tool-call-delta":
                index = payload["index"]  # type: ignore[index]
                call = delta["message"]["tool_calls"]
                function = call[FUNCTION]
                fragment = function["arguments"]
                if (
                    len(call) == len(function) == len(delta) == 1
                    and type(index) is int
                    and type(fragment) is str
                    and "error" not in payload  # type: ignore[operator]
                ):
                    slot = self._open.get(index)
        except Exception:  # of whatever kind the payload raises: then it is no object of JSON
            slot = None
        if slot is not None:
            self._slots.append(slot, fragment, event)
        else:
            self.take_whole(payload, event)

"""ConverseStream of Amazon Bedrock: what its events say, and the words of its blocks (`docs/conformance.md`).

An event is an object with one member, its kind. Example: `{"contentBlockStop": {"contentBlockIndex": 1}}` becomes
`BlockStop(slot=1)`. The reader knows no state; the turn is that of `blocks`.
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
    text_in,
)
from replay.validator.profiles.blocks import CHOICE, BlockProtocol

# Members that stand beside the kind of an event begin so.
BESIDE: Final = "amazon-bedrock-"
# An event that reports an error has a member whose name ends so.
EXCEPTION: Final = "Exception"

# Kinds of block. The wire has no word for them: a start tells by its members what it begins.
CALL: Final = "call"
SERVER_CALL: Final = "server call"
OTHER: Final = "other"
# Kinds of delta: what its members are a piece of. One of no known member is of the kind that fits nothing.
INPUT: Final = "input"
CONTENT: Final = "content"
BOTH: Final = "both"
UNKNOWN: Final = "unknown"

# The `type` of a tool use: those of the client's calls, and the one of a call that the provider executes.
CALL_TYPES: Final = frozenset({None, "", "tool_use"})
SERVER_TYPE: Final = "server_tool_use"
# Members of a start, and of a delta, beside `toolUse`.
STARTS: Final = frozenset({"toolResult", "image"})
CONTENTS: Final = frozenset({"text", "reasoningContent", "citation", "toolResult", "image"})
TOOL_USE: Final = "toolUse"
DELTA: Final = "contentBlockDelta"
INDEX: Final = "contentBlockIndex"
COMPLETE: Final = "tool_use"


def read_event(payload: object) -> BlockEvent | PayloadFinding:
    """What one payload says, its shape checked whole."""
    if not isinstance(payload, dict):
        return NOT_AN_OBJECT
    kinds = list(payload)
    if len(kinds) != 1 or kinds[0] not in READERS:
        if any(name.endswith(EXCEPTION) for name in kinds) or is_error(payload):
            return STREAM_ERROR
        kinds = [name for name in kinds if not name.startswith(BESIDE)]
    try:
        return _event(payload, kinds)
    except ShapeError as error:
        return error.finding


def _event(payload: dict[str, object], kinds: list[str]) -> BlockEvent:
    if len(kinds) != 1:
        raise ShapeError(f"an event must have one member, its kind, beside those that begin with `{BESIDE}`")
    kind = kinds[0]
    reader = READERS.get(kind)
    event = payload[kind]
    if not isinstance(event, dict):
        raise ShapeError("the value of an event must be an object", CHOICE if kind in BLOCK_EVENTS else None)
    return reader(event) if reader is not None else Unknown()


def _block_start(event: dict[str, object]) -> BlockStart:
    index = index_of(event, INDEX, CHOICE)
    start = object_in(event, "start", "start", CHOICE, index)
    strange = [name for name, value in start.items() if value is not None and name not in STARTS and name != TOOL_USE]
    unsupported = Reason.UNKNOWN_START if strange else None
    if start.get(TOOL_USE) is None:
        return BlockStart(index, OTHER, unsupported=unsupported)
    tool = object_in(start, TOOL_USE, "start.toolUse", CHOICE, index)
    kind = text_in(tool, "type", "start.toolUse.type", CHOICE, index)
    identity = text_in(tool, "toolUseId", "start.toolUse.toolUseId", CHOICE, index)
    name = text_in(tool, "name", "start.toolUse.name", CHOICE, index)
    if kind == SERVER_TYPE:
        return BlockStart(index, SERVER_CALL, unsupported=unsupported)
    if kind not in CALL_TYPES:
        unsupported = Reason.UNKNOWN_START
    return BlockStart(index, CALL, identity, name, unsupported=unsupported)


def _block_delta(event: dict[str, object]) -> BlockDelta:
    index = index_of(event, INDEX, CHOICE)
    delta = object_in(event, "delta", "delta", CHOICE, index)
    fragment = _input(delta, index)
    others = {name for name, value in delta.items() if value is not None and name != TOOL_USE}
    if others - CONTENTS:
        return BlockDelta(index, UNKNOWN, fragment)
    if fragment is None:
        return BlockDelta(index, CONTENT)
    return BlockDelta(index, BOTH if others else INPUT, fragment)


def _input(delta: dict[str, object], index: int | None) -> str | None:
    """The fragment of a tool call's input; None where the delta is no piece of a tool call."""
    if delta.get(TOOL_USE) is None:
        return None
    fragment = object_in(delta, TOOL_USE, "delta.toolUse", CHOICE, index).get("input")
    if not isinstance(fragment, str):
        raise ShapeError("`delta.toolUse.input` must be a string", CHOICE, index)
    return fragment


def _message_stop(event: dict[str, object]) -> MessageEnd:
    return MessageEnd(text_in(event, "stopReason", "stopReason", CHOICE))


BLOCK_EVENTS: Final = frozenset({"contentBlockStart", DELTA, "contentBlockStop"})
READERS: Final[Mapping[str, Callable[[dict[str, object]], BlockEvent]]] = {
    "messageStart": lambda _: MessageStart(),
    "contentBlockStart": _block_start,
    DELTA: _block_delta,
    "contentBlockStop": lambda event: BlockStop(index_of(event, INDEX, CHOICE)),
    "messageStop": _message_stop,
    "metadata": lambda _: Ping(),
}

DIALECT: Final = Dialect(
    read=read_event,
    call=CALL,
    fits={INPUT: frozenset({CALL, SERVER_CALL}), CONTENT: frozenset({OTHER}), BOTH: frozenset()},
    begins={CONTENT: OTHER},
    complete=COMPLETE,
    claims=frozenset({COMPLETE, "malformed_tool_use"}),
    start_path=(),
    fragment_path=(DELTA, "delta", TOOL_USE, "input"),
    index=INDEX,
    block_stop="contentBlockStop",
    message_start="messageStart",
    message_stop="messageStop",
)


class BedrockProtocol(BlockProtocol):
    """The state of one turn of the family `bedrock-converse`."""

    dialect: ClassVar[Dialect] = DIALECT

    def take(self, payload: object, event: int) -> None:
        """Take one payload: at once if it is one more piece of an open block, as most are, else whole."""
        slot = None
        try:
            if DELTA in payload and len(payload) == 1:  # type: ignore[arg-type,operator]
                body = payload[DELTA]  # type: ignore[index]
                delta, index = body["delta"], body[INDEX]
                if len(delta) == 1 and type(index) is int:
                    if TOOL_USE in delta:
                        fragment = delta[TOOL_USE]["input"]
                        if type(fragment) is str:
                            slot = self._open.get(index)
                    elif self._others.get(index) == OTHER:
                        (name,) = delta
                        if name in CONTENTS and delta[name] is not None:
                            return
        except Exception:  # of whatever kind the payload raises: then it is no object of JSON
            slot = None
        if slot is not None:
            self._slots.append(slot, fragment, event)
        else:
            self.take_whole(payload, event)

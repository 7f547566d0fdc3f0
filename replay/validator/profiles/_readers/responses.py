"""Payloads of one streamed response: what each says, its shape checked whole (`docs/conformance.md`, section 8).

Turns a payload into a `ResponseEvent` or a `PayloadFinding`, and tells its number in the sequence; knows no state.
"""

from collections.abc import Callable, Mapping
from typing import Final

from replay.validator._machine.signals import (
    Aside,
    Item,
    ItemEnd,
    ItemStart,
    Lifecycle,
    PayloadFinding,
    Ping,
    ResponseEvent,
    Role,
    Stage,
    TextDelta,
    TextEnd,
    Unknown,
)
from replay.validator.limits import MAX_INDEX
from replay.validator.profiles._readers.shape import (
    INDEX_WORDS,
    NOT_AN_OBJECT,
    STREAM_ERROR,
    ShapeError,
    index_of,
    is_error,
    is_index,
)

# A response has one choice.
CHOICE: Final = 0

# A client's calls, and the member that holds the text of each.
CALLS: Final[Mapping[str, str]] = {"function_call": "arguments", "custom_tool_call": "input"}
# Those whose text is free, and no JSON.
FREE_TEXT: Final = frozenset({"custom_tool_call"})
# Calls that the client runs and the provider defines.
BUILT_IN_CALLS: Final = frozenset(
    {"apply_patch_call", "local_shell_call", "computer_call", "shell_call", "tool_search_call"}
)
# Where the provider runs one of them itself.
CONTAINERS: Final = frozenset({"container_auto", "container_reference"})
SERVER: Final = "server"
# Provider-executed or inert: no tool slots.
OTHER_ITEMS: Final = frozenset(
    {
        "message",
        "reasoning",
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
        "mcp_list_tools",
        "mcp_approval_request",
        "mcp_approval_response",
        "tool_search_output",
        "program",
        "program_output",
        "additional_tools",
        "function_call_output",
        "custom_tool_call_output",
        "computer_call_output",
        "local_shell_call_output",
        "shell_call_output",
        "apply_patch_call_output",
    }
)
# Another context took over: legal only before a tool slot has opened.
TAKEOVERS: Final = frozenset({"compaction"})

# Statuses of a call that is whole: none is "not provided".
WHOLE: Final = frozenset({None, "", "completed"})
# A program of the provider waits for the call, which is whole all the same.
WAITING: Final = "in_progress"
PROGRAM: Final = "program"

LIFECYCLE: Final[Mapping[str, Stage]] = {
    "response.created": Stage.CREATED,
    "response.in_progress": Stage.RUNNING,
    "response.queued": Stage.RUNNING,
    "response.completed": Stage.COMPLETED,
    "response.incomplete": Stage.INCOMPLETE,
}
FAILED: Final = "response.failed"
FUNCTION_DELTA: Final = "response.function_call_arguments.delta"
CUSTOM_DELTA: Final = "response.custom_tool_call_input.delta"
# Events of a call's text, and the items whose text it is.
TEXT_DELTAS: Final[Mapping[str, str]] = {FUNCTION_DELTA: "function_call", CUSTOM_DELTA: "custom_tool_call"}
TEXT_ENDS: Final[Mapping[str, str]] = {
    "response.function_call_arguments.done": "function_call",
    "response.custom_tool_call_input.done": "custom_tool_call",
}
IDLE: Final = frozenset({"keepalive", "response.rate_limits.updated"})
# Events of items that are no call: `response.`, one of these, and one of its endings. Only their index is looked at.
ASIDES: Final[Mapping[str, tuple[str, ...]]] = {
    "output_text": ("delta", "done", "annotation.added"),
    "content_part": ("added", "done"),
    "refusal": ("delta", "done"),
    "reasoning_text": ("delta", "done"),
    "reasoning_part": ("added", "done"),
    "reasoning_summary_text": ("delta", "done"),
    "reasoning_summary_part": ("added", "done"),
    "audio": ("delta", "done", "transcript.delta", "transcript.done"),
    "web_search_call": ("in_progress", "searching", "completed"),
    "file_search_call": ("in_progress", "searching", "completed"),
    "code_interpreter_call": ("in_progress", "interpreting", "completed"),
    "code_interpreter_call_code": ("delta", "done"),
    "image_generation_call": ("in_progress", "generating", "partial_image", "completed"),
    "mcp_call": ("in_progress", "completed", "failed"),
    "mcp_list_tools": ("in_progress", "completed", "failed"),
    "mcp_call_arguments": ("delta", "done"),
    "shell_call_command": ("added", "delta", "done"),
    "shell_call_output_content": ("added", "delta", "done"),
    "apply_patch_call_operation_diff": ("delta", "done"),
    "compaction": ("compacting",),
}
ASIDE_EVENTS: Final = frozenset(f"response.{stem}.{end}" for stem, ends in ASIDES.items() for end in ends)


def number_of(payload: object) -> int | None:
    """A payload's number in the sequence, which counts even where the payload is a finding."""
    number = payload.get("sequence_number") if isinstance(payload, dict) else None
    return number if type(number) is int and 0 <= number <= MAX_INDEX else None


def read_event(payload: object) -> ResponseEvent | PayloadFinding:
    """What one payload says, its shape checked whole."""
    if not isinstance(payload, dict):
        return NOT_AN_OBJECT
    response = payload.get("response")
    failed = isinstance(response, dict) and response.get("error") is not None
    if failed or is_error(payload) or payload.get("type") == FAILED:
        return STREAM_ERROR
    try:
        return _event(payload)
    except ShapeError as error:
        return error.finding


def _event(payload: dict[str, object]) -> ResponseEvent:
    kind, number = payload.get("type"), payload.get("sequence_number")
    if not isinstance(kind, str):
        raise ShapeError("an event must have a string `type`")
    if not (number is None or is_index(number)):
        raise ShapeError(f"`sequence_number` {INDEX_WORDS}")
    reader = READERS.get(kind)
    return reader(payload, kind) if reader is not None else Unknown()


def _text(holder: dict[str, object], member: str, what: str, choice: int | None, slot: int | None) -> str | None:
    """A member that is a string, or not provided; None for both that are not. An empty text is one."""
    value = holder.get(member)
    if not (value is None or isinstance(value, str)):
        raise ShapeError(f"`{what}{member}` must be a string or null", choice, slot)
    return value


def _index(payload: dict[str, object]) -> int | None:
    return index_of(payload, "output_index", CHOICE)


def _item(item: object, choice: int | None, slot: int | None) -> Item:
    if not isinstance(item, dict):
        raise ShapeError("an item must be an object", choice, slot)
    kind = item.get("type")
    if not isinstance(kind, str):
        raise ShapeError("an item must have a string `type`", choice, slot)
    if kind not in CALLS:
        return Item(kind, _role(kind, item))
    identity, call_id = _text(item, "id", "item.", choice, slot), _text(item, "call_id", "item.", choice, slot)
    name, namespace = _text(item, "name", "item.", choice, slot), _text(item, "namespace", "item.", choice, slot)
    text, status = _text(item, CALLS[kind], "item.", choice, slot), _text(item, "status", "item.", choice, slot)
    caller = item.get("caller")
    if not (caller is None or isinstance(caller, dict)):
        raise ShapeError("`item.caller` must be an object or null", choice, slot)
    waits = caller is not None and _text(caller, "type", "item.caller.", choice, slot) == PROGRAM
    if name and namespace and namespace != name:
        name = f"{namespace}.{name}"
    finished = status in WHOLE or (status == WAITING and waits)
    return Item(kind, Role.CALL, identity or None, call_id or None, name or None, text, finished)


def _role(kind: str, item: dict[str, object]) -> Role:
    if kind in OTHER_ITEMS:
        return Role.INERT
    if kind in TAKEOVERS:
        return Role.TAKEOVER
    if kind not in BUILT_IN_CALLS:
        return Role.UNKNOWN
    environment = item.get("environment")
    where = environment.get("type") if isinstance(environment, dict) else None
    contained = kind == "shell_call" and isinstance(where, str) and where in CONTAINERS
    searched = kind == "tool_search_call" and item.get("execution") == SERVER
    return Role.INERT if contained or searched else Role.BUILT_IN


def _lifecycle(payload: dict[str, object], kind: str) -> Lifecycle:
    response = payload.get("response")
    if response is None:
        response = {}
    if not isinstance(response, dict):
        raise ShapeError("`response` must be an object or null")
    identity = _text(response, "id", "response.", None, None)
    status = _text(response, "status", "response.", None, None)
    output = response.get("output")
    if not (output is None or isinstance(output, list)):
        raise ShapeError("`response.output` must be an array or null")
    items = tuple([_item(item, None, None) for item in output]) if output else ()
    stage = LIFECYCLE[kind]
    if stage is Stage.COMPLETED and status not in WHOLE:
        stage = Stage.INCOMPLETE
    return Lifecycle(stage, identity or None, items)


def _item_start(payload: dict[str, object], _: str) -> ItemStart:
    index = _index(payload)
    return ItemStart(index, _item(payload.get("item"), CHOICE, index))


def _item_end(payload: dict[str, object], _: str) -> ItemEnd:
    index = _index(payload)
    return ItemEnd(index, _item(payload.get("item"), CHOICE, index))


def _text_delta(payload: dict[str, object], kind: str) -> TextDelta:
    index = _index(payload)
    item_id, fragment = _text(payload, "item_id", "", CHOICE, index), payload.get("delta")
    if not isinstance(fragment, str):
        raise ShapeError("`delta` must be a string", CHOICE, index)
    return TextDelta(index, TEXT_DELTAS[kind], item_id or None, fragment)


def _text_end(payload: dict[str, object], kind: str) -> TextEnd:
    index = _index(payload)
    owner = TEXT_ENDS[kind]
    item_id, text = _text(payload, "item_id", "", CHOICE, index), _text(payload, CALLS[owner], "", CHOICE, index)
    return TextEnd(index, owner, item_id or None, text)


READERS: Final[Mapping[str, Callable[[dict[str, object], str], ResponseEvent]]] = {
    **dict.fromkeys(LIFECYCLE, _lifecycle),
    "response.output_item.added": _item_start,
    "response.output_item.done": _item_end,
    **dict.fromkeys(TEXT_DELTAS, _text_delta),
    **dict.fromkeys(TEXT_ENDS, _text_end),
    **dict.fromkeys(ASIDE_EVENTS, lambda payload, _: Aside(_index(payload))),
    **dict.fromkeys(IDLE, lambda _, __: Ping()),
}
# Errors are events like the others, decided before their type is looked up.
EVENTS: Final = frozenset(READERS) | {"error", FAILED}

"""Chunks of Ollama's /api/chat: what each line says, its shape checked whole. Knows payloads; knows no state.

The machine is in `objects`.
"""

from typing import Final

from replay.validator._machine.signals import Ending, ObjectCall, ObjectChoice, ObjectChunk, PayloadFinding
from replay.validator._printed import printed_with_copy
from replay.validator.profiles._readers.shape import NOT_AN_OBJECT, STREAM_ERROR, ShapeError, is_error

# A turn has one choice.
CHOICE: Final = 0
STOP: Final = "stop"
DONE: Final = "done"


def read_chunk(payload: object) -> ObjectChunk | PayloadFinding:
    """One payload, its shape checked whole."""
    if not isinstance(payload, dict):
        return NOT_AN_OBJECT
    if is_error(payload):
        return STREAM_ERROR
    try:
        return _chunk(payload)
    except ShapeError as error:
        finding = error.finding
    return finding


def says_nothing(payload: dict[str, object]) -> bool:
    """Whether a line is plainly a message without calls that is not the last one: most are."""
    message = payload.get("message")
    return (
        type(message) is dict
        and message.get("tool_calls") is None
        and (payload.get("done") is None or payload.get("done") is False)
        and payload.get("done_reason") is None
        and payload.get("error") is None
        and "type" not in payload
    )


def _chunk(payload: dict[str, object]) -> ObjectChunk:
    message, done, reason = payload.get("message"), payload.get("done"), payload.get("done_reason")
    if not (message is None or isinstance(message, dict)):
        raise ShapeError("`message` must be an object or null")
    if not (done is None or isinstance(done, bool)):
        raise ShapeError("`done` must be a boolean or null", CHOICE)
    if not (reason is None or isinstance(reason, str)):
        raise ShapeError("`done_reason` must be a string or null", CHOICE)
    if message is None:
        return ObjectChunk(None, None)
    calls = message.get("tool_calls")
    if not (calls is None or isinstance(calls, list)):
        raise ShapeError("`message.tool_calls` must be an array or null", CHOICE)
    read = tuple([_call(entry, at) for at, entry in enumerate(calls or ())])
    ending = Ending.COMPLETE if reason == STOP else Ending.OTHER
    return ObjectChunk(None, (ObjectChoice(CHOICE, read, DONE if done else None, ending),))


def _call(entry: object, at: int) -> ObjectCall:
    if not isinstance(entry, dict):
        raise ShapeError("an entry of `message.tool_calls` must be an object", CHOICE)
    kind, identity, function = entry.get("type"), entry.get("id"), entry.get("function")
    if not (kind is None or isinstance(kind, str)):
        raise ShapeError("the `type` of a tool call must be a string or null", CHOICE)
    if not (identity is None or isinstance(identity, str)):
        raise ShapeError("the `id` of a tool call must be a string or null", CHOICE)
    if not (function is None or isinstance(function, dict)):
        raise ShapeError("the `function` of a tool call must be an object or null", CHOICE)
    name, arguments = (function or {}).get("name"), (function or {}).get("arguments")
    if not (name is None or isinstance(name, str)):
        raise ShapeError("`function.name` must be a string or null", CHOICE)
    if not (arguments is None or isinstance(arguments, dict)):
        raise ShapeError("`function.arguments` must be an object or null", CHOICE)
    text, value = printed_with_copy(arguments) if arguments is not None else (None, None)
    if arguments is not None and text is None:  # no file can hold it: such a payload stands there as a string
        raise ShapeError("`function.arguments` holds a number or a string that JSON cannot: no double or no Unicode")
    return ObjectCall(
        starts=True,
        id=identity,
        name=name,
        text=text,
        pieces=(),
        goes_on=False,
        is_function=kind in (None, "", "function"),
        path=("message", "tool_calls", at, "function"),
        member="arguments",
        value=value,
    )

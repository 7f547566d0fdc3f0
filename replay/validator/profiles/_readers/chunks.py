"""Chunks with choices: what each says, its shape checked whole (`docs/conformance.md`, section 3).

Turns a payload into a `Chunk` or a `PayloadFinding`; knows no state. Example: a chunk with the tool delta
`{"index": 0, "function": {"arguments": "{"}}` becomes a `Chunk` of one `ChoicePart`, which has one
`ToolDelta(slot=0, id=None, name=None, fragment="{", is_function=True)`.
"""

from typing import Final

from replay.validator._machine.signals import ChoicePart, Chunk, PayloadFinding, Stray, ToolDelta
from replay.validator._values import same
from replay.validator.profiles._readers.shape import (
    INDEX_WORDS,
    NOT_AN_OBJECT,
    STREAM_ERROR,
    ShapeError,
    is_error,
    is_index,
)

# What a member of a delta holds that says nothing.
NOTHING: Final[tuple[object, ...]] = (None, "", [])


# Members of a chunk, and of a choice, that say more than its delta does.
OTHER_SIGNS: Final = frozenset({"error", "type", "message", "tool_calls", "function_call"})
OTHER_SIGNS_IN_CHOICE: Final = frozenset({"message", "tool_calls", "function_call"})
CALLS: Final = frozenset({"tool_calls", "function_call"})


def is_plain(payload: dict[str, object], choice: dict[str, object], delta: dict[str, object]) -> bool:
    """Whether a chunk of one choice says nothing beside its delta: no reason, no error, no call in another place."""
    return (
        choice.get("finish_reason") in (None, "")
        and delta.get("function_call") is None
        and OTHER_SIGNS.isdisjoint(payload)
        and (OTHER_SIGNS_IN_CHOICE.isdisjoint(choice) or _has_no_call(choice))
    )


def _has_no_call(choice: dict[str, object]) -> bool:
    """Whether the copy of a message in a choice is plainly of good shape and without calls."""
    message = choice.get("message")
    holders = [choice] if message is None else [choice, message]
    return all(
        type(holder) is dict and holder.get("tool_calls") is None and holder.get("function_call") is None
        for holder in holders
    )


def read_chunk(payload: object, absent_ids: frozenset[str]) -> Chunk | PayloadFinding:
    """What one payload says, its shape checked whole. `absent_ids`: ids that the dialect sends for "none"."""
    if not isinstance(payload, dict):
        return NOT_AN_OBJECT
    if is_error(payload):
        return STREAM_ERROR
    try:
        return _Reader(absent_ids).chunk(payload)
    except ShapeError as error:
        return error.finding


class _Reader:
    """Members in the reading order of section 2, each raising ShapeError at its own place."""

    __slots__ = ("absent_ids",)

    def __init__(self, absent_ids: frozenset[str]) -> None:
        self.absent_ids = absent_ids

    def chunk(self, payload: dict[str, object]) -> Chunk:
        kind, identity = payload.get("type"), payload.get("id")
        if not (kind is None or isinstance(kind, str)):
            raise ShapeError("`type` must be a string")
        if not (identity is None or isinstance(identity, str)):
            raise ShapeError("`id` must be a string or null")
        parts = self.choices(payload)
        message = payload.get("message")
        if not (message is None or isinstance(message, dict)):
            raise ShapeError("`message` must be an object or null")
        stray = _bears_calls(payload) or (message is not None and _bears_calls(message))
        return Chunk(identity, Stray.OTHER if stray else Stray.NONE, parts)

    def choices(self, payload: dict[str, object]) -> tuple[ChoicePart, ...] | None:
        choices = payload.get("choices")
        if choices is None and isinstance(payload.get("usage"), dict):
            return ()  # the count of tokens at the end, as some gateways send it
        if "choices" not in payload:
            return None
        if not isinstance(choices, list):
            raise ShapeError("`choices` must be an array")
        default = 0 if len(choices) == 1 else None  # of several choices each must have an index
        return tuple([self.choice(choice, place, default) for place, choice in enumerate(choices)])

    def choice(self, choice: object, place: int, default: int | None) -> ChoicePart:
        if not isinstance(choice, dict):
            raise ShapeError(f"`choices[{place}]` must be an object")
        index = choice.get("index", default)
        if not is_index(index):
            raise ShapeError(f"`choices[{place}].index` {INDEX_WORDS}")
        assert isinstance(index, int), "is_index says so"
        delta, finish, message = choice.get("delta"), choice.get("finish_reason"), choice.get("message")
        if not (delta is None or isinstance(delta, dict)):
            raise ShapeError(f"`choices[{place}].delta` must be an object or null", index)
        if not (finish is None or isinstance(finish, str)):
            raise ShapeError(f"`choices[{place}].finish_reason` must be a string or null", index)
        if not (message is None or isinstance(message, dict)):
            raise ShapeError(f"`choices[{place}].message` must be an object or null", index)
        calls = delta.get("tool_calls") if delta is not None else None
        if not (calls is None or isinstance(calls, list)):
            raise ShapeError(f"`choices[{place}].delta.tool_calls` must be an array or null", index)
        deltas = tuple([self.entry(entry, index) for entry in calls]) if calls else ()
        silent = not finish and not deltas and says_nothing(delta or {})
        return ChoicePart(index, _stray(choice, delta or {}, message or {}), deltas, finish or None, silent)

    def entry(self, entry: object, choice: int) -> ToolDelta:
        if not isinstance(entry, dict):
            raise ShapeError("an entry of `delta.tool_calls` must be an object", choice)
        index = entry.get("index")
        if not (index is None or is_index(index)):
            raise ShapeError(f"the `index` of a tool call {INDEX_WORDS}", choice)
        slot = index if isinstance(index, int) else None
        kind, identity, function = entry.get("type"), entry.get("id"), entry.get("function")
        if not (kind is None or isinstance(kind, str)):
            raise ShapeError("the `type` of a tool call must be a string or null", choice, slot)
        if not (identity is None or isinstance(identity, str)):
            raise ShapeError("the `id` of a tool call must be a string or null", choice, slot)
        if function is None:
            function = {}
        if not isinstance(function, dict):
            raise ShapeError("the `function` of a tool call must be an object or null", choice, slot)
        name, fragment = function.get("name"), function.get("arguments")
        if not (name is None or isinstance(name, str)):
            raise ShapeError("`function.name` must be a string or null", choice, slot)
        if not (fragment is None or isinstance(fragment, str)):
            raise ShapeError("`function.arguments` must be a string or null: the text of the arguments", choice, slot)
        provided = None if identity in self.absent_ids else identity
        return ToolDelta(slot, provided, name, fragment, kind in (None, "", "function"))


def _is_nothing(value: object) -> bool:
    return value is None or (isinstance(value, list) and not value)


def _is_no_call(legacy: object) -> bool:
    """Whether a `function_call` is one in name only: gateways print their empty model object."""
    if legacy is None:
        return True
    if isinstance(legacy, dict):
        return legacy.get("name") in (None, "") and legacy.get("arguments") in (None, "")
    return _is_nothing(legacy)


def says_nothing(delta: dict[str, object]) -> bool:
    """Whether a delta is that of a keep-alive: a role, and nothing beside it."""
    others = [name for name, value in delta.items() if value not in NOTHING and name != "role"]
    return not others or (others == ["function_call"] and _is_no_call(delta["function_call"]))


def _bears_calls(holder: dict[str, object]) -> bool:
    return not CALLS.isdisjoint(holder) and not (
        _is_nothing(holder.get("tool_calls")) and _is_no_call(holder.get("function_call"))
    )


def _stray(choice: dict[str, object], delta: dict[str, object], message: dict[str, object]) -> Stray:
    if OTHER_SIGNS_IN_CHOICE.isdisjoint(choice) and "function_call" not in delta:
        return Stray.NONE
    no_legacy = _is_no_call(delta.get("function_call")) and _is_no_call(message.get("function_call"))
    if not no_legacy or _bears_calls(choice):
        return Stray.OTHER
    mirrored = message.get("tool_calls")
    if _is_nothing(mirrored):
        return Stray.NONE
    own = delta.get("tool_calls")
    return Stray.MIRROR if not _is_nothing(own) and same(mirrored, own) else Stray.OTHER

"""Arguments that are no good JSON, that arrived damaged, or that the tool's own schema rejects."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from replay.derive import samples
from replay.derive.wires.gemini import GeminiWire
from replay.derive.wires.objects import ObjectWire
from replay.derived import ADDED, UNDONE
from replay.validator import Code, Limits
from replay.validator.schema import KEYWORDS

from .kind import (
    ALL,
    CHAT,
    GEMINI,
    OBJECTS,
    OLLAMA,
    PLAIN_BLOCKS,
    RESPONSES,
    TEXTS,
    Kind,
    Made,
    NotInThisError,
    alone,
    at_slot,
    broken,
    wire_of,
    with_arguments,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replay.derive.calls import ToolCall
    from replay.derive.recording import Recording

Change = Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BadCall:
    """A call whose arguments are rejected where they are looked at: with which code, and at which path."""

    call: ToolCall
    code: Code
    path: str | None = None


Bad: TypeAlias = Callable[["Recording"], BadCall]


def _with(one: Recording, bad: Bad) -> Made:
    """The turn with such a call in the place of the first one."""
    found = bad(one)
    return broken(alone(one, one.told(found.call), found.call), at_slot(one, found.code, found.call, path=found.path))


def _changed(one: Recording, change: Change, code: Code) -> BadCall:
    """The arguments after a change of their text."""
    return BadCall(call=with_arguments(one, change(one.first.text)), code=code)


def _member(value: str) -> Change:
    """One more member, with this text for its value."""

    def add(text: str) -> str:
        inside = text.strip()[1:-1].strip()
        return "{" + inside + ("," if inside else "") + f"{ADDED}:{value}" + "}"

    return add


def _doubled(value: dict[str, Any]) -> str:
    members = [f"{json.dumps(name)}:{samples.written(inner)}" for name, inner in value.items()]
    return "{" + ",".join([members[0], *members]) + "}"


def _unquoted_name(text: str) -> str:
    return "{x:1" + ("," + text.strip()[1:] if json.loads(text) else "}")


def _nested(text: str) -> str:
    levels = Limits().max_nesting
    return _member("[" * levels + "]" * levels)(text)


# By the name of the kind: what it does, the code, the change.
_BROKEN: Final[dict[str, tuple[str, Code, Change]]] = {
    "json-cut": ("the last brace is missing", Code.MALFORMED_ARGUMENTS, lambda text: text.strip()[:-1]),
    "json-comma": (
        "a comma stands before the last brace",
        Code.MALFORMED_ARGUMENTS,
        lambda text: text.strip()[:-1] + ",}",
    ),
    "json-single-quotes": ("a text has single quotes", Code.MALFORMED_ARGUMENTS, _member("'x'")),
    "json-bare-name": ("the name of a member has no quotes", Code.MALFORMED_ARGUMENTS, _unquoted_name),
    "json-python-words": ("a value is spelled as in Python", Code.MALFORMED_ARGUMENTS, _member("True")),
    "json-comment": (
        "a comment stands in the arguments",
        Code.MALFORMED_ARGUMENTS,
        lambda text: text.strip()[:-1] + "/* x */}",
    ),
    "json-fence": (
        "the arguments stand in a block of Markdown",
        Code.MALFORMED_ARGUMENTS,
        lambda text: f"```json\n{text}\n```",
    ),
    "json-line-end": ("a text has a raw line end", Code.MALFORMED_ARGUMENTS, _member('"x\nx"')),
    "json-escape": ("a text has an escape that JSON does not know", Code.MALFORMED_ARGUMENTS, _member('"\\x41"')),
    "json-leading-zero": ("a number begins with a zero", Code.MALFORMED_ARGUMENTS, _member("01")),
    "prose-before": ("words stand before the arguments", Code.MALFORMED_ARGUMENTS, lambda text: "x " + text),
    "second-object": ("a second object follows", Code.TRAILING_DATA, lambda text: text + text),
    "extra-brace": ("one more brace follows", Code.TRAILING_DATA, lambda text: text + "}"),
    "duplicate-key": ("a member stands twice", Code.DUPLICATE_KEY, lambda text: _doubled(json.loads(text) or {"x": 1})),
    "nan": ("a value is NaN", Code.NON_FINITE_NUMBER, _member("NaN")),
    "infinity": ("a value is Infinity", Code.NON_FINITE_NUMBER, _member("-Infinity")),
    "overflow": ("a number is larger than a double", Code.NON_FINITE_NUMBER, _member("1e999")),
    "half-surrogate": ("a text has half a pair of surrogates", Code.INVALID_UNICODE, _member('"\\ud83d"')),
    "byte-order-mark": ("a byte order mark stands first", Code.INVALID_UNICODE, lambda text: "\ufeff" + text),
    "array": ("the arguments are an array", Code.NON_OBJECT_ARGUMENTS, lambda _: "[]"),
    "encoded-twice": ("the arguments are a JSON text in a JSON string", Code.NON_OBJECT_ARGUMENTS, json.dumps),
    "null": ("the arguments are null", Code.NON_OBJECT_ARGUMENTS, lambda _: "null"),
    "too-deep": ("a value nests deeper than the limit", Code.LIMIT_EXCEEDED, _nested),
}


def _blank(one: Recording, text: str, code: Code) -> Made:
    call = with_arguments(one, text)
    return broken(alone(one, one.wire.told(call, [text]), call), at_slot(one, code, call))


def _damaged(one: Recording, change: Callable[[list[str]], list[str]]) -> Made:
    """Fragments that were lost, doubled or moved on their way: the text that arrives is no JSON."""
    pieces = change([one.first.text[:1], one.first.text[1:-1], one.first.text[-1:]])
    call = with_arguments(one, "".join(pieces))
    # Without its brace in front, an object begins with the name of a member: one JSON text, and something behind it.
    code = Code.TRAILING_DATA if call.text.lstrip().startswith('"') else Code.MALFORMED_ARGUMENTS
    return broken(alone(one, one.wire.told(call, pieces), call), at_slot(one, code, call))


# Each leaves a text that is no object: it begins or ends with another character than a brace, or with `{{`.
_LOST: Final[dict[str, tuple[str, Callable[[list[str]], list[str]]]]] = {
    "first-fragment-lost": ("the first fragment never comes", lambda pieces: pieces[1:]),
    "last-fragment-lost": ("the last fragment never comes", lambda pieces: pieces[:-1]),
    "fragment-doubled": ("the first fragment comes twice", lambda pieces: [pieces[0], *pieces]),
    "fragments-swapped": ("the first and the last fragment change places", lambda pieces: pieces[::-1]),
    "fragment-moved": ("the first fragment comes last", lambda pieces: [*pieces[1:], pieces[0]]),
}


def _violating(one: Recording, keyword: str) -> BadCall:
    for call in (one.first, one.second):
        found = one.violating(call).get(keyword)
        if found is not None:
            value, path = found
            made = replace(one.first, name=call.name, text=samples.written(value))
            return BadCall(call=made, code=Code.SCHEMA_VIOLATION, path=path)
    raise NotInThisError("no schema of its tools asserts that")


def _undeclared(one: Recording) -> BadCall:
    return BadCall(call=replace(one.first, name="undeclared_1"), code=Code.UNKNOWN_TOOL)


def _unsupported(one: Recording) -> Made:
    schema = {**one.schema, "$ref": "https://schemas.example/x.json"}
    schemas = {**one.schemas, one.first.name: schema}
    payloads = alone(one, one.told())
    return broken(payloads, at_slot(one, Code.UNSUPPORTED_SCHEMA, one.first), schemas=schemas)


def _absent(one: Recording) -> Made:
    """The call has no arguments at all, where its server always writes some."""
    call = with_arguments(one, "")
    payloads = wire_of(one, ObjectWire).whole(id=call.id, name=call.name, arguments=None)  # type: ignore[type-abstract]
    return broken(alone(one, payloads, call), at_slot(one, Code.EMPTY_ARGUMENTS, call))


def _no_fit(one: Recording) -> Made:
    """A piece names the third element of an array that has none."""
    wire, call = wire_of(one, GeminiWire), one.first
    piece = {"jsonPath": "$.x[2]", "stringValue": "x"}
    told = [wire.part(name=call.name, partialArgs=[piece])]
    return broken(alone(one, told), at_slot(one, Code.MALFORMED_ARGUMENTS, call))


def _deep_object(one: Recording) -> Made:
    value: Any = {}
    for _ in range(Limits().max_nesting):
        value = {"x": value}
    call = with_arguments(one, samples.written(value))
    return broken(alone(one, one.told(call), call), at_slot(one, Code.LIMIT_EXCEEDED, call))


# The keywords that reject; a value that the schema forbids altogether is rejected by the schema `false`.
_FORBIDDEN: Final = "false"
_REJECTING: Final = (_FORBIDDEN, *(name for name, row in KEYWORDS.items() if row.words is not None))


def _kebab(name: str) -> str:
    return "".join("-" + one.lower() if one.isupper() else one for one in name)


def _violation(keyword: str) -> tuple[str, tuple[str, frozenset[str], Bad]]:
    name, does = _kebab(keyword), f"`{keyword}` of the tool's schema is violated"
    if keyword == _FORBIDDEN:
        name, does = "extra-member", "a member stands there that the schema forbids"
    return f"schema-{name}", (does, ALL, partial(_violating, keyword=keyword))


# By the name of the kind: what it does, in which families, and the call that it makes of the first one.
_BAD: Final[dict[str, tuple[str, frozenset[str], Bad]]] = {
    **{
        name: (does, TEXTS, partial(_changed, change=change, code=code))
        for name, (does, code, change) in _BROKEN.items()
    },
    **dict(map(_violation, _REJECTING)),
    "unknown-tool": ("the tool is not declared", ALL, _undeclared),
}
# What a turn can have beside another fault: those whose text redaction keeps as it is.
BAD_CALLS: Final[Mapping[str, Bad]] = {name: bad for name, (_, _, bad) in _BAD.items() if name not in UNDONE}


def _kind(name: str) -> Kind:
    does, of, bad = _BAD[name]
    return Kind(name=name, does=does, of=of, make=partial(_with, bad=bad))


ARGUMENTS: Final = (
    *map(_kind, _BROKEN),
    Kind(
        name="empty-arguments",
        does="no argument text comes",
        of=CHAT | RESPONSES,
        make=partial(_blank, text="", code=Code.EMPTY_ARGUMENTS),
    ),
    Kind(
        name="blank-arguments",
        does="the arguments are white space",
        of=CHAT | RESPONSES,
        make=partial(_blank, text=" \n", code=Code.EMPTY_ARGUMENTS),
    ),
    Kind(
        name="blank-input",
        does="the arguments are white space",
        of=PLAIN_BLOCKS,
        make=partial(_blank, text=" \n", code=Code.MALFORMED_ARGUMENTS),
    ),
    Kind(name="absent-arguments", does="the call has no arguments", of=OLLAMA, make=_absent),
    Kind(name="too-deep-object", does="the object nests deeper than the limit", of=OBJECTS, make=_deep_object),
    Kind(name="piece-without-place", does="a piece by path has no place to stand", of=GEMINI, make=_no_fit),
    *(
        Kind(name=name, does=does, of=TEXTS, make=partial(_damaged, change=change))
        for name, (does, change) in _LOST.items()
    ),
    *map(_kind, (name for name in _BAD if name not in _BROKEN)),
    Kind(name="unsupported-schema", does="the tool's schema refers to another document", of=ALL, make=_unsupported),
)

"""Arguments for a tool: some that satisfy its schema, and for each keyword some that it rejects.

Every value is proved by the same check that the verdict uses: what `satisfying` gives is accepted, what `violating`
gives is rejected first by the keyword that it names.
"""

from __future__ import annotations

import json
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from redaction.witnesses.text_search import texts
from replay.validator.schema import EXAMPLES, compile_schema, follow, tokens_of, violation
from replay.validator.schema import Compiled as CompiledSchema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

# How deep objects are filled in. Schemas that contain themselves have no bottom of their own.
_DEEPEST: Final = 6
# Texts that are tried for one place.
_TRIED: Final = 8
_TEXT_WORDS: Final = ("pattern", "format", "minLength", "maxLength")
# Values of each kind, of which one is of a wrong type, too long, too large or undeclared wherever it is put.
_ODD: Final[tuple[object, ...]] = (
    "",
    "x",
    "x" * 300,
    "not this one",
    -1,
    0,
    1,
    0.5,
    0.1,
    10**9,
    True,
    None,
    [],
    {},
    ["x"],
)
_EXTRA: Final = "unexpected"
_MANY: Final = 40


def satisfying(schema: object) -> dict[str, Any] | None:
    """Arguments that the schema accepts, if they can with every member that it declares; None if none is found."""
    compiled = compile_schema(schema)
    if not isinstance(compiled, CompiledSchema):
        return None
    for only_required in (False, True):
        found = _value(schema, schema, _DEEPEST, only_required)
        if isinstance(found, dict) and violation(compiled, found) is None:
            return found
    return None


def violating(schema: object, good: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
    """For each keyword that can reject, arguments near `good` that it rejects first, and the pointer of that place."""
    compiled = compile_schema(schema)
    if not isinstance(compiled, CompiledSchema):
        return {}
    found: dict[str, tuple[Any, str]] = {}
    for value in (one for one in _near(good) if isinstance(one, dict)):
        rejected = violation(compiled, value)
        if rejected is not None and rejected.keyword not in found:
            found[rejected.keyword] = (value, rejected.path)
    return found


def with_text(schema: object, good: Mapping[str, Any], add: str) -> dict[str, Any] | None:
    """The arguments with `add` at the end of a text, or with such a text; None where the schema has no room for it."""
    compiled = compile_schema(schema)
    if not isinstance(compiled, CompiledSchema):
        return None
    for value in (*_longer(good, add), {**good, _EXTRA: add}):
        if violation(compiled, value) is None:
            return dict(value)
    return None


def _longer(value: Any, add: str) -> Iterator[Any]:
    """The value with `add` at the end of one text in it, for each text."""
    if isinstance(value, str):
        yield value + add
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from ({**value, name: one} for one in _longer(inner, add))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from ([*value[:at], one, *value[at + 1 :]] for one in _longer(inner, add))


def _near(value: Any) -> Iterator[Any]:
    """Values that differ from this one in one place: a member less, one more, or another value."""
    if isinstance(value, dict):
        for name in value:
            yield {key: inner for key, inner in value.items() if key != name}
        yield {**value, _EXTRA: "x"}
        yield {**value, **dict.fromkeys((f"m{at}" for at in range(_MANY)), next(iter(value.values()), "x"))}
        for name, inner in value.items():
            yield from ({**value, name: one} for one in _near(inner))
    elif isinstance(value, list):
        yield []
        yield value + value[-1:]
        yield value * _MANY
        for at, inner in enumerate(value):
            yield from ([*value[:at], one, *value[at + 1 :]] for one in _near(inner))
    elif isinstance(value, str):
        yield value[:-1]
        yield value + " x"
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from (value + 1, value - 1, value + 0.1)
    yield from (one for one in _ODD if one != value or type(one) is not type(value))


def _value(schema: Any, root: Any, depth: int, only_required: bool) -> Any:  # noqa: FBT001 - of a recursion, in its order
    """A value that the schema may accept, looked for by its own words."""
    if not isinstance(schema, dict) or depth == 0:
        return "x"
    if "$ref" in schema:
        return _value(_referred(schema["$ref"], root), root, depth - 1, only_required)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    for name in ("anyOf", "oneOf", "allOf"):
        branches = schema.get(name)
        if isinstance(branches, list) and branches and "type" not in schema:
            whole = {**schema, **branches[0]} if isinstance(branches[0], dict) else schema
            return _value({key: one for key, one in whole.items() if key != name}, root, depth - 1, only_required)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = next((one for one in kind if one != "null"), "null") if isinstance(kind, list) else kind
    made: Callable[..., Any] = _OF_TYPE.get(kind, _text)
    return made(schema, root, depth, only_required)


def _referred(pointer: object, root: Any) -> Any:
    try:
        return follow(root, tokens_of(str(pointer).removeprefix("#")))
    except (LookupError, TypeError, ValueError):
        return {}


def _object(schema: Any, root: Any, depth: int, only_required: bool) -> Any:  # noqa: FBT001
    required = [name for name in schema.get("required") or () if isinstance(name, str)]
    declared = schema.get("properties") or {}
    names = required if only_required or depth < _DEEPEST - 2 else [*declared, *required]
    return {name: _value(declared.get(name, {}), root, depth - 1, only_required) for name in dict.fromkeys(names)}


def _array(schema: Any, root: Any, depth: int, only_required: bool) -> Any:  # noqa: FBT001
    first = [_value(one, root, depth - 1, only_required) for one in schema.get("prefixItems") or ()]
    least = schema.get("minItems", 1)
    while len(first) < min(int(least), 20) and schema.get("items") is not False:
        first.append(_value(schema.get("items", {}), root, depth - 1, only_required))
    return first


def _number(schema: Any, *_: object) -> Any:
    low, high, step = schema.get("minimum"), schema.get("maximum"), schema.get("multipleOf", 1)
    low = schema.get("exclusiveMinimum", low)
    if low is None:
        return 0 if high is None or high >= 0 else high
    start = Decimal(str(low)) // Decimal(str(step)) * Decimal(str(step)) + Decimal(str(step))
    found = start if start == start.to_integral_value() or schema.get("type") == "number" else start.to_integral_value()
    if high is not None and found > Decimal(str(high)):
        return low
    return int(found) if found == found.to_integral_value() else float(found)


def _text(schema: Any, *_: object) -> Any:
    wanted = [(name, schema[name], True) for name in _TEXT_WORDS if name in schema]
    if schema.get("format") in EXAMPLES and "pattern" not in schema:
        return EXAMPLES[schema["format"]]
    if not wanted:
        return "x"
    compiled = compile_schema({name: schema[name] for name in _TEXT_WORDS if name in schema})
    if not isinstance(compiled, CompiledSchema):
        return "x"
    size = max(1, int(schema.get("minLength", 1)))
    return next((one for one in islice(texts(wanted, size), _TRIED) if violation(compiled, one) is None), "x")


_OF_TYPE: Final[Mapping[str, Callable[..., Any]]] = {
    "object": _object,
    "array": _array,
    "number": _number,
    "integer": _number,
    "boolean": lambda *_: True,
    "null": lambda *_: None,
    "string": _text,
}


def written(value: object) -> str:
    """The arguments as compact JSON text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=exact)


def exact(value: object) -> object:
    """A decimal number as JSON writes it: for `json.dumps`."""
    return int(value) if isinstance(value, Decimal) and value == value.to_integral_value() else float(str(value))

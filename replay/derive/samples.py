"""Arguments for a tool: some that satisfy its schema, and for each keyword some that it rejects.

Every value is proved by the same check that the verdict uses: what `satisfying` gives is accepted, what `violating`
gives is rejected first by the keyword that it names.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from replay.diff.samples import sample
from replay.validator.schema import Compiled as CompiledSchema
from replay.validator.schema import compile_schema, violation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
    declared = schema.get("properties") if isinstance(schema, dict) else None
    whole = {**schema, "required": list(declared)} if isinstance(schema, dict) and declared else schema
    for one in (whole, schema):
        found = sample(one)
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


def written(value: object) -> str:
    """The arguments as compact JSON text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=exact)


def exact(value: object) -> object:
    """A decimal number as JSON writes it: for `json.dumps`."""
    return int(value) if isinstance(value, Decimal) and value == value.to_integral_value() else float(str(value))

"""The quick answer to whether a schema accepts a value: "yes" for most values of most schemas, and else "not known".

For example, `{"type": "object", "properties": {"city": {"type": "string"}}}` quickly accepts `{"city": "Oslo"}`. It
answers nothing of `{"city": 7}`, and the nodes, which know the place and the keyword that rejects it, are asked.

Only the keywords of the tables here are looked at. Of a schema with any other keyword that judges nothing is known.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import reduce
from typing import Final, TypeAlias

from replay.validator._values import as_number
from replay.validator.schema._keyword import Judge
from replay.validator.schema._keywords import KEYWORDS

# Whether a value is surely accepted.
Quick: TypeAlias = Callable[[object], bool]
# The quick answer of a schema within the one that is looked at.
Inner: TypeAlias = Callable[[object], Quick]

# Schemas within schemas; what is deeper is not known.
MAX_DEPTH: Final = 32

_TYPES: Final[Mapping[str, frozenset[type]]] = {
    "string": frozenset({str}),
    "boolean": frozenset({bool}),
    "null": frozenset({type(None)}),
    "object": frozenset({dict}),
    "array": frozenset({list}),
    "integer": frozenset({int}),
    "number": frozenset({int, float, Decimal}),
}
_NUMBERS: Final = _TYPES["number"]


def quick(schema: object) -> Quick:
    """The quick answer of a supported schema."""
    return _quick(schema, MAX_DEPTH, {})


def _quick(schema: object, depth: int, known: dict[int, Quick]) -> Quick:
    """The quick answer of a schema; `known` has those of the schema objects that several ways lead to, by their ids."""
    if schema is True:
        return _always
    if not isinstance(schema, dict) or depth == 0:
        return _not_known
    if id(schema) not in known:
        known[id(schema)] = _not_known  # within itself
        known[id(schema)] = _made(schema, lambda inner: _quick(inner, depth - 1, known))
    return known[id(schema)]


def _made(schema: Mapping[str, object], inner: Inner) -> Quick:
    words = [word for word in schema if _judge(word) is not None]
    if any(word not in _MAKERS for word in words):
        return _not_known
    # One maker may read several keywords.
    parts = [make(schema, inner) for make in dict.fromkeys(_MAKERS[word] for word in words)]
    return reduce(_both, parts) if parts else _always


def _both(one: Quick, other: Quick) -> Quick:
    return lambda value: one(value) and other(value)


def _judge(word: str) -> Judge | None:
    keyword = KEYWORDS.get(word)
    return keyword.judge if keyword is not None else None


def _always(_: object) -> bool:
    return True


def _not_known(_: object) -> bool:
    return False


def _type(schema: Mapping[str, object], _: Inner) -> Quick:
    named = schema["type"]
    names = named if isinstance(named, list) else [named]
    kinds = frozenset(kind for name in names for kind in _TYPES[str(name)])
    if kinds.isdisjoint(_NUMBERS):
        return lambda value: type(value) in kinds
    others = kinds - _NUMBERS
    # A number that no double holds has no type at all.
    return lambda value: (kind := type(value)) in others or (kind in kinds and as_number(value) is not None)


def _enum(schema: Mapping[str, object], _: Inner) -> Quick:
    listed = schema["enum"]
    texts = frozenset(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else frozenset()
    return lambda value: type(value) is str and value in texts


def _required(schema: Mapping[str, object], _: Inner) -> Quick:
    wanted = schema["required"]
    names = frozenset(wanted) if isinstance(wanted, list) else frozenset()
    return lambda value: type(value) is not dict or names <= value.keys()


def _properties(schema: Mapping[str, object], inner: Inner) -> Quick:
    declared = schema.get("properties")
    members = [(name, inner(one)) for name, one in declared.items()] if isinstance(declared, dict) else []
    names = frozenset(name for name, _ in members)
    others = inner(schema.get("additionalProperties", True))

    def accepts(value: object) -> bool:
        if type(value) is not dict:
            return True
        for name, member in members:
            if name in value and not member(value[name]):
                return False
        return others is _always or names.issuperset(value) or all(others(value[name]) for name in value.keys() - names)

    return accepts


def _items(schema: Mapping[str, object], inner: Inner) -> Quick:
    item = inner(schema["items"])
    return lambda value: type(value) is not list or all(map(item, value))


_MAKERS: Final[Mapping[str, Callable[[Mapping[str, object], Inner], Quick]]] = {
    "type": _type,
    "enum": _enum,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _properties,
    "items": _items,
}

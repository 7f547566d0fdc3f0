"""Tool schemas without their prose: what decides stays, what explains goes.

Assertions, property names, enum and const values stay as the application declared them. Titles, descriptions,
defaults, examples and comments are dropped; definitions are renamed by ordinals; what the validator does not support
becomes one reserved unknown keyword, so that the schema stays unsupported. Knows JSON Schema; knows no capture.
"""

from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from typing import Final
from urllib.parse import quote, unquote

from replay.validator._arguments import GRAMMAR
from replay.validator._values import same
from replay.validator.schema import unsupported

# Stands for anything in a schema that the validator does not support.
RESERVED: Final = "unknown_keyword"
UNSUPPORTED: Final[Mapping[str, object]] = {RESERVED: True}

SCHEMA: Final = frozenset({"items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"})
SCHEMA_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
# Maps whose names the application declared.
SCHEMA_MAPS: Final = frozenset({"properties", "patternProperties", "dependentSchemas"})
DEFINITIONS: Final = ("$defs", "definitions")
BOUNDS: Final = frozenset(
    {
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minContains",
        "maxContains",
        "minProperties",
        "maxProperties",
    }
)
TEXTS: Final = frozenset({"pattern", "format"})
DROPPED: Final = frozenset(
    {
        "title",
        "description",
        "default",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "$comment",
        "strict",
        "$schema",
    }
)


def mask_schema(schema: object) -> object:
    """The schema without prose, supported if and only if `schema` is; that of a grammar as it stands."""
    if same(schema, GRAMMAR):
        return dict(GRAMMAR)
    supported = unsupported(schema) is None
    masked = _Masker(schema).schema(schema)
    return masked if (unsupported(masked) is None) is supported else UNSUPPORTED


class _Masker:
    """One document; definitions are numbered as they stand in it."""

    def __init__(self, root: object) -> None:
        self._root = root
        self._ordinals: dict[str, str] = {}

    def schema(self, schema: object) -> object:
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, Mapping):
            return UNSUPPORTED
        masked: dict[str, object] = {}
        for keyword, value in schema.items():
            if keyword in DEFINITIONS and isinstance(value, Mapping):
                masked[keyword] = {self._ordinal(name): self.schema(inner) for name, inner in value.items()}
                continue
            kept = self._keyword(keyword, value)
            if kept is _GONE:
                continue
            if kept is _UNKNOWN:
                masked[RESERVED] = True
            else:
                masked[keyword] = kept
        return masked

    def _keyword(self, keyword: str, value: object) -> object:
        if keyword in DROPPED or keyword.startswith("x-"):
            # An annotation that the validator refuses is no annotation.
            return _GONE if unsupported({keyword: value}) is None else _UNKNOWN
        if keyword in SCHEMA:
            return self.schema(value)
        if keyword in SCHEMA_LISTS and isinstance(value, list):
            return [self.schema(inner) for inner in value]
        if keyword in SCHEMA_MAPS and isinstance(value, Mapping):
            return {name: self.schema(inner) for name, inner in value.items()}
        if keyword == "$ref" and isinstance(value, str):
            return self._reference(value)
        if keyword == "const" or (keyword == "enum" and isinstance(value, list)):
            return value
        good = (
            (keyword in BOUNDS and isinstance(value, (int, float, Decimal)) and not isinstance(value, bool))
            or (keyword in TEXTS and isinstance(value, str))
            or (keyword == "type" and _texts(value if isinstance(value, list) else [value]))
            or (keyword == "required" and _texts(value))
            or (keyword == "uniqueItems" and isinstance(value, bool))
            or (keyword == "dependentRequired" and isinstance(value, Mapping) and all(map(_texts, value.values())))
        )
        # Refused by itself: an unknown keyword, a type that is none, a pattern or format outside the subset.
        return value if good and unsupported({keyword: value}) is None else _UNKNOWN

    def _ordinal(self, name: str) -> str:
        return self._ordinals.setdefault(name, f"def_{len(self._ordinals) + 1}")

    def _reference(self, reference: str) -> object:
        """The same place in the masked document; one that leaves it, or that names no schema of it, is unsupported."""
        if reference != "#" and not reference.startswith("#/"):
            return _UNKNOWN
        masked = [""]
        here: object = self._root
        holder = _Holder.SCHEMA
        for token in unquote(reference[1:]).split("/")[1:]:
            name = token.replace("~1", "/").replace("~0", "~")
            if isinstance(here, list):
                here = here[int(name)] if name.isdecimal() and len(name) < _DIGITS and int(name) < len(here) else None
            else:
                here = here.get(name) if isinstance(here, Mapping) else None
            if here is None or (holder is _Holder.SCHEMA and name not in _HELD):
                return _UNKNOWN
            masked.append(self._ordinal(name) if holder is _Holder.DEFINITIONS else token)
            holder = _HELD[name] if holder is _Holder.SCHEMA else _Holder.SCHEMA
        return "#" + quote("/".join(masked), safe="/~$-_.!*'(),:@&=+;?")


class _Holder(Enum):
    """What a place in a schema document holds, as a reference walks over it."""

    SCHEMA = "a schema"
    LIST = "a list of schemas"
    MAP = "a map of schemas, by names that the application declared"
    DEFINITIONS = "a map of schemas, by names that are renamed"


# The keywords that a reference may pass, and what they hold.
_HELD: Final[Mapping[str, _Holder]] = {
    **dict.fromkeys(SCHEMA, _Holder.SCHEMA),
    **dict.fromkeys(SCHEMA_LISTS, _Holder.LIST),
    **dict.fromkeys(SCHEMA_MAPS, _Holder.MAP),
    **dict.fromkeys(DEFINITIONS, _Holder.DEFINITIONS),
}
# An index of more digits points at nothing.
_DIGITS: Final = 10


class _Marker:
    """What became of a keyword that does not stay."""


_GONE: Final = _Marker()
_UNKNOWN: Final = _Marker()


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def property_names(schema: object) -> frozenset[str]:
    """Every property name that a masked schema declares, at any depth."""
    found: set[str] = set()
    waiting = [schema]
    while waiting:
        here = waiting.pop()
        if not isinstance(here, Mapping):
            continue
        for keyword, value in here.items():
            if keyword in SCHEMA:
                waiting.append(value)
            elif keyword in SCHEMA_LISTS:
                waiting += value
            elif keyword in SCHEMA_MAPS or keyword in DEFINITIONS:
                waiting += value.values()
            if keyword in ("properties", "dependentSchemas", "dependentRequired"):
                found.update(value)
            if keyword == "required":
                found.update(value)
            if keyword == "dependentRequired":
                found.update(name for names in value.values() for name in names)
    return frozenset(found)

"""A schema in the dialect of OpenAPI 3.0, as Google's APIs take it, as the JSON Schema that says the same.

    {"type": "STRING", "nullable": true, "maxLength": "9", "format": "enum", "enum": ["a"]}
    {"type": ["string", "null"],         "maxLength": 9,                     "enum": ["a", null]}

What neither dialect knows stays as it is, and is judged as the validator judges it. Knows no family.
"""

from collections.abc import Mapping
from typing import Final

from replay.validator.schema import KEYWORDS, Holds

# Counts, which are 64-bit integers there and so may be written as strings of digits.
_COUNTS: Final = frozenset({"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"})
# What says nothing of a value that JSON Schema asks for.
_DROPPED: Final = frozenset({"propertyOrdering", "property_ordering", "example", "nullable"})
_DROPPED_FORMATS: Final = frozenset({"int32", "int64", "float", "double", "enum"})


def json_schema(schema: object) -> object:
    """The schema as JSON Schema; of nested schemas each one, too."""
    if not isinstance(schema, Mapping):
        return schema
    found = {word: _value(word, value) for word, value in schema.items() if not _is_dropped(word, value)}
    if schema.get("nullable") is True:
        _let_be_null(found)
    return found


def _is_dropped(word: str, value: object) -> bool:
    return word in _DROPPED or (word == "format" and isinstance(value, str) and value in _DROPPED_FORMATS)


def _value(word: str, value: object) -> object:
    """The value of a keyword in JSON Schema."""
    if word == "type":
        return [_lower(one) for one in value] if isinstance(value, list) else _lower(value)
    if word in _COUNTS and isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    holds = KEYWORDS[word].holds if word in KEYWORDS else Holds.NOTHING
    if holds is Holds.ONE:
        return json_schema(value)
    if holds is Holds.LIST and isinstance(value, list):
        return [json_schema(one) for one in value]
    if holds is Holds.NAMED and isinstance(value, Mapping):
        return {name: json_schema(one) for name, one in value.items()}
    return value


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


def _let_be_null(schema: dict[str, object]) -> None:
    kind, members = schema.get("type"), schema.get("enum")
    if isinstance(kind, str):
        schema["type"] = [kind, "null"]
    elif isinstance(kind, list) and "null" not in kind:
        schema["type"] = [*kind, "null"]
    if isinstance(members, list) and None not in members:
        schema["enum"] = [*members, None]

"""One message for each keyword, as it is read: the field, the constraint, a legal value."""

# ruff: noqa: E501 - messages stand whole

from typing import Any

import pytest

from replay.validator.schema import violation
from replay.validator.schema.messages import CONSTRAINTS
from replay.validator.schema.subset import KEYWORDS

MESSAGES: dict[str, tuple[Any, Any, str]] = {
    "type": ({"type": "integer"}, "canary", "`n` must be an integer; for example 1"),
    "const": ({"const": "on"}, "canary", '`n` must be "on"'),
    "enum": ({"enum": ["a", "b", 3]}, "canary", '`n` must be one of "a", "b", 3'),
    "minimum": ({"type": "integer", "minimum": 1, "maximum": 20}, -77, "`n` must be an integer from 1 to 20; for example 20"),
    "maximum": ({"maximum": 20}, 77, "`n` must be a number of 20 or less; for example 20"),
    "exclusiveMinimum": ({"type": "number", "exclusiveMinimum": 0}, -77, "`n` must be a number above 0; for example 1"),
    "exclusiveMaximum": ({"exclusiveMaximum": 5}, 77, "`n` must be a number below 5; for example 4"),
    "multipleOf": ({"multipleOf": 0.25}, 77.1, "`n` must be a multiple of 0.25; for example 0.25"),
    "minLength": ({"minLength": 3, "maxLength": 5}, "", '`n` must have 3 to 5 characters; for example "xxx"'),
    "maxLength": ({"maxLength": 4}, "canary", '`n` must have at most 4 characters; for example "text"'),
    "pattern": ({"pattern": "^[a-z]{2}-[0-9]+$"}, "canary", '`n` must match the pattern "^[a-z]{2}-[0-9]+$"; for example "aa-1"'),
    "format": ({"format": "date"}, "canary", '`n` must be of the format "date"; for example "2024-05-17"'),
    "minItems": ({"minItems": 1, "items": {"type": "null"}}, [], "`n` must have 1 items or more; for example [null]"),
    "maxItems": ({"type": "array", "maxItems": 0}, ["canary"], "`n` must have at most 0 items; for example []"),
    "uniqueItems": ({"type": "array", "uniqueItems": True}, [1, 1], "`n` must not have the same item twice; for example []"),
    "contains": ({"contains": {"const": 1}, "maxContains": 2}, ["canary"], "`n` must have at least 1 and at most 2 items that satisfy `contains`; for example [1]"),
    "required": ({"required": ["a", "b"]}, {"a": 1}, "`n` must have `b`"),
    "dependentRequired": ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "`n` must have `b` where it has `a`"),
    "minProperties": ({"type": "object", "minProperties": 1}, {}, "`n` must have 1 properties or more"),
    "maxProperties": ({"type": "object", "maxProperties": 0}, {"canary": 1}, "`n` must have at most 0 properties; for example {}"),
    "propertyNames": ({"type": "object", "propertyNames": {"maxLength": 1}}, {"canary": 1}, "`n` must have only property names that satisfy `propertyNames`; for example {}"),
    "anyOf": ({"anyOf": [{"const": 5}, {"type": "null"}]}, "canary", "`n` must satisfy at least one of the `anyOf` schemas; for example 5"),
    "oneOf": ({"oneOf": [{"type": "string"}, {"minLength": 1}]}, "canary", '`n` must satisfy exactly one of the `oneOf` schemas; for example 1'),
    "not": ({"not": {"type": "string"}}, "canary", "`n` must not satisfy the `not` schema; for example 1"),
}  # fmt: skip


@pytest.mark.parametrize("keyword", MESSAGES)
def test_a_message_names_the_field_the_constraint_and_a_legal_value(keyword: str) -> None:
    schema, value, message = MESSAGES[keyword]
    found = violation({"properties": {"n": schema}}, {"n": value})
    assert found is not None
    assert (found.path, found.keyword, found.message) == ("/n", keyword, message)
    assert "canary" not in found.message
    assert "77" not in found.message


def test_every_keyword_that_can_reject_a_value_has_words() -> None:
    elsewhere = {
        *[
            "$schema",
            "$ref",
            "$defs",
            "definitions",
            "minContains",
            "maxContains",
            "prefixItems",
            "items",
            "properties",
        ],
        *["patternProperties", "additionalProperties", "dependentSchemas", "allOf", "if", "then", "else"],
    }
    assert CONSTRAINTS.keys() == MESSAGES.keys() == KEYWORDS.keys() - elsewhere


def test_only_names_that_the_schema_declares_are_quoted() -> None:
    schema = {"properties": {"list": {"items": {"additionalProperties": {"properties": {"x": {"type": "null"}}}}}}}
    found = violation(schema, {"list": [0, {"canary": {"x": "canary"}}]})
    assert found is not None
    assert (found.path, found.message) == ("/list/1/canary/x", "`list[1].*.x` must be null; for example null")


def test_what_a_false_schema_rejects_is_answered_with_the_names_that_are_declared() -> None:
    found = violation({"properties": {"a": {}, "b": {}}, "additionalProperties": False}, {"canary": 1})
    assert found is not None
    assert found.message == "`*` is not allowed here; the declared properties are `a`, `b`"


def test_long_constraints_are_cut_and_those_that_cannot_be_written_are_named() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for schema in ({"enum": list(range(500))}, {"const": "x" * 5_000}, {"const": deep}, {"const": 10**5_000}):
        found = violation(schema, "canary")
        assert found is not None
        assert len(found.message) < 300

import json
from decimal import Decimal
from typing import Any

import pytest
from support.shared import folder

from replay.validator.schema import unsupported


@pytest.mark.parametrize(
    "schema",
    [
        True,
        False,
        {},
        {"type": ["string", "null"], "title": 5, "x-anything": {"unknown": 1}, "strict": True},
        {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {}}, "$ref": "#/definitions/a"},
        {"$ref": "#/$defs/a~1b%25", "$defs": {"a/b%": {"type": "string"}}},
        {"properties": {"next": {"$ref": "#"}}},
        {"items": {"$ref": "#/prefixItems/0"}, "prefixItems": [True]},
        {"propertyNames": {"$ref": "#/$defs/a"}, "$defs": {"a": {"propertyNames": {"$ref": "#/$defs/a"}}}},
        {"then": {}, "else": {}, "minContains": 2},
        {"minLength": Decimal("2.0"), "multipleOf": Decimal("0.01")},
        {"const": {"type": "nonsense"}, "enum": [{"$ref": "http://elsewhere"}], "default": {"unknown": 1}},
    ],
    ids=str,
)
def test_what_the_subset_has_is_supported(schema: object) -> None:
    assert unsupported(schema) is None


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        (None, ""),
        ("string", ""),
        ({"properties": {"a": "string"}}, "/properties"),
        ({"nullable": True}, "/nullable"),
        ({"unevaluatedProperties": False}, "/unevaluatedProperties"),
        ({"$id": "x"}, "/$id"),
        ({"type": "int"}, "/type"),
        ({"type": []}, "/type"),
        ({"type": ["string", "string"]}, "/type"),
        ({"$schema": "http://json-schema.org/draft-03/schema#"}, "/$schema"),
        ({"items": [{}]}, "/items"),
        ({"exclusiveMinimum": True}, "/exclusiveMinimum"),
        ({"minimum": "1"}, "/minimum"),
        ({"minimum": float("nan")}, "/minimum"),
        ({"minLength": -1}, "/minLength"),
        ({"minLength": Decimal("1.5")}, "/minLength"),
        ({"minLength": Decimal("1e999999999")}, "/minLength"),
        ({"multipleOf": 0}, "/multipleOf"),
        ({"multipleOf": Decimal("1e-9999")}, "/multipleOf"),
        ({"required": ["a", "a"]}, "/required"),
        ({"required": [1]}, "/required"),
        ({"allOf": []}, "/allOf"),
        ({"pattern": "(?=a)"}, "/pattern"),
        ({"patternProperties": {"\\1": {}}}, "/patternProperties"),
        ({"format": "int32"}, "/format"),
        ({"uniqueItems": 1}, "/uniqueItems"),
        ({"dependentRequired": {"a": "b"}}, "/dependentRequired"),
        ({"$ref": "http://example.com/a"}, "/$ref"),
        ({"$ref": "#a"}, "/$ref"),
        ({"$ref": ""}, "/$ref"),
        ({"$ref": "#/$defs/missing", "$defs": {}}, "/$ref"),
        ({"$ref": "#/const", "const": {"type": "string"}}, "/$ref"),
        ({"$ref": "#/uniqueItems", "uniqueItems": True}, "/$ref"),
        ({"$ref": "#/properties", "properties": {"type": {}}}, "/$ref"),
        ({"$ref": "#/allOf/01", "allOf": [True, True]}, "/$ref"),
        ({"$ref": "#/%ff"}, "/$ref"),
        ({"not": {"anyOf": [{"items": {"a/b~": 1}}]}}, "/not/anyOf/0/items/a~1b~0"),
        ({"$defs": {"unreached": {"unknown": 1}}}, "/$defs/unreached/unknown"),
    ],
    ids=str,
)
def test_anything_else_condemns_the_schema_at_its_place(schema: object, place: str) -> None:
    why = unsupported(schema)
    assert why is not None
    assert why.startswith((place or "the schema") + " ")


@pytest.mark.parametrize("word", ["minimum", "multipleOf", "minLength"])
def test_a_number_has_400_digits_and_an_exponent_of_1000_at_most(word: str) -> None:
    whole = word == "minLength"  # of which a fraction is unsupported anyway
    for good, bad in (("0." + "1" * 400, "0." + "1" * 401), ("1e-1000", "1e-1001")):
        assert whole or unsupported({word: Decimal(good)}) is None
        why = unsupported({word: Decimal(bad)})
        assert why == f"/{word} must not have more than 400 digits or so large an exponent"
    # Of a Decimal that large no remainder can be taken, which made `minLength` an exception once.
    for huge in (2**1024 - 1, Decimal("9.9e308")):
        assert unsupported({word: huge}) is None
    for too_large in (2**1024, Decimal("1e309")):
        assert unsupported({word: too_large}) is not None


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}]},
        {"anyOf": [{"type": "string"}, {"not": {"$ref": "#/$defs/a"}}], "$defs": {"a": {"$ref": "#"}}},
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"if": {"$ref": "#/$defs/a"}}}},
        {"dependentSchemas": {"a": {"$ref": "#"}}},
    ],
    ids=str,
)
def test_a_loop_that_consumes_no_instance_is_unsupported(schema: object) -> None:
    assert unsupported(schema) is not None


def test_a_schema_nested_past_every_stack_is_walked() -> None:
    schema: dict[str, Any] = {}
    inner = schema
    for _ in range(50_000):
        inner["not"] = {}
        inner = inner["not"]
    assert unsupported(schema) is None
    inner["unknown"] = 1
    why = unsupported(schema)
    assert why is not None
    assert why.startswith("/not/not/")


def test_a_schema_that_shares_its_parts_is_walked_once() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(60):
        schema = {"allOf": [schema, schema]}
    assert unsupported(schema) is None


def test_real_tool_schemas_are_supported_but_for_unknown_keywords_and_formats() -> None:
    rows = [json.loads(line) for line in (folder("tool_schemas") / "schemas.jsonl").read_text().splitlines()]
    reasons = [why for row in rows if (why := unsupported(row["schema"])) is not None]
    share = 1 - len(reasons) / len(rows)
    print(f"{share:.1%} of {len(rows)} real tool schemas are supported")
    known = ("/optional is a keyword outside", "/format must be a documented format", "/type must be one of")
    assert [why for why in reasons if not any(words in why for words in known)] == []
    assert share >= 0.98

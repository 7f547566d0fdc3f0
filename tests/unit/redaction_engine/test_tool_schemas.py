"""Tool schemas without prose: what decides stays, definitions are renamed, what is unsupported stays so."""

import json

import pytest

from redaction.masks.tool_schemas import RESERVED, mask_schema, property_names
from replay.validator.schema import unsupported

PROSE = "the patient has stage two lymphoma"


@pytest.mark.parametrize(
    ("schema", "masked"),
    [
        (True, True),
        (False, False),
        ({}, {}),
        (
            {"type": "string", "title": PROSE, "description": PROSE, "default": PROSE, "examples": [PROSE]},
            {"type": "string"},
        ),
        ({"$comment": PROSE, "deprecated": True, "readOnly": True, "strict": True, "x-team": PROSE}, {}),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, {}),
        ({"enum": ["a", 1, {"b": None}]}, {"enum": ["a", 1, {"b": None}]}),
        ({"const": {"a": ["b"]}}, {"const": {"a": ["b"]}}),
        ({"properties": {"description": {"description": PROSE}}}, {"properties": {"description": {}}}),
        ({"pattern": "^a+$", "format": "date", "minLength": 2}, {"pattern": "^a+$", "format": "date", "minLength": 2}),
        (
            {"$defs": {"AcmeCustomer": {"type": "string"}}, "$ref": "#/$defs/AcmeCustomer"},
            {"$defs": {"def_1": {"type": "string"}}, "$ref": "#/$defs/def_1"},
        ),
        (
            {"$ref": "#/$defs/a~1b%20c", "$defs": {"a/b c": {"$ref": "#/$defs/other"}, "other": {}}},
            {"$ref": "#/$defs/def_1", "$defs": {"def_1": {"$ref": "#/$defs/def_2"}, "def_2": {}}},
        ),
        (
            {"properties": {"$defs": {"anyOf": [{"type": "null"}]}, "b": {"$ref": "#/properties/$defs/anyOf/0"}}},
            {"properties": {"$defs": {"anyOf": [{"type": "null"}]}, "b": {"$ref": "#/properties/$defs/anyOf/0"}}},
        ),
        (
            {"properties": {"children": {"items": {"$ref": "#"}}}},
            {"properties": {"children": {"items": {"$ref": "#"}}}},
        ),
    ],
)
def test_what_decides_stays(schema: object, masked: object) -> None:
    assert mask_schema(schema) == masked
    assert unsupported(masked) is None


@pytest.mark.parametrize(
    "schema",
    [
        PROSE,
        [PROSE],
        7,
        None,
        {PROSE: 1},
        {"$id": PROSE},
        {"$anchor": PROSE},
        {"nullable": True, "x": PROSE},
        {"type": PROSE},
        {"type": ["string", PROSE]},
        {"format": PROSE},
        {"pattern": f"(?={PROSE})"},
        {"enum": PROSE},
        {"enum": {"a": PROSE}},
        {"required": PROSE},
        {"required": [PROSE, PROSE]},
        {"minimum": PROSE},
        {"minLength": -1.5},
        {"properties": PROSE},
        {"properties": {"a": PROSE}},
        {"items": [PROSE]},
        {"anyOf": PROSE},
        {"anyOf": [PROSE]},
        {"$defs": PROSE},
        {"$defs": {PROSE: PROSE}},
        {"dependentRequired": {"a": PROSE}},
        {"$ref": PROSE},
        {"$ref": f"#{PROSE}"},
        {"$ref": f"https://{PROSE}"},
        {"$ref": f"#/$defs/{PROSE}"},
        {"$ref": f"#/components/schemas/{PROSE}", "components": {"schemas": {PROSE: {}}}},
        {"$ref": f"#/x-acme/{PROSE}", "x-acme": {PROSE: {}}},
        {"$ref": f"#/default/{PROSE}", "default": {PROSE: {}}},
        {"$ref": f"#/enum/0/{PROSE}", "enum": [{}]},
        {"$schema": PROSE},
    ],
)
def test_prose_hides_in_no_unsupported_schema(schema: object) -> None:
    assert unsupported(schema) is not None
    masked = mask_schema(schema)
    assert unsupported(masked) is not None
    assert "lymphoma" not in json.dumps(masked)


def test_an_unknown_keyword_is_one_reserved_word() -> None:
    assert mask_schema({"type": "object", "acme": 1, "acme2": PROSE}) == {"type": "object", RESERVED: True}


def test_property_names_are_found_at_any_depth() -> None:
    schema = {
        "properties": {"a": {"items": {"properties": {"b": True}}}},
        "required": ["c"],
        "dependentRequired": {"d": ["e"]},
        "anyOf": [{"dependentSchemas": {"f": {"not": {"required": ["g"]}}}}],
        "$defs": {"h": {"properties": {"i": {}}}},
    }
    assert property_names(schema) == frozenset("abcdefgi")
    assert property_names(True) == property_names(None) == frozenset()

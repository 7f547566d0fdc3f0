"""Arguments for the healthy call of a control: whatever a schema asks for, it accepts them."""

import json
from typing import Any

import pytest
from support import shared

from replay.diff.samples import ABSENT, sample
from replay.validator.schema import Compiled, compile_schema

STRING = {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "object", "properties": {"city": STRING, "days": {"type": "integer"}}, "required": ["city"]}, None),
        ({"type": "object", "properties": {"unit": {"enum": ["c", "f"]}}, "required": ["unit"]}, {"unit": "c"}),
        ({"type": "object", "required": ["free"]}, {"free": "a"}),
        ({"type": "integer", "exclusiveMinimum": 20, "multipleOf": 21}, 21),
        ({"type": "string", "pattern": "^[A-Z]{3}-[0-9]+$"}, "AAA-1"),
        ({"type": "string", "format": "uuid"}, None),
        ({"type": "string", "minLength": 40}, "a" * 40),
        ({"type": "array", "items": {"enum": [1, 2, 3]}, "minItems": 3, "uniqueItems": True}, [1, 2, 3]),
        ({"anyOf": [{"type": "null"}, STRING]}, None),
        ({"allOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object"}, {"a": "a", "b": "a"}),
        ({"$defs": {"x": {"const": 7}}, "$ref": "#/$defs/x"}, 7),
        ({"type": ["integer", "null"]}, 1),
        ({"type": "boolean"}, True),
    ],
)
def test_a_sample_is_accepted(schema: dict[str, Any], expected: object) -> None:
    found = sample(schema)
    compiled = compile_schema(schema)
    assert isinstance(compiled, Compiled)
    assert compiled.accepts(found)
    assert expected is None or found == expected


@pytest.mark.parametrize("schema", [False, {"type": "integer", "multipleOf": 7, "minimum": 30, "maximum": 40}])
def test_where_nothing_that_is_tried_is_accepted_there_is_none(schema: object) -> None:
    assert sample(schema) is ABSENT


def test_a_schema_that_refers_to_itself_ends() -> None:
    tree = {"type": "object", "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}, "required": ["left"]}
    assert sample(tree) is ABSENT
    assert sample({**tree, "required": []}) == {}


def test_almost_every_real_tool_has_a_sample() -> None:
    lines = (shared.folder("tool_schemas") / "schemas.jsonl").read_text("utf-8").splitlines()
    schemas = [json.loads(line)["schema"] for line in lines[::5]]
    compiled = [(schema, one) for schema in schemas if isinstance(one := compile_schema(schema), Compiled)]
    lacking = [schema for schema, one in compiled if not one.accepts(sample(schema))]
    assert len(compiled) > 400
    assert len(lacking) <= 1

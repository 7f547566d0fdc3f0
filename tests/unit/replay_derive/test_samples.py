"""Arguments that satisfy a schema, and arguments that violate one keyword of it."""

import json

import pytest
from support.shared import folder

from replay.derive import samples
from replay.validator.schema import compile_schema, violation

SCHEMA = {
    "type": "object",
    "properties": {
        "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3}$"},
        "count": {"type": "integer", "minimum": 3, "maximum": 9, "multipleOf": 3},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2},
        "inner": {"$ref": "#/$defs/inner"},
    },
    "required": ["code", "inner"],
    "additionalProperties": False,
    "$defs": {"inner": {"type": "object", "required": ["x"], "properties": {"x": {"type": ["null", "number"]}}}},
}


def test_samples_have_every_declared_member_and_satisfy_the_schema() -> None:
    found = samples.satisfying(SCHEMA)
    assert found is not None
    assert found.keys() == {"code", "count", "tags", "inner"}
    assert violation(SCHEMA, found) is None


def test_each_violation_is_rejected_first_by_the_keyword_that_it_is_of() -> None:
    good = samples.satisfying(SCHEMA)
    assert good is not None
    found = samples.violating(SCHEMA, good)
    wanted = {"required", "type", "pattern", "minimum", "maximum", "multipleOf", "enum", "minItems", "false"}
    assert found.keys() >= wanted
    for keyword, (value, path) in found.items():
        rejected = violation(SCHEMA, value)
        assert rejected is not None
        assert (rejected.keyword, rejected.path) == (keyword, path)


@pytest.mark.parametrize("schema", [{"type": "object", "$ref": "https://x.example/"}, {"type": "object", "enum": [3]}])
def test_where_nothing_is_found_there_is_no_sample(schema: object) -> None:
    assert samples.satisfying(schema) is None


def test_real_tool_schemas_get_samples() -> None:
    lines = (folder("tool_schemas") / "schemas.jsonl").read_text("utf-8").splitlines()[::7]
    schemas = [json.loads(line) for line in lines]
    schemas = [one.get("schema", one) for one in schemas]
    usable = [one for one in schemas if not hasattr(compile_schema(one), "reason")]
    found = [samples.satisfying(one) for one in usable]
    assert sum(one is not None for one in found) >= 0.95 * len(usable)

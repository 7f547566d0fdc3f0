import json
import time
from decimal import Decimal
from typing import Any

import pytest

from replay.validator._values import Numbering
from replay.validator.schema import KEYWORDS, Compiled, compile_schema, violation
from replay.validator.schema._nodes import run
from replay.validator.schema._places import lay_out
from replay.validator.schema._quick import quick
from replay.validator.strict_json import parse

LISTS_OF_NULL = {"properties": {"a": {"items": {"type": "null"}}}}
NO_A = {"properties": {"a": False}}


def failing(schema: object, text: str) -> str | None:
    """The path and keyword of the first failure of a JSON text."""
    found = violation(schema, parse(text, max_nesting=10_000).value)
    return None if found is None else f"{found.path} {found.keyword}"


@pytest.mark.parametrize(
    ("schema", "text", "expected"),
    [
        # a container before its members, members as written
        ({"properties": {"a": {"type": "string"}}, "required": ["b"]}, '{"a":1}', " required"),
        ({"properties": {"a": {"type": "string"}, "b": {"type": "string"}}}, '{"b":1,"a":1}', "/b type"),
        ({**LISTS_OF_NULL, "additionalProperties": False}, '{"a":[null,1],"b":1}', "/a/1 type"),
        ({**LISTS_OF_NULL, "additionalProperties": False}, '{"b":1,"a":[1]}', "/b false"),
        # branches of one place: the earliest inner path, whatever the keyword order
        ({"allOf": [{"properties": {"b": False}}, {"properties": {"a": False}}]}, '{"a":1,"b":1}', "/a false"),
        ({"properties": {"b": False}, "$ref": "#/$defs/x", "$defs": {"x": NO_A}}, '{"a":1,"b":1}', "/a false"),
        ({"patternProperties": {"a": {"items": False}}, "properties": {"a": {"maxItems": 0}}},
         '{"a":[1]}', "/a maxItems"),
        ({"if": {"required": ["a"]}, "then": {"properties": {"a": {"const": 2}}}}, '{"a":1}', "/a const"),
        ({"if": {"required": ["b"]}, "else": {"properties": {"a": {"const": 2}}}}, '{"a":1}', "/a const"),
        ({"dependentSchemas": {"a": {"properties": {"c": False}, "minProperties": 3}}},
         '{"c":1,"a":1}', " minProperties"),
        # the value it applies to, never inside a branch
        ({"anyOf": [{"properties": {"a": False}}, {"type": "string"}]}, '{"a":1}', " anyOf"),
        ({"properties": {"a": {"oneOf": [{}, {}]}}}, '{"a":1}', "/a oneOf"),
        ({"properties": {"a": {"oneOf": [False, False]}}}, '{"a":1}', "/a oneOf"),
        ({"not": {}}, "1", " not"),
        ({"propertyNames": {"maxLength": 1}}, '{"a":1,"bb":2}', " propertyNames"),
        ({"dependentRequired": {"a": ["b"]}}, '{"a":1}', " dependentRequired"),
        ({"contains": {"type": "null"}}, "[1]", " contains"),
        ({"contains": {"type": "null"}, "minContains": 0}, "[1]", None),
        ({"contains": True, "maxContains": 1}, "[1,2]", " contains"),
        ({"contains": True, "maxContains": 2}, "[1,2]", None),
        ({"contains": True, "minContains": 2}, "[1,2]", None),
        ({"contains": True, "minContains": 2}, "[1]", " contains"),
        ({"uniqueItems": True}, '[{"a":1,"b":[1.0]},{"b":[1],"a":1.0}]', " uniqueItems"),
        ({"uniqueItems": True}, "[1,true,0,false,null,\"1\",[],{}]", None),
        ({"prefixItems": [{"type": "null"}], "items": False}, "[null,1]", "/1 false"),
        ({"items": False, "prefixItems": [True, True]}, "[1]", None),
        ({"properties": {"a/b~": {"type": "null"}}}, '{"a/b~":1}', "/a~1b~0 type"),
        # bounds, and their edges
        ({"exclusiveMinimum": 1}, "1.0", " exclusiveMinimum"),
        ({"exclusiveMinimum": 1}, "1.0001", None),
        ({"exclusiveMaximum": 1}, "1", " exclusiveMaximum"),
        ({"exclusiveMaximum": 1}, "0", None),
        ({"minimum": 1}, "1", None),
        ({"maximum": 1}, "1", None),
        ({"minLength": 1, "maxLength": 1}, '"x"', None),
        ({"minItems": 1, "maxItems": 1}, "[1]", None),
        ({"minProperties": 1, "maxProperties": 1}, '{"a":1}', None),
        # traps of this language
        ({"type": "integer"}, "1.0", None),
        ({"type": "integer"}, "1e2", None),
        ({"type": "integer"}, "1.5", " type"),
        ({"type": "integer"}, "true", " type"),
        ({"type": "number"}, "false", " type"),
        ({"type": "boolean"}, "1", " type"),
        ({"const": 1}, "true", " const"),
        ({"const": True}, "1", " const"),
        ({"enum": [[0]]}, "[false]", " enum"),
        ({"enum": [1, "a", None]}, "1.0", None),
        ({"enum": []}, "1", " enum"),
        ({"multipleOf": Decimal("0.01")}, "19.99", None),
        ({"multipleOf": 0.01}, "19.99", None),
        ({"multipleOf": Decimal("0.01")}, "19.995", " multipleOf"),
        ({"multipleOf": 3}, "9e30", None),
        ({"multipleOf": 3}, "1e30", " multipleOf"),
        ({"multipleOf": Decimal("1e-8")}, "12391239123", None),
        ({"multipleOf": Decimal("0.5")}, "1e308", None),
        ({"multipleOf": Decimal("2.0")}, "4.00", None),
        ({"multipleOf": 7}, "1e-400", " multipleOf"),
        ({"multipleOf": 7}, "0.0", None),
        ({"minimum": 9007199254740993}, "9007199254740992", " minimum"),
        ({"exclusiveMaximum": Decimal("0.1")}, "0.1", " exclusiveMaximum"),
        ({"exclusiveMinimum": 0}, "1e-99999999999999999999", None),
        ({"maxLength": 1}, '"\\ud83d\\ude00"', None),
        ({"maxLength": 1}, '"e\\u0301"', " maxLength"),
        ({"pattern": "^a$"}, '"a\\n"', " pattern"),
        ({"pattern": "^\\d$"}, '"\\u0661"', " pattern"),
        ({"minimum": 5}, '"1"', None),
    ],
    ids=str,
)  # fmt: skip
def test_the_first_failing_path_is_the_one_of_the_rules(schema: Any, text: str, expected: str | None) -> None:
    assert failing(schema, text) == expected


def test_a_recursive_schema_judges_deep_values_on_a_stack_of_its_own() -> None:
    schema = {"type": ["array", "integer"], "items": {"$ref": "#"}}
    deep = "[" * 5_000
    assert failing(schema, deep + "1" + "]" * 5_000) is None
    assert failing(schema, deep + "null" + "]" * 5_000) == "/0" * 5_000 + " type"


def test_schemas_that_lead_to_each_other_many_ways_cost_no_more_than_nodes_times_places() -> None:
    ways = {
        f"s{level}": {"anyOf": [{"$ref": f"#/$defs/s{level + 1}"}] * 2 + [{"items": {"$ref": "#/$defs/s0"}}]}
        for level in range(40)
    }
    schema = {"$ref": "#/$defs/s0", "$defs": {**ways, "s40": {"type": "null"}}}
    start = time.process_time()
    failing(schema, "[" * 30 + "1" + "]" * 30)
    assert time.process_time() - start < 5


def test_a_compiled_schema_and_the_schema_say_the_same() -> None:
    schema = {"type": "object", "required": ["a"]}
    assert violation(compile_schema(schema), {}) == violation(schema, {})


def test_an_unsupported_schema_judges_nothing() -> None:
    with pytest.raises(ValueError, match="unknown"):
        violation({"unknown": 1}, {})


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), 10**5_000, Decimal("1e999999999"), Decimal("NaN"), 2.5],
    ids=["nan", "inf", "a huge integer", "a huge exponent", "a decimal nan", "a float"],
)
def test_numbers_that_no_strict_text_gives_are_judged_too(value: object) -> None:
    schema = {"type": "number", "minimum": 0, "multipleOf": Decimal("0.5"), "enum": [2.5], "uniqueItems": True}
    assert (violation(schema, value) is None) is (value == 2.5)
    violation({"uniqueItems": True, "const": [value]}, [value, value])


def test_equal_schemas_are_compiled_once_and_only_equal_ones() -> None:
    text = '{"type": "object", "properties": {"a": {"const": 1}}}'
    assert compile_schema(json.loads(text)) is compile_schema(json.loads(text))
    assert compile_schema(json.loads(text)) is not compile_schema(json.loads(text.replace("1", "true")))
    assert failing({"const": True}, "1") == " const"
    assert failing({"const": 1}, "1.0") is None
    assert failing({"const": 1.0}, "true") == " const"
    assert failing({"properties": {"b": False, "a": {}}}, '{"b":1}') == "/b false"


def test_a_schema_that_its_owner_changes_is_judged_as_it_is_now() -> None:
    schema: dict[str, Any] = {"properties": {"a": {"type": "integer"}}}
    before = compile_schema(schema)
    schema["properties"]["a"]["type"] = "string"
    assert failing(schema, '{"a":1}') == "/a type"
    assert violation(before, {"a": "text"}) is not None
    assert violation(before, {"a": 1}) is None


def message(schema: object, text: str) -> str:
    found = violation(schema, parse(text, max_nesting=9).value)
    assert found is not None
    return found.message.partition(";")[0]


SHORT, LETTERS = {"maxLength": 1}, {"pattern": "^[a-z]*$"}


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": SHORT}, "patternProperties": {"a": LETTERS}},
        {"patternProperties": {"a": SHORT, "^a": LETTERS}},
        {"properties": {"a": {"allOf": [SHORT, LETTERS]}}},
        {"properties": {"a": {"$ref": "#/$defs/short", "allOf": [LETTERS]}}, "$defs": {"short": SHORT}},
        {"properties": {"a": {"allOf": [LETTERS], "$ref": "#/$defs/short"}}, "$defs": {"short": SHORT}},
        {"dependentSchemas": {"b": {"properties": {"a": SHORT}}, "a": {"properties": {"a": LETTERS}}}},
    ],
)
def test_of_two_schemas_that_reject_one_place_the_first_is_the_one_that_is_told(schema: object) -> None:
    # The contract speaks of the place, and both have the same. What is told of it must not depend on chance.
    assert failing(schema, '{"a":"55","b":1}') == "/a maxLength"
    assert message(schema, '{"a":"55","b":1}').endswith("` must have at most 1 character")


def test_what_a_schema_asserts_itself_goes_before_what_it_asks_others() -> None:
    schema = {"not": {}, "anyOf": [False], "allOf": [{"maxProperties": 0}], "minProperties": 2}
    assert failing(schema, '{"a":1}') == " minProperties"
    del schema["minProperties"]
    assert failing(schema, '{"a":1}') == " anyOf"
    del schema["anyOf"]
    assert failing(schema, '{"a":1}') == " not"
    del schema["not"]
    assert failing(schema, '{"a":1}') == " maxProperties"


def test_the_name_of_a_member_and_its_value_are_judged_apart_by_one_schema() -> None:
    text = {"$ref": "#/$defs/text"}
    schema = {"propertyNames": text, "additionalProperties": text, "$defs": {"text": {"allOf": [{"type": "string"}]}}}
    assert failing(schema, '{"a":"x","b":1}') == "/b type"


def test_a_schema_that_many_ways_lead_to_is_asked_once_at_a_place() -> None:
    # 2 to the power of 24 ways lead to the last definition.
    schema: dict[str, Any] = {"$ref": "#/$defs/0", "$defs": {"24": {"maxProperties": 0}}}
    for level in range(24):
        schema["$defs"][str(level)] = {"allOf": [{"$ref": f"#/$defs/{level + 1}"}, {"$ref": f"#/$defs/{level + 1}"}]}
    started = time.process_time()
    assert failing(schema, "{}") is None
    assert failing(schema, '{"a":1}') == " maxProperties"
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "schema", [{"multipleOf": Decimal("0.5")}, {"enum": list(range(9_000))}], ids=["a fraction", "a large one"]
)
def test_what_is_not_kept_is_compiled_anew_and_means_the_same(schema: object) -> None:
    assert compile_schema(schema) is not compile_schema(schema)
    assert failing(schema, "9001.3") is not None
    assert failing(schema, "7") is None


def test_a_schema_that_leads_into_itself_as_an_object_is_taken_or_refused() -> None:
    schema: dict[str, Any] = {}
    schema["properties"] = {"a": schema}
    assert violation(schema, {"a": {"a": {}}}) is None
    schema["not"] = schema
    with pytest.raises(ValueError, match="without end"):
        violation(schema, {})


def test_judging_leaves_nothing_behind_in_a_schema_that_is_kept() -> None:
    numbering = Numbering()
    known = numbering.of({"a": [1, "x"]})
    size = len(numbering._known)
    assert numbering.seek({"a": [Decimal("1.0"), "x"]}) == known
    assert numbering.seek({"a": [1, "y"]}) is None
    assert numbering.seek([{"b": []}, {"b": []}]) is None
    assert numbering.seek(True) is None
    assert len(numbering._known) == size


QUICK = {
    "type": "object",
    "title": "What most tools look like",
    "properties": {
        "city": {"type": "string", "description": "A city."},
        "unit": {"enum": ["c", "f"]},
        "days": {"type": "array", "items": {"type": ["integer", "null"]}},
        "near": {"type": "object", "additionalProperties": {"type": "number"}},
    },
    "required": ["city"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ('{"city":"Oslo","unit":"c","days":[1,null],"near":{"a":0.5,"b":2}}', True),
        ('{"city":""}', True),
        ('{"unit":"c"}', False),
        ('{"city":"Oslo","unit":"k"}', False),
        ('{"city":"Oslo","days":[true]}', False),
        ('{"city":"Oslo","days":[1.0]}', False),  # accepted, but not at once
        ('{"city":"Oslo","near":{"a":"b"}}', False),
        ('{"city":"Oslo","more":1}', False),
        ("[]", False),
    ],
)
def test_most_values_are_accepted_at_once_and_no_other_one(text: str, known: bool) -> None:
    value = parse(text, max_nesting=9).value
    assert quick(QUICK)(value) is known
    assert not known or run(compiled(QUICK).root, lay_out(value)) is None


def compiled(schema: object) -> Compiled:
    found = compile_schema(schema)
    assert isinstance(found, Compiled)
    return found


@pytest.mark.parametrize("word", sorted(name for name, one in KEYWORDS.items() if one.judge is not None))
def test_of_a_keyword_that_is_not_looked_at_nothing_is_known(word: str) -> None:
    looked_at = {"type", "enum", "required", "properties", "additionalProperties", "items"}
    assert word in looked_at or not quick({word: {}, "type": "string"})("x")


def test_a_schema_to_which_many_ways_lead_is_looked_at_once() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(30):
        schema = {"properties": {"a": schema, "b": schema}}
    assert quick(schema)({"a": {"b": {}}})
    assert violation(schema, {"a": {"b": {}}}) is None

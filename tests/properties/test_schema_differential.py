"""The schema checker against another implementation, on generated schemas and values."""

import json
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from support.nightly import examples

from replay.validator.schema import compile_schema, unsupported, violation
from replay.validator.schema._check import Compiled
from replay.validator.schema._nodes import run
from replay.validator.schema._places import lay_out
from replay.validator.strict_json import parse

jsonschema = __import__("pytest").importorskip("jsonschema")

names = st.sampled_from(["a", "b", "c"])
numbers = st.integers(-3, 5) | st.sampled_from([0.5, 1.0, 2.5, -1.5])
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | numbers | st.sampled_from(["", "a", "ab", "abc", "1", "\U0001f600"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
counts = st.integers(0, 3)
types = st.sampled_from(["object", "array", "string", "number", "integer", "boolean", "null"])


def schemas_over(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=3)
    table = st.dictionaries(names, inner, max_size=3)
    keywords: dict[str, st.SearchStrategy[Any]] = {
        "type": types | st.lists(types, min_size=1, max_size=3, unique=True),
        "enum": st.lists(values, max_size=3),
        "const": values,
        "minimum": numbers,
        "maximum": numbers,
        "exclusiveMinimum": numbers,
        "exclusiveMaximum": numbers,
        "multipleOf": st.sampled_from([1, 2, 0.5, 1.5]),
        "minLength": counts,
        "maxLength": counts,
        "pattern": st.sampled_from(["a", "^a", "b$", "^[ab]+$", "^.{2}$", "\\d"]),
        "minItems": counts,
        "maxItems": counts,
        "uniqueItems": st.booleans(),
        "prefixItems": some,
        "items": inner,
        "contains": inner,
        "minContains": counts,
        "maxContains": counts,
        "required": st.lists(names, max_size=2, unique=True),
        "minProperties": counts,
        "maxProperties": counts,
        "dependentRequired": st.dictionaries(names, st.lists(names, max_size=2, unique=True), max_size=2),
        "properties": table,
        "patternProperties": st.dictionaries(st.sampled_from(["a", "^b$", "[bc]"]), inner, max_size=2),
        "additionalProperties": inner,
        "propertyNames": inner,
        "dependentSchemas": table,
        "allOf": some,
        "anyOf": some,
        "oneOf": some,
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
        "$ref": st.sampled_from(["#/$defs/x", "#/$defs/y"]),
    }
    chosen = st.lists(st.sampled_from(sorted(keywords)), max_size=4, unique=True)
    return chosen.flatmap(lambda words: st.fixed_dictionaries({word: keywords[word] for word in words}))


schemas = st.recursive(st.booleans() | schemas_over(st.booleans()), schemas_over, max_leaves=8)
documents = st.builds(
    lambda schema, x, y: schema if isinstance(schema, bool) else {**schema, "$defs": {"x": x, "y": y}},
    schemas,
    schemas,
    schemas,
)


@settings(
    max_examples=examples(600), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(documents, st.lists(values, min_size=1, max_size=4))
def test_another_implementation_gives_the_same_answers(schema: Any, instances: list[Any]) -> None:
    assume(unsupported(schema) is None)  # what is left out here is a loop of references
    other = jsonschema.Draft202012Validator(schema)
    exact = parse(json.dumps(schema), max_nesting=512).value
    for instance in instances:
        found = violation(exact, parse(json.dumps(instance), max_nesting=512).value)
        assert (found is None) is other.is_valid(instance), (schema, instance)
        if found is not None:
            assert found.message
            at = instance
            for token in found.path.split("/")[1:]:
                at = at[int(token)] if isinstance(at, list) else at[token]


@settings(max_examples=examples(6_000, part=20), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents, values)
def test_what_is_accepted_at_once_is_accepted(schema: object, value: object) -> None:
    compiled = compile_schema(schema)
    assume(isinstance(compiled, Compiled))
    assert isinstance(compiled, Compiled)
    assert not compiled.surely_accepts(value) or run(compiled.root, lay_out(value)) is None

"""One message for each keyword, as it is read: the field, the constraint, a legal value."""

import json
from pathlib import Path
from typing import Any

import pytest

from replay.validator.schema import KEYWORDS, violation
from replay.validator.strict_json import parse

# The file says of itself how a message may change.
GOLDEN = Path(__file__).resolve().parents[2] / "data" / "messages.json"
MESSAGES: dict[str, dict[str, Any]] = json.loads(GOLDEN.read_text("utf-8"))["keywords"]


@pytest.mark.parametrize("keyword", MESSAGES)
def test_a_message_names_the_field_the_constraint_and_a_legal_value(keyword: str) -> None:
    schema, sent, message = (MESSAGES[keyword][member] for member in ("schema", "sent", "message"))
    found = violation({"properties": {"n": schema}}, {"n": sent})
    assert found is not None
    assert (found.path, found.keyword, found.message) == ("/n", keyword, message)
    assert "canary" not in found.message
    assert "77" not in found.message


@pytest.mark.parametrize("keyword", MESSAGES)
def test_a_legal_value_that_a_message_shows_is_legal(keyword: str) -> None:
    _, shows, example = MESSAGES[keyword]["message"].partition("; for example ")
    if shows:
        value = parse(example, max_nesting=9)
        assert value.code is None
        assert violation(MESSAGES[keyword]["schema"], value.value) is None


@pytest.mark.parametrize(
    ("schema", "sent", "message"),
    [
        # the value of one keyword alone may break what else is asked of the place
        (
            {"properties": {"n": {"allOf": [{"minimum": 5}, {"maximum": 9}, {"multipleOf": 4}]}}},
            {"n": 1},
            "`n` must be a number of 5 or more",
        ),
        (
            {"properties": {"n": {"allOf": [{"minimum": 5}, {"maximum": 9}]}, "z": {"type": "null"}}},
            {"n": 1, "z": 1},
            "`n` must be a number of 5 or more; for example 5",
        ),
        (
            {"properties": {"list": {"items": {"type": "integer"}, "uniqueItems": True}}},
            {"list": [0, "x", 1]},
            "`list[1]` must be an integer",
        ),
        # arguments are an object
        (
            {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {},
            "the arguments must satisfy at least one of the `anyOf` schemas",
        ),
        (
            {"properties": {"n": {"minLength": 1.0}}},
            {"n": ""},
            '`n` must have 1 character or more; for example "x"',
        ),
    ],
)
def test_what_a_message_shows_is_legal_in_its_place(schema: object, sent: object, message: str) -> None:
    found = violation(schema, sent)
    assert found is not None
    assert found.message == message


def test_every_keyword_that_can_reject_a_value_has_words() -> None:
    passes_on = ["properties", "patternProperties", "additionalProperties", "dependentSchemas", "prefixItems", "items"]
    passes_on += ["$ref", "allOf", "if", "then", "else"]
    read_with_others = ["minContains", "maxContains"]
    with_words = {name for name, keyword in KEYWORDS.items() if keyword.words is not None}
    assert with_words == MESSAGES.keys()
    judging = {name for name, keyword in KEYWORDS.items() if keyword.judge is not None}
    assert judging - with_words == {*passes_on, *read_with_others}


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

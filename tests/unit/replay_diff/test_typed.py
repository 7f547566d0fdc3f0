"""The typed function of a tool: its signature is the schema's, and running it hands the call over."""

import inspect
import json
import typing
from typing import Any, Literal

import pytest

from replay.adapters.task import Task
from replay.adapters.typed import annotated, function

CITY = {"type": "object", "properties": {"days": {"type": "integer"}, "city": {"type": "string"}}, "required": ["city"]}


def task(**tools: Any) -> tuple[Task, list[Any]]:
    said: list[Any] = []
    turn = Task(base_url="", profile="openai", tools=tools, record=lambda line: said.append(json.loads(line)["call"]))
    return turn, said


def test_the_signature_is_that_of_a_function_written_by_hand() -> None:
    turn, _ = task(get_weather=CITY)
    tool = turn.function("get_weather")
    assert str(inspect.signature(tool)) == "(city: str, days: Optional[int] = None) -> str"
    assert typing.get_type_hints(tool) == {"city": str, "days": int | None, "return": str}
    assert (tool.__name__, inspect.getdoc(tool)) == (
        "get_weather",
        "Run get_weather.\n\nArgs:\n    city: The city.\n    days: The days.",
    )


def test_running_it_hands_over_what_was_said_and_no_default() -> None:
    turn, said = task(get_weather=CITY)
    tool = turn.function("get_weather")
    assert tool(city="Oslo", days=None) == tool("Oslo") == tool(days=2, city="Oslo") == "recorded"
    assert said == [
        {"name": "get_weather", "arguments": {"city": "Oslo"}},
        {"name": "get_weather", "arguments": {"city": "Oslo"}},
        {"name": "get_weather", "arguments": {"city": "Oslo", "days": 2}},
    ]


def test_a_null_that_was_said_is_told_from_a_default() -> None:
    turn, said = task(note={"properties": {"text": {"type": ["string", "null"]}}, "type": "object"})
    tool = turn.function("note")
    tool()
    tool(text=inspect.signature(tool).parameters["text"].default)
    tool(text=None)
    assert [call["arguments"] for call in said] == [{}, {}, {"text": None}]


def test_a_context_stands_first_and_says_the_id() -> None:
    turn, said = task(get_weather=CITY)
    tool = turn.function("get_weather", context=dict, id_of=lambda context: context["id"])
    assert next(iter(inspect.signature(tool).parameters)) == "tool_context"
    tool({"id": "call_1"}, city="Oslo")
    assert said == [{"name": "get_weather", "arguments": {"city": "Oslo"}, "id": "call_1"}]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "object"}, ["others"]),
        ({"type": "object", "properties": {}}, []),
        ({"type": "object", "properties": {"a": True}, "additionalProperties": True}, ["a", "others"]),
        ({"type": "object", "properties": {"a": True, "b-c": True, "class": True, "_d": True}}, ["a", "others"]),
        ({"type": "object", "properties": {"a": True}, "additionalProperties": False}, ["a"]),
    ],
)
def test_what_has_no_parameter_of_its_own_is_taken_where_the_schema_takes_it(
    schema: dict[str, Any], expected: list[str]
) -> None:
    turn, said = task(tool=schema)
    tool = turn.function("tool")
    assert list(inspect.signature(tool).parameters) == expected
    if "others" in expected:
        tool(**{"b-c": 1, "class": 2})
        assert said == [{"name": "tool", "arguments": {"b-c": 1, "class": 2}}]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, str),
        ({"type": "number"}, float),
        ({"type": "array", "items": {"type": "boolean"}}, list[bool]),
        ({"type": "array"}, list[Any]),
        ({"enum": ["c", 1, None]}, Literal["c", 1, None]),
        ({"enum": [1.5]}, Any),
        ({"const": "x"}, Literal["x"]),
        ({"type": ["integer", "null"]}, int | None),
        ({"anyOf": [{"type": "string"}, {"$ref": "#/$defs/n"}]}, str | int),
        ({"oneOf": [{"type": "string"}, {}]}, Any),
        ({"type": "object", "additionalProperties": {"type": "string"}}, dict[str, Any]),
        ({"$ref": "#/nowhere"}, Any),
        ({"$ref": "https://example.com/x"}, Any),
        ({"type": "any"}, Any),
        (True, Any),
    ],
)
def test_an_annotation_takes_what_the_schema_takes(schema: Any, expected: Any) -> None:
    assert annotated(schema, {"$defs": {"n": {"type": "integer"}}}) == expected


def test_members_of_an_object_have_types_too() -> None:
    schema = {"type": "object", "properties": {"a-b": {"type": "integer"}, "c": {}}, "required": ["c"]}
    found = annotated(schema, {})
    if found == dict[str, Any]:
        pytest.skip("typing_extensions is not installed")
    assert found.__required_keys__ == {"c"}
    assert set(found.__annotations__) == {"a-b", "c"}


def test_a_schema_that_refers_to_itself_ends() -> None:
    tree = {"type": "object", "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}}
    assert list(inspect.signature(function("tree", tree, lambda *_: "")).parameters) == ["left", "right"]

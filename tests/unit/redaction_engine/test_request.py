"""What a request declares, in the formats of three APIs; what is no request declares nothing and hides nothing."""

import json

import pytest

from redaction.captured.request import read_request
from redaction.families.openai import NO_PARAMETERS

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}


def body(value: object) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize("profile", ["openai", "mistral"])
def test_functions_declare_their_parameters(profile: str) -> None:
    request = read_request(
        profile,
        body(
            {
                "model": "gpt-4o",
                "parallel_tool_calls": False,
                "tools": [
                    {"type": "function", "function": {"name": "weather", "parameters": SCHEMA}},
                    {"type": "function", "function": {"name": "now"}},
                    {"type": "function", "function": {"name": "later", "parameters": None}},
                    {"type": "web_search", "function": {"name": "hidden", "parameters": SCHEMA}},
                    {"function": {"name": "untyped", "parameters": True}},
                    {"type": "function", "function": {"name": 7}},
                    {"type": "function"},
                    "function",
                ],
                "functions": [{"name": "legacy", "parameters": SCHEMA}],
            }
        ),
    )
    assert dict(request.tool_schemas) == {
        "weather": SCHEMA,
        "now": NO_PARAMETERS,
        "later": NO_PARAMETERS,
        "untyped": True,
        "legacy": SCHEMA,
    }
    assert (request.model, request.parallel, request.tool_choice, request.known) == ("gpt-4o", False, "auto", True)


def test_blocks_declare_their_input_schemas_and_provider_tools_none() -> None:
    request = read_request(
        "anthropic",
        body(
            {
                "model": "claude",
                "tools": [
                    {"name": "weather", "input_schema": SCHEMA},
                    {"type": "web_search_20250305", "name": "web_search"},
                    {"name": "null", "input_schema": None},
                ],
                "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
            }
        ),
    )
    assert dict(request.tool_schemas) == {"weather": SCHEMA, "null": None}
    assert (request.tool_choice, request.parallel) == ("auto", False)


@pytest.mark.parametrize(
    ("profile", "choice", "named"),
    [
        ("openai", "auto", "auto"),
        ("openai", "none", "none"),
        ("openai", "required", "required"),
        ("mistral", "any", "required"),
        ("openai", {"type": "function", "function": {"name": "secret_tool"}}, "named"),
        ("openai", {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": []}}, "required"),
        ("openai", "secret words", "auto"),
        ("openai", 7, "auto"),
        ("openai", None, "auto"),
        ("anthropic", {"type": "auto"}, "auto"),
        ("anthropic", {"type": "any"}, "required"),
        ("anthropic", {"type": "none"}, "none"),
        ("anthropic", {"type": "tool", "name": "secret_tool"}, "named"),
        ("anthropic", {"type": "secret"}, "auto"),
        ("anthropic", {"type": ["tool"]}, "auto"),
        ("anthropic", "any", "auto"),
    ],
)
def test_a_tool_choice_is_one_of_four_words(profile: str, choice: object, named: str) -> None:
    tools = [{"name": "t", "input_schema": SCHEMA, "type": "function", "function": {"name": "t"}}]
    request = read_request(profile, body({"tools": tools, "tool_choice": choice}))
    assert request.tool_choice == named


def test_without_tools_nothing_is_said_about_their_choice() -> None:
    assert read_request("openai", body({"messages": []})).tool_choice is None


@pytest.mark.parametrize("profile", ["openai", "anthropic"])
@pytest.mark.parametrize("tools", [None, {}, "x", [None], [[]], [{"name": None, "input_schema": {}}], 7])
def test_tools_that_are_none_declare_nothing(profile: str, tools: object) -> None:
    assert dict(read_request(profile, body({"tools": tools, "functions": tools})).tool_schemas) == {}


@pytest.mark.parametrize(
    "raw",
    [b"", b"not json", b"\xff\xfe", b'{"a":1,"a":2}', b'{"m":"\\ud800"}', b"[" * 500 + b"]" * 500, b"[1]", b'"text"'],
)
def test_what_cannot_be_read_declares_nothing_and_is_looked_for_all_the_same(raw: bytes) -> None:
    request = read_request("openai", raw)
    assert not request.known
    assert dict(request.tool_schemas) == {}
    assert request.value is not None


def test_no_request_is_no_request() -> None:
    request = read_request("openai", None)
    assert not request.known
    assert request.value is None


def test_nothing_that_a_request_says_is_in_its_repr() -> None:
    request = read_request("openai", body({"model": "ft:acme", "messages": [{"content": "lymphoma"}]}))
    assert "acme" not in repr(request)
    assert "lymphoma" not in repr(request)

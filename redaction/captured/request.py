"""What a request declares: the tools and how they may be chosen. Everything else in it is sensitive.

Knows the request bodies of the three APIs; keeps no message, no prompt and no description.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from replay.validator.strict_json import parse

# Requests nest a dozen levels; schemas some more. What is deeper is no request that we know.
_REQUEST_NESTING: Final = 120

# An OpenAI tool without `parameters` takes no arguments (CONFORMANCE.md, section 5).
NO_PARAMETERS: Final[Mapping[str, object]] = {"type": "object", "properties": {}, "additionalProperties": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The declarations of one request, and all that it says, for the gate to look for."""

    tool_schemas: Mapping[str, object] = field(default_factory=dict, repr=False)
    tool_choice: str | None = None
    parallel: bool | None = None
    model: str = field(default="", repr=False)
    known: bool = False  # a request was there and could be read
    value: object = field(default=None, repr=False)


def read_request(profile: str, body: bytes | None) -> Request:
    """The declarations of a decoded request body; an empty `Request` where there is none that can be read."""
    if body is None:
        return Request()
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Request(value=body.decode("utf-8", "replace"))
    parsed = parse(text, max_nesting=_REQUEST_NESTING)
    value = parsed.value
    if parsed.code is not None or not isinstance(value, dict):
        return Request(value=text if parsed.code is not None else value)  # nothing is declared; the gate looks for it
    model = value.get("model")
    read = _anthropic if profile == "anthropic" else _chat
    schemas, choice, parallel = read(value)
    return Request(
        tool_schemas=schemas,
        tool_choice=choice if choice is not None else ("auto" if schemas else None),
        parallel=parallel,
        model=model if isinstance(model, str) else "",
        known=True,
        value=value,
    )


_Declared = tuple[dict[str, object], str | None, bool | None]


def _chat(request: Mapping[str, object]) -> _Declared:
    """OpenAI and Mistral: `tools[].function`, and the legacy `functions`."""
    schemas: dict[str, object] = {}
    functions = [
        tool.get("function") for tool in _objects(request.get("tools")) if tool.get("type", "function") == "function"
    ]
    functions += _objects(request.get("functions"))
    for function in functions:
        if isinstance(function, dict) and isinstance(function.get("name"), str):
            parameters = function.get("parameters")
            schemas[function["name"]] = NO_PARAMETERS if parameters is None else parameters
    parallel = request.get("parallel_tool_calls")
    return schemas, _chat_choice(request.get("tool_choice")), parallel if isinstance(parallel, bool) else None


def _chat_choice(choice: object) -> str | None:
    if isinstance(choice, str):
        return {"auto": "auto", "none": "none", "required": "required", "any": "required"}.get(choice)
    if not isinstance(choice, dict):
        return None
    allowed = choice.get("allowed_tools")
    if isinstance(allowed, dict):
        return _chat_choice(allowed.get("mode"))
    return "named"


def _anthropic(request: Mapping[str, object]) -> _Declared:
    """Anthropic: `tools[].input_schema`; a provider-defined tool has none and stays undeclared."""
    schemas: dict[str, object] = {}
    for tool in _objects(request.get("tools")):
        if isinstance(tool.get("name"), str) and "input_schema" in tool:
            schemas[str(tool["name"])] = tool["input_schema"]
    choice = request.get("tool_choice")
    if not isinstance(choice, dict):
        return schemas, None, None
    disabled = choice.get("disable_parallel_tool_use")
    named = {"auto": "auto", "none": "none", "any": "required", "tool": "named"}.get(str(choice.get("type")))
    return schemas, named, not disabled if isinstance(disabled, bool) else None


def _objects(value: object) -> Iterator[dict[str, object]]:
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())

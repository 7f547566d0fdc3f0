"""The request that declares tools and says a tool choice, for each API: the one place that knows how each spells it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final

from replay.validator.envelope import GRAMMAR

Request = dict[str, Any]


def _first(ways: Sequence[Any]) -> Any:
    return ways[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a request asks for. Of several ways to spell it, the usual one stands first, and `pick` takes one."""

    schemas: Mapping[str, object]
    say: Callable[[], str]  # prose for messages and descriptions
    choice: str | None = None
    named: str = "x"  # the tool that the choice `named` is of
    parallel: bool | None = None
    pick: Callable[[Sequence[Any]], Any] = field(default=_first)


def _options(wanted: Wanted, *named: object) -> Request:
    found: Request = {}
    if wanted.choice is not None:
        found["tool_choice"] = wanted.pick(named) if wanted.choice == "named" else wanted.choice
    if wanted.parallel is not None:
        found["parallel_tool_calls"] = wanted.parallel
    return found


def chat(wanted: Wanted) -> Request:
    tools = [
        {"type": "function", "function": {"name": name, "description": wanted.say(), "parameters": schema}}
        for name, schema in wanted.schemas.items()
    ]
    named = {"type": "function", "function": {"name": wanted.named}}
    return {"messages": [{"role": "user", "content": wanted.say()}], "tools": tools, **_options(wanted, named)}


_KINDS: Final = {"auto": "auto", "none": "none", "required": "any", "named": "tool"}


def messages(wanted: Wanted) -> Request:
    request: Request = {"messages": [{"role": "user", "content": wanted.say()}]}
    request["tools"] = [
        {"name": name, "description": wanted.say(), "input_schema": schema} for name, schema in wanted.schemas.items()
    ]
    kind = _KINDS.get(wanted.choice or ("" if wanted.parallel is None else "auto"))
    if kind is not None:
        request["tool_choice"] = {"type": kind, **({"name": wanted.named} if kind == "tool" else {})}
        if wanted.parallel is not None:
            request["tool_choice"]["disable_parallel_tool_use"] = not wanted.parallel
    return request


def response_tools(wanted: Wanted) -> list[object]:
    """The tools of the Responses API; neighbours of one namespace stand inside it."""
    placed: list[tuple[str, object]] = []
    for name, schema in wanted.schemas.items():
        space, _, short = name.rpartition(".")
        ways = [(space, short), ("", name)] if space and short and space != short else [("", name)]
        space, short = wanted.pick(ways)
        placed.append((space, _response_tool(wanted, short, schema)))
    found: list[object] = []
    for space, group in groupby(placed, key=lambda one: one[0]):
        tools = [tool for _, tool in group]
        inside = {"type": "namespace", "name": space, "description": wanted.say(), "tools": tools}
        found += [inside] if space else tools
    return found


def _response_tool(wanted: Wanted, name: str, schema: object) -> object:
    named = {"name": name, "description": wanted.say()}
    function = {"type": "function", **named, "parameters": schema}
    if schema == GRAMMAR:
        grammar = {"type": "grammar", "syntax": "lark", "definition": f'start: "{wanted.say()}"'}
        return {"type": "custom", **named, "format": grammar}
    if schema == {"type": "string"}:
        custom = ({"type": "custom", **named, "format": how} for how in ({"type": "text"}, None))
        return wanted.pick([*custom, function])
    return function


def responses(wanted: Wanted) -> Request:
    request: Request = {"instructions": wanted.say(), "input": wanted.say(), "tools": response_tools(wanted)}
    named = [{"type": kind, "name": wanted.named} for kind in ("function", "mcp", "custom")]
    request |= _options(wanted, *named)
    if wanted.choice not in (None, "named"):
        allowed = {"type": "allowed_tools", "mode": wanted.choice, "tools": [{"name": wanted.say()}]}
        request["tool_choice"] = wanted.pick([wanted.choice, wanted.choice, allowed])
    return request


def converse(wanted: Wanted) -> Request:
    """The request of ConverseStream: no member says whether calls may run in parallel, and no choice forbids them."""
    tools = [
        {"toolSpec": {"name": name, "description": wanted.say(), "inputSchema": {"json": schema}}}
        for name, schema in wanted.schemas.items()
    ]
    kind = {"auto": "auto", "required": "any", "named": "tool"}.get(wanted.choice or "")
    choice = {} if kind is None else {"toolChoice": {kind: {"name": wanted.named} if kind == "tool" else {}}}
    return {
        "messages": [{"role": "user", "content": [{"text": wanted.say()}]}],
        "toolConfig": {"tools": tools, **choice},
    }


def cohere(wanted: Wanted) -> Request:
    """As chat completions, but for the tool choice: no word asks for it, names a tool or limits the calls to one."""
    request = chat(Wanted(schemas=wanted.schemas, say=wanted.say, pick=wanted.pick))
    choice = {"required": "REQUIRED", "none": "NONE"}.get(wanted.choice or "")
    return request | ({} if choice is None else {"tool_choice": choice})


_MODES: Final = {"auto": "AUTO", "none": "NONE", "required": "ANY", "named": "ANY"}


def gemini(wanted: Wanted) -> Request:
    """The content of a turn, the functions, and how they may be called; nothing limits the calls to one."""
    functions = [
        {"name": name, "description": wanted.say(), "parametersJsonSchema": schema}
        for name, schema in wanted.schemas.items()
    ]
    request: Request = {"contents": [{"role": "user", "parts": [{"text": wanted.say()}]}]}
    request["tools"] = [{"functionDeclarations": functions}]
    if wanted.choice is not None:
        calling: Request = {"mode": _MODES[wanted.choice]}
        if wanted.choice == "named":
            calling["allowedFunctionNames"] = [wanted.named]
        request["toolConfig"] = {"functionCallingConfig": calling}
    return request


def ollama(wanted: Wanted) -> Request:
    """As chat completions, but that nothing says which tool, or how many calls, are wanted."""
    return chat(Wanted(schemas=wanted.schemas, say=wanted.say, pick=wanted.pick))

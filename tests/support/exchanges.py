"""Exchanges for redaction tests: fixtures turned back into the traffic they stand for."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from redaction.captured.exchange import Ending, Exchange
from replay.families import array

ENDINGS = {
    "complete": Ending.MESSAGE_END,
    "client_disconnected": Ending.CLIENT,
    "upstream_disconnected": Ending.UPSTREAM,
    "proxy_stopped": Ending.PROXY,
}
_ANTHROPIC_CHOICES: Final[Mapping[str, dict[str, object]]] = {
    "auto": {"type": "auto"},
    "named": {"type": "tool", "name": "x"},
    "required": {"type": "any"},
    "none": {"type": "none"},
}
PROMPT = "CANARY-prompt-7f3a: the patient has stage two lymphoma"


def request_body(
    profile: str, tool_schemas: Mapping[str, object], tool_choice: str | None = None, *, parallel: bool | None = None
) -> bytes:
    """A request that declares these tools, with text that no fixture may hold."""
    return json.dumps({"stream": True, **_ASKED[profile](tool_schemas, tool_choice, parallel)}).encode()


def _chat(schemas: Mapping[str, object], tool_choice: str | None, parallel: bool | None) -> dict[str, object]:
    functions = [{"name": name, "description": PROMPT, "parameters": schema} for name, schema in schemas.items()]
    request: dict[str, object] = {"model": "gpt-4o", "messages": [{"role": "user", "content": PROMPT}]}
    request["tools"] = [{"type": "function", "function": function} for function in functions]
    if tool_choice is not None:
        named = {"type": "function", "function": {"name": "x"}}
        request["tool_choice"] = named if tool_choice == "named" else tool_choice
    return request if parallel is None else {**request, "parallel_tool_calls": parallel}


def _messages(schemas: Mapping[str, object], tool_choice: str | None, parallel: bool | None) -> dict[str, object]:
    request: dict[str, object] = {"model": "gpt-4o", "messages": [{"role": "user", "content": PROMPT}]}
    request["tools"] = [
        {"name": name, "description": PROMPT, "input_schema": schema} for name, schema in schemas.items()
    ]
    choice = _ANTHROPIC_CHOICES.get(tool_choice or ("" if parallel is None else "auto"))
    if choice is not None:
        request["tool_choice"] = choice if parallel is None else {**choice, "disable_parallel_tool_use": not parallel}
    return request


def _responses(schemas: Mapping[str, object], tool_choice: str | None, parallel: bool | None) -> dict[str, object]:
    request: dict[str, object] = {"model": "gpt-4o", "instructions": PROMPT, "input": PROMPT}
    tools: list[object] = []
    for name, schema in schemas.items():
        space, _, short = name.rpartition(".") if not name.startswith(".") else ("", "", name)
        tool: dict[str, object] = {"type": "function", "name": short, "description": PROMPT, "parameters": schema}
        if schema in ({"type": "string"}, {"type": "string", "format": "grammar"}):
            tool = {"type": "custom", "name": short, "description": PROMPT}
            grammar = {"type": "grammar", "syntax": "regex", "definition": PROMPT}
            tool["format"] = {"type": "text"} if schema == {"type": "string"} else grammar
        tools.append({"type": "namespace", "name": space, "description": PROMPT, "tools": [tool]} if space else tool)
    request["tools"] = tools
    if tool_choice is not None:
        request["tool_choice"] = {"type": "function", "name": "x"} if tool_choice == "named" else tool_choice
    return request if parallel is None else {**request, "parallel_tool_calls": parallel}


# By profile: the request that declares these tools, with this choice, and that says so of parallel calls.
_ASKED: Final[Mapping[str, Callable[[Mapping[str, object], str | None, bool | None], dict[str, object]]]] = {
    "openai": _chat,
    "mistral": _chat,
    "anthropic": _messages,
    "openai-responses": _responses,
}


def sse_body(payloads: Sequence[object], *, done: bool) -> bytes:
    """The payloads as an event stream; a payload that is a string is sent as the text it is."""
    lines = []
    for payload in payloads:
        # A string that holds a payload was a bare JSON string on the wire; any other is what could not be read.
        bare = isinstance(payload, str) and not payload.startswith("{")
        text = str(payload) if bare else json.dumps(payload)
        lines.append("".join(f"data: {line}\n" for line in text.split("\n")) + "\n")
    return ("".join(lines) + ("data: [DONE]\n\n" if done else "")).encode("utf-8", "surrogatepass")


def exchange_of(fixture: Mapping[str, object]) -> Exchange:
    """The exchange that a fixture could have been recorded from."""
    profile = str(fixture["profile"])
    capture = fixture.get("capture", {})
    assert isinstance(capture, dict)
    end = capture.get("stream_end", "complete")
    payloads = fixture[array(profile)]
    assert isinstance(payloads, list)
    schemas = fixture["tool_schemas"]
    assert isinstance(schemas, dict)
    allow = fixture.get("allow", [])
    assert isinstance(allow, list)
    return Exchange(
        profile=profile,
        provider=profile,
        request_body=request_body(
            profile, schemas, capture.get("tool_choice"), parallel=capture.get("parallel_tool_calls")
        ),
        content_type="text/event-stream",
        body=sse_body(payloads, done=False),
        ending=ENDINGS.get(end, Ending.UPSTREAM),
        allow=tuple(allow),
    )

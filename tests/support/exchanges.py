"""Exchanges for redaction tests: fixtures turned back into the traffic they stand for."""

import json
from collections.abc import Mapping, Sequence

from redaction.captured.exchange import Ending, Exchange

ENDINGS = {
    "complete": Ending.MESSAGE_END,
    "client_disconnected": Ending.CLIENT,
    "upstream_disconnected": Ending.UPSTREAM,
    "proxy_stopped": Ending.PROXY,
}
_ANTHROPIC_CHOICES = {
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
    if profile == "anthropic":
        tools: list[object] = [
            {"name": name, "description": PROMPT, "input_schema": schema} for name, schema in tool_schemas.items()
        ]
        choice: object = _ANTHROPIC_CHOICES.get(tool_choice or "auto" if parallel is not None else tool_choice or "")
        if isinstance(choice, dict) and parallel is not None:
            choice = choice | {"disable_parallel_tool_use": not parallel}
    else:
        tools = [
            {"type": "function", "function": {"name": name, "description": PROMPT, "parameters": schema}}
            for name, schema in tool_schemas.items()
        ]
        choice = {"named": {"type": "function", "function": {"name": "x"}}}.get(tool_choice or "", tool_choice)
    request: dict[str, object] = {"model": "gpt-4o", "stream": True, "tools": tools}
    request["messages"] = [{"role": "user", "content": PROMPT}]
    if parallel is not None and profile != "anthropic":
        request["parallel_tool_calls"] = parallel
    if choice is not None:
        request["tool_choice"] = choice
    return json.dumps(request).encode()


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
    payloads = fixture["events" if profile == "anthropic" else "chunks"]
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

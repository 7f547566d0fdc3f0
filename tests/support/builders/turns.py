"""Small streamed turns and the requests that ask for them, for tests of the recorder. Plain bytes, written by hand."""

import json
from collections.abc import Sequence
from typing import Any, Final

from support.builders import blocks, items

DONE: Final = b"data: [DONE]\n\n"

TOOL: Final[dict[str, Any]] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Looks up the weather.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def request(*, content: str = "How is the weather?", stream: bool | None = True) -> bytes:
    """An OpenAI request body that declares one tool."""
    body: dict[str, object] = {
        "model": "gpt-4o-mini",
        "messages": [{"role": "user", "content": content}],
        "tools": [TOOL],
    }
    if stream is not None:
        body["stream"] = stream
    return json.dumps(body).encode()


def event(delta: dict[str, object], *, finish: str | None = None) -> bytes:
    """One chunk of an OpenAI stream, framed."""
    chunk = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1700000000,
        "model": "gpt-4o-mini",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def call(*fragments: str, call_id: str = "call_AbCdEf0123456789AbCdEf01") -> list[bytes]:
    """The events of one finished call of `get_weather`, without the end marker."""
    start = {"index": 0, "id": call_id, "type": "function", "function": {"name": "get_weather", "arguments": ""}}
    return [
        event({"role": "assistant", "content": None, "tool_calls": [start]}),
        *(event({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}) for piece in fragments),
        event({}, finish="tool_calls"),
    ]


def messages(*fragments: str) -> list[bytes]:
    """The events of the same call in Anthropic's Messages API, to the end."""
    message = {
        "id": "msg_01AbCdEf0123456789AbCdEf",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    call = blocks.grown(0, fragments, id="toolu_01AbCdEf0123456789AbCdEf", name="get_weather")
    return [_named(event) for event in blocks.turn(*call, **message)]


RESPONSE_TOOL: Final = {"type": "function", "name": "get_weather", "parameters": TOOL["function"]["parameters"]}


def responses(*fragments: str, tools: Sequence[object] = (RESPONSE_TOOL,)) -> list[bytes]:
    """The events of the same call in OpenAI's Responses API, to the end; `tools` are those that it repeats."""
    identity = {"id": "fc_0123456789abcdef0123456789abcdef0123456789abcdef", "call_id": "call_AbCdEf0123456789AbCdEf01"}
    response = {
        "id": "resp_0123456789abcdef0123456789abcdef0123456789abcdef",
        "object": "response",
        "created_at": 1700000000,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": "gpt-5-mini-2025-08-07",
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": list(tools),
        "top_p": 1.0,
        "usage": None,
    }
    begun = items.response("in_progress", **response, status="in_progress", output=[])
    call = items.grown(0, items.call(name="get_weather", **identity), fragments)
    return [_named(event) for event in items.turn(begun, *call, **response)]


def _named(payload: dict[str, object]) -> bytes:
    return f"event: {payload['type']}\ndata: {json.dumps(payload)}\n\n".encode()


def text(words: Sequence[str]) -> list[bytes]:
    """The events of a finished answer in prose, without the end marker."""
    return [
        event({"role": "assistant", "content": ""}),
        *(event({"content": w}) for w in words),
        event({}, finish="stop"),
    ]

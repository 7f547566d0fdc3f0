"""Small streamed turns and the requests that ask for them, for tests of the recorder. Plain bytes, written by hand."""

import json
from collections.abc import Sequence
from typing import Final

DONE: Final = b"data: [DONE]\n\n"

TOOL: Final = {
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


def text(words: Sequence[str]) -> list[bytes]:
    """The events of a finished answer in prose, without the end marker."""
    return [
        event({"role": "assistant", "content": ""}),
        *(event({"content": w}) for w in words),
        event({}, finish="stop"),
    ]

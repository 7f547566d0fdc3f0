"""Exchanges that hold a canary in every place where user data is known to hide, for each profile.

A place is named by what it is; its canary is found again by that name. Numbers have canaries of digits.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from support.canaries import PIECE, canary

from redaction.captured.exchange import Exchange


def digits(place: str) -> int:
    """Fourteen digits, always the same for one place."""
    return 10**13 + int(hashlib.sha256(place.encode()).hexdigest(), 16) % (9 * 10**13)


@dataclass(frozen=True, slots=True)
class Hidden:
    """An exchange, and every canary in it by the name of its place."""

    exchange: Exchange
    canaries: dict[str, str]


def found(data: bytes, secret: str) -> bool:
    """Whether the canary, or eight characters of it, stands in `data`."""
    text = data.decode("utf-8", "replace")
    return any(secret[at : at + PIECE] in text for at in range(len(secret) - PIECE + 1))


def fives(text: str) -> list[str]:
    """Pieces of five characters."""
    return [text[at : at + 5] for at in range(0, len(text), 5)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What canaries are made of, by the name of their place, and how argument text is cut."""

    text: Callable[[str], str] = canary
    number: Callable[[str], int] = digits
    pieces: Callable[[str], list[str]] = fives


class _Planter:
    def __init__(self, profile: str, material: Material) -> None:
        self._profile = profile
        self._material = material
        self.canaries: dict[str, str] = {}
        self.pieces = material.pieces

    def __call__(self, place: str) -> str:
        if place not in self.canaries:
            self.canaries[place] = self._material.text(f"{self._profile} {place}")
        return self.canaries[place]

    def line(self, place: str) -> str:
        """The canary where a line of the stream or of a header must hold it."""
        return self(place).replace("\r", " ").replace("\n", " ")

    def number(self, place: str) -> int:
        value = self._material.number(f"{self._profile} {place}")
        self.canaries[place] = str(value)
        return value


PLAIN: Final = Material()


def hidden(profile: str, material: Material = PLAIN) -> Hidden:
    """The exchange of one profile."""
    plant = _Planter(profile, material)
    request = (_anthropic_request if profile == "anthropic" else _chat_request)(plant)
    payloads = (_anthropic_events if profile == "anthropic" else _chat_chunks)(plant)
    lines = [f": {plant.line('comment')}\n", f"event: {plant.line('event name')}\n", f"id: {plant.line('event id')}\n"]
    lines += [f"retry: {plant.number('retry')}\n", f"{plant.line('field name')}: {plant.line('field value')}\n"]
    lines += [f"data: {json.dumps(payload)}\n\n" for payload in payloads]
    broken = {
        "prose": plant.line("prose payload"),
        "cut": f'{{"a": "{plant.line("cut payload")}',
        "two": f'{{}} {{"a": "{plant.line("second document")}"}}',
        "trailing": f"{{}} {plant.line('trailing payload')}",
        "twice": f'{{"{plant.line("repeated key")}": 1, "{plant.line("repeated key")}": 2}}',
        "bare": json.dumps(plant("bare string payload")),
        "surrogate": f'{{"a": "{plant.line("surrogate payload")}\\ud800"}}',
        "nan": f'{{"{plant.line("key beside NaN")}": NaN}}',
    }
    lines += [f"data: {text}\n\n" for text in broken.values()]
    body = "".join(lines).encode() + b'data: {"a": "%b\xff"}\n\n' % plant.line("payload of bad bytes").encode()
    body += f"data: {plant.line('half event')}".encode()
    return Hidden(
        exchange=Exchange(
            profile=profile,
            provider=profile,
            request_body=json.dumps(request).encode(),
            user_agent=f"agent {plant.line('user agent')}",
            content_type=f"text/event-stream; boundary={plant.line('content type')}",
            body=body,
            secrets=(plant.line("header"), f"key={plant.line('query')}"),
        ),
        canaries=plant.canaries,
    )


def _schema(plant: _Planter) -> dict[str, object]:
    """Prose and names in every place of a schema that must not survive."""
    return {
        "type": "object",
        "title": plant("schema title"),
        "description": plant("schema description"),
        "$comment": plant("schema comment"),
        "default": {plant("key of a default"): plant("schema default")},
        "examples": [plant("schema example"), plant.number("schema example number")],
        "x-team": plant("schema extension"),
        f"x-{plant('name of a schema extension')}": 1,
        "properties": {
            "city": {
                "type": "string",
                "description": plant("property description"),
                "default": plant("property default"),
            },
            "to": {"$ref": f"#/$defs/{plant('definition name')}"},
            "n": {"type": "integer"},
        },
        "$defs": {plant("definition name"): {"type": "string", "title": plant("definition title")}},
    }


def _unsupported_schema(plant: _Planter) -> dict[str, object]:
    return {
        "$id": plant("schema id"),
        plant("unknown keyword"): plant("value of an unknown keyword"),
        "pattern": f"(?={plant('pattern outside the subset')})",
        "format": plant("unknown format"),
        "$ref": f"#/components/schemas/{plant('foreign reference')}",
        "enum": plant("enum that is no list"),
        "type": plant("type that is none"),
        "required": plant("required that is no list"),
        "properties": {"a": plant("schema that is none")},
    }


def _arguments(plant: _Planter) -> list[str]:
    """Argument fragments that cut the canaries."""
    text = json.dumps(
        {
            "city": plant("argument value"),
            plant("argument key"): [plant("argument item"), plant.number("argument number")],
            "to": {"deep": plant("deep argument")},
            "escaped": f'\n"{plant("escaped argument")}é',
        }
    )
    return plant.pieces(text)


def _chat_request(plant: _Planter) -> dict[str, object]:
    call = {"name": plant("tool of a call in a message"), "arguments": json.dumps({"q": plant("call in a message")})}
    return {
        "model": f"ft:gpt-4o:{plant('organisation in the model name')}:x",
        "messages": [
            {"role": "system", "content": plant("system prompt")},
            {"role": "user", "name": plant("name of the user"), "content": plant("user message")},
            {"role": "user", "content": [{"type": "text", "text": plant("text part")}]},
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": f"data:{plant('image')}"}}]},
            {"role": "assistant", "tool_calls": [{"id": plant("id in a message"), "function": call}]},
            {"role": "tool", "tool_call_id": plant("id of a result"), "content": plant("tool result")},
        ],
        "tools": [
            {
                "type": "function",
                "function": {"name": "weather", "description": plant("tool description"), "parameters": _schema(plant)},
            },
            {"type": "function", "function": {"name": "odd", "parameters": _unsupported_schema(plant)}},
            {"type": "mcp", "server_url": plant("server of a tool"), "authorization": plant("authorization of a tool")},
        ],
        "tool_choice": {"type": "function", "function": {"name": plant("tool choice")}},
        "user": plant("user"),
        "safety_identifier": plant("safety identifier"),
        "prompt_cache_key": plant("prompt cache key"),
        "metadata": {plant("metadata key"): plant("metadata value")},
        "stop": [plant("stop sequence")],
        "prediction": {"content": plant("prediction")},
        "response_format": {
            "json_schema": {"name": plant("response format"), "schema": {"enum": [plant("format enum")]}}
        },
        "logit_bias": {plant("logit bias"): 1},
        "seed": plant.number("seed"),
        plant("unknown request member"): plant("value of an unknown request member"),
    }


def _chat_chunks(plant: _Planter) -> list[object]:
    call = {
        "index": 0,
        "id": plant("call id"),
        "type": "function",
        "function": {"name": "weather", "arguments": ""},
        plant("member of a call"): plant("value of a member of a call"),
    }
    other = {
        "index": plant.number("large slot"),
        "id": plant("other id"),
        "function": {"name": plant("undeclared tool")},
    }
    late = {"index": 0, "function": {"arguments": plant("late fragment")}}
    singular = {"id": plant("id without slot"), "function": {"arguments": plant("fragment without slot")}}
    delta: dict[str, object] = {
        "role": plant("role"),
        "content": plant("content"),
        "refusal": plant("refusal"),
        "name": plant("name"),
        "reasoning": plant("reasoning"),
        "reasoning_content": plant("reasoning content"),
        "reasoning_details": [
            {
                "type": plant("kind of detail"),
                "text": plant("reasoning text"),
                "summary": plant("reasoning summary"),
                "data": plant("encrypted reasoning"),
                "signature": plant("reasoning signature"),
                "id": plant("reasoning id"),
                "format": plant("reasoning format"),
                "index": plant.number("reasoning index"),
            },
            plant("detail that is a string"),
        ],
        "annotations": [{"url_citation": {"url": plant("citation url"), "title": plant("citation title")}}],
        "audio": {"id": plant("audio id"), "data": plant("audio data"), "transcript": plant("transcript")},
        "function_call": {"name": plant("legacy tool"), "arguments": plant("legacy arguments")},
        plant("unknown member of a delta"): {plant("deep unknown key"): plant("deep unknown value")},
    }
    parts = [
        {"type": "text", "text": plant("content part")},
        {"type": "thinking", "thinking": [{"type": "text", "text": plant("thinking part")}, plant("thought")]},
        {"type": "reference", "reference_ids": [plant.number("reference"), plant("reference text")]},
        {"type": plant("kind of part"), "image_url": plant("image of a part")},
        plant("part that is a string"),
    ]
    choice = {
        "index": 1,
        "delta": {"content": parts},
        "message": {"content": plant("message copy"), "tool_calls": [{"function": {"arguments": plant("mirror")}}]},
        "tool_calls": [{"function": {"name": plant("tool of a choice"), "arguments": plant("arguments of a choice")}}],
        "text": plant("legacy text"),
        "logprobs": {"content": [{"token": plant("token"), "bytes": [plant.number("token bytes")], "logprob": -0.5}]},
        "finish_reason": plant("finish reason"),
        "native_finish_reason": plant("native finish reason"),
        "content_filter_results": {"hate": {"filtered": plant("filter result")}},
        "stop_reason": plant.number("number of a stop reason"),
    }
    chunk: dict[str, object] = {
        "id": plant("completion id"),
        "object": plant("object"),
        "created": plant.number("created"),
        "model": plant("response model"),
        "provider": plant("backend"),
        "service_tier": plant("service tier"),
        "system_fingerprint": plant("system fingerprint"),
        "obfuscation": plant("obfuscation"),
        "p": plant("padding"),
        "usage": {"prompt_tokens": plant.number("usage"), "cost": plant("cost"), plant("unit"): plant("unknown usage")},
        "message": {"content": plant("message of a chunk"), "tool_calls": [{"id": plant("call of a chunk's message")}]},
        "function_call": {"arguments": plant("call of a chunk")},
        plant("unknown member"): plant("value of an unknown member"),
        "choices": [{"index": 0, "delta": {"tool_calls": [call]}}, {"index": 0, "delta": delta}, choice],
    }
    fragments = [
        {"id": plant("completion id"), "choices": [{"index": 0, "delta": {"tool_calls": [one]}}]}
        for one in ({"index": 0, "function": {"arguments": text}} for text in _arguments(plant))
    ]
    error = {
        "message": plant("error message"),
        "type": plant("error type"),
        "code": plant("error code"),
        "param": plant("error parameter"),
        "failed_generation": plant("failed generation"),
        "status": plant.number("error status"),
        "metadata": {"raw": plant("raw error")},
    }
    return [
        chunk,
        *fragments,
        {"choices": [{"index": 0, "delta": {"tool_calls": [other, singular]}, "finish_reason": "tool_calls"}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [late]}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": {plant("shape"): plant("shape value")}}}]},
        {"choices": plant("choices that are a string")},
        {"error": error},
        {"error": plant("error that is a string")},
        [plant("payload that is a list")],
        plant.number("payload that is a number"),
    ]


def _anthropic_request(plant: _Planter) -> dict[str, object]:
    result = {"type": "tool_result", "tool_use_id": plant("id of a result"), "content": plant("tool result")}
    source = {"type": "base64", "media_type": "image/png", "data": plant("image")}
    return {
        "model": f"claude-{plant('deployment in the model name')}",
        "system": [{"type": "text", "text": plant("system prompt"), "cache_control": {"type": plant("cache control")}}],
        "messages": [
            {"role": "user", "content": plant("user message")},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "name": plant("used tool"), "input": {"q": plant("used")}}],
            },
            {"role": "user", "content": [result, {"type": "image", "source": source}]},
            {"role": "assistant", "content": [{"type": "thinking", "signature": plant("signature of a message")}]},
        ],
        "tools": [
            {"name": "weather", "description": plant("tool description"), "input_schema": _schema(plant)},
            {"name": "odd", "input_schema": _unsupported_schema(plant)},
            {
                "type": "web_search_20250305",
                "name": plant("provider tool"),
                "user_location": {"city": plant("location")},
            },
        ],
        "tool_choice": {"type": "tool", "name": plant("tool choice")},
        "metadata": {"user_id": plant("user"), plant("metadata key"): plant("metadata value")},
        "mcp_servers": [{"url": plant("server"), "authorization_token": plant("token of a server")}],
        "stop_sequences": [plant("stop sequence")],
        "container": plant("container"),
        plant("unknown request member"): plant("value of an unknown request member"),
    }


def _anthropic_events(plant: _Planter) -> list[object]:
    citation = {
        "type": plant("kind of citation"),
        "cited_text": plant("cited text"),
        "document_title": plant("document title"),
        "document_index": plant.number("document index"),
        "start_char_index": plant.number("start index"),
        "encrypted_index": plant("encrypted index"),
        "url": plant("citation url"),
        "title": plant("citation title"),
        "source": plant("citation source"),
        "file_id": plant("citation file"),
    }
    message = {
        "id": plant("message id"),
        "type": "message",
        "role": plant("role"),
        "model": plant("response model"),
        "content": [{"type": "text", "text": plant("prefilled text")}, plant("block that is a string")],
        "stop_reason": plant("early stop reason"),
        "stop_sequence": plant("early stop sequence"),
        "container": {"id": plant("container id")},
        "usage": {
            "input_tokens": plant.number("usage"),
            "service_tier": plant("tier"),
            plant("unit"): plant("usage text"),
        },
    }
    blocks: list[dict[str, object]] = [
        {"type": "text", "text": plant("text of a block"), "citations": [citation]},
        {"type": "thinking", "thinking": plant("thinking of a block"), "signature": plant("signature of a block")},
        {"type": "redacted_thinking", "data": plant("redacted thinking")},
        {
            "type": "server_tool_use",
            "id": plant("server tool id"),
            "name": plant("server tool"),
            "input": {"q": plant("query")},
        },
        {
            "type": "web_search_tool_result",
            "tool_use_id": plant("result id"),
            "content": [{"url": plant("result url")}],
        },
        {"type": f"{plant('kind of result')}_tool_result", "content": plant("result")},
        {"type": "mcp_tool_use", "server_name": plant("server name"), "name": plant("server's tool"), "input": {}},
        {"type": "container_upload", "file_id": plant("file id")},
        {"type": plant("kind of block"), plant("member of a block"): plant("value of a member of a block")},
    ]
    deltas: list[dict[str, object]] = [
        {"type": "text_delta", "text": plant("text")},
        {"type": "citations_delta", "citation": citation},
        {"type": "thinking_delta", "thinking": plant("thinking")},
        {"type": "signature_delta", "signature": plant("signature")},
        {"type": plant("kind of delta"), "partial_json": plant("fragment of an unknown delta")},
        {"type": "text_delta", "partial_json": plant("fragment in a text delta")},
    ]
    tool = {"type": "tool_use", "id": plant("call id"), "name": "weather", "input": {}}
    stray = {"type": "input_json_delta", "partial_json": plant("fragment without block")}
    filled = {
        "type": "tool_use",
        "id": plant("filled id"),
        "name": plant("undeclared tool"),
        "input": {plant("key"): plant("input")},
    }
    start, delta = "content_block_start", "content_block_delta"
    end = {
        "stop_reason": plant("stop reason"),
        "stop_sequence": plant("stop sequence that came"),
        "container": {"id": plant("box")},
    }
    error = {
        "type": plant("error type"),
        "message": plant("error message"),
        plant("error member"): plant("error value"),
    }
    return [
        {"type": "message_start", "message": message},
        {"type": start, "index": 0, "content_block": tool},
        *(
            {"type": delta, "index": 0, "delta": {"type": "input_json_delta", "partial_json": text}}
            for text in _arguments(plant)
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": delta, "index": 0, "delta": {"type": "input_json_delta", "partial_json": plant("late fragment")}},
        *({"type": start, "index": at + 1, "content_block": block} for at, block in enumerate(blocks)),
        *({"type": delta, "index": 1, "delta": one} for one in deltas),
        {"type": start, "index": plant.number("large index"), "content_block": filled},
        {"type": delta, "delta": stray},
        {"type": delta, "index": 1, "delta": plant("delta that is a string")},
        {"type": plant("kind of event"), plant("member of an event"): plant("value of a member of an event")},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": plant.number("output tokens")}},
        {"type": "error", "error": error, "request_id": plant("request id")},
        [plant("payload that is a list")],
    ]

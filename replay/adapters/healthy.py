"""A healthy turn of each API that an adapter can speak: one call, whole, as its provider streams it.

`toolreel diff` has an adapter ask for such a turn before it believes that the adapter hands over nothing on purpose.
One row an API in `TURNS`; the payloads are those of the provider's own pages, with every member that clients look at.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Payloads = list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthyCall:
    """The one call of a healthy turn. `arguments` is JSON, or for a custom tool of the Responses API any text."""

    id: str
    name: str
    arguments: str
    custom: bool


def _halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


def _chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {
        "id": "chatcmpl-control",
        "object": "chat.completion.chunk",
        "created": 1760000000,
        "model": "control",
        "choices": [choice],
    }


def _chunks(call: HealthyCall) -> Payloads:
    function = {"name": call.name, "arguments": ""}
    start = {"index": 0, "id": call.id, "type": "function", "function": function}
    parts = [{"tool_calls": [{"index": 0, "function": {"arguments": part}}]} for part in _halves(call.arguments)]
    return [
        _chunk({"role": "assistant", "content": None, "tool_calls": [start]}),
        *map(_chunk, parts),
        _chunk({}, "tool_calls"),
    ]


def _whole_chunks(call: HealthyCall) -> Payloads:
    function = {"name": call.name, "arguments": call.arguments}
    whole = {"id": call.id, "function": function, "index": 0}
    return [
        _chunk({"role": "assistant", "content": ""}),
        _chunk({"content": "", "tool_calls": [whole]}, "tool_calls"),
    ]


def _blocks(call: HealthyCall) -> Payloads:
    message: dict[str, Any] = {
        "id": "msg_control",
        "type": "message",
        "role": "assistant",
        "model": "control",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
    deltas = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": part}}
        for part in _halves(call.arguments)
    ]
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *deltas,
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 1},
        },
        {"type": "message_stop"},
    ]


def _response(status: str, output: list[Any]) -> dict[str, Any]:
    usage = {
        "input_tokens": 1,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 1,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 2,
    }
    return {
        "id": "resp_control",
        "object": "response",
        "created_at": 1760000000,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": "control",
        "output": output,
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": usage if status == "completed" else None,
    }


def _items(call: HealthyCall) -> Payloads:
    space, _, own = call.name.rpartition(".")
    kind, key, prefix = ("custom_tool_call", "input", "ctc") if call.custom else ("function_call", "arguments", "fc")
    delta = f"response.{'custom_tool_call_input' if call.custom else 'function_call_arguments'}"
    item = {
        "id": f"{prefix}_control",
        "type": kind,
        "status": "completed",
        "call_id": call.id,
        "name": own,
        key: call.arguments,
        **({"namespace": space} if space else {}),
    }
    at = {"item_id": item["id"], "output_index": 0}
    opened = {**item, "status": "in_progress", key: ""}
    events: Payloads = [
        {"type": "response.created", "response": _response("in_progress", [])},
        {"type": "response.in_progress", "response": _response("in_progress", [])},
        {"type": "response.output_item.added", "output_index": 0, "item": opened},
        *({"type": f"{delta}.delta", **at, "delta": part} for part in _halves(call.arguments)),
        {"type": f"{delta}.done", **at, key: call.arguments, **({} if call.custom else {"name": own})},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": _response("completed", [item])},
    ]
    return [{**event, "sequence_number": at} for at, event in enumerate(events)]


def _members(call: HealthyCall) -> Payloads:
    at = {"contentBlockIndex": 0}
    return [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockStart": {**at, "start": {"toolUse": {"toolUseId": call.id, "name": call.name}}}},
        *({"contentBlockDelta": {**at, "delta": {"toolUse": {"input": part}}}} for part in _halves(call.arguments)),
        {"contentBlockStop": at},
        {"messageStop": {"stopReason": "tool_use"}},
        {
            "metadata": {
                "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
                "metrics": {"latencyMs": 1},
            }
        },
    ]


def _tool_events(call: HealthyCall) -> Payloads:
    start = {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
    message = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    deltas = [
        {
            "type": "tool-call-delta",
            "index": 0,
            "delta": {"message": {"tool_calls": {"function": {"arguments": part}}}},
        }
        for part in _halves(call.arguments)
    ]
    return [
        {"id": "00000000-0000-4000-8000-000000000000", "type": "message-start", "delta": {"message": message}},
        {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": start}}},
        *deltas,
        {"type": "tool-call-end", "index": 0},
        {
            "type": "message-end",
            "delta": {"finish_reason": "TOOL_CALL", "usage": {"tokens": {"input_tokens": 1, "output_tokens": 1}}},
        },
    ]


def _parts(call: HealthyCall) -> Payloads:
    function = {"id": call.id, "name": call.name, "args": json.loads(call.arguments)}
    candidate = {
        "content": {"parts": [{"functionCall": function}], "role": "model"},
        "finishReason": "STOP",
        "index": 0,
    }
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return [
        {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "control", "responseId": "resp-control"}
    ]


def _lines(call: HealthyCall) -> Payloads:
    function = {"name": call.name, "arguments": json.loads(call.arguments)}
    bare = {"model": "control", "created_at": "2026-01-01T00:00:00Z"}
    message = {"role": "assistant", "content": ""}
    calling = {**message, "tool_calls": [{"id": call.id, "function": {"index": 0, **function}}]}
    return [
        {**bare, "message": calling, "done": False},
        {**bare, "message": message, "done_reason": "stop", "done": True, "eval_count": 1, "prompt_eval_count": 1},
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthyTurn:
    """How one API streams a healthy turn, and what an id of it looks like."""

    identity: str
    payloads: Callable[[HealthyCall], Payloads]


TURNS: Final[Mapping[str, HealthyTurn]] = {
    "openai": HealthyTurn(identity="call_control", payloads=_chunks),
    "mistral": HealthyTurn(identity="cOntr0l00", payloads=_whole_chunks),
    "anthropic": HealthyTurn(identity="toolu_control", payloads=_blocks),
    "openai-responses": HealthyTurn(identity="call_control", payloads=_items),
    "bedrock-converse": HealthyTurn(identity="tooluse_control", payloads=_members),
    "cohere-v2": HealthyTurn(identity="control_000000000000", payloads=_tool_events),
    "gemini": HealthyTurn(identity="call_control", payloads=_parts),
    "ollama": HealthyTurn(identity="call_control", payloads=_lines),
}

"""Where user data hides in chat completions: canaries in a request and in its chunks."""

import json

from support.planter import Planter, arguments, schema, unsupported_schema


def request(plant: Planter) -> dict[str, object]:
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
                "function": {"name": "weather", "description": plant("tool description"), "parameters": schema(plant)},
            },
            {"type": "function", "function": {"name": "odd", "parameters": unsupported_schema(plant)}},
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


def payloads(plant: Planter) -> list[object]:
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
        for one in ({"index": 0, "function": {"arguments": text}} for text in arguments(plant))
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

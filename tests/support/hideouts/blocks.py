"""Where user data hides in Anthropic's messages: canaries in a request and in its events."""

from support.planter import Planter, arguments, schema, unsupported_schema


def request(plant: Planter) -> dict[str, object]:
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
            {"name": "weather", "description": plant("tool description"), "input_schema": schema(plant)},
            {"name": "odd", "input_schema": unsupported_schema(plant)},
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


def payloads(plant: Planter) -> list[object]:
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
            for text in arguments(plant)
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

"""What survives, as data: one table of positions for each wire family. Default deny: what no table names is masked.

A table is nested like the payload: a mapping for an object, a one-element list for "array of", a `Rule` at a leaf.
Keys that a table does not name become `unknown_N`, and their values are emptied to their JSON type.
Knows positions and words; knows no bytes, no masks, no files.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias


class Treatment(Enum):
    """What happens to a value at a position that a table names. A value of another JSON type is emptied to its type."""

    WORD = "kept if it is one of the rule's words, else `other_N`"
    INDEX = "kept if small, else renumbered in order"
    IDENTIFIER = "an ordinal in the provider's own shape"
    TOOL_NAME = "kept if the request declares the tool, else `undeclared_N`"
    FRAGMENT = "a piece of streamed arguments: masked as a whole, laid back over the same pieces"
    WHOLE = "an argument object that arrives whole: masked as one JSON text"
    TEXT = "one placeholder where there was any"
    MODEL = "the public id, or the family, or `unknown-model`"
    EMPTY = "emptied to its JSON type"


@dataclass(frozen=True, slots=True)
class Rule:
    """A treatment, with the closed words of a `WORD` or the site of an `IDENTIFIER`."""

    treatment: Treatment
    words: frozenset[str] = frozenset()
    site: str = ""


Table: TypeAlias = "Rule | Mapping[str, Table] | list[Table]"


def words(*allowed: str) -> Rule:
    """A position that keeps these words."""
    return Rule(Treatment.WORD, frozenset(allowed))


INDEX: Final = Rule(Treatment.INDEX)
TOOL_NAME: Final = Rule(Treatment.TOOL_NAME)
FRAGMENT: Final = Rule(Treatment.FRAGMENT)
WHOLE: Final = Rule(Treatment.WHOLE)
TEXT: Final = Rule(Treatment.TEXT)
MODEL: Final = Rule(Treatment.MODEL)
EMPTY: Final = Rule(Treatment.EMPTY)
COMPLETION_ID: Final = Rule(Treatment.IDENTIFIER, site="completion")
CALL_ID: Final = Rule(Treatment.IDENTIFIER, site="call")
ITEM_ID: Final = Rule(Treatment.IDENTIFIER, site="item")

# The shape of a masked id, by profile and site: an ordinal of first appearance takes the place of `{}`.
IDENTIFIERS: Final[Mapping[str, Mapping[str, str]]] = {
    "openai": {"completion": "chatcmpl-{:08d}", "call": "call_{:08d}", "item": "item_{:08d}"},
    "mistral": {"completion": "cmpl-{:08d}", "call": "call{:05d}", "item": "item_{:08d}"},
    "anthropic": {"completion": "msg_{:08d}", "call": "toolu_{:08d}", "item": "item_{:08d}"},
}
# Ids that say "none": with mistral the four letters `null` (CONFORMANCE.md, Identity).
VERBATIM_IDS: Final[Mapping[str, frozenset[str]]] = {
    "openai": frozenset(),
    "mistral": frozenset({"null"}),
    "anthropic": frozenset(),
}

USAGE: Final[Table] = dict.fromkeys(
    (
        "prompt_tokens",
        "completion_tokens",
        "total_tokens",
        "prompt_tokens_details",
        "completion_tokens_details",
        "input_tokens",
        "output_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "cache_creation",
        "server_tool_use",
        "service_tier",
        "output_tokens_details",
        "cost",
    ),
    EMPTY,
)
ROLE: Final = words("assistant", "system", "user", "tool", "developer")
FINISH_REASON: Final = words("stop", "length", "tool_calls", "content_filter", "function_call", "error", "model_length")
ERROR_TYPES: Final = words(
    "invalid_request_error",
    "authentication_error",
    "permission_error",
    "not_found_error",
    "rate_limit_error",
    "timeout_error",
    "overloaded_error",
    "api_error",
    "server_error",
    "billing_error",
    "request_too_large",
    "tool_use_failed",
    "error",
)
ERROR: Final[Table] = {
    "type": ERROR_TYPES,
    "code": ERROR_TYPES,
    "message": TEXT,
    "param": EMPTY,
    "status": EMPTY,
    "status_code": EMPTY,
    "failed_generation": TEXT,
}

TOOL_CALL: Final[Table] = {
    "index": INDEX,
    "id": CALL_ID,
    "type": words("function", "custom"),
    "function": {"name": TOOL_NAME, "arguments": FRAGMENT},
}
FUNCTION_CALL: Final[Table] = {"name": TOOL_NAME, "arguments": FRAGMENT}
# Mistral streams content as a string or as parts; thinking nests its own text parts.
TEXT_PART: Final[Table] = {"type": words("text", "thinking", "reference", "refusal"), "text": TEXT}
CONTENT_PART: Final[Table] = {
    "type": words("text", "thinking", "reference", "image_url", "refusal"),
    "text": TEXT,
    "thinking": [TEXT_PART],
    "closed": EMPTY,
    "reference_ids": EMPTY,
}
REASONING_DETAIL: Final[Table] = {
    "type": words("reasoning.text", "reasoning.summary", "reasoning.encrypted"),
    "text": TEXT,
    "summary": TEXT,
    "data": TEXT,
    "signature": TEXT,
    "id": ITEM_ID,
    "format": EMPTY,
    "index": INDEX,
}
# `message` beside `delta` is what some gateways send as the final copy; legal only as `message_mirror`.
MESSAGE: Final[Table] = {
    "role": ROLE,
    "content": [CONTENT_PART],
    "refusal": TEXT,
    "reasoning": TEXT,
    "reasoning_content": TEXT,
    "reasoning_details": [REASONING_DETAIL],
    "tool_calls": [TOOL_CALL],
    "function_call": FUNCTION_CALL,
    "name": TEXT,
    "annotations": EMPTY,
    "audio": EMPTY,
}
CHOICE: Final[Table] = {
    "index": INDEX,
    "delta": MESSAGE,
    "message": MESSAGE,
    "finish_reason": FINISH_REASON,
    "tool_calls": [TOOL_CALL],
    "function_call": FUNCTION_CALL,
    "logprobs": EMPTY,
    "text": TEXT,
    "native_finish_reason": TEXT,
    "content_filter_results": EMPTY,
}
CHUNK: Final[Table] = {
    "id": COMPLETION_ID,
    "object": words("chat.completion.chunk", "chat.completion", "text_completion", ""),
    "created": EMPTY,
    "model": MODEL,
    "choices": [CHOICE],
    "type": words("error"),
    "error": ERROR,
    "usage": USAGE,
    "service_tier": EMPTY,
    "system_fingerprint": EMPTY,
    "tool_calls": [TOOL_CALL],
    "function_call": FUNCTION_CALL,
    "obfuscation": EMPTY,
    "p": EMPTY,
    "provider": EMPTY,
    "message": MESSAGE,
}

STOP_REASON: Final = words(
    "end_turn",
    "max_tokens",
    "stop_sequence",
    "tool_use",
    "pause_turn",
    "refusal",
    "compaction",
    "model_context_window_exceeded",
)
BLOCK_TYPES: Final = words(
    "text",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "server_tool_use",
    "mcp_tool_use",
    "container_upload",
    "compaction",
    "fallback",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "mcp_tool_result",
    "tool_search_tool_result",
    "advisor_tool_result",
)
CITATION: Final[Table] = {
    "type": words(
        "char_location",
        "page_location",
        "content_block_location",
        "web_search_result_location",
        "search_result_location",
    ),
    "cited_text": TEXT,
    "document_index": EMPTY,
    "document_title": TEXT,
    "encrypted_index": TEXT,
    "title": TEXT,
    "url": TEXT,
    "source": TEXT,
    "file_id": TEXT,
    "start_char_index": EMPTY,
    "end_char_index": EMPTY,
    "start_page_number": EMPTY,
    "end_page_number": EMPTY,
    "start_block_index": EMPTY,
    "end_block_index": EMPTY,
    "search_result_index": EMPTY,
}
CONTENT_BLOCK: Final[Table] = {
    "type": BLOCK_TYPES,
    "id": CALL_ID,
    "name": TOOL_NAME,
    "input": WHOLE,
    "text": TEXT,
    "thinking": TEXT,
    "signature": TEXT,
    "data": TEXT,
    "citations": EMPTY,
    "content": EMPTY,
    "tool_use_id": CALL_ID,
    "is_error": EMPTY,
    "caller": EMPTY,
    "server_name": TEXT,
    "encrypted_content": TEXT,
    "file_id": TEXT,
    "from": {"model": MODEL},
    "to": {"model": MODEL},
    "trigger": EMPTY,
}
BLOCK_DELTA: Final[Table] = {
    "type": words(
        "text_delta", "input_json_delta", "citations_delta", "thinking_delta", "signature_delta", "compaction_delta"
    ),
    "text": TEXT,
    "partial_json": FRAGMENT,
    "citation": CITATION,
    "thinking": TEXT,
    "signature": TEXT,
    "content": TEXT,
    "encrypted_content": TEXT,
    # of `message_delta`
    "stop_reason": STOP_REASON,
    "stop_sequence": TEXT,
    "stop_details": {"type": STOP_REASON, "category": EMPTY, "explanation": TEXT},
    "container": EMPTY,
}
EVENT: Final[Table] = {
    "type": words(
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "ping",
        "error",
    ),
    "index": INDEX,
    "message": {
        "id": COMPLETION_ID,
        "type": words("message"),
        "role": ROLE,
        "model": MODEL,
        "content": [CONTENT_BLOCK],
        "stop_reason": STOP_REASON,
        "stop_sequence": TEXT,
        "stop_details": EMPTY,
        "usage": USAGE,
        "container": EMPTY,
    },
    "content_block": CONTENT_BLOCK,
    "delta": BLOCK_DELTA,
    "usage": USAGE,
    "error": ERROR,
    "request_id": TEXT,
    "context_management": EMPTY,
}

TABLES: Final[Mapping[str, Table]] = {"openai": CHUNK, "mistral": CHUNK, "anthropic": EVENT}
ARRAYS: Final[Mapping[str, str]] = {"openai": "chunks", "mistral": "chunks", "anthropic": "events"}

# Model names that the providers publish. What a gateway, a deployment or a fine-tune adds to one is not kept.
PUBLIC_MODELS: Final = frozenset(
    (
        "gpt-3.5-turbo gpt-4 gpt-4-turbo gpt-4.1 gpt-4.1-mini gpt-4.1-nano gpt-4o gpt-4o-mini gpt-5 gpt-5-mini "
        "gpt-5-nano gpt-oss-20b gpt-oss-120b o1 o3 o3-mini o4-mini "
        "claude-3-haiku claude-3-opus claude-3-5-haiku claude-3-5-sonnet claude-3-7-sonnet claude-haiku-4-5 "
        "claude-opus-4 claude-opus-4-0 claude-opus-4-1 claude-opus-4-5 claude-sonnet-4 claude-sonnet-4-0 "
        "claude-sonnet-4-5 "
        "codestral devstral-small devstral-medium magistral-small magistral-medium ministral-3b ministral-8b "
        "mistral-small mistral-medium mistral-large mistral-tiny open-mistral-nemo pixtral-large"
    ).split()
)
# What providers put behind a name: a date, or that it is the newest.
_DATED: Final = re.compile(r"(?:-latest|-preview|[-_@][0-9]{4}-?[0-9]{2}-?[0-9]{2}|-[0-9]{4})\Z")
# The first that occurs in the model id wins, so longer names stand before their prefixes.
MODEL_FAMILIES: Final = (
    "gpt-3.5 gpt-4.1 gpt-4o gpt-4 gpt-5 gpt-oss claude codestral devstral magistral ministral mistral mixtral pixtral "
    "command deepseek gemini gemma glm grok kimi llama nova palmyra phi qwen sonar"
).split()
UNKNOWN_MODEL: Final = "unknown-model"


def model(raw: str) -> str:
    """The public name where the shipped list has it, else the family, else `unknown-model`; "" stays ""."""
    if not raw:
        return raw
    name = _DATED.sub("", raw)
    if name in PUBLIC_MODELS:
        return name
    lowered = raw.lower()
    return next((family for family in MODEL_FAMILIES if family in lowered), UNKNOWN_MODEL)

"""Anthropic's messages: the table of positions, what a request declares, when a stream is whole."""

import re
from collections.abc import Mapping
from typing import Final

from redaction.families.tables.family import Declared, Family, Spoken, objects
from redaction.families.tables.positions import ERROR, ROLE, USAGE
from redaction.families.tables.treatments import (
    CALL_ID,
    COMPLETION_ID,
    EMPTY,
    FRAGMENT,
    INDEX,
    MODEL,
    TEXT,
    TOOL_NAME,
    WHOLE,
    Formed,
    Table,
    words,
)

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
# Who asks for a call: the application's model, or code that the provider runs.
CALLER: Final = Formed(
    {"type": words("direct", "code_execution_20250825", "code_execution_20260120"), "tool_id": CALL_ID}
)
SOURCE: Final = Formed(
    {
        "type": words("base64", "text", "url", "file", "content"),
        "media_type": words("application/pdf", "text/plain", "image/jpeg", "image/png", "image/gif", "image/webp"),
        "data": TEXT,
        "url": TEXT,
        "file_id": TEXT,
    }
)
DOCUMENT: Final = Formed(
    {
        "type": words("document"),
        "title": TEXT,
        "citations": Formed({"enabled": EMPTY}),
        "source": SOURCE,
    }
)
# What a tool of the provider answers: one of these, or a list, or a text.
RESULT: Final = Formed(
    {
        "type": words(
            "web_fetch_result",
            "web_fetch_tool_result_error",
            "web_search_tool_result_error",
            "code_execution_result",
            "encrypted_code_execution_result",
            "code_execution_tool_result_error",
            "bash_code_execution_result",
            "bash_code_execution_tool_result_error",
            "text_editor_code_execution_view_result",
            "text_editor_code_execution_create_result",
            "text_editor_code_execution_str_replace_result",
            "text_editor_code_execution_tool_result_error",
            "tool_search_tool_search_result",
            "tool_search_tool_result_error",
            "advisor_result",
            "advisor_redacted_result",
            "advisor_tool_result_error",
        ),
        "content": DOCUMENT,
        "file_type": words("text", "image", "pdf"),
        **dict.fromkeys(
            (
                "url retrieved_at text stdout stderr encrypted_stdout encrypted_content error_code error_message "
                "stop_reason"
            ).split(),
            TEXT,
        ),
        **dict.fromkeys(
            (
                "return_code num_lines start_line total_lines is_file_update lines new_lines new_start old_lines "
                "old_start tool_references"
            ).split(),
            EMPTY,
        ),
    }
)
CONTAINER: Final = Formed({"id": TEXT, "expires_at": TEXT, "skills": EMPTY})
STOP_DETAILS: Final = Formed({"type": STOP_REASON, "category": EMPTY, "explanation": TEXT, "recommended_model": TEXT})
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
    "content": RESULT,
    "tool_use_id": CALL_ID,
    "is_error": EMPTY,
    "caller": CALLER,
    "toolset_name": words("computer", "browser"),
    "server_name": TEXT,
    "encrypted_content": TEXT,
    "file_id": TEXT,
    "from": {"model": MODEL},
    "to": {"model": MODEL},
    "trigger": Formed({"type": STOP_REASON, "category": EMPTY}),
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
    "stop_details": STOP_DETAILS,
    "container": CONTAINER,
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
        "stop_details": STOP_DETAILS,
        "usage": USAGE,
        "container": CONTAINER,
    },
    "content_block": CONTENT_BLOCK,
    "delta": BLOCK_DELTA,
    "usage": USAGE,
    "error": ERROR,
    "request_id": TEXT,
    "context_management": Formed({"applied_edits": EMPTY}),
    "amazon-bedrock-invocationMetrics": EMPTY,
    "amazon-bedrock-trace": EMPTY,
    "amazon-bedrock-guardrailAction": EMPTY,
}


def _declared(request: Mapping[str, object]) -> Declared:
    """`tools[].input_schema`; a provider-defined tool has none and stays undeclared."""
    schemas: dict[str, object] = {}
    for tool in objects(request.get("tools")):
        if isinstance(tool.get("name"), str) and "input_schema" in tool:
            schemas[str(tool["name"])] = tool["input_schema"]
    choice = request.get("tool_choice")
    if not isinstance(choice, dict):
        return Declared(schemas, None, None)
    disabled = choice.get("disable_parallel_tool_use")
    named = {"auto": "auto", "none": "none", "any": "required", "tool": "named"}.get(str(choice.get("type")))
    return Declared(schemas, named, not disabled if isinstance(disabled, bool) else None)


_ERRORS: Final = (
    "invalid_request_error authentication_error permission_error not_found_error rate_limit_error timeout_error "
    "overloaded_error api_error server_error billing_error request_too_large tool_use_failed error "
    "internalServerException modelStreamErrorException modelTimeoutException serviceUnavailableException "
    "throttlingException validationException"
)
_STOPS: Final = "end_turn max_tokens stop_sequence tool_use pause_turn refusal compaction model_context_window_exceeded"
_TYPES: Final = (
    "message_start content_block_start content_block_delta content_block_stop message_delta message_stop ping error "
    "message text thinking redacted_thinking tool_use server_tool_use mcp_tool_use container_upload "
    "compaction fallback web_search_tool_result web_fetch_tool_result code_execution_tool_result "
    "bash_code_execution_tool_result text_editor_code_execution_tool_result mcp_tool_result tool_search_tool_result "
    "advisor_tool_result text_delta input_json_delta citations_delta thinking_delta signature_delta compaction_delta "
    "char_location page_location content_block_location web_search_result_location search_result_location "
    "direct code_execution_20250825 code_execution_20260120 base64 url file content document web_fetch_result "
    "web_fetch_tool_result_error web_search_tool_result_error code_execution_result encrypted_code_execution_result "
    "code_execution_tool_result_error bash_code_execution_result bash_code_execution_tool_result_error "
    "text_editor_code_execution_view_result text_editor_code_execution_create_result "
    "text_editor_code_execution_str_replace_result text_editor_code_execution_tool_result_error "
    "tool_search_tool_search_result tool_search_tool_result_error advisor_result advisor_redacted_result "
    "advisor_tool_result_error"
)
_SPOKEN: Final = Spoken(
    keys=frozenset(
        (
            "id model type error usage service_tier message index delta text role content name thinking data signature "
            "code param status status_code failed_generation prompt_tokens completion_tokens total_tokens "
            "prompt_tokens_details completion_tokens_details input_tokens output_tokens cache_creation_input_tokens "
            "cache_read_input_tokens cache_creation server_tool_use output_tokens_details cost content_block "
            "stop_reason stop_sequence stop_details container category explanation request_id context_management "
            "input citations tool_use_id is_error caller server_name encrypted_content file_id from to trigger "
            "amazon-bedrock-invocationMetrics amazon-bedrock-trace amazon-bedrock-guardrailAction "
            "partial_json citation cited_text document_index document_title encrypted_index title url source "
            "start_char_index end_char_index start_page_number end_page_number start_block_index end_block_index "
            "search_result_index tool_id toolset_name enabled media_type file_type retrieved_at stdout stderr "
            "encrypted_stdout error_code error_message return_code num_lines start_line total_lines is_file_update "
            "lines new_lines new_start old_lines old_start tool_references expires_at skills recommended_model "
            "applied_edits cached_tokens audio_tokens text_tokens image_tokens video_tokens cache_write_tokens "
            "reasoning_tokens accepted_prediction_tokens rejected_prediction_tokens thinking_tokens "
            "input_tokens_details ephemeral_5m_input_tokens ephemeral_1h_input_tokens web_search_requests "
            "web_fetch_requests"
        ).split()
    ),
    words={
        key: frozenset(said.split())
        for key, said in {
            "role": "assistant system user tool developer",
            "stop_reason": _STOPS,
            "code": _ERRORS,
            "toolset_name": "computer browser",
            "media_type": "application/pdf text/plain image/jpeg image/png image/gif image/webp",
            "file_type": "text image pdf",
            "type": f"{_TYPES} {_ERRORS} {_STOPS}",
        }.items()
    },
    identifier=re.compile(r"(?:msg_|toolu_|item_)[0-9]{8}"),
    identifier_keys=frozenset({"id", "tool_use_id", "tool_id"}),
    arguments=frozenset({"partial_json"}),
    whole_arguments=frozenset({"input"}),
)

_PROSE: Final = frozenset({"text_delta", "thinking_delta"})


def _is_prose(event: Mapping[str, object]) -> bool:
    """Whether an event is a delta of text or thinking, or a ping."""
    delta = event.get("delta")
    if event.get("type") == "ping":
        return True
    return event.get("type") == "content_block_delta" and isinstance(delta, dict) and delta.get("type") in _PROSE


FAMILY: Final = Family(
    table=EVENT,
    identifiers={"completion": "msg_{:08d}", "call": "toolu_{:08d}", "item": "item_{:08d}"},
    declared=_declared,
    is_whole=lambda payload: payload.get("type") == "message_stop",
    is_prose=_is_prose,
    spoken=_SPOKEN,
)

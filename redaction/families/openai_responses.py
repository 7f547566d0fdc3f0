"""OpenAI's Responses API: the table of positions, what a request declares, when a stream is whole.

`delta`, `arguments`, `input`, `code` and `text` mean different things by event and by item: the table is chosen by
`type`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from redaction.families.openai import NO_PARAMETERS
from redaction.families.tables.family import Declared, Family, Spoken, objects
from redaction.families.tables.positions import USAGE
from redaction.families.tables.treatments import (
    CALL_ID,
    COUNTER,
    EMPTY,
    FRAGMENT,
    FREE_TEXT,
    INDEX,
    ITEM_ID,
    MODEL,
    TEXT,
    TOOL_NAME,
    ByType,
    Formed,
    Rule,
    Table,
    Treatment,
    words,
)
from replay.validator.envelope import GRAMMAR

RESPONSE_ID: Final = Rule(Treatment.IDENTIFIER, site="response")

EVENT_TYPE: Final = words(
    *("error", "keepalive", "response.rate_limits.updated"),
    *("response.created", "response.in_progress", "response.queued"),
    *("response.completed", "response.incomplete", "response.failed"),
    *("response.output_item.added", "response.output_item.done"),
    *("response.function_call_arguments.delta", "response.function_call_arguments.done"),
    *("response.custom_tool_call_input.delta", "response.custom_tool_call_input.done"),
    *("response.output_text.delta", "response.output_text.done", "response.output_text.annotation.added"),
    *("response.content_part.added", "response.content_part.done"),
    *("response.refusal.delta", "response.refusal.done"),
    *("response.reasoning_text.delta", "response.reasoning_text.done"),
    *("response.reasoning_part.added", "response.reasoning_part.done"),
    *("response.reasoning_summary_text.delta", "response.reasoning_summary_text.done"),
    *("response.reasoning_summary_part.added", "response.reasoning_summary_part.done"),
    *("response.audio.delta", "response.audio.done"),
    *("response.audio.transcript.delta", "response.audio.transcript.done"),
    *("response.web_search_call.in_progress", "response.web_search_call.searching"),
    *("response.web_search_call.completed", "response.file_search_call.in_progress"),
    *("response.file_search_call.searching", "response.file_search_call.completed"),
    *("response.code_interpreter_call.in_progress", "response.code_interpreter_call.interpreting"),
    *("response.code_interpreter_call.completed", "response.code_interpreter_call_code.delta"),
    *("response.code_interpreter_call_code.done", "response.image_generation_call.in_progress"),
    *("response.image_generation_call.generating", "response.image_generation_call.partial_image"),
    *("response.image_generation_call.completed", "response.mcp_call.in_progress", "response.mcp_call.completed"),
    *("response.mcp_call.failed", "response.mcp_list_tools.in_progress", "response.mcp_list_tools.completed"),
    *("response.mcp_list_tools.failed", "response.mcp_call_arguments.delta", "response.mcp_call_arguments.done"),
    *("response.shell_call_command.added", "response.shell_call_command.delta", "response.shell_call_command.done"),
    *("response.shell_call_output_content.added", "response.shell_call_output_content.delta"),
    *("response.shell_call_output_content.done", "response.apply_patch_call_operation_diff.delta"),
    *("response.apply_patch_call_operation_diff.done", "response.compaction.compacting"),
)
ITEM_TYPE: Final = words(
    *("function_call", "custom_tool_call", "message", "reasoning", "compaction"),
    *("apply_patch_call", "local_shell_call", "computer_call", "shell_call", "tool_search_call"),
    *("web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call"),
    *("mcp_call", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response"),
    *("tool_search_output", "program", "program_output", "additional_tools"),
    *("function_call_output", "custom_tool_call_output", "computer_call_output", "local_shell_call_output"),
    *("shell_call_output", "apply_patch_call_output"),
)
STATUS: Final = words(
    *("completed", "in_progress", "incomplete", "failed", "queued", "cancelled"),
    *("searching", "interpreting", "generating", "calling"),
)
ROLE: Final = words("assistant", "system", "user", "tool", "developer")
PHASE: Final = words("commentary", "final_answer")
EXECUTION: Final = words("server", "client")
CALLER_TYPE: Final = words("direct", "program")
ENVIRONMENT_TYPE: Final = words("container_auto", "container_reference", "local")
OPERATION_TYPE: Final = words("create_file", "update_file", "delete_file")
ACTION_TYPE: Final = words(
    *("search", "open_page", "find_in_page", "find", "exec", "click", "double_click", "drag", "keypress", "move"),
    *("screenshot", "scroll", "type", "wait"),
)
OUTCOME_TYPE: Final = words("exit", "timeout")
PART_TYPE: Final = words(
    *("output_text", "refusal", "reasoning_text", "summary_text", "text", "output_audio"),
    *("input_text", "input_image", "input_file", "input_audio", "computer_screenshot"),
)
INCOMPLETE_REASON: Final = words("max_output_tokens", "content_filter", "max_tool_calls")
TOOL_CHOICE: Final = words("auto", "none", "required")
HOSTED_TOOLS: Final = (
    "file_search web_search web_search_preview computer_use_preview code_interpreter image_generation shell apply_patch"
).split()
ERROR_CODE: Final = words(
    *("error", "server_error", "rate_limit_exceeded", "invalid_prompt", "invalid_request_error"),
    *("authentication_error", "permission_error", "not_found_error", "rate_limit_error", "overloaded_error"),
    *("api_error", "timeout_error", "insufficient_quota", "context_length_exceeded", "vector_store_timeout"),
    *("invalid_image", "invalid_image_format", "invalid_base64_image", "invalid_image_url", "invalid_image_mode"),
    *("image_too_large", "image_too_small", "image_parse_error", "image_content_policy_violation"),
    *("image_file_too_large", "unsupported_image_media_type", "empty_image_file", "failed_to_download_image"),
    *("image_file_not_found", "tool_use_failed"),
)

ERROR: Final[Table] = {"type": ERROR_CODE, "code": ERROR_CODE, "message": TEXT, "param": TEXT}
ANNOTATION: Final = Formed(
    {
        "type": words("url_citation", "file_citation", "container_file_citation", "file_path"),
        **dict.fromkeys("url title file_id filename container_id".split(), TEXT),
        **dict.fromkeys("start_index end_index index".split(), EMPTY),
    }
)
PART: Final[Table] = {
    "type": PART_TYPE,
    "text": TEXT,
    "refusal": TEXT,
    "transcript": TEXT,
    "annotations": EMPTY,
    "logprobs": EMPTY,
    "data": EMPTY,
}
ACTION: Final[Table] = {
    "type": ACTION_TYPE,
    **dict.fromkeys(
        (
            "query queries url sources pattern command commands env timeout_ms user working_directory "
            "max_output_length button x y keys path scroll_x scroll_y text"
        ).split(),
        EMPTY,
    ),
}
OPERATION: Final[Table] = {"type": OPERATION_TYPE, "path": EMPTY, "diff": TEXT}
ENVIRONMENT: Final[Table] = {
    "type": ENVIRONMENT_TYPE,
    **dict.fromkeys(("container_id", "file_ids", "memory_limit", "network_policy", "skills"), EMPTY),
}
SHELL_OUTPUT: Final[Table] = {
    "stdout": TEXT,
    "stderr": TEXT,
    "outcome": {"type": OUTCOME_TYPE, "exit_code": EMPTY},
    "created_by": EMPTY,
}
# Of every item; what one type of it says otherwise stands behind.
ITEM: Final[Mapping[str, Table]] = {
    "id": ITEM_ID,
    "type": ITEM_TYPE,
    "status": STATUS,
    "role": ROLE,
    "phase": PHASE,
    "execution": EXECUTION,
    "call_id": CALL_ID,
    "approval_request_id": CALL_ID,
    "name": TOOL_NAME,
    "namespace": TOOL_NAME,
    "server_label": TOOL_NAME,
    "caller": {"type": CALLER_TYPE, "caller_id": CALL_ID},
    "environment": ENVIRONMENT,
    "action": ACTION,
    "operation": OPERATION,
    "error": ERROR,
    "summary": [PART],
    "content": [PART],
    "output": [SHELL_OUTPUT],
    "annotation": ANNOTATION,
    **dict.fromkeys(("arguments", "input", "code", "diff", "command", "transcript", "text"), TEXT),
    **dict.fromkeys(
        (
            "encrypted_content fingerprint result revised_prompt logprobs obfuscation annotations queries "
            "results outputs container_id pending_safety_checks acknowledged_safety_checks tools copilot_usage headers "
            "created_by agent svg_usage size quality background output_format max_output_length reason approve"
        ).split(),
        EMPTY,
    ),
}
ITEMS: Final = ByType(
    tables={
        "function_call": {**ITEM, "arguments": FRAGMENT},
        "custom_tool_call": {**ITEM, "input": FREE_TEXT},
    },
    other=ITEM,
)
RESPONSE: Final[Table] = {
    "id": RESPONSE_ID,
    "object": words("response"),
    "status": STATUS,
    "error": ERROR,
    "incomplete_details": {"reason": INCOMPLETE_REASON},
    "model": MODEL,
    "output": [ITEMS],
    "output_text": TEXT,
    "tool_choice": Formed(
        {
            "type": words("function", "custom", "allowed_tools", "mcp", *HOSTED_TOOLS),
            "name": TOOL_NAME,
            "mode": TOOL_CHOICE,
            "tools": EMPTY,
            "server_label": TOOL_NAME,
        },
        other=TOOL_CHOICE,
    ),
    "usage": Formed(USAGE),
    "reasoning": Formed(dict.fromkeys(("effort", "summary", "generate_summary", "context"), EMPTY)),
    "text": Formed({"format": Formed({"type": words("text", "json_object", "json_schema"), "name": TEXT})}),
    "conversation": Formed({"id": TEXT}),
    "prompt": Formed({"id": TEXT}),
    **dict.fromkeys(
        (
            "created_at completed_at background instructions tools metadata user safety_identifier "
            "prompt_cache_key prompt_cache_retention previous_response_id tool_usage "
            "content_filters moderation input_transformations max_output_tokens max_tool_calls parallel_tool_calls "
            "temperature top_p top_logprobs truncation store service_tier frequency_penalty presence_penalty billing "
            "context_management cost_in_usd_ticks"
        ).split(),
        EMPTY,
    ),
}
# Of every event; what one type of it says otherwise stands behind.
EVENT: Final[Mapping[str, Table]] = {
    "type": EVENT_TYPE,
    "sequence_number": COUNTER,
    **dict.fromkeys(
        "output_index content_index summary_index annotation_index command_index partial_image_index".split(), INDEX
    ),
    "item_id": ITEM_ID,
    "item": ITEMS,
    "part": PART,
    "response": RESPONSE,
    "error": ERROR,
    "name": TOOL_NAME,
    "annotation": ANNOTATION,
    **dict.fromkeys(
        "delta arguments input text refusal code diff command transcript stdout stderr output message param".split(),
        TEXT,
    ),
    **dict.fromkeys(
        (
            "logprobs obfuscation partial_image_b64 background output_format quality size rate_limits "
            "copilot_usage headers agent status"
        ).split(),
        EMPTY,
    ),
}
EVENTS: Final = ByType(
    tables={
        "response.function_call_arguments.delta": {**EVENT, "delta": FRAGMENT},
        "response.function_call_arguments.done": {**EVENT, "arguments": FRAGMENT},
        "response.custom_tool_call_input.delta": {**EVENT, "delta": FREE_TEXT},
        "response.custom_tool_call_input.done": {**EVENT, "input": FREE_TEXT},
        "error": {**EVENT, "code": ERROR_CODE},
    },
    other=EVENT,
)


def _declared(request: Mapping[str, object]) -> Declared:
    """`tools[]`: functions, custom tools, and those of a namespace under its name; all others have no schema."""
    schemas: dict[str, object] = {}
    for tool in objects(request.get("tools")):
        name = tool.get("name")
        if tool.get("type") == "namespace" and isinstance(name, str):
            for inner in objects(tool.get("tools")):
                schemas.update(_tool(inner, name))
        else:
            schemas.update(_tool(tool, ""))
    parallel = request.get("parallel_tool_calls")
    return Declared(schemas, _choice(request.get("tool_choice")), parallel if isinstance(parallel, bool) else None)


def _tool(tool: Mapping[str, object], namespace: str) -> dict[str, object]:
    name = tool.get("name")
    if not isinstance(name, str):
        return {}
    key = f"{namespace}.{name}" if namespace and namespace != name else name
    if tool.get("type") == "function":
        parameters = tool.get("parameters")
        return {key: dict(NO_PARAMETERS) if parameters is None else parameters}
    if tool.get("type") == "custom":
        form = tool.get("format")
        plain = form is None or (isinstance(form, Mapping) and form.get("type") == "text")
        return {key: {"type": "string"} if plain else dict(GRAMMAR)}
    return {}


def _choice(choice: object) -> str | None:
    if isinstance(choice, str):
        return choice if choice in TOOL_CHOICE.words else None
    if not isinstance(choice, Mapping):
        return None
    return _choice(choice.get("mode")) if choice.get("type") == "allowed_tools" else "named"


def _repeated(payloads: Sequence[object]) -> Mapping[str, object]:
    """The response of the first `response.created`, which repeats what its request declared."""
    for payload in payloads:
        if isinstance(payload, Mapping) and payload.get("type") == "response.created":
            response = payload.get("response")
            return response if isinstance(response, Mapping) else {}
    return {}


# In a tuple, since what stands under `type` may be anything.
_LAST: Final = ("response.completed", "response.incomplete", "response.failed")

_SPOKEN: Final = Spoken(
    keys=frozenset(
        (
            "type sequence_number output_index content_index summary_index annotation_index command_index "
            "partial_image_index item_id item part response error name delta arguments input text refusal code diff "
            "command transcript stdout stderr output message param logprobs obfuscation annotation partial_image_b64 "
            "background output_format quality size rate_limits copilot_usage headers agent status id role phase "
            "execution call_id approval_request_id namespace server_label caller caller_id environment action "
            "operation summary content annotations data query queries url sources pattern commands env timeout_ms user "
            "working_directory max_output_length button x y keys path scroll_x scroll_y container_id file_ids "
            "memory_limit network_policy skills outcome exit_code created_by encrypted_content fingerprint result "
            "revised_prompt results outputs pending_safety_checks acknowledged_safety_checks tools svg_usage reason "
            "approve object incomplete_details model output_text tool_choice created_at completed_at instructions "
            "metadata safety_identifier prompt prompt_cache_key prompt_cache_retention previous_response_id "
            "conversation reasoning usage tool_usage content_filters moderation input_transformations "
            "max_output_tokens max_tool_calls parallel_tool_calls temperature top_p top_logprobs truncation store "
            "service_tier frequency_penalty presence_penalty billing context_management cost_in_usd_ticks "
            "title file_id filename start_index end_index index mode effort generate_summary context format "
            "prompt_tokens completion_tokens total_tokens input_tokens output_tokens cache_creation_input_tokens "
            "cache_read_input_tokens cost prompt_tokens_details input_tokens_details completion_tokens_details "
            "output_tokens_details cache_creation server_tool_use cached_tokens audio_tokens text_tokens image_tokens "
            "video_tokens cache_write_tokens reasoning_tokens accepted_prediction_tokens rejected_prediction_tokens "
            "thinking_tokens ephemeral_5m_input_tokens ephemeral_1h_input_tokens web_search_requests "
            "web_fetch_requests"
        ).split()
    ),
    words={
        "object": frozenset({"response"}),
        "status": frozenset(
            (
                "completed in_progress incomplete failed queued cancelled searching interpreting generating calling"
            ).split()
        ),
        "role": frozenset("assistant system user tool developer".split()),
        "phase": frozenset({"commentary", "final_answer"}),
        "execution": frozenset({"server", "client"}),
        "reason": frozenset({"max_output_tokens", "content_filter", "max_tool_calls"}),
        "tool_choice": frozenset({"auto", "none", "required"}),
        "mode": frozenset({"auto", "none", "required"}),
        "code": frozenset(
            (
                "error server_error rate_limit_exceeded invalid_prompt invalid_request_error authentication_error "
                "permission_error not_found_error rate_limit_error overloaded_error api_error timeout_error "
                "insufficient_quota context_length_exceeded vector_store_timeout invalid_image invalid_image_format "
                "invalid_base64_image invalid_image_url invalid_image_mode image_too_large image_too_small "
                "image_parse_error image_content_policy_violation image_file_too_large unsupported_image_media_type "
                "empty_image_file failed_to_download_image image_file_not_found tool_use_failed"
            ).split()
        ),
        "type": EVENT_TYPE.words
        | ERROR_CODE.words
        | frozenset(
            (
                "function_call custom_tool_call message reasoning compaction apply_patch_call local_shell_call "
                "computer_call shell_call tool_search_call web_search_call file_search_call code_interpreter_call "
                "image_generation_call mcp_call mcp_list_tools mcp_approval_request mcp_approval_response "
                "tool_search_output program program_output additional_tools function_call_output "
                "custom_tool_call_output computer_call_output local_shell_call_output shell_call_output "
                "apply_patch_call_output output_text refusal reasoning_text summary_text text output_audio input_text "
                "input_image input_file input_audio computer_screenshot direct program container_auto "
                "container_reference local create_file update_file delete_file search open_page find_in_page find exec "
                "click double_click drag keypress move screenshot scroll type wait exit timeout url_citation "
                "file_citation container_file_citation file_path function custom allowed_tools mcp file_search "
                "web_search web_search_preview computer_use_preview code_interpreter image_generation shell "
                "apply_patch json_object json_schema"
            ).split()
        ),
    },
    identifier=re.compile(r"(?:resp_|call_|item_)[0-9]{8}"),
    identifier_keys=frozenset("id item_id call_id caller_id approval_request_id".split()),
    names=frozenset({"name", "namespace", "server_label"}),
    parted_names=True,
    indices=frozenset(
        "output_index content_index summary_index annotation_index command_index partial_image_index".split()
    ),
    slots=frozenset({"output_index"}),
    counters=frozenset({"sequence_number"}),
    arguments=frozenset({"delta", "arguments", "input"}),
    free_text=True,
)

_TEXTS: Final = "output_text refusal audio.transcript reasoning_text reasoning_summary_text"
_PROSE: Final = frozenset({"keepalive", *(f"response.{text}.delta" for text in _TEXTS.split())})

FAMILY: Final = Family(
    table=EVENTS,
    identifiers={"response": "resp_{:08d}", "call": "call_{:08d}", "item": "item_{:08d}"},
    call_id="call_id",
    declared=_declared,
    is_whole=lambda payload: payload.get("type") in _LAST,
    is_prose=lambda payload: payload.get("type") in _PROSE,
    repeated=_repeated,
    spoken=_SPOKEN,
)

"""OpenAI's chat completions, and all that follow them: the table of positions, and what a request declares."""

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
    ITEM_ID,
    MODEL,
    TEXT,
    TOOL_NAME,
    Formed,
    Table,
    words,
)

FINISH_REASON: Final = words("stop", "length", "tool_calls", "content_filter", "function_call", "error", "model_length")
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
    "audio": Formed({"id": TEXT, "data": TEXT, "transcript": TEXT, "expires_at": EMPTY}),
}
CHOICE: Final[Table] = {
    "index": INDEX,
    "delta": MESSAGE,
    "message": MESSAGE,
    "finish_reason": FINISH_REASON,
    "tool_calls": [TOOL_CALL],
    "function_call": FUNCTION_CALL,
    "logprobs": Formed({"content": EMPTY, "refusal": EMPTY}),
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


# A tool without `parameters` takes no arguments.
NO_PARAMETERS: Final[Mapping[str, object]] = {"type": "object", "properties": {}, "additionalProperties": False}


def _declared(request: Mapping[str, object]) -> Declared:
    """`tools[].function`, and the legacy `functions`."""
    schemas = declared_functions(request.get("tools"), legacy=request.get("functions"))
    parallel = request.get("parallel_tool_calls")
    return Declared(schemas, _choice(request.get("tool_choice")), parallel if isinstance(parallel, bool) else None)


def declared_functions(tools: object, *, legacy: object = None) -> dict[str, object]:
    """The schemas of the functions in a list of tools, and in a legacy list that has nothing else."""
    schemas: dict[str, object] = {}
    functions = [tool.get("function") for tool in objects(tools) if tool.get("type", "function") == "function"]
    functions += objects(legacy)
    for function in functions:
        if isinstance(function, dict) and isinstance(function.get("name"), str):
            parameters = function.get("parameters")
            schemas[function["name"]] = dict(NO_PARAMETERS) if parameters is None else parameters
    return schemas


def _choice(choice: object) -> str | None:
    if isinstance(choice, str):
        return {"auto": "auto", "none": "none", "required": "required", "any": "required"}.get(choice)
    if not isinstance(choice, dict):
        return None
    allowed = choice.get("allowed_tools")
    if isinstance(allowed, dict):
        return _choice(allowed.get("mode"))
    return "named"


# What a chunk has beside its choices and decides nothing: who answers, and counts of use.
_NO_PROSE: Final = ("error", "tool_calls", "function_call", "message", "type")
_CALLS: Final = ("tool_calls", "function_call")


def _is_prose(chunk: Mapping[str, object]) -> bool:
    """Whether each choice of a chunk has a delta, and none a reason to end or anything of a call."""
    choices = chunk.get("choices")
    if not isinstance(choices, list) or any(chunk.get(key) is not None for key in _NO_PROSE):
        return False
    return (bool(choices) or chunk.get("usage") is None) and all(map(_has_prose, choices))


def _has_prose(choice: object) -> bool:
    if not isinstance(choice, dict) or choice.get("finish_reason") or choice.get("message") is not None:
        return False
    delta = choice.get("delta")
    return isinstance(delta, dict) and not any(holder.get(key) for holder in (choice, delta) for key in _CALLS)


def family(*, identifiers: Mapping[str, str], verbatim_ids: frozenset[str], spoken: Spoken) -> Family:
    """A dialect of chat completions."""
    return Family(
        table=CHUNK,
        identifiers=identifiers,
        verbatim_ids=verbatim_ids,
        declared=_declared,
        is_whole=lambda _: False,  # the end marker of the framing says it
        is_prose=_is_prose,
        spoken=spoken,
    )


_ERRORS: Final = (
    "invalid_request_error authentication_error permission_error not_found_error rate_limit_error timeout_error "
    "overloaded_error api_error server_error billing_error request_too_large tool_use_failed error "
    "internalServerException modelStreamErrorException modelTimeoutException serviceUnavailableException "
    "throttlingException validationException"
)
KEYS: Final = frozenset(
    (
        "id object created model choices type error usage service_tier system_fingerprint tool_calls function_call "
        "obfuscation p provider message index delta finish_reason logprobs text native_finish_reason "
        "content_filter_results role content refusal reasoning reasoning_content reasoning_details name annotations "
        "audio function arguments thinking closed reference_ids summary data signature format code param status "
        "status_code failed_generation prompt_tokens completion_tokens total_tokens prompt_tokens_details "
        "completion_tokens_details input_tokens output_tokens cache_creation_input_tokens cache_read_input_tokens "
        "cache_creation server_tool_use output_tokens_details cost transcript expires_at cached_tokens audio_tokens "
        "text_tokens image_tokens video_tokens cache_write_tokens reasoning_tokens accepted_prediction_tokens "
        "rejected_prediction_tokens thinking_tokens input_tokens_details ephemeral_5m_input_tokens "
        "ephemeral_1h_input_tokens web_search_requests web_fetch_requests"
    ).split()
)
WORDS: Final[Mapping[str, frozenset[str]]] = {
    key: frozenset(said.split())
    for key, said in {
        "object": "chat.completion.chunk chat.completion text_completion",
        "role": "assistant system user tool developer",
        "finish_reason": "stop length tool_calls content_filter function_call error model_length",
        "code": _ERRORS,
        "type": (
            "function custom text thinking reference image_url refusal reasoning.text reasoning.summary "
            f"reasoning.encrypted {_ERRORS}"
        ),
    }.items()
}

FAMILY: Final = family(
    identifiers={"completion": "chatcmpl-{:08d}", "call": "call_{:08d}", "item": "item_{:08d}"},
    verbatim_ids=frozenset(),
    spoken=Spoken(
        keys=KEYS,
        words=WORDS,
        identifier=re.compile(r"(?:chatcmpl-|call_|item_)[0-9]{8}"),
        identifier_keys=frozenset({"id"}),
        arguments=frozenset({"arguments"}),
    ),
)

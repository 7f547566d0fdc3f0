"""The second version of Cohere's chat: the table of positions, what a request declares, when a stream is whole."""

import re
from collections.abc import Mapping
from typing import Final

from redaction.families.openai import declared_functions
from redaction.families.tables.family import Declared, Family, Spoken
from redaction.families.tables.positions import ERROR, ROLE
from redaction.families.tables.treatments import (
    CALL_ID,
    COMPLETION_ID,
    EMPTY,
    FRAGMENT,
    INDEX,
    TEXT,
    TOOL_NAME,
    Table,
    words,
)

MESSAGE: Final[Table] = {
    "role": ROLE,
    "content": {"type": words("text", "thinking"), "text": TEXT, "thinking": TEXT},
    "tool_plan": TEXT,
    "tool_calls": {
        "id": CALL_ID,
        "type": words("function"),
        "function": {"name": TOOL_NAME, "arguments": FRAGMENT},
    },
    "citations": {
        "text": TEXT,
        "type": words("TEXT_CONTENT", "THINKING_CONTENT", "PLAN"),
        "start": EMPTY,
        "end": EMPTY,
        "content_index": EMPTY,
        "sources": EMPTY,  # whole documents, and what tools gave
    },
}
EVENT: Final[Table] = {
    "type": words(
        *("message-start", "message-end", "tool-plan-delta", "tool-call-start", "tool-call-delta", "tool-call-end"),
        *("content-start", "content-delta", "content-end", "citation-start", "citation-end", "debug", "error"),
    ),
    "id": COMPLETION_ID,
    "index": INDEX,
    "delta": {
        "message": MESSAGE,
        "finish_reason": words(
            "COMPLETE", "MAX_TOKENS", "STOP_SEQUENCE", "TOOL_CALL", "ERROR", "TIMEOUT", "ERROR_LIMIT", "ERROR_TOXIC"
        ),
        "error": TEXT,
        "usage": EMPTY,
    },
    "logprobs": EMPTY,  # the tokens of a text
    "prompt": TEXT,  # the conversation as the model reads it
    "error": ERROR,
}


def _declared(request: Mapping[str, object]) -> Declared:
    """`tools[].function.parameters`. No request can name a tool, or forbid parallel calls."""
    choice = request.get("tool_choice")
    named = {"REQUIRED": "required", "NONE": "none"}.get(choice) if isinstance(choice, str) else None
    return Declared(declared_functions(request.get("tools")), named, None)


_ERRORS: Final = (
    "invalid_request_error authentication_error permission_error not_found_error rate_limit_error timeout_error "
    "overloaded_error api_error server_error billing_error request_too_large tool_use_failed error "
    "internalServerException modelStreamErrorException modelTimeoutException serviceUnavailableException "
    "throttlingException validationException"
)
_TYPES: Final = (
    "message-start message-end tool-plan-delta tool-call-start tool-call-delta tool-call-end content-start "
    "content-delta content-end citation-start citation-end debug error text thinking function TEXT_CONTENT "
    "THINKING_CONTENT PLAN"
)
_SPOKEN: Final = Spoken(
    keys=frozenset(
        (
            "type id index delta message role content text thinking tool_plan tool_calls function name arguments "
            "citations start end content_index sources finish_reason error usage logprobs prompt code param status "
            "status_code failed_generation"
        ).split()
    ),
    words={
        key: frozenset(said.split())
        for key, said in {
            "role": "assistant system user tool developer",
            "finish_reason": "COMPLETE MAX_TOKENS STOP_SEQUENCE TOOL_CALL ERROR TIMEOUT ERROR_LIMIT ERROR_TOXIC",
            "code": _ERRORS,
            "type": f"{_TYPES} {_ERRORS}",
        }.items()
    },
    identifier=re.compile(r"(?:chat_|call_|item_)[0-9]{8}"),
    identifier_keys=frozenset({"id"}),
    arguments=frozenset({"arguments"}),
)

FAMILY: Final = Family(
    table=EVENT,
    identifiers={"completion": "chat_{:08d}", "call": "call_{:08d}", "item": "item_{:08d}"},
    declared=_declared,
    is_whole=lambda payload: payload.get("type") == "message-end",
    is_prose=lambda payload: payload.get("type") in ("content-delta", "tool-plan-delta"),
    spoken=_SPOKEN,
)

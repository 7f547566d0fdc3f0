"""Positions that several families have in common."""

from typing import Final

from redaction.families.treatments import EMPTY, TEXT, Table, words

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

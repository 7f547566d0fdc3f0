"""Positions that several families have in common."""

from collections.abc import Mapping
from typing import Final

from redaction.families.tables.treatments import EMPTY, TEXT, Formed, Table, words

# Counts of use: clients add them up, so a count that came as a number stays one.
PROMPT_DETAILS: Final = Formed(
    dict.fromkeys(
        (
            "cached_tokens",
            "audio_tokens",
            "text_tokens",
            "image_tokens",
            "video_tokens",
            "cache_write_tokens",
        ),
        EMPTY,
    )
)
COMPLETION_DETAILS: Final = Formed(
    dict.fromkeys(
        (
            "reasoning_tokens",
            "audio_tokens",
            "text_tokens",
            "image_tokens",
            "accepted_prediction_tokens",
            "rejected_prediction_tokens",
            "thinking_tokens",
        ),
        EMPTY,
    )
)
USAGE: Final[Mapping[str, Table]] = {
    **dict.fromkeys(
        (
            "prompt_tokens",
            "completion_tokens",
            "total_tokens",
            "input_tokens",
            "output_tokens",
            "cache_creation_input_tokens",
            "cache_read_input_tokens",
            "service_tier",
            "cost",
        ),
        EMPTY,
    ),
    "prompt_tokens_details": PROMPT_DETAILS,
    "input_tokens_details": PROMPT_DETAILS,
    "completion_tokens_details": COMPLETION_DETAILS,
    "output_tokens_details": COMPLETION_DETAILS,
    "cache_creation": Formed(dict.fromkeys(("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"), EMPTY)),
    "server_tool_use": Formed(dict.fromkeys(("web_search_requests", "web_fetch_requests"), EMPTY)),
}
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
    # what Amazon Bedrock calls its errors, in the streams of every vendor
    "internalServerException",
    "modelStreamErrorException",
    "modelTimeoutException",
    "serviceUnavailableException",
    "throttlingException",
    "validationException",
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

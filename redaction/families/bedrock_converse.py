"""ConverseStream of Amazon Bedrock: the table of positions, what a request declares, when a stream is whole."""

import re
from collections.abc import Mapping
from typing import Final

from redaction.families.tables.family import Declared, Family, Spoken, objects
from redaction.families.tables.positions import ERROR, ROLE
from redaction.families.tables.treatments import (
    CALL_ID,
    EMPTY,
    ENCODED,
    FRAGMENT,
    INDEX,
    TEXT,
    TOOL_NAME,
    Table,
    Unlisted,
    words,
)

STOP_REASON: Final = words(
    "end_turn",
    "tool_use",
    "max_tokens",
    "stop_sequence",
    "guardrail_intervened",
    "content_filtered",
    "malformed_model_output",
    "malformed_tool_use",
    "model_context_window_exceeded",
)
# What the provider says of an error: it may quote the request, and names the account.
EXCEPTION: Final[Table] = {
    "message": TEXT,
    "originalMessage": TEXT,
    "originalStatusCode": EMPTY,
    "resourceName": TEXT,
}
START: Final[Table] = {
    "toolUse": {"toolUseId": CALL_ID, "name": TOOL_NAME, "type": words("tool_use", "server_tool_use")},
    "toolResult": {
        "toolUseId": CALL_ID,
        "type": words("nova_code_interpreter_result", "nova_grounding_result"),
        "status": words("success", "error"),
    },
    "image": {"format": words("png", "jpeg", "gif", "webp")},
}
DELTA: Final[Table] = {
    "text": TEXT,
    "reasoningContent": {"text": TEXT, "signature": TEXT, "redactedContent": ENCODED},
    "toolUse": {"input": FRAGMENT},
    "toolResult": EMPTY,
    "image": EMPTY,
    "citation": EMPTY,  # titles, sources and passages
}
PADDING: Final[Mapping[str, Table]] = {"p": EMPTY}  # of random length, beside each payload
EVENT: Final = Unlisted(
    {
        "messageStart": {"role": ROLE, **PADDING},
        "contentBlockStart": {"contentBlockIndex": INDEX, "start": START, **PADDING},
        "contentBlockDelta": {"contentBlockIndex": INDEX, "delta": DELTA, **PADDING},
        "contentBlockStop": {"contentBlockIndex": INDEX, **PADDING},
        "messageStop": {"stopReason": STOP_REASON, "additionalModelResponseFields": EMPTY, **PADDING},
        # The trace of a guardrail quotes prompt and answer.
        "metadata": {
            **dict.fromkeys(("usage", "metrics", "performanceConfig", "serviceTier", "trace"), EMPTY),
            **PADDING,
        },
        **dict.fromkeys(
            (
                "internalServerException",
                "modelStreamErrorException",
                "modelTimeoutException",
                "serviceUnavailableException",
                "throttlingException",
                "validationException",
            ),
            EXCEPTION,
        ),
        "error": ERROR,
        # One that has a type is an event of another family, and an error where it says so.
        "type": words("error"),
        "amazon-bedrock-invocationMetrics": EMPTY,
        "amazon-bedrock-trace": EMPTY,
        "amazon-bedrock-guardrailAction": EMPTY,
    },
    # How a name begins and ends decides what it is.
    re.compile(r"\A(?P<beside>amazon-bedrock-)?.*?(?P<error>Exception)?\Z", re.DOTALL),
    "{beside}unknown_{}{error}",
)

_CHOICES: Final = (("auto", "auto"), ("any", "required"), ("tool", "named"))


def _declared(request: Mapping[str, object]) -> Declared:
    """`toolConfig.tools[].toolSpec`; a system tool is the provider's own. Nothing forbids parallel calls."""
    config = request.get("toolConfig")
    tools = config if isinstance(config, dict) else {}
    schemas: dict[str, object] = {}
    for tool in objects(tools.get("tools")):
        spec = tool.get("toolSpec")
        if isinstance(spec, dict) and isinstance(spec.get("name"), str):
            schema = spec.get("inputSchema")
            schemas[spec["name"]] = schema.get("json", {}) if isinstance(schema, dict) else {}
    choice = tools.get("toolChoice")
    named = next((said for kind, said in _CHOICES if isinstance(choice, dict) and kind in choice), None)
    return Declared(schemas, named, None)


_ERRORS: Final = (
    "invalid_request_error authentication_error permission_error not_found_error rate_limit_error timeout_error "
    "overloaded_error api_error server_error billing_error request_too_large tool_use_failed error "
    "internalServerException modelStreamErrorException modelTimeoutException serviceUnavailableException "
    "throttlingException validationException"
)
_SPOKEN: Final = Spoken(
    keys=frozenset(
        (
            "messageStart role p contentBlockStart contentBlockIndex start toolUse toolUseId name type toolResult "
            "status image format contentBlockDelta delta text reasoningContent signature redactedContent input "
            "citation contentBlockStop messageStop stopReason additionalModelResponseFields metadata usage metrics "
            "performanceConfig serviceTier trace internalServerException modelStreamErrorException "
            "modelTimeoutException serviceUnavailableException throttlingException validationException message "
            "originalMessage originalStatusCode resourceName error code param status_code failed_generation "
            "amazon-bedrock-invocationMetrics amazon-bedrock-trace amazon-bedrock-guardrailAction"
        ).split()
    ),
    words={
        key: frozenset(said.split())
        for key, said in {
            "role": "assistant system user tool developer",
            "stopReason": (
                "end_turn tool_use max_tokens stop_sequence guardrail_intervened content_filtered "
                "malformed_model_output malformed_tool_use model_context_window_exceeded"
            ),
            "type": f"tool_use server_tool_use nova_code_interpreter_result nova_grounding_result {_ERRORS}",
            "status": "success error",
            "redactedContent": "xxxx",
            "format": "png jpeg gif webp",
            "code": _ERRORS,
        }.items()
    },
    identifier=re.compile(r"(?:tooluse_|item_)[0-9]{8}"),
    identifier_keys=frozenset({"toolUseId"}),
    indices=frozenset({"contentBlockIndex"}),
    slots=frozenset({"contentBlockIndex"}),
    arguments=frozenset({"input"}),
    unlisted=re.compile(r"(?:amazon-bedrock-)?unknown_[0-9]{1,6}(?:Exception)?"),
)

_PROSE: Final = frozenset({"text", "reasoningContent"})


def _is_prose(event: Mapping[str, object]) -> bool:
    """Whether an event is a delta of text or reasoning."""
    block = event.get("contentBlockDelta")
    delta = block.get("delta") if isinstance(block, dict) and len(event) == 1 else None
    return isinstance(delta, dict) and bool(delta) and delta.keys() <= _PROSE


FAMILY: Final = Family(
    table=EVENT,
    identifiers={"call": "tooluse_{:08d}", "item": "item_{:08d}"},
    declared=_declared,
    is_whole=lambda payload: "messageStop" in payload,
    is_prose=_is_prose,
    spoken=_SPOKEN,
)

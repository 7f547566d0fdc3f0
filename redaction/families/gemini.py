"""Gemini's streamGenerateContent, on its API and on Vertex AI: the table of positions, and what a request declares."""

import re
from collections.abc import Mapping
from typing import Final

from redaction.families.openai import NO_PARAMETERS
from redaction.families.openapi import json_schema
from redaction.families.tables.family import Declared, Family, Spoken, objects
from redaction.families.tables.treatments import (
    CALL_ID,
    COMPLETION_ID,
    EMPTY,
    ENCODED,
    FLAG,
    INDEX,
    ITEM_ID,
    MODEL,
    PATH,
    PIECE,
    TEXT,
    TOOL_NAME,
    WHOLE,
    Rule,
    Table,
    Treatment,
    Unlisted,
    words,
)

# The words of the public enums.
_REASONS: Final = (
    "FINISH_REASON_UNSPECIFIED STOP MAX_TOKENS SAFETY RECITATION LANGUAGE OTHER BLOCKLIST PROHIBITED_CONTENT SPII "
    "MALFORMED_FUNCTION_CALL IMAGE_SAFETY UNEXPECTED_TOOL_CALL IMAGE_PROHIBITED_CONTENT NO_IMAGE IMAGE_RECITATION "
    "IMAGE_OTHER TOO_MANY_TOOL_CALLS MISSING_THOUGHT_SIGNATURE MALFORMED_RESPONSE"
)
_BLOCKED: Final = (
    "BLOCKED_REASON_UNSPECIFIED SAFETY OTHER BLOCKLIST PROHIBITED_CONTENT IMAGE_SAFETY MODEL_ARMOR JAILBREAK "
    "BLOCK_REASON_UNSPECIFIED"
)
_ROLES: Final = "model user function system"
_STATUSES: Final = (
    "OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED "
    "UNAUTHENTICATED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE "
    "DATA_LOSS"
)
_LANGUAGES: Final = "LANGUAGE_UNSPECIFIED PYTHON"
_OUTCOMES: Final = "OUTCOME_UNSPECIFIED OUTCOME_OK OUTCOME_FAILED OUTCOME_DEADLINE_EXCEEDED"
_TOOL_TYPES: Final = (
    "TOOL_TYPE_UNSPECIFIED GOOGLE_SEARCH_WEB GOOGLE_SEARCH_IMAGE GOOGLE_SEARCH_ENTERPRISE URL_CONTEXT GOOGLE_MAPS "
    "FILE_SEARCH CODE_EXECUTION COMPUTER_USE MCP_SERVER"
)
_NULL: Final = "NULL_VALUE"

FUNCTION_CALL: Final[Table] = {
    "id": CALL_ID,
    "name": TOOL_NAME,
    "args": WHOLE,
    "willContinue": FLAG,
    "partialArgs": [
        {
            "jsonPath": PATH,
            "stringValue": PIECE,
            "numberValue": PIECE,
            "boolValue": FLAG,
            "nullValue": Rule(Treatment.NULL, frozenset({_NULL})),
            "willContinue": FLAG,
        }
    ],
}
_OF_THE_PROVIDER: Final[Table] = {
    "toolType": words(*_TOOL_TYPES.split()),
    "id": ITEM_ID,
    "args": EMPTY,
    "response": EMPTY,
}
PART: Final[Mapping[str, Table]] = {
    "text": TEXT,
    "thought": FLAG,
    "thoughtSignature": ENCODED,
    "inlineData": {"mimeType": TEXT, "data": ENCODED},
    "fileData": {"mimeType": TEXT, "fileUri": TEXT},
    "executableCode": {"language": words(*_LANGUAGES.split()), "code": TEXT, "id": ITEM_ID},
    "codeExecutionResult": {"outcome": words(*_OUTCOMES.split()), "output": TEXT, "id": ITEM_ID},
    "functionCall": FUNCTION_CALL,
    "toolCall": _OF_THE_PROVIDER,
    "toolResponse": _OF_THE_PROVIDER,
    "videoMetadata": EMPTY,
    "mediaResolution": EMPTY,
    "partMetadata": EMPTY,
    "audioTranscription": EMPTY,
}
CHUNK: Final[Table] = {
    "candidates": [
        {
            "index": INDEX,
            "content": {
                "role": words(*_ROLES.split()),
                # A member whose name says that it is a call is one, whatever kind of call it is.
                "parts": [Unlisted(PART, re.compile(r"(?i)call\Z"), "unknown_{}_call")],
            },
            "finishReason": Rule(Treatment.REASON, frozenset(_REASONS.split())),
            "finishMessage": TEXT,
            "tokenCount": EMPTY,
            "avgLogprobs": EMPTY,
            "logprobsResult": EMPTY,
            "safetyRatings": EMPTY,
            "citationMetadata": EMPTY,
            "groundingMetadata": EMPTY,
            "urlContextMetadata": EMPTY,
            "continuationToken": TEXT,
        }
    ],
    "responseId": COMPLETION_ID,
    "modelVersion": MODEL,
    "createTime": EMPTY,
    "usageMetadata": EMPTY,
    "modelStatus": EMPTY,
    "promptFeedback": {
        "blockReason": words(*_BLOCKED.split()),
        "blockReasonMessage": TEXT,
        "safetyRatings": EMPTY,
    },
    "error": {"status": words(*_STATUSES.split()), "message": TEXT, "code": EMPTY, "details": EMPTY},
    "type": words("error"),
}


def _member(value: object, name: str) -> object:
    """A member by its name or, as the service reads it as well, by the name with underscores."""
    if not isinstance(value, Mapping):
        return None
    return value.get(name, value.get(re.sub(r"([A-Z])", lambda letter: f"_{letter[1].lower()}", name)))


def _declared(request: Mapping[str, object]) -> Declared:
    """`tools[].functionDeclarations[]`, and the mode of calling."""
    schemas: dict[str, object] = {}
    for tool in objects(request.get("tools")):
        for function in objects(_member(tool, "functionDeclarations")):
            if isinstance(function.get("name"), str):
                schemas[str(function["name"])] = _parameters(function)
    return Declared(schemas, _choice(_member(_member(request, "toolConfig"), "functionCallingConfig")), None)


def _parameters(function: Mapping[str, object]) -> object:
    schema = _member(function, "parametersJsonSchema")
    if schema is not None:
        return schema
    parameters = function.get("parameters")
    return dict(NO_PARAMETERS) if parameters is None else json_schema(parameters)


_MODES: Final = {"AUTO": "auto", "VALIDATED": "auto", "NONE": "none", "ANY": "required"}


def _choice(config: object) -> str | None:
    """The tool choice as a fixture says it; None where the request says nothing."""
    mode = _member(config, "mode")
    choice = _MODES.get(mode.upper()) if isinstance(mode, str) else None
    allowed = _member(config, "allowedFunctionNames")
    return "named" if choice == "required" and isinstance(allowed, list) and len(allowed) == 1 else choice


def _is_whole(payload: Mapping[str, object]) -> bool:
    """Whether each candidate of a chunk ends with it: there is no end marker."""
    candidates = list(objects(payload.get("candidates")))
    return bool(candidates) and all(one.get("finishReason") not in (None, "", 0) for one in candidates)


_PROSE: Final = frozenset({"text", "thought", "thoughtSignature"})
_NO_PROSE: Final = ("error", "promptFeedback", "type")


def _is_prose(chunk: Mapping[str, object]) -> bool:
    """Whether the candidates of a chunk bring text or thoughts alone, and none of them ends."""
    candidates = chunk.get("candidates")
    if not isinstance(candidates, list) or not candidates or any(chunk.get(key) is not None for key in _NO_PROSE):
        return False
    return all(map(_has_prose, candidates))


def _has_prose(candidate: object) -> bool:
    if not isinstance(candidate, dict) or candidate.get("finishReason") not in (None, "", 0):
        return False
    content = candidate.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    return isinstance(parts, list) and all(isinstance(part, dict) and part.keys() <= _PROSE for part in parts)


_SPOKEN: Final = Spoken(
    keys=frozenset(
        (
            "candidates index content role parts finishReason finishMessage tokenCount avgLogprobs logprobsResult "
            "safetyRatings citationMetadata groundingMetadata urlContextMetadata continuationToken responseId "
            "modelVersion createTime usageMetadata modelStatus promptFeedback blockReason blockReasonMessage error "
            "status message code details type text thought thoughtSignature inlineData mimeType data fileData fileUri "
            "executableCode language id codeExecutionResult outcome output functionCall name args willContinue "
            "partialArgs jsonPath stringValue numberValue boolValue nullValue toolCall toolResponse toolType response "
            "videoMetadata mediaResolution partMetadata audioTranscription"
        ).split()
    ),
    words={
        key: frozenset(said.split())
        for key, said in {
            "type": "error",
            "role": _ROLES,
            "finishReason": _REASONS,
            "blockReason": _BLOCKED,
            "status": _STATUSES,
            "language": _LANGUAGES,
            "outcome": _OUTCOMES,
            "toolType": _TOOL_TYPES,
            "nullValue": _NULL,
            "thoughtSignature": "xxxx",
            "data": "xxxx",
        }.items()
    },
    identifier=re.compile(r"(?:resp_|call_|item_)[0-9]{8}"),
    identifier_keys=frozenset({"id", "responseId"}),
    indices=frozenset({"index", "finishReason", "nullValue"}),
    arguments=frozenset({"stringValue"}),
    argument_numbers=frozenset({"numberValue"}),
    whole_arguments=frozenset({"args"}),
    paths=frozenset({"jsonPath"}),
    flags=frozenset({"thought", "willContinue", "boolValue"}),
    models=frozenset({"modelVersion"}),
    unlisted=re.compile(r"unknown_[0-9]{1,6}(?:_call)?"),
    calls=frozenset({"functionCall"}),
    counted=True,
)

FAMILY: Final = Family(
    table=CHUNK,
    identifiers={"completion": "resp_{:08d}", "call": "call_{:08d}", "item": "item_{:08d}"},
    declared=_declared,
    is_whole=_is_whole,
    is_prose=_is_prose,
    spoken=_SPOKEN,
)

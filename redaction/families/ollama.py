"""Ollama's chat: the table of positions, and what a request declares."""

import re
from collections.abc import Mapping
from typing import Final

from redaction.families.openai import FAMILY as OPENAI
from redaction.families.tables.family import Declared, Family, Spoken
from redaction.families.tables.treatments import (
    CALL_ID,
    EMPTY,
    FLAG,
    INDEX,
    MODEL,
    TEXT,
    TOOL_NAME,
    WHOLE,
    Table,
    words,
)

_REASONS: Final = "stop length load unload"
_ROLES: Final = "assistant system user tool"
TOOL_CALL: Final[Table] = {
    "id": CALL_ID,
    "type": words("function"),
    "function": {"index": INDEX, "name": TOOL_NAME, "arguments": WHOLE},
}
LINE: Final[Table] = {
    "model": MODEL,
    "remote_model": MODEL,
    "remote_host": TEXT,
    "created_at": EMPTY,
    "message": {
        "role": words(*_ROLES.split()),
        "content": TEXT,
        "thinking": TEXT,
        "images": EMPTY,
        "tool_name": TOOL_NAME,
        "tool_calls": [TOOL_CALL],
    },
    "done": FLAG,
    "done_reason": words(*_REASONS.split()),
    "total_duration": EMPTY,
    "load_duration": EMPTY,
    "prompt_eval_count": EMPTY,
    "prompt_eval_duration": EMPTY,
    "eval_count": EMPTY,
    "eval_duration": EMPTY,
    "logprobs": EMPTY,
    "error": TEXT,
    "type": words("error"),
}


def _declared(request: Mapping[str, object]) -> Declared:
    """`tools[].function`, as with OpenAI; there is no tool choice."""
    return Declared(OPENAI.declared({"tools": request.get("tools")}).tool_schemas, None, None)


_SPOKEN: Final = Spoken(
    keys=frozenset(
        (
            "model remote_model remote_host created_at message role content thinking images tool_name tool_calls id "
            "type function index name arguments done done_reason total_duration load_duration prompt_eval_count "
            "prompt_eval_duration eval_count eval_duration logprobs error"
        ).split()
    ),
    words={
        "type": frozenset({"error", "function"}),
        "role": frozenset(_ROLES.split()),
        "done_reason": frozenset(_REASONS.split()),
    },
    identifier=re.compile(r"call_[0-9]{8}"),
    identifier_keys=frozenset({"id"}),
    names=frozenset({"name", "tool_name"}),
    slots=frozenset(),
    arguments=frozenset(),
    whole_arguments=frozenset({"arguments"}),
    flags=frozenset({"done"}),
    models=frozenset({"model", "remote_model"}),
    counted=True,
)


def _is_prose(line: Mapping[str, object]) -> bool:
    """Whether a line has a piece of a message, and neither a call nor the end."""
    message = line.get("message")
    return (
        line.get("done") is False
        and isinstance(message, dict)
        and message.get("tool_calls") in (None, [])
        and all(line.get(key) in (None, "") for key in ("error", "done_reason", "type"))
    )


FAMILY: Final = Family(
    table=LINE,
    identifiers={"call": "call_{:08d}"},
    declared=_declared,
    is_whole=lambda payload: payload.get("done") is True,
    is_prose=_is_prose,
    spoken=_SPOKEN,
)

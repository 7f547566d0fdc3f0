"""Small fixtures of each verdict, for tests that need some turn and not a particular one."""

import json
from typing import Final

SCHEMAS: Final = {
    "say": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": False,
    }
}


def chunk(delta: object, finish: str | None = None) -> dict[str, object]:
    """One streamed chunk of a chat completion."""
    return {"id": "c1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def call(arguments: str, *, slot: int = 0, identity: str = "call_1", name: str = "say") -> dict[str, object]:
    """A delta that names its slot."""
    function = {"name": name, "arguments": arguments}
    return {"tool_calls": [{"index": slot, "id": identity, "type": "function", "function": function}]}


def more(arguments: str, *, slot: int = 0) -> dict[str, object]:
    """A delta that goes on in its slot."""
    return {"tool_calls": [{"index": slot, "function": {"arguments": arguments}}]}


def fixture(*chunks: object, **members: object) -> bytes:
    """The bytes of a fixture of these chunks."""
    return json.dumps({"profile": "openai", "tool_schemas": SCHEMAS, "chunks": chunks} | members, indent=1).encode()


# One call, in pieces: pass.
PASS: Final = fixture(chunk(call('{"te')), chunk(more('xt":"hi"}')), chunk({}, "tool_calls"))
# The same without its end: blocked by missing_terminal.
TRUNCATED: Final = fixture(chunk(call('{"te')), chunk(more('xt":"hi"}')))
# The same with another id for its slot: blocked by identity_collision.
COLLISION: Final = fixture(chunk(call('{"te')), chunk(call('xt":"hi"}', identity="call_2")), chunk({}, "tool_calls"))
# Text alone: not applicable.
TEXT: Final = fixture(chunk({"content": "hi"}), chunk({}, "stop"))
# No envelope: invalid.
INVALID: Final = b'{"profile": "openai"}'
# A finish reason twice: blocked by duplicate_terminal, unless repeated_terminal is accepted.
REPEATED: Final = fixture(
    chunk(call('{"text":"hi"}')), chunk({}, "tool_calls"), chunk({}, "tool_calls"), allow=["repeated_terminal"]
)
# Two slots: blocked by limit_exceeded where max_slots is 1.
TWO_CALLS: Final = fixture(
    chunk(call('{"text":"hi"}')), chunk(call('{"text":"ho"}', slot=1, identity="call_9")), chunk({}, "tool_calls")
)

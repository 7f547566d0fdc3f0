"""The turn that follows a fixture: a plain answer in text, so that an agent that ran its tools comes to an end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from replay.loading import load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replay.loading import Loaded


def _chunk(delta: Mapping[str, object], finish: str | None) -> dict[str, object]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "closing", "object": "chat.completion.chunk", "created": 0, "model": "closing", "choices": [choice]}


_CHUNKS: Final = [_chunk({"role": "assistant", "content": "Done."}, None), _chunk({}, "stop")]
_EVENTS: Final = [
    {
        "type": "message_start",
        "message": {
            "id": "msg_closing",
            "type": "message",
            "role": "assistant",
            "model": "closing",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Done."}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 1},
    },
    {"type": "message_stop"},
]


def turn(profile: str) -> Loaded:
    """The closing turn of a profile."""
    array = {"events": _EVENTS} if profile == "anthropic" else {"chunks": _CHUNKS}
    return load(json.dumps({"profile": profile, "tool_schemas": {}, **array}).encode("ascii"))

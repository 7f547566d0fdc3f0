"""Ollama's Python client: `chat(stream=True)`, the tool calls of all lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ollama

if TYPE_CHECKING:
    from replay.adapters.task import Task


def stream(turn: Task) -> None:
    """The `tool_calls` of each message, in their order. The client knows no ids."""
    client = ollama.Client(host=turn.base_url)
    for chunk in client.chat(model=turn.model, messages=turn.messages, tools=turn.openai_tools(), stream=True):
        for call in chunk.message.tool_calls or ():
            turn.hand_over(call.function.name, dict(call.function.arguments))


stream.distributions = ("ollama",)  # type: ignore[attr-defined]
stream.profiles = ("ollama",)  # type: ignore[attr-defined]

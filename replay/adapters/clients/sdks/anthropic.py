"""The official Python client of Anthropic: `messages.stream()` and its final message."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anthropic

if TYPE_CHECKING:
    from replay.adapters.task import Task


def stream(turn: Task) -> None:
    """`messages.stream()`, then the `tool_use` blocks of `get_final_message()`."""
    client = anthropic.Anthropic(api_key=turn.key, base_url=turn.base_url, max_retries=0)
    with client.messages.stream(
        model=turn.model, max_tokens=1024, messages=turn.messages, tools=turn.anthropic_tools()
    ) as events:
        message = events.get_final_message()
    for block in message.content:
        if block.type == "tool_use":
            turn.hand_over(block.name, block.input, id=block.id)


stream.distributions = ("anthropic",)  # type: ignore[attr-defined]
stream.profiles = ("anthropic",)  # type: ignore[attr-defined]

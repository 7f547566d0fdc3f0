"""The official Python client of Cohere: `chat_stream()`. The adapter joins what has one index: the client does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cohere

if TYPE_CHECKING:
    from replay.adapters.task import Task


def stream(turn: Task) -> None:
    """What was joined, by the index of its events; "" stands for no arguments."""
    client = cohere.ClientV2(api_key=turn.key, base_url=turn.base_url)
    asked: dict[str, Any] = {"tools": turn.openai_tools()} if turn.tools else {}
    calls: dict[int, tuple[Any, list[str]]] = {}
    for event in client.chat_stream(
        model=turn.model, messages=turn.messages, request_options={"max_retries": 0}, **asked
    ):
        if event.type == "tool-call-start":
            call = event.delta.message.tool_calls
            calls[event.index] = (call, [call.function.arguments or ""])
        elif event.type == "tool-call-delta":
            calls[event.index][1].append(event.delta.message.tool_calls.function.arguments or "")
    for _, (call, pieces) in sorted(calls.items()):
        turn.hand_over(call.function.name, "".join(pieces) or "{}", id=call.id)


stream.distributions = ("cohere",)  # type: ignore[attr-defined]
stream.profiles = ("cohere-v2",)  # type: ignore[attr-defined]

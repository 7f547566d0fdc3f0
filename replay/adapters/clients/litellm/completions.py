"""LiteLLM: `completion(stream=True)` and `stream_chunk_builder`, for the APIs of OpenAI and Anthropic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import litellm

if TYPE_CHECKING:
    from replay.adapters.task import Task


def complete(turn: Task) -> None:
    """`completion()`, the chunks built into one response."""
    chunks = list(
        litellm.completion(
            model=f"{turn.profile}/{turn.model}",
            api_base=turn.base_url + ("/v1" if turn.profile == "openai" else ""),
            api_key=turn.key,
            messages=turn.messages,
            tools=turn.openai_tools(),
            stream=True,
            num_retries=0,
            max_retries=0,
        )
    )
    built = litellm.stream_chunk_builder(chunks, messages=turn.messages)
    for choice in built.choices if built is not None else ():
        for call in choice.message.tool_calls or ():
            turn.hand_over(call.function.name, call.function.arguments, id=call.id)


complete.distributions = ("litellm",)  # type: ignore[attr-defined]
complete.profiles = ("openai", "anthropic")  # type: ignore[attr-defined]

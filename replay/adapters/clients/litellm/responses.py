"""LiteLLM on the Responses API: `responses(stream=True)`, whose events are the provider's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import litellm
from toolreel_adapters.sdks.responses_items import hand_over

if TYPE_CHECKING:
    from replay.adapters.task import Task


def respond(turn: Task) -> None:
    """`responses()`: the final list of the response, and where that is empty each item that was done."""
    items: dict[int, Any] = {}
    for event in litellm.responses(
        model=f"openai/{turn.model}",
        api_base=turn.base_url + "/v1",
        api_key=turn.key,
        input=turn.messages,
        tools=turn.responses_tools(),
        stream=True,
        num_retries=0,
        max_retries=0,
    ):
        if event.type == "response.output_item.done":
            items[event.output_index] = event.item
        elif event.type == "response.completed":
            # Of a final list that did not come, its response has no attribute.
            hand_over(turn, getattr(event.response, "output", None) or [items[at] for at in sorted(items)])


respond.distributions = ("litellm",)  # type: ignore[attr-defined]
respond.profiles = ("openai-responses",)  # type: ignore[attr-defined]

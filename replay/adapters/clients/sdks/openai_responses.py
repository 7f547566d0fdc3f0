"""The official Python client of OpenAI on the Responses API: the events of `create`, and its own `stream()`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import openai

from .responses_items import hand_over

if TYPE_CHECKING:
    from replay.adapters.task import Task


def _responses(turn: Task) -> Any:
    return openai.OpenAI(api_key=turn.key, base_url=turn.base_url + "/v1", max_retries=0).responses


def create(turn: Task) -> None:
    """`create(stream=True)`: the final list of the response, and where that is empty each item that was done."""
    items: dict[int, Any] = {}
    for event in _responses(turn).create(
        model=turn.model, input=turn.messages, tools=turn.responses_tools(), stream=True
    ):
        if event.type == "response.output_item.done":
            items[event.output_index] = event.item
        elif event.type == "response.completed":
            hand_over(turn, event.response.output or [items[at] for at in sorted(items)])


def stream(turn: Task) -> None:
    """`responses.stream()`, then the items of `get_final_response()`."""
    with _responses(turn).stream(model=turn.model, input=turn.messages, tools=turn.responses_tools()) as events:
        response = events.get_final_response()
    hand_over(turn, response.output)


create.distributions = stream.distributions = ("openai",)  # type: ignore[attr-defined]
create.profiles = stream.profiles = ("openai-responses",)  # type: ignore[attr-defined]

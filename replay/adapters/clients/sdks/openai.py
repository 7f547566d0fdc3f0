"""The official Python client of OpenAI: assembling the chunks of `create`, and its own `stream()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import openai
from openai.lib.streaming.chat import ChatCompletionStreamState

if TYPE_CHECKING:
    from replay.adapters.task import Task


def _client(turn: Task) -> openai.OpenAI:
    return openai.OpenAI(api_key=turn.key, base_url=turn.base_url + "/v1", max_retries=0)


def create(turn: Task) -> None:
    """`create(stream=True)`, each chunk given to `ChatCompletionStreamState`."""
    state = ChatCompletionStreamState()
    for chunk in _client(turn).chat.completions.create(
        model=turn.model, messages=turn.messages, tools=turn.openai_tools(), stream=True
    ):
        state.handle_chunk(chunk)
    _hand_over(turn, state.get_final_completion())


def stream(turn: Task) -> None:
    """`chat.completions.stream()`. It takes strict tools alone, and parses their arguments itself."""
    tools = turn.openai_tools()
    for tool in tools:
        tool["function"]["strict"] = True
    with _client(turn).chat.completions.stream(model=turn.model, messages=turn.messages, tools=tools) as events:
        _hand_over(turn, events.get_final_completion())


def _hand_over(turn: Task, completion: object) -> None:
    for choice in completion.choices:  # type: ignore[attr-defined]  # a type of the client
        for call in choice.message.tool_calls or ():
            turn.hand_over(call.function.name, call.function.arguments, id=call.id)


create.distributions = stream.distributions = ("openai",)  # type: ignore[attr-defined]
create.profiles = stream.profiles = ("openai",)  # type: ignore[attr-defined]

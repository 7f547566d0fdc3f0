"""LangChain's chat model for OpenAI: chunks added up, the message's `tool_calls`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain_openai import ChatOpenAI

if TYPE_CHECKING:
    from replay.adapters.task import Task


def stream(turn: Task) -> None:
    """`bind_tools().stream()`; what stands in `invalid_tool_calls` is not handed over."""
    for call in _calls(turn, turn.openai_tools()):
        turn.hand_over(call["name"], call["args"], id=call["id"])


def responses(turn: Task) -> None:
    """The same over the Responses API. The text for a custom tool stands as its one argument."""
    for call in _calls(turn, turn.responses_tools(), use_responses_api=True):
        text = call["args"].get("__arg1") if turn.tools.get(call["name"]) and turn.is_custom(call["name"]) else None
        turn.hand_over(call["name"], call["args"] if text is None else text, id=call["id"])


def _calls(turn: Task, tools: list[dict[str, Any]], **settings: Any) -> list[dict[str, Any]]:
    model = ChatOpenAI(model=turn.model, base_url=turn.base_url + "/v1", api_key=turn.key, max_retries=0, **settings)
    message = None
    for chunk in model.bind_tools(tools).stream("Use the tools."):
        message = chunk if message is None else message + chunk
    return message.tool_calls if message is not None else []


stream.distributions = responses.distributions = ("langchain-openai", "langchain-core")  # type: ignore[attr-defined]
stream.profiles = ("openai",)  # type: ignore[attr-defined]
responses.profiles = ("openai-responses",)  # type: ignore[attr-defined]

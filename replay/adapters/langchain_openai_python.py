"""LangChain's chat model for OpenAI: chunks added up, the message's `tool_calls`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_openai import ChatOpenAI

if TYPE_CHECKING:
    from .turn import Turn


def stream(turn: Turn) -> None:
    """`bind_tools().stream()`; what stands in `invalid_tool_calls` is not handed over."""
    model = ChatOpenAI(model=turn.model, base_url=turn.base_url + "/v1", api_key=turn.key, max_retries=0)
    message = None
    for chunk in model.bind_tools(turn.openai_tools()).stream("Use the tools."):
        message = chunk if message is None else message + chunk
    for call in message.tool_calls if message is not None else ():
        turn.hand_over(call["name"], call["args"], id=call["id"])


stream.distributions = ("langchain-openai", "langchain-core")  # type: ignore[attr-defined]
stream.profiles = ("openai",)  # type: ignore[attr-defined]

"""LangChain's chat model for Gemini: chunks added up, the message's `tool_calls`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_google_genai import ChatGoogleGenerativeAI

if TYPE_CHECKING:
    from replay.adapters.task import Task


def stream(turn: Task) -> None:
    """`bind_tools().stream()`; what stands in `invalid_tool_calls` is not handed over."""
    model = ChatGoogleGenerativeAI(model=turn.model, base_url=turn.base_url, google_api_key=turn.key, max_retries=0)
    message = None
    for chunk in model.bind_tools(turn.openai_tools()).stream("Use the tools."):
        message = chunk if message is None else message + chunk
    for call in message.tool_calls if message is not None else ():
        turn.hand_over(call["name"], call["args"])  # where the stream gives no id, it makes one up


stream.distributions = ("langchain-google-genai", "langchain-core")  # type: ignore[attr-defined]
stream.profiles = ("gemini",)  # type: ignore[attr-defined]

"""LangChain's chat model for Amazon Bedrock: chunks added up, the message's `tool_calls`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_aws import ChatBedrockConverse
from toolreel_adapters.sdks.bedrock_client import REGION, client

if TYPE_CHECKING:
    from replay.adapters.task import Task


def stream(turn: Task) -> None:
    """`bind_tools().stream()`; what stands in `invalid_tool_calls` is not handed over."""
    model = ChatBedrockConverse(model=turn.model, client=client(turn), region_name=REGION)
    asking = model.bind_tools(turn.openai_tools()) if turn.tools else model
    message = None
    for chunk in asking.stream("Use the tools."):
        message = chunk if message is None else message + chunk
    for call in message.tool_calls if message is not None else ():
        turn.hand_over(call["name"], call["args"], id=call["id"])


stream.distributions = ("langchain-aws", "langchain-core")  # type: ignore[attr-defined]
stream.profiles = ("bedrock-converse",)  # type: ignore[attr-defined]

"""LiteLLM over Amazon Bedrock and over Cohere: `completion(stream=True)` and `stream_chunk_builder`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import litellm

if TYPE_CHECKING:
    from replay.adapters.task import Task


def bedrock(turn: Task) -> None:
    """`completion()` over ConverseStream, the chunks built into one response."""
    _complete(
        turn,
        model=f"bedrock/converse/{turn.model}",
        aws_bedrock_runtime_endpoint=turn.base_url,
        aws_access_key_id=turn.key,
        aws_secret_access_key=turn.key,
        aws_region_name="us-east-1",
    )


def cohere(turn: Task) -> None:
    """The same over the second version of Cohere's chat."""
    _complete(turn, model=f"cohere/{turn.model}", api_base=f"{turn.base_url}/v2/chat", api_key=turn.key)


def _complete(turn: Task, **where: Any) -> None:
    tools = turn.openai_tools()
    asked = {"messages": turn.messages, **({"tools": tools} if tools else {})}
    chunks = list(litellm.completion(**where, **asked, stream=True, num_retries=0, max_retries=0))
    built = litellm.stream_chunk_builder(chunks, messages=turn.messages)
    for choice in built.choices if built is not None else ():
        for call in choice.message.tool_calls or ():
            turn.hand_over(call.function.name, call.function.arguments, id=call.id)


bedrock.distributions = cohere.distributions = ("litellm",)  # type: ignore[attr-defined]
bedrock.profiles = ("bedrock-converse",)  # type: ignore[attr-defined]
cohere.profiles = ("cohere-v2",)  # type: ignore[attr-defined]

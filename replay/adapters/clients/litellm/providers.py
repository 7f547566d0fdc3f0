"""LiteLLM over Amazon Bedrock, Cohere, Gemini and Ollama: `completion(stream=True)` and `stream_chunk_builder`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import litellm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.adapters.task import Task


def bedrock(turn: Task) -> None:
    """`completion()` over ConverseStream, the chunks built into one response."""
    calls = _complete(
        turn,
        model=f"bedrock/converse/{turn.model}",
        aws_bedrock_runtime_endpoint=turn.base_url,
        aws_access_key_id=turn.key,
        aws_secret_access_key=turn.key,
        aws_region_name="us-east-1",
    )
    _hand_over(turn, calls)


def cohere(turn: Task) -> None:
    """The same over the second version of Cohere's chat."""
    calls = _complete(turn, model=f"cohere/{turn.model}", api_base=f"{turn.base_url}/v2/chat", api_key=turn.key)
    _hand_over(turn, calls)


def gemini(turn: Task) -> None:
    """The same over the API of Gemini. It makes ids up, so none is compared."""
    calls = _complete(turn, model=f"gemini/{turn.model}", api_base=f"{turn.base_url}/v1beta", api_key=turn.key)
    _hand_over_without_ids(turn, calls)


def ollama(turn: Task) -> None:
    """The same over Ollama's chat. It makes ids up, so none is compared."""
    _hand_over_without_ids(turn, _complete(turn, model=f"ollama_chat/{turn.model}", api_base=turn.base_url))


def _complete(turn: Task, **where: Any) -> Iterator[Any]:
    tools = turn.openai_tools()
    asked = {"messages": turn.messages, **({"tools": tools} if tools else {})}
    chunks = list(litellm.completion(**where, **asked, stream=True, num_retries=0, max_retries=0))
    built = litellm.stream_chunk_builder(chunks, messages=turn.messages)
    for choice in built.choices if built is not None else ():
        yield from choice.message.tool_calls or ()


def _hand_over(turn: Task, calls: Iterator[Any]) -> None:
    for call in calls:
        turn.hand_over(call.function.name, call.function.arguments, id=call.id)


def _hand_over_without_ids(turn: Task, calls: Iterator[Any]) -> None:
    for call in calls:
        turn.hand_over(call.function.name, call.function.arguments)


for _adapter, _profile in (
    (bedrock, "bedrock-converse"),
    (cohere, "cohere-v2"),
    (gemini, "gemini"),
    (ollama, "ollama"),
):
    _adapter.distributions = ("litellm",)  # type: ignore[attr-defined]
    _adapter.profiles = (_profile,)  # type: ignore[attr-defined]

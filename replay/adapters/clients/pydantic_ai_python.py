"""Pydantic AI: an agent whose tools are recorders; what it runs is what it hands over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import openai
from pydantic_ai import Agent, Tool
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

if TYPE_CHECKING:
    from collections.abc import AsyncIterable

    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """`Agent.run()`, streaming, no retries. Its schemas go to the model; it holds no arguments against them."""
    asyncio.run(_run(turn, OpenAIChatModel))


def responses(turn: Task) -> None:
    """The same over the Responses API. It knows no custom tools and no namespaces: all are declared as functions."""
    asyncio.run(_run(turn, OpenAIResponsesModel))


async def _run(turn: Task, kind: Any) -> None:
    client = openai.AsyncOpenAI(api_key=turn.key, base_url=turn.base_url + "/v1", max_retries=0)
    model = kind(turn.model, provider=OpenAIProvider(openai_client=client))
    agent = Agent(model, tools=[_tool(turn, name) for name in turn.tools], retries=0)
    await agent.run("Use the tools.", event_stream_handler=_read)


def _tool(turn: Task, name: str) -> Any:
    async def recorder(context: Any, **arguments: Any) -> str:
        return turn.hand_over(name, arguments, id=context.tool_call_id)

    return Tool.from_schema(recorder, name, None, turn.schema(name), takes_ctx=True)


async def _read(_: Any, events: AsyncIterable[Any]) -> None:
    async for _event in events:
        pass


run.distributions = responses.distributions = ("pydantic-ai-slim",)  # type: ignore[attr-defined]
run.profiles = ("openai",)  # type: ignore[attr-defined]
responses.profiles = ("openai-responses",)  # type: ignore[attr-defined]

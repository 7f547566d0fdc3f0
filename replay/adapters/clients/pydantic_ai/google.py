"""Pydantic AI over Gemini: an agent whose tools are recorders; what it runs is what it hands over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pydantic_ai import Agent, Tool
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.providers.google import GoogleProvider

if TYPE_CHECKING:
    from collections.abc import AsyncIterable

    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """`Agent.run()`, streaming, no retries. Its schemas go to the model; it holds no arguments against them."""
    asyncio.run(_run(turn))


async def _run(turn: Task) -> None:
    model = GoogleModel(turn.model, provider=GoogleProvider(api_key=turn.key, base_url=turn.base_url))
    agent = Agent(model, tools=[_tool(turn, name) for name in turn.tools], retries=0)
    await agent.run("Use the tools.", event_stream_handler=_read)


def _tool(turn: Task, name: str) -> Any:
    async def recorder(_: Any, **arguments: Any) -> str:
        return turn.hand_over(name, arguments)  # where the stream gives no id, it makes one up

    return Tool.from_schema(recorder, name, None, turn.schema(name), takes_ctx=True)


async def _read(_: Any, events: AsyncIterable[Any]) -> None:
    async for _event in events:
        pass


run.distributions = ("pydantic-ai-slim",)  # type: ignore[attr-defined]
run.profiles = ("gemini",)  # type: ignore[attr-defined]

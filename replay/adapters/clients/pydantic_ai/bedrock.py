"""Pydantic AI over Amazon Bedrock: an agent whose tools are recorders; what it runs is what it hands over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pydantic_ai import Agent, Tool
from pydantic_ai.models.bedrock import BedrockConverseModel
from pydantic_ai.providers.bedrock import BedrockProvider
from toolreel_adapters.sdks.bedrock_client import client

if TYPE_CHECKING:
    from collections.abc import AsyncIterable

    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """`Agent.run()`, streaming, no retries."""
    asyncio.run(_run(turn))


async def _run(turn: Task) -> None:
    model = BedrockConverseModel(turn.model, provider=BedrockProvider(bedrock_client=client(turn)))
    agent = Agent(model, tools=[_tool(turn, name) for name in turn.tools], retries=0)
    await agent.run("Use the tools.", event_stream_handler=_read)


def _tool(turn: Task, name: str) -> Any:
    async def recorder(context: Any, **arguments: Any) -> str:
        return turn.hand_over(name, arguments, id=context.tool_call_id)

    return Tool.from_schema(recorder, name, None, turn.schema(name), takes_ctx=True)


async def _read(_: Any, events: AsyncIterable[Any]) -> None:
    async for _event in events:
        pass


run.distributions = ("pydantic-ai-slim", "botocore")  # type: ignore[attr-defined]
run.profiles = ("bedrock-converse",)  # type: ignore[attr-defined]

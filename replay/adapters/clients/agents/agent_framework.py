"""Microsoft's Agent Framework: what an agent's tools are run with is what it hands over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from agent_framework import Agent, tool
from agent_framework.openai import OpenAIChatCompletionClient

if TYPE_CHECKING:
    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """`Agent.run(stream=True)`; typed functions, whose arguments are validated before they run."""
    asyncio.run(_run(turn))


async def _run(turn: Task) -> None:
    client = OpenAIChatCompletionClient(turn.model, api_key=turn.key, base_url=turn.base_url + "/v1")
    client.client.max_retries = 0
    agent = Agent(client, tools=[tool(turn.function(name), name=name) for name in turn.tools])
    async for _update in agent.run("Use the tools.", stream=True):
        pass


run.distributions = ("agent-framework-core", "agent-framework-openai")  # type: ignore[attr-defined]
run.profiles = ("openai",)  # type: ignore[attr-defined]

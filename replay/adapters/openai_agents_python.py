"""The OpenAI Agents SDK: an agent whose tools are recorders; what it runs is what it hands over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import openai
from agents import Agent, FunctionTool, OpenAIChatCompletionsModel, Runner

if TYPE_CHECKING:
    from .turn import Turn


def run(turn: Turn) -> None:
    """`Runner.run_streamed()` over the chat completions API."""
    asyncio.run(_run(turn))


async def _run(turn: Turn) -> None:
    client = openai.AsyncOpenAI(api_key=turn.key, base_url=turn.base_url + "/v1", max_retries=0)
    model = OpenAIChatCompletionsModel(model=turn.model, openai_client=client)
    agent = Agent(name="recorder", model=model, tools=[_tool(turn, name) for name in turn.tools])
    running = Runner.run_streamed(agent, "Use the tools.", max_turns=2)
    async for _event in running.stream_events():
        pass


def _tool(turn: Turn, name: str) -> Any:
    async def recorder(context: Any, arguments: str) -> str:
        return turn.hand_over(name, arguments, id=context.tool_call_id)

    return FunctionTool(
        name=name,
        description="",
        params_json_schema=turn.schema(name),
        on_invoke_tool=recorder,
        strict_json_schema=False,
    )


run.distributions = ("openai-agents",)  # type: ignore[attr-defined]
run.profiles = ("openai",)  # type: ignore[attr-defined]

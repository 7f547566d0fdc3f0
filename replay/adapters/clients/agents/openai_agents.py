"""The OpenAI Agents SDK: an agent whose tools are recorders; what it runs is what it hands over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import openai
from agents import (
    Agent,
    CustomTool,
    FunctionTool,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    ProgrammaticToolCallingTool,
    Runner,
    function_tool,
    tool_namespace,
)
from agents.tool_context import ToolContext

if TYPE_CHECKING:
    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """`Runner.run_streamed()` over the chat completions API, with typed functions for tools."""
    asyncio.run(_run(turn, OpenAIChatCompletionsModel, [_typed(turn, name, name) for name in turn.tools]))


def run_raw(turn: Task) -> None:
    """The same with `FunctionTool`, whose recorder is given the arguments as text: nothing parses them."""
    asyncio.run(_run(turn, OpenAIChatCompletionsModel, [_raw(turn, name, name) for name in turn.tools]))


def responses(turn: Task) -> None:
    """As `run`, over the Responses API, which is the SDK's own choice.

    A program of the provider may call the tools too: no fixture says whether the request allowed it.
    """
    asyncio.run(_run(turn, OpenAIResponsesModel, _tools(turn, _typed)))


def responses_raw(turn: Task) -> None:
    """As `run_raw`, over the Responses API."""
    asyncio.run(_run(turn, OpenAIResponsesModel, _tools(turn, _raw)))


async def _run(turn: Task, kind: Any, tools: list[Any]) -> None:
    client = openai.AsyncOpenAI(api_key=turn.key, base_url=turn.base_url + "/v1", max_retries=0)
    agent = Agent(name="recorder", model=kind(model=turn.model, openai_client=client), tools=tools)
    running = Runner.run_streamed(agent, "Use the tools.", max_turns=2)
    async for _event in running.stream_events():
        pass


def _tools(turn: Task, function: Any) -> list[Any]:
    tools = [_tool(turn, name, function) for name in turn.tools]
    return [*tools, *([ProgrammaticToolCallingTool()] if tools else [])]


def _tool(turn: Task, name: str, function: Any) -> Any:
    if turn.is_custom(name):
        return CustomTool(
            name=name, description="", on_invoke_tool=_recorder(turn, name), allowed_callers=["direct", "programmatic"]
        )
    space, _, own = name.rpartition(".")
    tool = function(turn, name, own)
    tool.allowed_callers = ["direct", "programmatic"]
    return tool_namespace(name=space, description=space, tools=[tool])[0] if space else tool


def _typed(turn: Task, name: str, own: str) -> Any:
    function = turn.function(name, context=ToolContext, id_of=lambda context: context.tool_call_id)
    return function_tool(function, name_override=own, strict_mode=False)


def _raw(turn: Task, name: str, own: str) -> Any:
    return FunctionTool(
        name=own,
        description="",
        params_json_schema=turn.schema(name),
        on_invoke_tool=_recorder(turn, name),
        strict_json_schema=False,
    )


def _recorder(turn: Task, name: str) -> Any:
    async def recorder(context: Any, arguments: str) -> str:
        return turn.hand_over(name, arguments, id=context.tool_call_id)

    return recorder


for _adapter, _profile in (
    (run, "openai"),
    (run_raw, "openai"),
    (responses, "openai-responses"),
    (responses_raw, "openai-responses"),
):
    _adapter.distributions = ("openai-agents",)  # type: ignore[attr-defined]
    _adapter.profiles = (_profile,)  # type: ignore[attr-defined]

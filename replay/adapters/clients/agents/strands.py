"""Strands: what an agent's tools are run with is what it hands over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from strands import Agent, ToolContext, tool

if TYPE_CHECKING:
    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """Calling the agent, which streams; typed functions, whose arguments are validated before they run."""
    tools = [_tool(turn, name) for name in turn.tools]
    Agent(model=_model(turn), tools=tools, callback_handler=None, retry_strategy=None)("Use the tools.")


def _tool(turn: Task, name: str) -> Any:
    function = turn.function(name, context=ToolContext, id_of=lambda context: context.tool_use["toolUseId"])
    return tool(name=name, context="tool_context")(function)


def _model(turn: Task) -> Any:
    settings = {"api_key": turn.key, "max_retries": 0}
    if turn.profile == "anthropic":
        from strands.models.anthropic import AnthropicModel

        return AnthropicModel(client_args={**settings, "base_url": turn.base_url}, model_id=turn.model, max_tokens=1024)
    from strands.models.openai import OpenAIModel

    return OpenAIModel(client_args={**settings, "base_url": turn.base_url + "/v1"}, model_id=turn.model)


run.distributions = ("strands-agents",)  # type: ignore[attr-defined]
run.profiles = ("openai", "anthropic")  # type: ignore[attr-defined]

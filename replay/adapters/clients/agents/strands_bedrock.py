"""Strands Agents over Amazon Bedrock: an agent whose tools are recorders; what it runs is what it hands over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from strands import Agent, ToolContext, tool
from strands.models import BedrockModel
from strands.tools.tools import PythonAgentTool
from toolreel_adapters.sdks.bedrock_client import config, session

if TYPE_CHECKING:
    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """One call of an agent, streaming; typed functions, whose arguments are validated before they run."""
    _ask(turn, [_typed(turn, name) for name in turn.tools])


def run_raw(turn: Task) -> None:
    """The same with `PythonAgentTool`, which is given what the model sent."""
    _ask(turn, [_unchecked(turn, name) for name in turn.tools])


def _ask(turn: Task, tools: list[Any]) -> None:
    model = BedrockModel(
        boto_session=session(turn), boto_client_config=config(), endpoint_url=turn.base_url, model_id=turn.model
    )
    Agent(model=model, tools=tools, callback_handler=None, retry_strategy=None)("Use the tools.")


def _typed(turn: Task, name: str) -> Any:
    function = turn.function(name, context=ToolContext, id_of=lambda context: context.tool_use["toolUseId"])
    return tool(name=name, context="tool_context")(function)


def _unchecked(turn: Task, name: str) -> Any:
    def recorder(call: Any, **_: Any) -> Any:
        said = turn.hand_over(call["name"], call["input"], id=call["toolUseId"])
        return {"toolUseId": call["toolUseId"], "status": "success", "content": [{"text": said}]}

    return PythonAgentTool(
        name, {"name": name, "description": name, "inputSchema": {"json": turn.schema(name)}}, recorder
    )


run.distributions = run_raw.distributions = ("strands-agents", "botocore")  # type: ignore[attr-defined]
run.profiles = run_raw.profiles = ("bedrock-converse",)  # type: ignore[attr-defined]

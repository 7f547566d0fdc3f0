"""Strands Agents over Amazon Bedrock: an agent whose tools are recorders; what it runs is what it hands over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from strands import Agent
from strands.models import BedrockModel
from strands.tools.tools import PythonAgentTool
from toolreel_adapters.sdks.bedrock_client import config, session

if TYPE_CHECKING:
    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """One call of an agent, streaming."""
    model = BedrockModel(
        boto_session=session(turn), boto_client_config=config(), endpoint_url=turn.base_url, model_id=turn.model
    )
    agent = Agent(model=model, tools=[_tool(turn, name) for name in turn.tools], callback_handler=None)
    agent("Use the tools.")


def _tool(turn: Task, name: str) -> Any:
    def recorder(call: Any, **_: Any) -> Any:
        said = turn.hand_over(call["name"], call["input"], id=call["toolUseId"])
        return {"toolUseId": call["toolUseId"], "status": "success", "content": [{"text": said}]}

    return PythonAgentTool(
        name, {"name": name, "description": name, "inputSchema": {"json": turn.schema(name)}}, recorder
    )


run.distributions = ("strands-agents", "botocore")  # type: ignore[attr-defined]
run.profiles = ("bedrock-converse",)  # type: ignore[attr-defined]

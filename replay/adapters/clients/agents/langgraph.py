"""LangChain's `create_agent`, a graph of LangGraph: what its tools are run with is what it hands over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.tools import InjectedToolCallId, tool
from langchain_openai import ChatOpenAI

if TYPE_CHECKING:
    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """`agent.stream()`, its messages streamed; typed functions, whose arguments are validated before they run."""
    agent = create_agent(_model(turn), [_tool(turn, name) for name in turn.tools])
    for _ in agent.stream({"messages": turn.messages}, stream_mode="messages"):
        pass


def _model(turn: Task) -> Any:
    if turn.profile == "anthropic":
        return ChatAnthropic(model=turn.model, base_url=turn.base_url, api_key=turn.key, max_retries=0)
    return ChatOpenAI(model=turn.model, base_url=turn.base_url + "/v1", api_key=turn.key, max_retries=0)


def _tool(turn: Task, name: str) -> Any:
    function = turn.function(name, context=Annotated[str, InjectedToolCallId], id_of=lambda identity: identity)
    return tool(name, parse_docstring=False)(function)


run.distributions = ("langchain", "langgraph")  # type: ignore[attr-defined]
run.profiles = ("openai", "anthropic")  # type: ignore[attr-defined]

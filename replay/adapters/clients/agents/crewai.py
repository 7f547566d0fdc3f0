"""CrewAI: what the tools of an agent are run with is what it hands over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crewai import LLM, Agent
from crewai.tools import tool

if TYPE_CHECKING:
    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """`Agent.kickoff()` with a model that streams; typed functions, whose arguments are validated before they run."""
    base_url = turn.base_url + ("/v1" if turn.profile == "openai" else "")
    model = LLM(model=f"{turn.profile}/{turn.model}", base_url=base_url, api_key=turn.key, stream=True, max_retries=0)
    tools = [tool(name)(turn.function(name)) for name in turn.tools]
    agent = Agent(role="recorder", goal="record", backstory="a recorder", llm=model, tools=tools, max_iter=2)
    agent.kickoff("Use the tools.")


run.distributions = ("crewai",)  # type: ignore[attr-defined]
run.profiles = ("openai", "anthropic")  # type: ignore[attr-defined]

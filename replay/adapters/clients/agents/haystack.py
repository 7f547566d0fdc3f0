"""Haystack: what the tools of its agent are run with is what it hands over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import create_tool_from_function
from haystack.utils import Secret

if TYPE_CHECKING:
    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """`Agent.run()` with a callback for what is streamed; typed functions, whose arguments it passes on."""
    generator = OpenAIChatGenerator(
        api_key=Secret.from_token(turn.key), model=turn.model, api_base_url=turn.base_url + "/v1", max_retries=0
    )
    tools = [create_tool_from_function(turn.function(name), name=name) for name in turn.tools]
    agent = Agent(chat_generator=generator, tools=tools, max_agent_steps=2, streaming_callback=_read)
    agent.run(messages=[ChatMessage.from_user("Use the tools.")])


def _read(_: object) -> None:
    """Takes what is streamed."""


run.distributions = ("haystack-ai",)  # type: ignore[attr-defined]
run.profiles = ("openai",)  # type: ignore[attr-defined]

"""The tool runner of Anthropic's Python client: what its tools are run with is what it hands over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anthropic
from anthropic import beta_tool

if TYPE_CHECKING:
    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """`beta.messages.tool_runner(stream=True)`, two rounds; typed functions, whose input is validated."""
    client = anthropic.Anthropic(api_key=turn.key, base_url=turn.base_url, max_retries=0)
    runner = client.beta.messages.tool_runner(
        model=turn.model,
        max_tokens=1024,
        max_iterations=2,
        messages=turn.messages,
        tools=[beta_tool(turn.function(name), name=name) for name in turn.tools],
        stream=True,
    )
    for stream in runner:
        stream.until_done()


run.distributions = ("anthropic",)  # type: ignore[attr-defined]
run.profiles = ("anthropic",)  # type: ignore[attr-defined]

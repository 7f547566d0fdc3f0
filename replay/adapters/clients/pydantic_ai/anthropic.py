"""Pydantic AI over the API of Anthropic: an agent whose tools are recorders; what it runs is what it hands over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anthropic
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

from .agent import ask, typed

if TYPE_CHECKING:
    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """`Agent.run()`, streaming, no retries, over typed functions: it holds arguments against their types."""
    client = anthropic.AsyncAnthropic(api_key=turn.key, base_url=turn.base_url, max_retries=0)
    ask(AnthropicModel(turn.model, provider=AnthropicProvider(anthropic_client=client)), typed(turn))


run.distributions = ("pydantic-ai-slim", "anthropic")  # type: ignore[attr-defined]
run.profiles = ("anthropic",)  # type: ignore[attr-defined]

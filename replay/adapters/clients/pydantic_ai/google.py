"""Pydantic AI over Gemini: an agent whose tools are recorders; what it runs is what it hands over.

Where the stream gives a call no id, the client makes one up; so none is compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic_ai.models.google import GoogleModel
from pydantic_ai.providers.google import GoogleProvider

from .agent import ask, typed_without_ids, unchecked_without_ids

if TYPE_CHECKING:
    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """`Agent.run()`, streaming, no retries, over typed functions: it holds arguments against their types."""
    ask(_model(turn), typed_without_ids(turn))


def run_raw(turn: Task) -> None:
    """The same with `Tool.from_schema`: the schemas go to the model, and no arguments are held against them."""
    ask(_model(turn), unchecked_without_ids(turn))


def _model(turn: Task) -> GoogleModel:
    return GoogleModel(turn.model, provider=GoogleProvider(api_key=turn.key, base_url=turn.base_url))


run.distributions = run_raw.distributions = ("pydantic-ai-slim",)  # type: ignore[attr-defined]
run.profiles = run_raw.profiles = ("gemini",)  # type: ignore[attr-defined]

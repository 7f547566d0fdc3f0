"""Pydantic AI over Amazon Bedrock: an agent whose tools are recorders; what it runs is what it hands over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic_ai.models.bedrock import BedrockConverseModel
from pydantic_ai.providers.bedrock import BedrockProvider
from toolreel_adapters.sdks.bedrock_client import client

from .agent import ask, typed, unchecked

if TYPE_CHECKING:
    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """`Agent.run()`, streaming, no retries, over typed functions: it holds arguments against their types."""
    ask(_model(turn), typed(turn))


def run_raw(turn: Task) -> None:
    """The same with `Tool.from_schema`: the schemas go to the model, and no arguments are held against them."""
    ask(_model(turn), unchecked(turn))


def _model(turn: Task) -> BedrockConverseModel:
    return BedrockConverseModel(turn.model, provider=BedrockProvider(bedrock_client=client(turn)))


run.distributions = run_raw.distributions = ("pydantic-ai-slim", "botocore")  # type: ignore[attr-defined]
run.profiles = run_raw.profiles = ("bedrock-converse",)  # type: ignore[attr-defined]

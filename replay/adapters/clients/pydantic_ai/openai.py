"""Pydantic AI over the APIs of OpenAI: an agent whose tools are recorders; what it runs is what it hands over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import openai
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

from .agent import ask, typed, unchecked

if TYPE_CHECKING:
    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """`Agent.run()`, streaming, no retries, over typed functions: it holds arguments against their types."""
    ask(_model(turn, OpenAIChatModel), typed(turn))


def run_raw(turn: Task) -> None:
    """The same with `Tool.from_schema`: the schemas go to the model, and no arguments are held against them."""
    ask(_model(turn, OpenAIChatModel), unchecked(turn))


def responses(turn: Task) -> None:
    """As `run`, over the Responses API. It knows no custom tools and no namespaces: all are declared as functions."""
    ask(_model(turn, OpenAIResponsesModel), typed(turn))


def responses_raw(turn: Task) -> None:
    """As `run_raw`, over the Responses API."""
    ask(_model(turn, OpenAIResponsesModel), unchecked(turn))


def _model(turn: Task, kind: Any) -> Any:
    client = openai.AsyncOpenAI(api_key=turn.key, base_url=turn.base_url + "/v1", max_retries=0)
    return kind(turn.model, provider=OpenAIProvider(openai_client=client))


for _adapter, _profile in (
    (run, "openai"),
    (run_raw, "openai"),
    (responses, "openai-responses"),
    (responses_raw, "openai-responses"),
):
    _adapter.distributions = ("pydantic-ai-slim",)  # type: ignore[attr-defined]
    _adapter.profiles = (_profile,)  # type: ignore[attr-defined]

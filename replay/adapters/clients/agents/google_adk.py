"""Google's Agent Development Kit over LiteLLM: what its tools are run with is what it hands over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import litellm  # noqa: F401 - ADK imports it with the first turn, which would take longer than a turn may
from google.adk.models.lite_llm import LiteLlm

from .google_adk_agent import ask, typed

if TYPE_CHECKING:
    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """`Runner.run_async()` with `StreamingMode.SSE`; typed functions, of whose arguments it looks for what it lacks."""
    model = LiteLlm(
        model=f"{turn.profile}/{turn.model}",
        api_base=turn.base_url + ("/v1" if turn.profile == "openai" else ""),
        api_key=turn.key,
        num_retries=0,
    )
    ask(model, typed(turn))


run.distributions = ("google-adk", "litellm")  # type: ignore[attr-defined]
run.profiles = ("openai", "anthropic")  # type: ignore[attr-defined]

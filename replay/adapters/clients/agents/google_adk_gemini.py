"""Google's Agent Development Kit over Gemini: what its tools are run with is what it hands over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from google.adk.models import Gemini

from .google_adk_agent import ask, typed_without_ids

if TYPE_CHECKING:
    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """The same as over LiteLLM. Where the stream gives a call no id, ADK makes one up; so none is compared."""
    settings = {"api_key": turn.key, "vertexai": False}
    ask(Gemini(model=turn.model, base_url=turn.base_url, client_kwargs=settings), typed_without_ids(turn))


run.distributions = ("google-adk",)  # type: ignore[attr-defined]
run.profiles = ("gemini",)  # type: ignore[attr-defined]

"""Instructor: the last state of a streamed model, whose fields are those of a tool."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import instructor
import openai
from pydantic import create_model

if TYPE_CHECKING:
    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """`create_partial()` with a model of the first tool, which is the only one that it asks for."""
    client = instructor.from_openai(
        openai.OpenAI(api_key=turn.key, base_url=turn.base_url + "/v1", max_retries=0), mode=instructor.Mode.TOOLS
    )
    name = next(iter(turn.tools))
    states = client.chat.completions.create_partial(
        model=turn.model, messages=turn.messages, response_model=_model(turn, name), max_retries=0
    )
    for last in list(states)[-1:]:
        turn.hand_over(name, last.model_dump(exclude_unset=True))


def _model(turn: Task, name: str) -> Any:
    parameters = inspect.signature(turn.function(name)).parameters.values()
    fields: dict[str, Any] = {
        one.name: (one.annotation, ... if one.default is one.empty else one.default)
        for one in parameters
        if one.kind is not one.VAR_KEYWORD
    }
    return create_model(name, **fields)


run.distributions = ("instructor",)  # type: ignore[attr-defined]
run.profiles = ("openai",)  # type: ignore[attr-defined]

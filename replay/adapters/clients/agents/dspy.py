"""DSPy: the calls of an output field of tool calls, run as applications run them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import dspy

if TYPE_CHECKING:
    from replay.adapters.task import Task


class UseTools(dspy.Signature):  # type: ignore[misc]  # a type of the client
    """Use the tools."""

    question: str = dspy.InputField()
    tools: list[dspy.Tool] = dspy.InputField()
    calls: dspy.ToolCalls = dspy.OutputField()


def run(turn: Task) -> None:
    """`streamify(Predict)` with calls of the API's own; `execute()` of each, which validates arguments by types."""
    asyncio.run(_run(turn))


async def _run(turn: Task) -> None:
    base_url = turn.base_url + "/v1"
    model = dspy.LM(f"openai/{turn.model}", api_base=base_url, api_key=turn.key, cache=False, num_retries=0)
    tools = [dspy.Tool(turn.function(name), name=name) for name in turn.tools]
    with dspy.context(lm=model, adapter=dspy.ChatAdapter(use_native_function_calling=True)):
        predict = dspy.streamify(dspy.Predict(UseTools))
        async for part in predict(question="Use the tools.", tools=tools):
            if isinstance(part, dspy.Prediction):
                for call in part.calls.tool_calls:
                    call.execute(functions={tool.name: tool for tool in tools})


run.distributions = ("dspy", "litellm")  # type: ignore[attr-defined]
run.profiles = ("openai",)  # type: ignore[attr-defined]

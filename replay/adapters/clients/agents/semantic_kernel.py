"""Semantic Kernel: what its functions are run with is what it hands over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import openai
from semantic_kernel import Kernel
from semantic_kernel.connectors.ai import FunctionChoiceBehavior
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion, OpenAIChatPromptExecutionSettings
from semantic_kernel.contents import ChatHistory
from semantic_kernel.functions import kernel_function

if TYPE_CHECKING:
    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """`get_streaming_chat_message_contents()`, functions called by itself; typed, and parsed before they run."""
    asyncio.run(_run(turn))


async def _run(turn: Task) -> None:
    client = openai.AsyncOpenAI(api_key=turn.key, base_url=turn.base_url + "/v1", max_retries=0)
    service = OpenAIChatCompletion(ai_model_id=turn.model, async_client=client)
    kernel = Kernel()
    for name in turn.tools:
        function = kernel_function(turn.function(name), name=name)
        # The model is told of `tools-NAME`; a call that says no plugin is looked for in all of them.
        kernel.add_function("tools", function)
    settings = OpenAIChatPromptExecutionSettings(function_choice_behavior=FunctionChoiceBehavior.Auto())
    history = ChatHistory()
    history.add_user_message("Use the tools.")
    async for _chunk in service.get_streaming_chat_message_contents(history, settings, kernel=kernel):
        pass


run.distributions = ("semantic-kernel",)  # type: ignore[attr-defined]
run.profiles = ("openai",)  # type: ignore[attr-defined]

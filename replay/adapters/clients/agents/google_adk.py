"""Google's Agent Development Kit over LiteLLM: what its tools are run with is what it hands over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import litellm  # noqa: F401 - ADK imports it with the first turn, which would take longer than a turn may
from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner
from google.adk.tools import FunctionTool, ToolContext
from google.genai import types

if TYPE_CHECKING:
    from replay.adapters.task import Task


def run(turn: Task) -> None:
    """`Runner.run_async()` with `StreamingMode.SSE`; typed functions, of whose arguments it looks for what it lacks."""
    asyncio.run(_run(turn))


async def _run(turn: Task) -> None:
    model = LiteLlm(
        model=f"{turn.profile}/{turn.model}",
        api_base=turn.base_url + ("/v1" if turn.profile == "openai" else ""),
        api_key=turn.key,
        num_retries=0,
    )
    tools = [
        FunctionTool(turn.function(name, context=ToolContext, id_of=lambda context: context.function_call_id))
        for name in turn.tools
    ]
    runner = InMemoryRunner(LlmAgent(name="recorder", model=model, tools=tools), app_name="toolreel")
    session = await runner.session_service.create_session(app_name="toolreel", user_id="toolreel")
    async for _event in runner.run_async(
        user_id="toolreel",
        session_id=session.id,
        new_message=types.Content(role="user", parts=[types.Part(text="Use the tools.")]),
        run_config=RunConfig(streaming_mode=StreamingMode.SSE, max_llm_calls=2),
    ):
        pass


run.distributions = ("google-adk", "litellm")  # type: ignore[attr-defined]
run.profiles = ("openai", "anthropic")  # type: ignore[attr-defined]

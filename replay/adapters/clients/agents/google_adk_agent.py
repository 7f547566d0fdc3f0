"""An agent of Google's Agent Development Kit, whichever model it asks; what its tools are run with is handed over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.runners import InMemoryRunner
from google.adk.tools import FunctionTool, ToolContext
from google.genai import types

if TYPE_CHECKING:
    from replay.adapters.task import Task


def ask(model: Any, tools: list[FunctionTool]) -> None:
    """`Runner.run_async()` with `StreamingMode.SSE`."""
    asyncio.run(_run(model, tools))


def typed(turn: Task) -> list[FunctionTool]:
    """The tools as typed functions, of whose arguments ADK looks for what it lacks."""
    return [
        FunctionTool(turn.function(name, context=ToolContext, id_of=lambda context: context.function_call_id))
        for name in turn.tools
    ]


def typed_without_ids(turn: Task) -> list[FunctionTool]:
    """The same, for a stream that gives no ids."""
    return [FunctionTool(turn.function(name)) for name in turn.tools]


async def _run(model: Any, tools: list[FunctionTool]) -> None:
    runner = InMemoryRunner(LlmAgent(name="recorder", model=model, tools=tools), app_name="toolreel")
    session = await runner.session_service.create_session(app_name="toolreel", user_id="toolreel")
    async for _event in runner.run_async(
        user_id="toolreel",
        session_id=session.id,
        new_message=types.Content(role="user", parts=[types.Part(text="Use the tools.")]),
        run_config=RunConfig(streaming_mode=StreamingMode.SSE, max_llm_calls=2),
    ):
        pass

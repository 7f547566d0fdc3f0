"""An agent of Pydantic AI, whichever model it asks, and its tools in both forms."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pydantic_ai import Agent, RunContext, Tool

if TYPE_CHECKING:
    from collections.abc import AsyncIterable

    from replay.adapters.task import Task


def ask(model: Any, tools: list[Any]) -> None:
    """`Agent.run()`, streaming, no retries."""
    agent = Agent(model, tools=tools, retries=0)
    asyncio.run(agent.run("Use the tools.", event_stream_handler=_read))


def typed(turn: Task) -> list[Any]:
    """The tools as typed functions, which is how applications write them."""
    return [
        Tool(turn.function(name, context=RunContext, id_of=lambda context: context.tool_call_id), name=name)
        for name in turn.tools
    ]


def typed_without_ids(turn: Task) -> list[Any]:
    """The same, for a stream that gives no ids."""
    return [Tool(turn.function(name), name=name) for name in turn.tools]


def unchecked(turn: Task) -> list[Any]:
    """The tools by `Tool.from_schema`, which holds no arguments against the schema."""

    def of(name: str) -> Any:
        async def recorder(context: Any, **arguments: Any) -> str:
            return turn.hand_over(name, arguments, id=context.tool_call_id)

        return Tool.from_schema(recorder, name, None, turn.schema(name), takes_ctx=True)

    return [of(name) for name in turn.tools]


def unchecked_without_ids(turn: Task) -> list[Any]:
    """The same, for a stream that gives no ids."""

    def of(name: str) -> Any:
        async def recorder(**arguments: Any) -> str:
            return turn.hand_over(name, arguments)

        return Tool.from_schema(recorder, name, None, turn.schema(name))

    return [of(name) for name in turn.tools]


async def _read(_: Any, events: AsyncIterable[Any]) -> None:
    async for _event in events:
        pass

"""LlamaIndex's model for Anthropic: `stream_chat_with_tools`, the calls of its last response."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llama_index.llms.anthropic import Anthropic

from .tool import tool

if TYPE_CHECKING:
    from replay.adapters.task import Task


def stream(turn: Task) -> None:
    """`get_tool_calls_from_response()` on the last response of the stream. Its tools take any arguments."""
    model = Anthropic(model=turn.model, base_url=turn.base_url, api_key=turn.key, max_retries=0)
    last = None
    for response in model.stream_chat_with_tools(
        [tool(name) for name in turn.tools], user_msg="Use the tools.", allow_parallel_tool_calls=True
    ):
        last = response
    calls = model.get_tool_calls_from_response(last, error_on_no_tool_call=False) if last is not None else ()
    for call in calls:
        turn.hand_over(call.tool_name, call.tool_kwargs, id=call.tool_id)


stream.distributions = ("llama-index-llms-anthropic", "llama-index-core")  # type: ignore[attr-defined]
stream.profiles = ("anthropic",)  # type: ignore[attr-defined]

"""The items of a response, handed over as an application of the Responses API has to read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from replay.adapters.task import Task


def hand_over(turn: Task, items: Iterable[Any]) -> None:
    """The calls among the items. A tool of a namespace is called by its own name, beside that of the namespace."""
    for item in items:
        # LiteLLM leaves an item that it does not know a dictionary.
        members = item if isinstance(item, dict) else dict(item)
        if members.get("type") in ("function_call", "custom_tool_call"):
            name, space = members.get("name"), members.get("namespace")
            text = members.get("arguments" if members["type"] == "function_call" else "input")
            turn.hand_over(f"{space}.{name}" if space and space != name else name, text, id=members.get("call_id"))

"""The items of a response, handed over as an application of the Responses API has to read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .turn import Turn


def hand_over(turn: Turn, items: Iterable[Any]) -> None:
    """The calls among the items. A tool of a namespace is called by its own name, beside that of the namespace."""
    for item in items:
        if item.type in ("function_call", "custom_tool_call"):
            space = getattr(item, "namespace", None)
            name = f"{space}.{item.name}" if space and space != item.name else item.name
            turn.hand_over(name, item.arguments if item.type == "function_call" else item.input, id=item.call_id)

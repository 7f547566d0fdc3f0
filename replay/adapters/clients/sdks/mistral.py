"""The official Python client of Mistral: `chat.stream()`. It assembles nothing, so the fragments are joined here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mistralai.client import Mistral

if TYPE_CHECKING:
    from replay.adapters.task import Task


def stream(turn: Task) -> None:
    """`chat.stream()`, fragments of one index joined as an application must: first id and name, all arguments."""
    calls: dict[tuple[int, int], dict[str, str]] = {}
    client = Mistral(api_key=turn.key, server_url=turn.base_url)
    with client.chat.stream(
        model=turn.model, messages=turn.messages, tools=turn.openai_tools(), retries=None
    ) as events:
        for event in events:
            for choice in event.data.choices:
                for call in choice.delta.tool_calls or ():
                    held = calls.setdefault((choice.index, call.index or 0), {"id": "", "name": "", "arguments": ""})
                    # The API sends "null" for an id that there is none of.
                    held["id"] = held["id"] or ("" if call.id in (None, "null") else call.id)
                    held["name"] = held["name"] or call.function.name
                    text = call.function.arguments
                    held["arguments"] += text if isinstance(text, str) else json.dumps(text)
    for _, held in sorted(calls.items()):
        turn.hand_over(held["name"], held["arguments"], id=held["id"])


stream.distributions = ("mistralai",)  # type: ignore[attr-defined]
stream.profiles = ("mistral",)  # type: ignore[attr-defined]

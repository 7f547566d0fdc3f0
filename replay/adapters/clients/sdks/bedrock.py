"""boto3: `converse_stream()`. The client assembles nothing, so the adapter joins the input of one block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolreel_adapters.sdks.bedrock_client import client

if TYPE_CHECKING:
    from replay.adapters.task import Task


def stream(turn: Task) -> None:
    """What was joined, by the index of its block; "" stands for no arguments."""
    conversation = [{"role": "user", "content": [{"text": turn.messages[0]["content"]}]}]
    asked: dict[str, Any] = {"toolConfig": {"tools": turn.converse_tools()}} if turn.tools else {}
    calls: dict[int, dict[str, Any]] = {}
    for event in client(turn).converse_stream(modelId=turn.model, messages=conversation, **asked)["stream"]:
        if "contentBlockStart" in event:
            call = event["contentBlockStart"]["start"].get("toolUse")
            if call is not None and call.get("type") != "server_tool_use":
                calls[event["contentBlockStart"]["contentBlockIndex"]] = {**call, "input": ""}
        elif "contentBlockDelta" in event:
            grown = event["contentBlockDelta"]
            if "toolUse" in grown["delta"] and grown["contentBlockIndex"] in calls:
                calls[grown["contentBlockIndex"]]["input"] += grown["delta"]["toolUse"]["input"]
    for _, call in sorted(calls.items()):
        turn.hand_over(call.get("name"), call["input"] or "{}", id=call.get("toolUseId"))


stream.distributions = ("boto3", "botocore")  # type: ignore[attr-defined]
stream.profiles = ("bedrock-converse",)  # type: ignore[attr-defined]

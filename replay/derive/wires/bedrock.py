"""ConverseStream of Amazon Bedrock: events with one member each, content blocks as Anthropic has them."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, ClassVar

from .blocks import BlockWire
from .wire import End

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replay.derive.calls import Payload, ToolCall


class BedrockWire(BlockWire):
    """Blocks that start with `toolUse`."""

    unknown: ClassVar[Payload] = {"contentBlockUnknown": {}}
    pings: ClassVar[bool] = False
    counts: ClassVar[bool] = True
    reasons: ClassVar[Mapping[End, str]] = {
        End.CALLS: "tool_use",
        End.TEXT: "end_turn",
        End.LENGTH: "max_tokens",
        End.FILTER: "content_filtered",
    }

    def opens(self, payload: Payload) -> bool:
        used = (payload.get("contentBlockStart") or {}).get("start", {}).get("toolUse")
        return isinstance(used, dict) and used.get("type") in (None, "", "tool_use")

    def ends(self, payload: Payload) -> bool:
        return bool((payload.get("messageStop") or {}).get("stopReason"))

    def begins(self, payload: Payload) -> bool:
        return "messageStart" in payload

    def forms(self, opening: Payload) -> None:
        self.first = opening["contentBlockStart"]["contentBlockIndex"]
        self.used = opening["contentBlockStart"]["start"]["toolUse"]

    def reason(self, payload: Payload, word: str) -> None:
        payload["messageStop"]["stopReason"] = word

    def open(self, slot: object, *, id: str | None, name: str | None, text: str = "") -> list[Payload]:  # noqa: A002
        used = {**copy.deepcopy(self.used), "toolUseId": id, "name": name}
        used = {key: value for key, value in used.items() if value is not None}
        return [_event("contentBlockStart", slot, start={"toolUse": used})] + (self.grow(slot, text) if text else [])

    def grow(self, slot: object, text: str) -> list[Payload]:
        return [_event("contentBlockDelta", slot, delta={"toolUse": {"input": text}})]

    def fragment(self, payload: Payload) -> tuple[dict[str, Any], str] | None:
        used = (payload.get("contentBlockDelta") or {}).get("delta", {}).get("toolUse")
        return None if used is None else (used, "input")

    def shut(self, call: ToolCall) -> list[Payload]:
        return [_event("contentBlockStop", call.slot)]

    def say(self, text: str) -> list[Payload]:
        slot = self.first + 100
        return [_event("contentBlockDelta", slot, delta={"text": text}), _event("contentBlockStop", slot)]

    def usage(self) -> list[Payload]:
        counts = {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}
        return [{"metadata": {"usage": counts, "metrics": {"latencyMs": 0}}}]

    def error(self) -> list[Payload]:
        return [{"throttlingException": {"message": "Too many requests"}}]

    def id_of(self, number: int) -> str:
        return f"tooluse_{number:08d}"


def _event(kind: str, slot: object, **members: object) -> Payload:
    return {kind: {**({} if slot is None else {"contentBlockIndex": slot}), **members}}

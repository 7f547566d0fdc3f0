"""Anthropic's messages: content blocks, each started, filled and stopped."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, ClassVar

from .blocks import BlockWire
from .wire import End

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replay.derive.calls import Payload, ToolCall


class AnthropicWire(BlockWire):
    """Blocks of the type `tool_use`."""

    unknown: ClassVar[Payload] = {"type": "content_block_unknown"}
    reasons: ClassVar[Mapping[End, str]] = {
        End.CALLS: "tool_use",
        End.TEXT: "end_turn",
        End.LENGTH: "max_tokens",
        End.FILTER: "refusal",
    }

    def opens(self, payload: Payload) -> bool:
        return bool(payload.get("type") == "content_block_start" and payload["content_block"]["type"] == "tool_use")

    def ends(self, payload: Payload) -> bool:
        return payload.get("type") == "message_delta" and bool((payload.get("delta") or {}).get("stop_reason"))

    def begins(self, payload: Payload) -> bool:
        return bool(payload.get("type") == "message_start")

    def forms(self, opening: Payload) -> None:
        self.tail = [one for one in self.tail if not str(one.get("type")).startswith("content_block_")]
        for one in self.lead:
            content = (one.get("message") or {}).get("content") or []
            if any(block.get("type") == "tool_use" for block in content):
                one["message"]["content"] = []
        self.first = opening["index"]
        self.block = {**opening["content_block"], "input": {}}

    def reason(self, payload: Payload, word: str) -> None:
        payload["delta"]["stop_reason"] = word

    def open(self, slot: object, *, id: str | None, name: str | None, text: str = "") -> list[Payload]:  # noqa: A002
        block = {**copy.deepcopy(self.block), "id": id, "name": name}
        block = {key: value for key, value in block.items() if value is not None}
        return [_at(slot, {"type": "content_block_start", "content_block": block})] + (
            self.grow(slot, text) if text else []
        )

    def grow(self, slot: object, text: str) -> list[Payload]:
        return [self.delta(slot, {"type": "input_json_delta", "partial_json": text})]

    def delta(self, slot: object, delta: object) -> Payload:
        return _at(slot, {"type": "content_block_delta", "delta": delta})

    def fragment(self, payload: Payload) -> tuple[dict[str, Any], str] | None:
        delta = payload.get("delta") or {}
        return (delta, "partial_json") if delta.get("type") == "input_json_delta" else None

    def shut(self, call: ToolCall) -> list[Payload]:
        return [_at(call.slot, {"type": "content_block_stop"})]

    def say(self, text: str) -> list[Payload]:
        slot = self.text_slot
        return [
            _at(slot, {"type": "content_block_start", "content_block": {"type": "text", "text": ""}}),
            self.delta(slot, {"type": "text_delta", "text": text}),
            _at(slot, {"type": "content_block_stop"}),
        ]

    @property
    def text_slot(self) -> int:
        """The number of a block that no call has."""
        return self.first + 100

    def ping(self) -> list[Payload]:
        return [{"type": "ping"}]

    def error(self) -> list[Payload]:
        return [{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}]

    def id_of(self, number: int) -> str:
        return f"toolu_{number:08d}"


def _at(slot: object, event: Payload) -> Payload:
    return {"type": event["type"], **({} if slot is None else {"index": slot}), **event}

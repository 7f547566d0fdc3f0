"""The second version of Cohere's chat: each call started, filled and ended."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, ClassVar

from .blocks import BlockWire
from .wire import End

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replay.derive.calls import Payload, ToolCall


class CohereWire(BlockWire):
    """Calls between `tool-call-start` and `tool-call-end`."""

    late: ClassVar[bool] = True
    unknown: ClassVar[Payload] = {"type": "tool-call-unknown"}
    pings: ClassVar[bool] = False
    reasons: ClassVar[Mapping[End, str]] = {
        End.CALLS: "TOOL_CALL",
        End.TEXT: "COMPLETE",
        End.LENGTH: "MAX_TOKENS",
        End.FILTER: "ERROR",
    }

    def opens(self, payload: Payload) -> bool:
        return bool(payload.get("type") == "tool-call-start")

    def ends(self, payload: Payload) -> bool:
        return bool(payload.get("type") == "message-end")

    def begins(self, payload: Payload) -> bool:
        return bool(payload.get("type") == "message-start")

    def forms(self, opening: Payload) -> None:
        self.first = opening["index"]
        self.call = opening["delta"]["message"]["tool_calls"]

    def reason(self, payload: Payload, word: str) -> None:
        payload["delta"]["finish_reason"] = word

    def open(self, slot: object, *, id: str | None, name: str | None, text: str = "") -> list[Payload]:  # noqa: A002
        function = {**copy.deepcopy(self.call["function"]), "name": name, "arguments": text}
        said = {**copy.deepcopy(self.call), "id": id, "function": _without_nulls(function)}
        return [_event("tool-call-start", slot, delta={"message": {"tool_calls": _without_nulls(said)}})]

    def grow(self, slot: object, text: str) -> list[Payload]:
        return [self._delta(slot, {"function": {"arguments": text}})]

    def identity(self, slot: int, *, id: str | None = None, name: str | None = None) -> list[Payload]:  # noqa: A002
        said = {"id": id, "function": _without_nulls({"name": name, "arguments": ""})}
        return [self._delta(slot, _without_nulls(said))]

    def _delta(self, slot: object, call: Payload) -> Payload:
        return _event("tool-call-delta", slot, delta={"message": {"tool_calls": call}})

    def fragment(self, payload: Payload) -> tuple[dict[str, Any], str] | None:
        if payload.get("type") != "tool-call-delta":
            return None
        call = payload["delta"]["message"]["tool_calls"]
        return (call["function"], "arguments") if call.keys() == {"function"} else None

    def shut(self, call: ToolCall) -> list[Payload]:
        return [_event("tool-call-end", call.slot)]

    def say(self, text: str) -> list[Payload]:
        return [
            _event("content-start", 0, delta={"message": {"content": {"type": "text", "text": ""}}}),
            _event("content-delta", 0, delta={"message": {"content": {"text": text}}}),
            _event("content-end", 0),
        ]

    def error(self) -> list[Payload]:
        return [{"type": "message-end", "delta": {"error": "overloaded", "finish_reason": "ERROR"}}]


def _event(kind: str, slot: object, **members: object) -> Payload:
    return {"type": kind, **({} if slot is None else {"index": slot}), **members}


def _without_nulls(members: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in members.items() if value is not None}

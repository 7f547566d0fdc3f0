"""OpenAI's Responses API: items of a response, full copies of each text, and numbered events."""

from __future__ import annotations

import copy
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

from .wire import CannotTellError, End, Wire

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from replay.derive.calls import Payload, ToolCall

_ADDED = "response.output_item.added"
_DONE = "response.output_item.done"
_TERMINAL = "response.completed"


def _item(call: ToolCall, **members: object) -> Payload:
    return {"call_id": call.id, "name": call.name, **members}


class ResponsesWire(Wire):
    """Items of the type `function_call`."""

    unknown: ClassVar[Payload] = {"type": "response.unknown"}
    reasons: ClassVar[Mapping[End, str]] = {
        End.CALLS: "completed",
        End.LENGTH: "max_output_tokens",
        End.FILTER: "content_filter",
    }

    def read(self, payloads: list[Payload]) -> None:
        added = [at for at, one in enumerate(payloads) if one.get("type") == _ADDED]
        calls = [at for at in added if str(payloads[at]["item"].get("type")).endswith("_call")]
        starts = [at for at in calls if payloads[at]["item"]["type"] == "function_call"]
        end = next((at for at, one in enumerate(payloads) if one.get("type") == _TERMINAL), None)
        if not starts or end is None:
            raise CannotTellError("no call of a function in a completed response")
        self.lead, self.tail = payloads[: calls[0]], payloads[end:]
        self.first = payloads[starts[0]]["output_index"]
        self.item = {**payloads[starts[0]]["item"], "arguments": ""}
        self.item.pop("namespace", None)
        self.numbers = any("sequence_number" in one for one in payloads)
        listed = (self.tail[0].get("response") or {}).get("output") or []
        self.listed = [one for one in listed if not str(one.get("type")).endswith("_call")]
        self.lists = bool(listed)

    def item_id(self, slot: object) -> str:
        return f"fc_{slot}"

    def item_of(self, slot: object, call_id: str | None, name: str | None, text: str, status: str) -> Payload:
        item = {**copy.deepcopy(self.item), "id": self.item_id(slot), "call_id": call_id, "name": name}
        item |= {"arguments": text, "status": status}
        return {key: value for key, value in item.items() if value is not None}

    def open(self, slot: object, *, id: str | None, name: str | None, text: str = "") -> list[Payload]:  # noqa: A002
        opened = [self.event(_ADDED, slot, item=self.item_of(slot, id, name, "", "in_progress"))]
        return opened + (self.grow(slot, text) if text else [])

    def grow(self, slot: object, text: str) -> list[Payload]:
        members = {"item_id": self.item_id(slot), "delta": text}
        return [self.event("response.function_call_arguments.delta", slot, **members)]

    def fragment(self, payload: Payload) -> tuple[dict[str, Any], str] | None:
        return (payload, "delta") if payload.get("type") == "response.function_call_arguments.delta" else None

    def copied(self, call: ToolCall) -> list[Payload]:
        """The full copy that ends the text."""
        members = {"item_id": self.item_id(call.slot), "arguments": call.text}
        return [self.event("response.function_call_arguments.done", call.slot, **members)]

    def closed(self, call: ToolCall) -> list[Payload]:
        """The end of the item, with its full copy."""
        item = self.item_of(call.slot, call.id or None, call.name or None, call.text, "completed")
        return [self.event(_DONE, call.slot, item=item)]

    def shut(self, call: ToolCall) -> list[Payload]:
        return self.copied(call) + self.closed(call)

    def event(self, kind: str, slot: object, **members: object) -> Payload:
        return {"type": kind, **({} if slot is None else {"output_index": slot}), **members}

    def end(self, calls: Sequence[ToolCall], why: End = End.CALLS) -> list[Payload]:
        found = copy.deepcopy(self.tail)
        response = found[0]["response"]
        items = [self.item_of(call.slot, call.id or None, call.name or None, call.text, "completed") for call in calls]
        response["output"] = (
            [*copy.deepcopy(self.listed), *items] if self.lists and all(call.id for call in calls) else []
        )
        if why is not End.CALLS:
            found[0]["type"] = "response.incomplete"
            response |= {"status": "incomplete", "incomplete_details": {"reason": self.reasons[why]}}
        return found

    def say(self, text: str) -> list[Payload]:
        slot, item_id = self.first + 100, "msg_100"
        item = {"id": item_id, "type": "message", "status": "in_progress", "role": "assistant", "content": []}
        part = {"type": "output_text", "annotations": [], "logprobs": [], "text": ""}
        place = {"item_id": item_id, "content_index": 0}
        whole = {**part, "text": text}
        return [
            self.event(_ADDED, slot, item=item),
            self.event("response.content_part.added", slot, **place, part=part),
            self.event("response.output_text.delta", slot, **place, delta=text, logprobs=[]),
            self.event("response.output_text.done", slot, **place, text=text, logprobs=[]),
            self.event("response.content_part.done", slot, **place, part=whole),
            self.event(_DONE, slot, item={**item, "status": "completed", "content": [whole]}),
        ]

    def ping(self) -> list[Payload]:
        return [{"type": "keepalive"}]

    def error(self) -> list[Payload]:
        return [{"type": "error", "code": "server_error", "message": "overloaded", "param": None}]

    def other_turn(self, call: ToolCall) -> list[Payload]:
        return [copy.deepcopy(one) for one in self.lead if one["type"] == "response.created"][:1]

    def finished(self, payloads: list[Payload]) -> list[Payload]:
        """The events, numbered from 0 if the recording has numbers."""
        if not self.numbers:
            return payloads
        number = count()
        return [{**one, "sequence_number": next(number)} if isinstance(one, dict) else one for one in payloads]

"""Ollama's chat: lines with a message, calls whole in `message.tool_calls`."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, ClassVar

from .objects import ObjectWire
from .wire import CannotTellError, End

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from replay.derive.calls import Payload, ToolCall


class OllamaWire(ObjectWire):
    """Entries of `message.tool_calls`."""

    unknown: ClassVar[Payload] = {"unknown": {}}
    reasons: ClassVar[Mapping[End, str]] = {End.CALLS: "stop", End.LENGTH: "length"}

    def read(self, payloads: list[Payload]) -> None:
        opening = next((at for at, one in enumerate(payloads) if (one.get("message") or {}).get("tool_calls")), None)
        end = next((at for at, one in enumerate(payloads) if one.get("done") is True), None)
        if opening is None or end is None:
            raise CannotTellError("no whole answer with a call")
        self.lead, self.tail = payloads[:opening], payloads[end:]
        self.entry = payloads[opening]["message"]["tool_calls"][0]
        self.shell = {name: payloads[opening][name] for name in ("model", "created_at") if name in payloads[opening]}
        self.tail[0]["message"].pop("tool_calls", None)
        self.has_ids = "id" in self.entry
        self.first = 0

    def line(self, **message: object) -> Payload:
        said = {"role": "assistant", "content": "", **message}
        return {**copy.deepcopy(self.shell), "message": said, "done": False}

    def whole(self, *, id: str | None, name: str, arguments: object) -> list[Payload]:  # noqa: A002
        entry = copy.deepcopy(self.entry)
        if self.has_ids:
            entry["id"] = id
        entry["function"] |= {"name": name, "arguments": arguments}
        return [self.line(tool_calls=[entry])]

    def end(self, calls: Sequence[ToolCall], why: End = End.CALLS) -> list[Payload]:
        found = copy.deepcopy(self.tail)
        found[0]["done_reason"] = self.reasons[why]
        return found

    def say(self, text: str) -> list[Payload]:
        return [self.line(content=text)]

    def ping(self) -> list[Payload]:
        return [self.line()]

    def error(self) -> list[Payload]:
        return [{"error": "an error was encountered while running the model"}]

    def other_turn(self, call: ToolCall) -> list[Payload]:
        return []

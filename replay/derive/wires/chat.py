"""Chat completions, of OpenAI and of Mistral: chunks with choices, calls in `delta.tool_calls`."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, ClassVar

from .wire import CannotTellError, End, Wire

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from replay.derive.calls import Payload, ToolCall


def _entries(choice: Mapping[str, Any]) -> list[Any]:
    delta = choice.get("delta")
    return (delta.get("tool_calls") or []) if isinstance(delta, dict) else []


class ChatWire(Wire):
    """Calls of the first choice that has some."""

    late: ClassVar[bool] = True
    unknown: ClassVar[Payload] = {"object": "chat.completion.delta", "event": "unknown"}
    counts: ClassVar[bool] = True
    reasons: ClassVar[Mapping[End, str]] = {
        End.CALLS: "tool_calls",
        End.TEXT: "stop",
        End.LENGTH: "length",
        End.FILTER: "content_filter",
    }

    def read(self, payloads: list[Payload]) -> None:
        choices = [
            (at, choice) for at, one in enumerate(payloads) for choice in one.get("choices") or () if _entries(choice)
        ]
        if not choices:
            raise CannotTellError("no tool call in a choice")
        self.choice = choices[0][1].get("index", 0)
        self.entry = copy.deepcopy(_entries(choices[0][1])[0])
        if "index" not in self.entry:
            raise CannotTellError("calls without index")
        self.first = self.entry["index"]
        kept = [one for one in payloads if self._of_the_choice(one)]
        opening = next(at for at, one in enumerate(kept) if one.get("choices") and _entries(one["choices"][0]))
        self.shell = {name: value for name, value in kept[opening].items() if name not in ("choices", "usage")}
        chosen = kept[opening]["choices"][0]
        self.chosen = {name: None if name == "logprobs" else value for name, value in chosen.items() if name != "delta"}
        self.chosen["finish_reason"] = None
        end = next(at for at, one in enumerate(kept) if one.get("choices") and one["choices"][0].get("finish_reason"))
        self.lead, self.tail = kept[:opening], kept[end:]
        _without_calls(self.tail[0]["choices"][0])

    def _of_the_choice(self, payload: Payload) -> bool:
        """Whether a chunk is of the told choice alone, after other choices are taken out."""
        if payload.get("choices"):
            payload["choices"] = [one for one in payload["choices"] if one.get("index", 0) == self.choice]
            return bool(payload["choices"]) or bool(payload.get("usage"))
        return True

    def chunk(self, delta: object, **members: object) -> Payload:
        """A chunk of the choice with this delta; `members` are those of the choice."""
        return {**copy.deepcopy(self.shell), "choices": [{**self.chosen, "delta": delta, **members}]}

    def open(self, slot: object, *, id: str | None, name: str | None, text: str = "") -> list[Payload]:  # noqa: A002
        return [self._call(slot, {"id": id, "type": self.entry.get("type", "function")}, name, text)]

    def grow(self, slot: object, text: str) -> list[Payload]:
        return [self._call(slot, {}, None, text)]

    def identity(self, slot: int, *, id: str | None = None, name: str | None = None) -> list[Payload]:  # noqa: A002
        return [self._call(slot, {"id": id}, name, "")]

    def _call(self, slot: object, members: Mapping[str, object], name: str | None, text: str) -> Payload:
        function = {**({} if name is None else {"name": name}), "arguments": text}
        index = {} if slot is None else {"index": slot}
        said = {key: value for key, value in members.items() if value is not None}
        return self.chunk({"tool_calls": [{**index, **said, "function": function}]})

    def end(self, calls: Sequence[ToolCall], why: End = End.CALLS) -> list[Payload]:
        found = copy.deepcopy(self.tail)
        found[0]["choices"][0]["finish_reason"] = self.reasons[why]
        return found

    def say(self, text: str) -> list[Payload]:
        return [self.chunk({"content": text})]

    def ping(self) -> list[Payload]:
        return [self.chunk({})]

    def usage(self) -> list[Payload]:
        counts = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
        return [{**copy.deepcopy(self.shell), "choices": [], "usage": counts}]

    def fragment(self, payload: Payload) -> tuple[dict[str, Any], str] | None:
        entries = _entries(payload["choices"][0]) if payload.get("choices") else []
        if len(entries) == 1 and entries[0].keys() == {"index", "function"}:
            return entries[0]["function"], "arguments"
        return None

    def error(self) -> list[Payload]:
        return [{"error": {"message": "overloaded", "type": "server_error", "code": None}}]

    def other_turn(self, call: ToolCall) -> list[Payload]:
        if not self.shell.get("id"):
            return []
        return [{**one, "id": "chatcmpl-other"} for one in self.grow(call.slot, "")]


def _without_calls(choice: dict[str, Any]) -> None:
    if isinstance(choice.get("delta"), dict):
        choice["delta"].pop("tool_calls", None)

"""streamGenerateContent of Gemini and Vertex AI: calls as parts of a candidate, whole or in pieces by path."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, ClassVar

from .objects import ObjectWire
from .wire import CannotTellError, End

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from replay.derive.calls import Payload, ToolCall


def _parts(payload: Payload) -> list[Any]:
    candidates = payload.get("candidates") or [{}]
    return (candidates[0].get("content") or {}).get("parts") or []


def _reason(payload: Payload) -> object:
    found = (payload.get("candidates") or [{}])[0].get("finishReason")
    return None if found == "FINISH_REASON_UNSPECIFIED" else found


def pieces(value: object, path: str = "$") -> Iterator[Payload]:
    """An object in pieces by path, each text in pieces of one character."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from pieces(inner, f"{path}[{json.dumps(name, ensure_ascii=False)}]")
        if not value and path != "$":
            yield {"jsonPath": path}
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from pieces(inner, f"{path}[{at}]")
        if not value:
            yield {"jsonPath": path + "[]"}
    elif isinstance(value, str):
        *before, last = list(value) or [""]
        yield from ({"jsonPath": path, "stringValue": one, "willContinue": True} for one in before)
        yield {"jsonPath": path, "stringValue": last}
    elif isinstance(value, bool):
        yield {"jsonPath": path, "boolValue": value}
    elif value is None:
        yield {"jsonPath": path, "nullValue": None}
    else:
        yield {"jsonPath": path, "numberValue": value}


def _of_the_first(payload: Payload) -> bool:
    """Whether a chunk says anything of the first candidate, after the others are taken out."""
    if not payload.get("candidates"):
        return True
    payload["candidates"] = [one for one in payload["candidates"] if not one.get("index")]
    return bool(payload["candidates"]) or bool(payload.get("usageMetadata"))


class GeminiWire(ObjectWire):
    """Parts with a `functionCall`."""

    unknown: ClassVar[Payload] = {"unknown": {}}
    counts: ClassVar[bool] = True
    reasons: ClassVar[Mapping[End, str]] = {
        End.CALLS: "STOP",
        End.LENGTH: "MAX_TOKENS",
        End.FILTER: "SAFETY",
    }

    def read(self, payloads: list[Payload]) -> None:
        payloads = [one for one in payloads if _of_the_first(one)]
        opening = next((at for at, one in enumerate(payloads) if any("functionCall" in p for p in _parts(one))), None)
        end = next((at for at, one in enumerate(payloads) if _reason(one)), None)
        if opening is None or end is None:
            raise CannotTellError("no whole candidate with a call")
        self.lead, self.tail = payloads[:opening], payloads[end:]
        self.shell = {
            name: one for name, one in payloads[opening].items() if name not in ("candidates", "usageMetadata")
        }
        self.has_ids = any("id" in p.get("functionCall", {}) for one in payloads for p in _parts(one))
        for one in self.tail:
            if _parts(one):
                content = one["candidates"][0]["content"]
                content["parts"] = [p for p in content["parts"] if "functionCall" not in p] or [{"text": ""}]
        self.first = 0

    def chunk(self, *parts: object) -> Payload:
        candidate = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
        return {**copy.deepcopy(self.shell), "candidates": [candidate]}

    def part(self, **members: object) -> Payload:
        """A chunk with one part of a call."""
        return self.chunk({"functionCall": {key: value for key, value in members.items() if value is not None}})

    def whole(self, *, id: str | None, name: str, arguments: object) -> list[Payload]:  # noqa: A002
        return [self.part(id=id if self.has_ids else None, name=name, args=arguments)]

    def by_path(self, call: ToolCall) -> list[Payload]:
        """The call in pieces by path, as Vertex streams it."""
        made = [self.part(name=call.name, willContinue=True)]
        made += [self.part(partialArgs=[piece], willContinue=True) for piece in pieces(json.loads(call.text))]
        return [*made, self.part()]

    @staticmethod
    def pieces_of(payload: Payload) -> list[Payload]:
        """The pieces by path in a chunk."""
        found: list[Payload] = [
            piece for part in _parts(payload) for piece in part.get("functionCall", {}).get("partialArgs", ())
        ]
        return found

    def end(self, calls: Sequence[ToolCall], why: End = End.CALLS) -> list[Payload]:
        found = copy.deepcopy(self.tail)
        found[0]["candidates"][0]["finishReason"] = self.reasons[why]
        return found

    def say(self, text: str) -> list[Payload]:
        return [self.chunk({"text": text})]

    def ping(self) -> list[Payload]:
        return [self.chunk({"text": ""})]

    def usage(self) -> list[Payload]:
        counts = {"promptTokenCount": 0, "candidatesTokenCount": 0, "totalTokenCount": 0}
        return [{**copy.deepcopy(self.shell), "usageMetadata": counts}]

    def error(self) -> list[Payload]:
        return [{"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}]

    def other_turn(self, call: ToolCall) -> list[Payload]:
        found = self.chunk({"text": ""})
        return [{**found, "responseId": "other"}] if self.shell.get("responseId") else []

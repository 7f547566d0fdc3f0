"""What Gemini and Ollama have in common: a call comes whole, its arguments as an object."""

from __future__ import annotations

import json
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from .wire import Wire

if TYPE_CHECKING:
    from collections.abc import Iterable

    from replay.derive.calls import Payload, ToolCall


class ObjectWire(Wire):
    """A wire on which arguments are no text."""

    texts: ClassVar[bool] = False

    @abstractmethod
    def whole(self, *, id: str | None, name: str, arguments: object) -> list[Payload]:  # noqa: A002
        """A call with these arguments."""

    def open(self, slot: object, *, id: str | None, name: str | None, text: str = "") -> list[Payload]:  # noqa: A002
        del slot
        return self.whole(id=id, name=name or "", arguments=json.loads(text or "{}"))

    def told(self, call: ToolCall, pieces: Iterable[str]) -> list[Payload]:
        del pieces
        return self.open(call.slot, id=call.id, name=call.name, text=call.text)

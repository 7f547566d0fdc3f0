"""What every wire can do: tell a call in its parts, and the beginning and the end around calls."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from enum import Enum, unique
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from replay.derive.calls import Payload, ToolCall


class CannotTellError(Exception):
    """A recording whose calls have no form that can be told again; the text says what is missing."""


@unique
class End(Enum):
    """Why a message ends, by what it means; each family has its own word."""

    CALLS = "for its calls"
    TEXT = "as text ends"
    LENGTH = "at the length limit"
    FILTER = "by a content filter"


class Wire(ABC):
    """One family's way of telling a turn.

    `lead` are the payloads before the first call, `first` the number of the slot of the first call.
    """

    reasons: ClassVar[Mapping[End, str]]
    # What a wire of texts has and a wire of objects has not: fragments, each with the number of its slot.
    texts: ClassVar[bool] = True
    # A payload of a kind that nobody knows.
    unknown: ClassVar[Payload]
    # Whether ids and names may come with any fragment.
    late: ClassVar[bool] = False
    # Whether the family has payloads that say nothing, and such as count tokens before the end.
    pings: ClassVar[bool] = True
    counts: ClassVar[bool] = False

    lead: list[Payload]
    tail: list[Payload]
    first: int
    choice: int = 0  # that has the calls
    has_ids: bool = True  # whether calls have ids at all

    def __init__(self, payloads: Sequence[Payload]) -> None:
        """Read the forms of a healthy turn; `CannotTellError` where it has none that can be told again."""
        self.lead, self.tail, self.first = [], [], 0
        self.read(copy.deepcopy(list(payloads)))

    @abstractmethod
    def read(self, payloads: list[Payload]) -> None:
        """Divide the payloads: lead, forms of a call, end and tail."""

    @abstractmethod
    def open(self, slot: object, *, id: str | None, name: str | None, text: str = "") -> list[Payload]:  # noqa: A002
        """A call begins. An id or name that is None is left out."""

    def grow(self, slot: object, text: str) -> list[Payload]:
        """One fragment of the arguments."""
        raise NotImplementedError

    def shut(self, call: ToolCall) -> list[Payload]:
        """The call ends, where it does so by itself."""
        del call
        return []

    @abstractmethod
    def end(self, calls: Sequence[ToolCall], why: End = End.CALLS) -> list[Payload]:
        """The message ends, after these calls."""

    @abstractmethod
    def say(self, text: str) -> list[Payload]:
        """A piece of answer text."""

    def ping(self) -> list[Payload]:
        """A payload that says nothing, as the family keeps a connection alive; [] where it has none."""
        return []

    def usage(self) -> list[Payload]:
        """A payload that counts tokens and is legal before the end; [] where the family has none."""
        return []

    def identity(self, slot: int, *, id: str | None = None, name: str | None = None) -> list[Payload]:  # noqa: A002
        """A fragment without text that says an id or a name. Only where `late`."""
        raise NotImplementedError

    @abstractmethod
    def error(self) -> list[Payload]:
        """The provider fails in the middle of the stream."""

    @abstractmethod
    def other_turn(self, call: ToolCall) -> list[Payload]:
        """A payload of another response, while `call` is open; [] where nothing tells responses apart."""

    def fragment(self, payload: Payload) -> tuple[dict[str, Any], str] | None:
        """Where a payload has a fragment and nothing else of the call: what holds it, and the member."""
        del payload
        return None

    def id_of(self, number: int) -> str:
        """The id of a call that was not recorded, in the family's form."""
        return f"call_{number:08d}"

    def finished(self, payloads: list[Payload]) -> list[Payload]:
        """The payloads as they are sent: with numbers, where the family numbers them."""
        return payloads

    def told(self, call: ToolCall, pieces: Iterable[str]) -> list[Payload]:
        """A whole call in these fragments."""
        found = self.open(call.slot, id=call.id, name=call.name)
        for piece in pieces:
            found += self.grow(call.slot, piece)
        return found + self.shut(call)

    def turn(self, *calls: Sequence[Payload], after: Sequence[ToolCall], why: End = End.CALLS) -> list[Payload]:
        """A whole message around payloads of calls."""
        return [*copy.deepcopy(self.lead), *(payload for one in calls for payload in one), *self.end(after, why)]

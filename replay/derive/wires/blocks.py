"""What families have in common that tell a message block by block: a lead, a form of each part of a call, an end."""

from __future__ import annotations

import copy
from abc import abstractmethod
from typing import TYPE_CHECKING

from .wire import CannotTellError, End, Wire

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replay.derive.calls import Payload, ToolCall


class BlockWire(Wire):
    """A message of blocks: the end of the message stands first in `tail`."""

    def read(self, payloads: list[Payload]) -> None:
        opening = next((at for at, one in enumerate(payloads) if self.opens(one)), None)
        end = next((at for at, one in enumerate(payloads) if self.ends(one)), None)
        if opening is None or end is None or end < opening:
            raise CannotTellError("no tool call between the start and the end of the message")
        self.lead, self.tail = payloads[:opening], payloads[end:]
        self.forms(payloads[opening])

    @abstractmethod
    def opens(self, payload: Payload) -> bool:
        """Whether this payload begins a call of the client's."""

    @abstractmethod
    def ends(self, payload: Payload) -> bool:
        """Whether this payload gives the reason for which the message ends."""

    @abstractmethod
    def forms(self, opening: Payload) -> None:
        """Take the number of the first slot, and the form of a start, from the recorded one."""

    @abstractmethod
    def reason(self, payload: Payload, word: str) -> None:
        """Let the end of the message give this reason."""

    def end(self, calls: Sequence[ToolCall], why: End = End.CALLS) -> list[Payload]:
        found = copy.deepcopy(self.tail)
        self.reason(found[0], self.reasons[why])
        return found

    def other_turn(self, call: ToolCall) -> list[Payload]:
        return copy.deepcopy(self.beginning())

    def beginning(self) -> list[Payload]:
        """The start of the message, as it was recorded; [] where the recording has none."""
        return [one for one in self.lead if self.begins(one)][:1]

    @abstractmethod
    def begins(self, payload: Payload) -> bool:
        """Whether this payload is the start of the message."""

"""Anthropic's messages: the words of its blocks, and the short cut for the pieces of its blocks."""

from typing import ClassVar, Final

from replay.validator.profiles._dialect import Dialect
from replay.validator.profiles._readers.blocks import DELTAS, INPUT_DELTA, TAKEOVERS, TOOL_USE, read_event
from replay.validator.profiles.blocks import BlockProtocol

DIALECT: Final = Dialect(
    read=read_event,
    call=TOOL_USE,
    fits=DELTAS,
    takeovers=TAKEOVERS,
    complete=TOOL_USE,
    claims=frozenset({TOOL_USE}),
    start_path=("content_block", "input"),
    fragment_path=("delta", "partial_json"),
    index="index",
    block_stop="content_block_stop",
    message_start="message_start",
    message_stop="message_stop",
)


class AnthropicProtocol(BlockProtocol):
    """The state of one turn of the family `anthropic`."""

    dialect: ClassVar[Dialect] = DIALECT

    def take(self, payload: object, event: int) -> None:
        """Take one payload: at once if it is one more piece of an open block, as most are, else whole.

        A fragment goes to the slot of its call; a piece of text or reasoning says nothing of calls.
        """
        slot = None
        try:
            if payload["type"] == "content_block_delta" and "error" not in payload:  # type: ignore[index,operator]
                delta, index = payload["delta"], payload["index"]  # type: ignore[index]
                kind = delta["type"]
                fragment = delta["partial_json"] if kind == INPUT_DELTA else ""
                if type(index) is int and type(fragment) is str:
                    if self._others.get(index) in DELTAS[kind]:
                        return
                    slot = self._open[index] if kind == INPUT_DELTA else None
        except Exception:  # of whatever kind the payload raises: then it is no object of JSON
            slot = None
        if slot is not None:
            self._slots.append(slot, fragment, event)
        else:
            self.take_whole(payload, event)

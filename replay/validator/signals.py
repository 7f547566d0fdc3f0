"""What a payload can say, free of any provider's spelling. Tuples of values: they are made for every payload."""

from enum import Enum, unique
from typing import NamedTuple

from replay.validator.codes import Code


class Fault(NamedTuple):
    """A payload of which nothing is taken: one finding instead, at the narrowest place known."""

    code: Code
    message: str
    choice: int | None = None
    slot: int | None = None


# One family: chunks with choices, whose finish reason is the terminal of all their slots.


class ToolDelta(NamedTuple):
    """One entry of a choice's tool calls. None and "" are "not provided"; an absent fragment is None."""

    slot: int | None
    id: str | None
    name: str | None
    fragment: str | None
    is_function: bool


@unique
class Stray(Enum):
    """Tool calls of a choice outside its delta's own list of them."""

    NONE = 0
    MIRROR = 1  # in `message` alone, equal to those of the delta
    OTHER = 2


class ChoicePart(NamedTuple):
    """What one chunk says about one choice; `silent`: nothing at all, neither a reason nor anything in its delta."""

    choice: int
    stray: Stray
    deltas: tuple[ToolDelta, ...]
    finish: str | None
    silent: bool


class Chunk(NamedTuple):
    """One chunk; `parts` is None where it has no choices and needs some."""

    id: str | None
    stray: Stray
    parts: tuple[ChoicePart, ...] | None


# The other family: events of one message, whose blocks start, grow and stop one by one.


class BlockStart(NamedTuple):
    """A block begins. `id`, `name` and `text` are read on tool calls only; `text`: an input that is there already."""

    slot: int | None
    kind: str
    id: str | None
    name: str | None
    text: str | None


class MessageStart(NamedTuple):
    """The message begins: the blocks that are in it whole, and the reason it stopped for, None where it gives none."""

    blocks: tuple[BlockStart, ...]
    reason: str | None


class BlockDelta(NamedTuple):
    """A piece of a block; a fragment where it is one of a tool call's input."""

    slot: int | None
    kind: str
    fragment: str | None


class BlockStop(NamedTuple):
    """A block is whole."""

    slot: int | None


class MessageDelta(NamedTuple):
    """The message's own state; the reason it stopped for, None where it gives none."""

    reason: str | None


class MessageStop(NamedTuple):
    """The message is whole."""


class Ping(NamedTuple):
    """Nothing, kept alive."""


class Unknown(NamedTuple):
    """An event that the profile does not know."""


BlockEvent = MessageStart | BlockStart | BlockDelta | BlockStop | MessageDelta | MessageStop | Ping | Unknown

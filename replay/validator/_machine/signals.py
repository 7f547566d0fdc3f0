"""Signals: what a payload can say, free of any provider's spelling.

The reader of a wire family makes them, and its machine takes them. They are tuples and no dataclasses, since one or
more are made for nearly every payload.
"""

from enum import Enum, unique
from typing import NamedTuple

from replay.validator._messages import Reason
from replay.validator.codes import Code
from replay.validator.findings import Place
from replay.validator.paths import Piece


class PayloadFinding(NamedTuple):
    """A payload that is a finding as a whole: nothing in it is taken, whatever else it says.

    Example: `{"choices": "x"}` is `malformed_event`, "`choices` must be an array". `choice` and `slot` are those of the
    narrowest place known; the event is known to who reads the payload.
    """

    code: Code
    message: str
    choice: int | None = None
    slot: int | None = None

    def place(self, event: int) -> Place:
        """Where the finding stands, once the event is known."""
        return Place(self.choice, self.slot, event)


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

    def carries_delta(self) -> bool:
        """Whether any of its choices has a tool delta."""
        return any(part.deltas for part in self.parts or ())


# The other family: events of one message, whose blocks start, grow and stop one by one.


class BlockStart(NamedTuple):
    """A block begins. All beside slot and kind is read on tool calls only.

    `text` is an input that is there already, whole, `fragment` the first piece of one. `unsupported` is the reason why
    no such block may begin.
    """

    slot: int | None
    kind: str
    id: str | None = None
    name: str | None = None
    text: str | None = None
    fragment: str | None = None
    unsupported: Reason | None = None

    def says_the_same(self, other: "BlockStart") -> bool:
        """Whether both begin the same block: of one kind, with one id and one name."""
        return self[:4] == other[:4]


class MessageStart(NamedTuple):
    """The message begins: the blocks that are in it whole, and the reason it stopped for, None where it gives none.

    `lists_calls`: it has calls where none may stand.
    """

    blocks: tuple[BlockStart, ...] = ()
    reason: str | None = None
    lists_calls: bool = False


class BlockDelta(NamedTuple):
    """A piece of a block. A fragment, where it is one of a tool call's input; an id and a name, where it has them."""

    slot: int | None
    kind: str
    fragment: str | None = None
    id: str | None = None
    name: str | None = None


class BlockStop(NamedTuple):
    """A block is whole."""

    slot: int | None


class MessageDelta(NamedTuple):
    """The message's own state; the reason it stopped for, None where it gives none."""

    reason: str | None


class MessageStop(NamedTuple):
    """The message is whole."""


class MessageEnd(NamedTuple):
    """The message is whole, and says what it stopped for, None where it gives no reason: two signals in one."""

    reason: str | None


class Ping(NamedTuple):
    """Nothing: something that keeps the connection alive, or that is not looked into."""


class Unknown(NamedTuple):
    """An event that the profile does not know."""


BlockEvent = (
    MessageStart | BlockStart | BlockDelta | BlockStop | MessageDelta | MessageStop | MessageEnd | Ping | Unknown
)


# The third family: events of one response, whose items begin, grow and end one by one and come again as full copies.


@unique
class Role(Enum):
    """What an item of a response is to the one who executes calls."""

    CALL = 0  # a client's call: it has a slot
    BUILT_IN = 1  # a call that the client runs, and that no schema of the request describes
    INERT = 2
    TAKEOVER = 3  # another context took over
    UNKNOWN = 4


class Item(NamedTuple):
    """One item of a response. All beside type and role is read on calls only; `finished`: its status says no less."""

    type: str
    role: Role
    id: str | None = None
    call_id: str | None = None
    name: str | None = None
    text: str | None = None
    finished: bool = True


class ItemStart(NamedTuple):
    """An item begins."""

    slot: int | None
    item: Item


class ItemEnd(NamedTuple):
    """An item is whole, and comes again with all it has."""

    slot: int | None
    item: Item


class TextDelta(NamedTuple):
    """A fragment of a call's text; `type` is that of the items whose text it can be."""

    slot: int | None
    type: str
    item_id: str | None
    fragment: str


class TextEnd(NamedTuple):
    """A call's text is whole; it comes again, or is None."""

    slot: int | None
    type: str
    item_id: str | None
    text: str | None


class Aside(NamedTuple):
    """A piece of an item that is no call."""

    slot: int | None


@unique
class Stage(Enum):
    """Where a response stands."""

    CREATED = 0
    RUNNING = 1
    COMPLETED = 2
    INCOMPLETE = 3


class Lifecycle(NamedTuple):
    """The response as it stands, with the items that it lists."""

    stage: Stage
    id: str | None
    items: tuple[Item, ...]


ResponseEvent = Lifecycle | ItemStart | ItemEnd | TextDelta | TextEnd | Aside | Ping | Unknown


class Numbered(NamedTuple):
    """What a payload says, and its number in the sequence, which counts even where the payload is a finding."""

    number: int | None
    signal: ResponseEvent | PayloadFinding


# The fourth family: chunks whose calls come as objects, each a call of its own.


class ObjectCall(NamedTuple):
    """A call, or what goes on with the last one where it has no name; `text`: its whole object, printed.

    `value` is the object as parsing the text would give it, None where that is not known.
    """

    starts: bool
    id: str | None
    name: str | None
    text: str | None
    pieces: tuple[Piece, ...]
    goes_on: bool
    path: tuple[str | int, ...]  # to the object
    pieces_path: tuple[str | int, ...] = ()  # to the list of the pieces
    value: object = None
    is_function: bool = True


class ObjectPart(NamedTuple):
    """One part of a choice: a call, another kind of call, or both."""

    call: ObjectCall | None
    other_call: bool


@unique
class Ending(Enum):
    """What the reason of a choice says of its calls."""

    COMPLETE = 0  # they are whole, if there are any
    CLAIMS_CALL = 1  # there is one, and it is broken
    OTHER = 2


class ObjectChoice(NamedTuple):
    """What one chunk says about one choice; `reason` is a word that is equal for equal reasons."""

    choice: int
    parts: tuple[ObjectPart, ...]
    reason: str | None
    ending: Ending


class ObjectChunk(NamedTuple):
    """One chunk; `choices` is None where it says nothing that a chunk says."""

    id: str | None
    choices: tuple[ObjectChoice, ...] | None

    def carries_call(self) -> bool:
        """Whether it has a call, or a part of one."""
        return any(part.call is not None for choice in self.choices or () for part in choice.parts)

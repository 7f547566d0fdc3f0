"""Signals: what a payload can say, free of any provider's spelling.

The reader of a wire family makes them, and its machine takes them and changes none. They are not frozen all the same:
one or more are made for nearly every payload, and a frozen one takes five times as long to make.
"""

from dataclasses import dataclass
from enum import Enum, unique
from typing import Any

from replay.validator._messages import Reason
from replay.validator.codes import Code
from replay.validator.findings import Place
from replay.validator.paths import Piece


@dataclass(slots=True)
class PayloadFinding:
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


@dataclass(slots=True)
class ToolDelta:
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


@dataclass(slots=True)
class ChoicePart:
    """What one chunk says about one choice; `silent`: nothing at all, neither a reason nor anything in its delta."""

    choice: int
    stray: Stray
    deltas: tuple[ToolDelta, ...]
    finish: str | None
    silent: bool


@dataclass(slots=True)
class Chunk:
    """One chunk; `parts` is None where it has no choices and needs some."""

    id: str | None
    stray: Stray
    parts: tuple[ChoicePart, ...] | None

    def carries_delta(self) -> bool:
        """Whether any of its choices has a tool delta."""
        return any(part.deltas for part in self.parts or ())

    def carries_nothing(self) -> bool:
        """Whether it says nothing at all of any choice."""
        return all(part.silent for part in self.parts or ())


# The other family: events of one message, whose blocks start, grow and stop one by one.


@dataclass(slots=True)
class BlockStart:
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
        return (self.kind, self.id, self.name) == (other.kind, other.id, other.name)


@dataclass(slots=True)
class MessageStart:
    """The message begins: the blocks that are in it whole, and the reason it stopped for, None where it gives none.

    `lists_calls`: it has calls where none may stand.
    """

    blocks: tuple[BlockStart, ...] = ()
    reason: str | None = None
    lists_calls: bool = False


@dataclass(slots=True)
class BlockDelta:
    """A piece of a block. A fragment, where it is one of a tool call's input; an id and a name, where it has them."""

    slot: int | None
    kind: str
    fragment: str | None = None
    id: str | None = None
    name: str | None = None


@dataclass(slots=True)
class BlockStop:
    """A block is whole."""

    slot: int | None


@dataclass(slots=True)
class MessageDelta:
    """The message's own state; the reason it stopped for, None where it gives none."""

    reason: str | None


@dataclass(slots=True)
class MessageStop:
    """The message is whole."""


@dataclass(slots=True)
class MessageEnd:
    """The message is whole, and says what it stopped for, None where it gives no reason: two signals in one."""

    reason: str | None


@dataclass(slots=True)
class Ping:
    """Nothing: something that keeps the connection alive, or that is not looked into."""


@dataclass(slots=True)
class Unknown:
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


@dataclass(slots=True)
class Item:
    """One item of a response. All beside type and role is read on calls only; `finished`: its status says no less."""

    type: str
    role: Role
    id: str | None = None
    call_id: str | None = None
    name: str | None = None
    text: str | None = None
    finished: bool = True


@dataclass(slots=True)
class ItemStart:
    """An item begins."""

    slot: int | None
    item: Item


@dataclass(slots=True)
class ItemEnd:
    """An item is whole, and comes again with all it has."""

    slot: int | None
    item: Item


@dataclass(slots=True)
class TextDelta:
    """A fragment of a call's text; `type` is that of the items whose text it can be."""

    slot: int | None
    type: str
    item_id: str | None
    fragment: str


@dataclass(slots=True)
class TextEnd:
    """A call's text is whole; it comes again, or is None."""

    slot: int | None
    type: str
    item_id: str | None
    text: str | None


@dataclass(slots=True)
class Aside:
    """A piece of an item that is no call."""

    slot: int | None


@unique
class Stage(Enum):
    """Where a response stands."""

    CREATED = 0
    RUNNING = 1
    COMPLETED = 2
    INCOMPLETE = 3


@dataclass(slots=True)
class Lifecycle:
    """The response as it stands, with the items that it lists."""

    stage: Stage
    id: str | None
    items: tuple[Item, ...]


ResponseEvent = Lifecycle | ItemStart | ItemEnd | TextDelta | TextEnd | Aside | Ping | Unknown


# The fourth family: chunks whose calls come as objects, each a call of its own.


@dataclass(slots=True)
class ObjectCall:
    """A call, or what goes on with the last one where it has no name; `text`: its whole object, printed.

    `value` is the object as parsing the text would give it, None where that is not known.
    """

    starts: bool
    id: str | None
    name: str | None
    text: str | None
    pieces: tuple[Piece, ...]
    goes_on: bool
    path: tuple[str | int, ...]  # to what has the object, and the pieces
    member: str  # of that: the object
    value: Any = None  # the name of `object` is one that mypyc does not find here
    is_function: bool = True


@dataclass(slots=True)
class OtherCall:
    """A kind of call that is not known, or not for the client to make."""


@unique
class Ending(Enum):
    """What the reason of a choice says of its calls."""

    COMPLETE = 0  # they are whole, if there are any
    CLAIMS_CALL = 1  # there is one, and it is broken
    OTHER = 2


@dataclass(slots=True)
class ObjectChoice:
    """What one chunk says about one choice; `reason` is a word that is equal for equal reasons."""

    choice: int
    calls: tuple[ObjectCall | OtherCall, ...]
    reason: str | None
    ending: Ending


@dataclass(slots=True)
class ObjectChunk:
    """One chunk; `choices` is None where it says nothing that a chunk says."""

    id: str | None
    choices: tuple[ObjectChoice, ...] | None

    def carries_call(self) -> bool:
        """Whether it has a call, or a part of one."""
        return any(isinstance(call, ObjectCall) for choice in self.choices or () for call in choice.calls)

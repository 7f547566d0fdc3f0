"""What a kind is: a name, a sentence, the families that have it, and what it makes of a recording."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from replay.derive.wires import WIRES
from replay.derive.wires.anthropic import AnthropicWire
from replay.derive.wires.blocks import BlockWire
from replay.derive.wires.chat import ChatWire
from replay.derive.wires.cohere import CohereWire
from replay.derive.wires.gemini import GeminiWire
from replay.derive.wires.objects import ObjectWire
from replay.derive.wires.ollama import OllamaWire
from replay.derive.wires.responses import ResponsesWire
from replay.derive.wires.wire import Wire
from replay.families import FAMILIES
from replay.validator import Code, Status
from replay.wire.sse import SSE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from replay.derive.calls import Payload, ToolCall
    from replay.derive.recording import Recording


def _of(*kinds: type[Any]) -> frozenset[str]:
    """The families with one of these wires."""
    return frozenset(name for name, wire in WIRES.items() if issubclass(wire, kinds))


ALL: Final = frozenset(WIRES)
OBJECTS: Final = _of(ObjectWire)
TEXTS: Final = ALL - OBJECTS
LATE: Final = frozenset(name for name, wire in WIRES.items() if wire.late)
PINGED: Final = frozenset(name for name, wire in WIRES.items() if wire.pings)
COUNTED: Final = frozenset(name for name, wire in WIRES.items() if wire.counts)
COMMENTED: Final = frozenset(name for name in WIRES if FAMILIES[name].framing is SSE)
MARKED: Final = COMMENTED & TEXTS
CHAT: Final = _of(ChatWire)
RESPONSES: Final = _of(ResponsesWire)
ANTHROPIC: Final = _of(AnthropicWire)
COHERE: Final = _of(CohereWire)
GEMINI: Final = _of(GeminiWire)
OLLAMA: Final = _of(OllamaWire)
# Families of blocks whose calls have no full copies; and all whose calls end by themselves.
PLAIN_BLOCKS: Final = _of(BlockWire)
BLOCKS: Final = PLAIN_BLOCKS | RESPONSES


class NotInThisError(Exception):
    """A recording that cannot have a kind, since of its tools none has what it takes; the text says what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A finding that the verdict must have, by the rules. `event` is None at the end of the stream."""

    code: Code
    choice: int | None = 0
    slot: int | None = None
    event: int | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A turn of a kind: its payloads, and all findings that its verdict must have; none where it is a legal twin.

    `numbered` is false where the kind itself says which number an event has. The rest stands where the
    turn has other than its recording: tools, what the request said, how the stream ended, what the wire did.
    """

    payloads: list[Payload] = field(repr=False)
    expected: tuple[Expected, ...] = ()
    status: Status | None = None
    numbered: bool = True
    schemas: Mapping[str, Any] | None = field(default=None, repr=False)
    tool_choice: str | None = None
    parallel: bool | None = None
    stream_end: str | None = None
    comments: tuple[int, ...] = ()  # the events before which a comment stands

    @property
    def verdict(self) -> Status:
        """The status that follows from what is expected."""
        return self.status or (Status.BLOCKED if self.expected else Status.PASS)


W = TypeVar("W", bound=Wire)
Make: TypeAlias = Callable[["Recording"], Made]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One way in which a turn can differ from a healthy one. `does` is a sentence for people."""

    name: str
    does: str
    of: frozenset[str]
    make: Make = field(repr=False)


def wire_of(one: Recording, kind: type[W]) -> W:
    """The wire of a recording whose family is known to have this one."""
    assert isinstance(one.wire, kind), "the kind is of this family alone"
    return one.wire


def at_slot(one: Recording, code: Code, call: ToolCall, event: int | None = None, path: str | None = None) -> Expected:
    """A finding on the slot of a call. In families that number calls by themselves the first call is 0."""
    return Expected(code=code, choice=one.wire.choice, slot=call.slot, event=event, path=path)


def at_choice(one: Recording, code: Code, event: int | None = None) -> Expected:
    """A finding on the choice that has the calls."""
    return Expected(code=code, choice=one.wire.choice, event=event)


def at_turn(code: Code, event: int | None = None) -> Expected:
    """A finding on the whole turn."""
    return Expected(code=code, choice=None, event=event)


def broken(payloads: Sequence[Payload], *expected: Expected, **more: Any) -> Made:
    """A turn with these findings."""
    return Made(payloads=list(payloads), expected=expected, **more)


def alone(one: Recording, payloads: Sequence[Payload], call: ToolCall | None = None) -> list[Payload]:
    """A turn whose one call is told by these payloads."""
    return one.turn(payloads, after=(call or one.first,))


def before_call(one: Recording) -> int:
    """The number of the event with which the first call begins."""
    return len(one.wire.lead)


def with_arguments(one: Recording, text: str) -> ToolCall:
    """The first call with other arguments."""
    return replace(one.first, text=text)

"""What a turn tells a listener: each piece of a call's text, where it stands in its payload, and what became of it.

The machine of a turn decides to which call a text belongs and when a call is over. Whoever has to know it too, to mask
a text in place or to draw it, gives `Turn` a listener and need not read payloads a second time:

    heard = []
    turn = Turn(profile="openai", tool_schemas=schemas, listener=heard.append)
    turn.feed({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 1, "function": {"arguments": '{"ci'}}]}}]})

    heard[0].text    '{"ci'
    heard[0].slot    1
    heard[0].fate    Fate.TAKEN
    heard[0].path    ("choices", 0, "delta", "tool_calls", 0, "function", "arguments")

Nothing is told of a payload that is itself a finding, such as `malformed_event`: nothing in it belongs to a call.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import TypeAlias

from replay.validator.paths import Piece

__all__ = ["Fate", "Form", "Heard", "Listener", "Path"]

# The keys and places that lead from a payload to a value in it.
Path: TypeAlias = tuple[str | int, ...]


@unique
class Fate(Enum):
    """What became of a text."""

    TAKEN = 1  # it is the text of its slot now, a piece of it, or was compared with it
    LATE = 2  # its slot, or the message around it, was over
    NOT_TAKEN = 3  # no call at its slot takes it: none began there, or a limit was passed
    ALONE = 4  # it belongs to no other text: it names no slot, or it begins a call where none may begin


@unique
class Form(Enum):
    """How a text came."""

    FRAGMENT = 1  # as a string that continues what came before it, or is the first
    OBJECT = 2  # whole, as an object; the text is what the object is printed as
    COPY = 3  # as a string that repeats what came before it
    NAME = 4  # not at all: a call begins, or is named
    STRAY_END = 5  # not at all: what would end a call came where none had begun
    PIECE = 6  # as one value of the object, with the path of its place in it


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One text of a call, or its name, as one payload has it. Captured text, so `repr` shows none of it."""

    event: int
    choice: int
    slot: int | None  # None where the payload names none
    fate: Fate
    form: Form
    name: str | None = field(default=None, repr=False)  # of the tool, where the payload has it beside the text
    id: str | None = field(default=None, repr=False)  # of the call, where the payload has it beside the text
    text: str = field(default="", repr=False)
    path: Path = ()  # to the text
    mirror: Path | None = None  # to where the same text stands once more in the payload
    is_free_text: bool = False  # one string, and no JSON
    piece: Piece | None = field(default=None, repr=False)  # of `Form.PIECE`; `path` leads to all of it


Listener: TypeAlias = Callable[[Heard], None]

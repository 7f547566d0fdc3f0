"""The profiles, one table entry each: the array a fixture has, who reads it, what empty arguments mean."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final, Protocol

from replay.validator._machine.ledger import Ledger
from replay.validator._machine.slots import Slots
from replay.validator.codes import Code
from replay.validator.listener import Listener
from replay.validator.profiles.anthropic import AnthropicProtocol
from replay.validator.profiles.bedrock import BedrockProtocol
from replay.validator.profiles.chunks import MistralProtocol, OpenAIProtocol
from replay.validator.profiles.cohere import CohereProtocol
from replay.validator.profiles.objects import GeminiProtocol, OllamaProtocol
from replay.validator.profiles.responses import ResponseProtocol

__all__ = [
    "ARRAYS",
    "PROFILES",
    "Empty",
    "Identity",
    "Profile",
]


@unique
class Empty(Enum):
    """What arguments mean that received nothing but white space."""

    IS_A_FINDING = 1  # `empty_arguments`
    STANDS_FOR_NO_ARGUMENTS = 2  # no byte at all stands for `{}`; white space is no JSON


@unique
class Identity(Enum):
    """When a call may receive its id and name."""

    AT_THE_START = 1
    AT_ANY_TIME = 2  # before its terminal


# What only a wire with blocks or items can have, and what only one with full copies and numbers.
OF_STARTS: Final = frozenset({Code.DUPLICATE_START, Code.ORPHAN_EVENT})
OF_COPIES: Final = frozenset({Code.COPY_MISMATCH, Code.SEQUENCE_BREAK})
# What only a wire can have whose calls are texts, each with an index.
OF_TEXTS: Final = frozenset(
    {
        Code.MISSING_SLOT,
        Code.TRAILING_DATA,
        Code.NON_FINITE_NUMBER,
        Code.DUPLICATE_KEY,
        Code.INVALID_UNICODE,
        Code.NON_OBJECT_ARGUMENTS,
    }
)


class Machine(Protocol):
    """The state of one turn in one wire family."""

    def __init__(
        self, slots: Slots, ledger: Ledger, *, tool_choice: str | None, listener: Listener | None = None
    ) -> None:
        """Begin a turn. `listener` hears of the texts in payloads that `take_whole` takes."""

    def take(self, payload: object, event: int) -> None:
        """Take one decoded payload, at its place in the array; nobody hears of its texts."""

    def take_whole(self, payload: object, event: int) -> None:
        """Take one decoded payload as `take` does, without its short cut for plain fragments."""

    def end(self) -> None:
        """The stream is over: report what never reached its terminal."""

    def lacks_terminal(self) -> bool:
        """Whether the family has a terminal of the whole message and it did not come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One provider's way of streaming."""

    array: str
    machine: type[Machine]
    empty: Empty
    identity: Identity
    never: frozenset[Code]  # that no turn of the family can have


PROFILES: Final[Mapping[str, Profile]] = {
    "openai": Profile(
        array="chunks",
        machine=OpenAIProtocol,
        empty=Empty.IS_A_FINDING,
        identity=Identity.AT_ANY_TIME,
        never=OF_STARTS | OF_COPIES,
    ),
    "mistral": Profile(
        array="chunks",
        machine=MistralProtocol,
        empty=Empty.IS_A_FINDING,
        identity=Identity.AT_ANY_TIME,
        never=OF_STARTS | OF_COPIES,
    ),
    "anthropic": Profile(
        array="events",
        machine=AnthropicProtocol,
        empty=Empty.STANDS_FOR_NO_ARGUMENTS,
        identity=Identity.AT_THE_START,
        never=OF_COPIES | {Code.EMPTY_ARGUMENTS},
    ),
    "openai-responses": Profile(
        array="events",
        machine=ResponseProtocol,
        empty=Empty.IS_A_FINDING,
        identity=Identity.AT_ANY_TIME,
        never=frozenset({Code.TERMINAL_WITHOUT_CALL}),
    ),
    "bedrock-converse": Profile(
        array="events",
        machine=BedrockProtocol,
        empty=Empty.STANDS_FOR_NO_ARGUMENTS,
        identity=Identity.AT_THE_START,
        never=OF_COPIES | {Code.EMPTY_ARGUMENTS},
    ),
    "cohere-v2": Profile(
        array="events",
        machine=CohereProtocol,
        empty=Empty.STANDS_FOR_NO_ARGUMENTS,
        identity=Identity.AT_ANY_TIME,
        never=OF_COPIES | {Code.EMPTY_ARGUMENTS},
    ),
    "gemini": Profile(
        array="chunks",
        machine=GeminiProtocol,
        empty=Empty.IS_A_FINDING,
        identity=Identity.AT_ANY_TIME,
        never=OF_COPIES | OF_TEXTS | {Code.DUPLICATE_START, Code.MISSING_ID, Code.MISSING_NAME, Code.EMPTY_ARGUMENTS},
    ),
    "ollama": Profile(
        array="chunks",
        machine=OllamaProtocol,
        empty=Empty.IS_A_FINDING,
        identity=Identity.AT_THE_START,
        never=OF_STARTS
        | OF_COPIES
        | OF_TEXTS
        | {
            Code.MISSING_ID,
            Code.IDENTITY_COLLISION,
            Code.TURN_COLLISION,
            Code.TERMINAL_WITHOUT_CALL,
            Code.MALFORMED_ARGUMENTS,
        },
    ),
}
ARRAYS: Final = tuple(dict.fromkeys(profile.array for profile in PROFILES.values()))

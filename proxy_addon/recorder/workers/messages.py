"""What a worker says to the process that writes: one value for each thing that a recorder alone would do at once."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from proxy_addon.watching.watch import Passage
from proxy_addon.writing.finished import Finished
from proxy_addon.writing.outcomes.settled import Settled
from proxy_addon.writing.outcomes.unrecorded import Kind


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker listens."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A turn was seen. What becomes of it is an `Offered` or a `Told`, which comes later."""

    upstream: str


@dataclass(frozen=True, slots=True)
class Offered:
    """A capture is finished. The `number` of its turn, where it has a case, is that of its request in the worker."""

    finished: Finished = field(repr=False)


@dataclass(frozen=True, slots=True)
class Told:
    """It is known what became of a capture. `said`: it also gets a line."""

    settled: Settled
    upstream: str
    case: str | None
    said: bool


@dataclass(frozen=True, slots=True)
class PassedBy:
    """An exchange passed that is not recorded."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class Noted:
    """Something is to be said that is about no capture."""

    about: str
    says: str


@dataclass(frozen=True, slots=True)
class BadCaseName:
    """A case header was removed and not used."""


@dataclass(frozen=True, slots=True)
class Bug:
    """A hook raised an exception of this type."""

    kind: str


@dataclass(frozen=True, slots=True)
class Started:
    """A request of a case has started. `number` is its own in this worker."""

    number: int
    case: str


class Answer(Enum):
    """How a request of a case is answered."""

    STREAM = "stream"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Answered:
    """It is known how a request of a case is answered."""

    number: int
    answer: Answer


@dataclass(frozen=True, slots=True)
class Measured:
    """What passed since the last time, for the metrics."""

    passage: Passage


Message = Ready | Seen | Offered | Told | PassedBy | Noted | BadCaseName | Bug | Started | Answered | Measured

# What the process that writes says to a worker.
STOP: Final = b"s"
STOP_AT_ONCE: Final = b"a"

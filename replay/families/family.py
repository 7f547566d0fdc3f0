"""What toolreel knows of a wire family beside its verdict: the columns of the table. Types alone, no family."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, unique
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping

    from replay.wire.framing import Framing


@unique
class Words(Enum):
    """What a payload can say in words, beside its calls."""

    TEXT = "text"
    REASONING = "reasoning"
    FINISH = "finish"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Where such words stand. `path` leads there through the payload; `[]` stands for each item of an array.

    Where `of` is given, only payloads of these types say it there: `delta` is text in one event, arguments in another.
    Where `flag` is given, only an object whose member of that name is true says it there; with `unless`, only another.
    """

    words: Words
    path: tuple[str, ...]
    of: tuple[str, ...] = ()
    flag: str = ""
    unless: str = ""


@unique
class Asked(Enum):
    """How a request asks for a stream; a GET does it in its query."""

    IN_BODY = "by a member `stream` that is true"
    BY_PATH = "by its path"
    UNLESS_DECLINED = "unless a member `stream` is false"


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """How one API streams. Paths are those of a client's request, the query left aside."""

    framing: Framing  # the usual one
    other_framings: tuple[Framing, ...] = ()  # each known by the first byte of a body
    done: bool  # whether a whole stream ends with the end marker of its framing
    named: bool  # whether each event has the name of its payload's type
    api: str  # as `capture.api` of a fixture says it
    paths: tuple[str, ...]  # how the path of a POST ends whose answer is a turn
    asked: Asked = Asked.IN_BODY
    model: re.Pattern[str] | None = None  # in a path, the name of the model, where it stands there
    retrieved: tuple[str, ...] = ()  # what stands before the id in the path of a GET whose answer is a turn
    provider: str  # whose API it is, by its name in `PROVIDERS`
    base: str  # what its official client expects between the host and these paths
    variable: str | None  # where that client reads its base URL from
    client: str = ""  # how to point it at `{url}` in code, where it reads none
    allowances: frozenset[str] = frozenset()  # the reviewed deviations that have an effect in this family
    carrier: Framing | None = None  # in which another API may carry payloads of this family, asked for by its own paths
    # Whether a payload is of this family that came in a carrier.
    carried: Callable[[Mapping[str, object]], bool] = field(default=lambda _: False, repr=False)
    # Whether a payload says that it is of this family, by members that the payloads of no other API have.
    look: Callable[[Mapping[str, object]], bool] = field(default=lambda _: False, repr=False)
    said: tuple[Said, ...] = field(repr=False)  # where payloads say what is no call, for people who look at a turn
    answer: tuple[Mapping[str, object], ...] = field(repr=False)  # a short turn in text, for an agent to end with

    @property
    def framings(self) -> tuple[Framing, ...]:
        """Every framing that a body of this family may have, the usual one first."""
        return (self.framing, *self.other_framings)

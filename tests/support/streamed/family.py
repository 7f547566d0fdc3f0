"""What the tests know of a wire family: the shape of its row in `support.families`."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from support.builders.asking import Request, Wanted
from support.streamed.pieces import Chance, Payload, Turn, word

from redaction.captured.exchange import Ending

Fault: TypeAlias = Callable[[Turn], list[Payload]]
Place: TypeAlias = Callable[[Turn, list[Payload]], int]
Options: TypeAlias = Callable[[Turn], list[Payload]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """How a family tells a turn, where in it the first call starts and the turn ends, and what is easily made of it."""

    tell: Callable[[Turn], list[Payload]]
    opening: Place
    end: Place

    def changed(self, change: Callable[[Turn, list[Payload]], object]) -> Fault:
        """The turn after this change of its list."""

        def apply(one: Turn) -> list[Payload]:
            found = self.tell(one)
            change(one, found)
            return found

        return apply

    def _with(self, options: Options, place: Place) -> Fault:
        def put(one: Turn, found: list[Payload]) -> None:
            made = options(one)
            at = place(one, found)
            found.insert(at, made[0] if len(made) == 1 else one.chance.choice(made))

        return self.changed(put)

    def before_end(self, options: Options) -> Fault:
        """One of these payloads stands before the end of the turn."""
        return self._with(options, self.end)

    def behind_end(self, options: Options) -> Fault:
        return self._with(options, lambda one, found: self.end(one, found) + 1)

    def anywhere(self, options: Options) -> Fault:
        return self._with(options, lambda one, found: one.chance.randrange(len(found)))

    def twice(self, place: Place) -> Fault:
        """What stands at this place comes again at once."""

        def put(one: Turn, found: list[Payload]) -> None:
            at = place(one, found)
            found.insert(at, found[at])

        return self.changed(put)

    def cut_off(self, one: Turn) -> list[Payload]:
        """The stream breaks off between the start of the first call and the end of the turn."""
        found = self.tell(one)
        one.ending = one.chance.choice(CUT_ENDINGS)
        return found[: one.chance.randrange(self.opening(one, found) + 1, self.end(one, found))]


def failed(chance: Chance) -> Payload:
    """The error of a provider, which holds a secret."""
    kind = chance.choice(("overloaded_error", word(chance)))
    return {"type": kind, "message": f"bad key sk-{word(chance, 20)}"}


def _plain(_: Turn) -> None:
    """Nothing but what every family has."""


def as_sent(text: str) -> str:
    """The text of a call whose arguments come as text: as it was sent."""
    return text


def as_printed(text: str) -> str:
    """The text of a call whose arguments come as an object: without white space, and with no `.0` behind a number."""

    def number(digits: str) -> float:
        return int(float(digits)) if float(digits).is_integer() else float(digits)

    return json.dumps(json.loads(text, parse_float=number), ensure_ascii=False, separators=(",", ":"))


# How a stream that breaks off ends.
CUT_ENDINGS: Final = (Ending.UPSTREAM, Ending.CLIENT, Ending.PROXY, Ending.CLOSE)


def wanted(one: Turn, text: str) -> Wanted:
    """What asks for a turn; the text is prose for its messages and descriptions."""
    return Wanted(
        schemas=one.schemas,
        say=lambda: text,
        choice=one.tool_choice,
        named=one.calls[0].name,
        parallel=one.parallel,
    )


def _nothing(*_: object) -> Request:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Where an API is, how it is asked, how it tells a turn, and an operator for each code that can be found there."""

    api: str  # its name in `tests/data/streams`
    url: str
    sample: str  # its file in `tests/data/hiding`
    ask: Callable[[Wanted], Request]
    model: str
    tell: Callable[[Turn], list[Payload]]
    faults: Mapping[str, Fault]
    more: Callable[[Turn, str], Request] = _nothing  # what else a request for a turn says, with this prose
    done: bool = False  # whether an end marker follows the last payload
    id_size: int = 24
    reported: Callable[[str], str] = as_sent  # the arguments in a report, from how the turn has them
    dress: Callable[[Turn], None] = _plain  # gives a turn what no other family has

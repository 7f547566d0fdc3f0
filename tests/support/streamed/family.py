"""What a wire family knows of streamed turns: the shape of its row in `support.captures`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from support.streamed.pieces import Payload, Turn

Fault: TypeAlias = Callable[[Turn], list[Payload]]


def _plain(_: Turn) -> None:
    """Nothing but what every family has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """How one family tells a turn and asks for it, and an operator for each code that can be found there."""

    tell: Callable[[Turn], list[Payload]]
    request: Callable[[Turn, str], dict[str, object]]  # the text is prose for its messages and descriptions
    faults: Mapping[str, Fault]
    done: bool  # whether an end marker follows the last payload
    id_size: int = 24
    dress: Callable[[Turn], None] = _plain  # gives a turn what no other family has

"""Streams that are composed: a kind of a recording, told as one or more twins of it, with a damage or two on top.

The verdict on such a stream is not known beforehand: the rules judge it. A composition is a value, `Plan`, so that the
same one gives the same stream.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from replay.derive.kinds import KINDS
from replay.derive.kinds.kind import NotInThisError
from replay.derive.twins import twin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from replay.derive.calls import Payload
    from replay.derive.kinds.kind import Made
    from replay.derive.recording import Recording


@dataclass(frozen=True, slots=True)
class Damage:
    """A payload that is lost, comes twice, or changes places with the next; `at` counts from the first call on."""

    what: str
    at: int


@dataclass(frozen=True, slots=True)
class Plan:
    """A composition: the kind, the twins that it is told as, one after the other, and the damages."""

    kind: str
    twins: tuple[str, ...] = ()
    damages: tuple[Damage, ...] = ()


def composed(one: Recording, plan: Plan) -> Made | None:
    """The turn of a plan; None where the recording cannot have it."""
    try:
        made = KINDS[plan.kind].make(one)
    except NotInThisError:
        return None
    for name in plan.twins:
        made = twin(one, made, name) or made
    payloads = list(made.payloads)
    for damage in plan.damages:
        at = len(one.wire.lead) + damage.at
        if at < len(payloads):
            DAMAGES[damage.what](payloads, at)
    return replace(made, payloads=payloads, comments=() if plan.damages else made.comments)


def _lost(payloads: list[Payload], at: int) -> None:
    del payloads[at]


def _doubled(payloads: list[Payload], at: int) -> None:
    payloads.insert(at, payloads[at])


def _swapped(payloads: list[Payload], at: int) -> None:
    payloads[at : at + 2] = payloads[at : at + 2][::-1]


DAMAGES: Final[Mapping[str, Callable[[list[Payload], int], None]]] = {
    "lost": _lost,
    "doubled": _doubled,
    "swapped": _swapped,
}

"""What a client has after an event: the calls as far as they came, and the words so far. Never to be executed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import TYPE_CHECKING

from replay.validator import State

from .model import Did, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .model import Lane, Picture


@unique
class Standing(StrEnum):
    """Where a call stands. The last two are said of a whole turn alone, by its verdict."""

    OPEN = "open"
    NAMED = "named"  # open, with an id and a name
    CLOSED = "closed"
    BLOCKED = "blocked"
    VALIDATED = "validated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One lane as far as it came. `standing` is that of a call. Captured text, in no repr."""

    lane: Lane
    standing: Standing | None = None
    closed: bool = False  # whether the call's terminal came, also where it is blocked
    id: str | None = field(default=None, repr=False)
    name: str | None = field(default=None, repr=False)
    text: str = field(default="", repr=False)
    size: int = 0


def after(picture: Picture, event: int) -> Iterator[Part]:
    """Every lane that the events up to this one opened or brought words to."""
    whole = event >= len(picture.events) - 1
    for number, lane in enumerate(picture.lanes):
        acts = [act for one in picture.events[: event + 1] for act in one.acts if act.lane == number]
        text = "".join(act.text for act in acts if act.brings)
        size = sum(act.size for act in acts if act.brings)
        did = {deed for act in acts for deed in act.did}
        if lane.kind is Kind.CALL and did:
            yield Part(
                lane=lane,
                standing=_at_the_end(lane) if whole else _standing(did),
                closed=Did.CLOSED in did,
                id=lane.id if Did.ID in did else None,
                name=lane.name if Did.NAME in did else None,
                text=text,
                size=size,
            )
        elif lane.kind in (Kind.TEXT, Kind.REASONING) and text:
            yield Part(lane=lane, text=text, size=size)


def _at_the_end(lane: Lane) -> Standing:
    return Standing.VALIDATED if lane.state is State.VALIDATED else Standing.BLOCKED


def _standing(did: set[Did]) -> Standing:
    if Did.BLOCKED in did:
        return Standing.BLOCKED
    if Did.CLOSED in did:
        return Standing.CLOSED
    return Standing.NAMED if {Did.ID, Did.NAME} <= did else Standing.OPEN

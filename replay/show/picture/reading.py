"""A fixture file with all that lies beside it: its picture, its pin, what clients made of it. Reads; prints nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum, unique
from pathlib import Path
from typing import TYPE_CHECKING

from replay.corpus import files, pins
from replay.corpus.discovery import pin_path
from replay.corpus.loading import load
from replay.diff import outcome_pins
from replay.diff.outcomes import Outcome
from replay.errors import ToolreelError
from replay.validator import Limits

from .model import Picture, picture

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from replay.validator import Allowance, Report


@unique
class Pinned(StrEnum):
    """How the verdict compares with the pin."""

    AS_PINNED = "as pinned"
    CHANGED = "changed"
    UNPINNED = "no pin"
    OUTDATED = "pinned by older rules"
    UNREADABLE = "pin unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """What one client made of the turn, by the version that was pinned last."""

    name: str
    version: str
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One fixture, ready to be shown."""

    path: str
    picture: Picture
    pinned: Pinned
    pin: Report | None = field(default=None, repr=False)  # the pinned verdict, where it can be read
    clients: tuple[Client, ...] = ()

    @property
    def disagreeing(self) -> tuple[Client, ...]:
        """The clients that would do something else than the verdict says."""
        return tuple(client for client in self.clients if client.outcome is not Outcome.AGREE)


def read(path: str, accept: Collection[Allowance] = ()) -> Shown:
    """The fixture at `path`, judged with what its pin accepts and with `accept`.

    A `ToolreelError` where it cannot be read. A pin or outcomes beside it that cannot be read are no reason to raise.
    """
    loaded = load(files.read(path))
    state, pin = _pin(path)
    drawn = picture(
        loaded,
        accept=frozenset(accept) | (pin.accept if pin else frozenset()),
        limits=Limits(**(pin.limits if pin else {})),
    )
    if pin is not None and state is Pinned.AS_PINNED and pin.report != pins.bare(drawn.report):
        state = Pinned.CHANGED
    return Shown(
        path=path, picture=drawn, pinned=state, pin=pin.report if pin else None, clients=tuple(_clients(Path(path)))
    )


def _pin(path: str) -> tuple[Pinned, pins.Pin | None]:
    """The pin beside a fixture; held to be as pinned until the verdict is known."""
    try:
        data = files.read_if_there(pin_path(path))
        return (Pinned.UNPINNED, None) if data is None else (Pinned.AS_PINNED, pins.read(data))
    except pins.OlderPinError as error:
        return Pinned.OUTDATED, error.pin
    except (pins.PinError, ToolreelError):
        return Pinned.UNREADABLE, None


def _clients(fixture: Path) -> Iterator[Client]:
    try:
        data = files.read_if_there(outcome_pins.path_of(fixture))
        pinned = {} if data is None else outcome_pins.read(data)
    except (outcome_pins.OutcomePinError, ToolreelError):
        return
    for name, versions in sorted(pinned.items()):
        version, outcome = list(versions.items())[-1]
        yield Client(name=name, version=version, outcome=outcome)

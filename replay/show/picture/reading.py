"""A fixture file with all that lies beside it: its picture, its pin, what clients made of it. Reads; prints nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import TYPE_CHECKING

from replay.corpus import files, pins
from replay.corpus.discovery import pin_path
from replay.corpus.loading import load
from replay.diff import outcome_pins
from replay.diff.outcomes import Outcome
from replay.errors import ToolreelError
from replay.validator import Limits

from .drawing import picture

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from replay.validator import Allowance, Report

    from .model import Picture


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
class Source:
    """The files that one turn is drawn of, and what its caller accepts. Captured text, which no repr shows."""

    path: str
    fixture: bytes = field(repr=False)
    pin: bytes | None = field(default=None, repr=False)
    outcomes: bytes | None = field(default=None, repr=False)
    accept: tuple[Allowance, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One fixture, ready to be shown."""

    path: str
    source: Source = field(repr=False)
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
    return shown(
        Source(
            path=path,
            fixture=files.read(path),
            pin=_beside(pin_path(path)),
            outcomes=_beside(outcome_pins.path_of(path)),
            accept=tuple(sorted(accept, key=lambda one: one.value)),
        )
    )


def _beside(path: str) -> bytes | None:
    """A file beside a fixture; empty where it cannot be read, which is none of the form that it should have."""
    try:
        return files.read_if_there(path)
    except ToolreelError:
        return b""


def shown(source: Source) -> Shown:
    """The turn in these files."""
    loaded = load(source.fixture)
    state, pin = _pin(source.pin)
    drawn = picture(
        loaded,
        accept=frozenset(source.accept) | (pin.accept if pin else frozenset()),
        limits=Limits(**(pin.limits if pin else {})),
    )
    if pin is not None and state is Pinned.AS_PINNED and pin.report != pins.bare(drawn.report):
        state = Pinned.CHANGED
    return Shown(
        path=source.path,
        source=source,
        picture=drawn,
        pinned=state,
        pin=pin.report if pin else None,
        clients=tuple(_clients(source.outcomes)),
    )


def _pin(data: bytes | None) -> tuple[Pinned, pins.Pin | None]:
    """The pin beside a fixture; held to be as pinned until the verdict is known."""
    try:
        return (Pinned.UNPINNED, None) if data is None else (Pinned.AS_PINNED, pins.read(data))
    except pins.OlderPinError as error:
        return Pinned.OUTDATED, error.pin
    except pins.PinError:
        return Pinned.UNREADABLE, None


def _clients(data: bytes | None) -> Iterator[Client]:
    try:
        pinned = {} if data is None else outcome_pins.read(data)
    except outcome_pins.OutcomePinError:
        return
    for name, versions in sorted(pinned.items()):
        version, outcome = list(versions.items())[-1]
        yield Client(name=name, version=version, outcome=outcome)

"""The pin beside a fixture: read, for whoever compares with it, and written.

What cannot be read is a `ToolreelError` that says the next step.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from replay.corpus import files, pins
from replay.corpus.discovery import pin_path
from replay.errors import ToolreelError, translated
from replay.judging.run_options import Options

UPGRADE: Final = "pip install --upgrade toolreel"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """What the pin file says. `older` says by which rules the pin was made, where those are older than today's.

    `pin` is None where there is no file, and where a pin of older rules cannot be read by those of today.
    """

    pin: pins.Pin | None = None
    older: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PinFile:
    """The pin file of a fixture as it lies on the disk; `data` is None where there is none."""

    path: str
    data: bytes | None = field(repr=False)

    @classmethod
    def beside(cls, fixture: str) -> PinFile:
        """The pin file of this fixture."""
        path = pin_path(fixture)
        return cls(path=path, data=files.read_if_there(path))

    def says(self, pin: pins.Pin) -> bool:
        """Whether the file holds exactly the bytes of this pin. Most files of a run do, and need not be parsed."""
        return self.data is not None and pins.write(pin) == self.data

    def read(self, update: str) -> Pinned:
        """What the file says. `update` is the command that writes it anew, for the message where it is no pin."""
        if self.data is None:
            return Pinned()
        step = f"mend it, or delete it and run: {update}"
        with translated(pins.PinError, lambda error: ToolreelError(f"{self.path}: {error}; {_step(error, step)}")):
            try:
                return Pinned(pin=pins.read(self.data))
            except pins.OlderPinError as error:
                return Pinned(pin=error.pin, older=str(error))

    def write(self, pin: pins.Pin) -> None:
        """Put this pin in the place of the file."""
        files.write(self.path, pins.write(pin))


def _step(error: pins.PinError, step: str) -> str:
    return f"upgrade toolreel ({UPGRADE}), or {step}" if isinstance(error, pins.NewerPinError) else step


def pinned(fixture: str) -> pins.Pin:
    """The pin of a fixture, for whoever does not judge; a `ToolreelError` with the next step where it is of no use."""
    update = Options().update_command(fixture)
    file = PinFile.beside(fixture)
    found = file.read(update)
    if found.pin is None or found.older:
        advice = outdated(found.older, update) if found.older else unpinned(update)
        raise ToolreelError(f"{fixture}: {advice}")
    return found.pin


def outdated(older: str, update: str) -> str:
    """The advice on a pin of older rules."""
    return f"the pin was {older}; to judge anew, and to see what moves: {update}"


def unpinned(update: str) -> str:
    """The advice on a fixture without a pin."""
    return f"no pin beside it; to pin this verdict: {update}"

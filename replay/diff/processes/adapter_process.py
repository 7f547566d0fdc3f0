"""The process of one adapter: started, asked for turns, timed, ended. Knows the protocol; knows no fixture.

Turns and calls go through two named pipes, which nothing else writes to: what a client prints goes nowhere near them.
docs/adapters.md has the lines of the protocol.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import tempfile
import time
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay.adapters.task import ANY_MODEL, MODELS
from replay.diff.box.boxed import Boxed, NoBoxError
from replay.diff.outcomes import End, Handed, Heard, Unreadable
from replay.errors import ToolreelError, translated
from replay.validator.profiles import PROFILES

from .adapter_environment import caches, environment

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping, Sequence

    from replay.diff.box.lacks import Lack

# Starting means importing a client, or compiling one: some take seconds on a busy machine.
START_SECONDS: Final = 300.0
# What one turn may hand over, as lines. One past it is no turn.
MAX_OUTPUT_BYTES: Final = 256 * 1024 * 1024
# After the last turn an adapter ends by itself, with what its threads still hand over; one that does not is ended.
CLOSING_SECONDS: Final = 5.0
# The names of the variables with the paths of the two pipes.
TURNS: Final = "TOOLREEL_TURNS"
CALLS: Final = "TOOLREEL_CALLS"
_READ: Final = 64 * 1024
# A line that cannot be read (a number of thousands of digits) still says whose it is.
_NUMBER: Final = re.compile(rb'\s*\{\s*"turn"\s*:\s*(\d{1,9})\b')


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """What an adapter says of itself."""

    version: str
    profiles: tuple[str, ...]


class MissingError(Exception):
    """The adapter's interpreter lacks a module: `name` is which, `place` where it is imported, if that is known."""

    def __init__(self, name: str, place: str) -> None:
        super().__init__(name)
        self.name: Final = name
        self.place: Final = place


class UnusableError(Exception):
    """There is an adapter, and it cannot be used; the text says why, and in which file and line."""


_UNREADABLE: Final = Handed(name=Unreadable.CALL, arguments=Unreadable.CALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """One line of a turn: how it ended, or else a call."""

    number: int
    call: Handed = _UNREADABLE
    end: End | None = None
    error: str | None = None


class AdapterProcess:
    """The process of one adapter, which is asked for turns one after the other. After a crash or a hang it is gone.

    It may write below `scratch` alone; what it prints goes to `output`. Where it does not start, making it raises a
    `MissingError`, an `UnusableError`, or a `ToolreelError` with the next step.
    """

    def __init__(self, command: Sequence[str], *, scratch: Path, output: int) -> None:
        self._buffer = bytearray()
        self._number = -1
        self._late: dict[int, list[Handed]] = {}
        self._ended = False
        folder = Path(tempfile.mkdtemp(dir=scratch))
        given = {TURNS: str(folder / "turns"), CALLS: str(folder / "calls")}
        for path in given.values():
            os.mkfifo(path)
        # Opened for both directions: neither end waits for the other, and no end comes while a pipe is not open there.
        self._turns, self._calls = (os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC) for path in given.values())
        with translated(NoBoxError, lambda error: ToolreelError(f"{command[0]} cannot be started: {error}")):
            self._box: Final = Boxed(
                command, scratch=scratch, environment=environment(scratch) | given, caches=caches(), output=output
            )
        self.ready: Final = self._greeting()

    @property
    def alive(self) -> bool:
        """Whether it can be asked for another turn."""
        if not self._ended:
            self._box.hear()
        return not self._box.has_ended

    @property
    def listener(self) -> socket.socket:
        """Where the process looks for fixtures: on its own loopback interface."""
        return self._box.listener

    @property
    def lacks(self) -> frozenset[Lack]:
        """What its box has no means against."""
        return self._box.lacks

    @property
    def late(self) -> Mapping[int, Sequence[Handed]]:
        """The calls that came once their turn had ended, by its number. `close` reads the last of them."""
        return self._late

    def ask(self, turn: Mapping[str, object], *, number: int, seconds: float) -> Heard:
        """Drive one turn. Never raises for what the adapter does. Each turn has a number of its own."""
        self._number = number
        handed: list[Handed] = []
        deadline = time.monotonic() + seconds
        try:
            # A bound of a schema was read as an exact number; a client takes it as a float all the same.
            asked = {"turn": number, "model": MODELS.get(str(turn["profile"]), ANY_MODEL), **turn}
            self._send(json.dumps(asked, default=float).encode("ascii") + b"\n", deadline)
            while True:
                said = self._said(deadline)
                if said.number != number:
                    self._note(said)
                elif said.end is None:
                    handed.append(said.call)
                else:
                    return Heard(handed=tuple(handed), end=said.end, error=said.error)
        except TimeoutError:
            self.end()
            return Heard(handed=tuple(handed), end=End.HUNG)
        except (EOFError, OSError):
            self.end()
            return Heard(handed=tuple(handed), end=End.BROKEN)

    def close(self) -> None:
        """Ask for nothing more, read to the end what still comes, and end the process where it does not end itself."""
        if self._ended:
            return
        os.close(self._turns)
        self._turns = -1
        deadline = time.monotonic() + CLOSING_SECONDS
        with contextlib.suppress(TimeoutError, EOFError, OSError):
            while True:
                self._note(self._said(deadline))
        self.end()

    def end(self) -> None:
        """End the process and all that it started."""
        if self._ended:
            return
        self._ended = True
        self._box.end()
        for pipe in (self._turns, self._calls):
            if pipe >= 0:
                os.close(pipe)

    def _greeting(self) -> Ready:
        """What the adapter says first; where it does not greet as one does, its process is ended."""
        members, reason = self._first_line()
        with contextlib.suppress(_NoGreetingError):
            return _ready(members.get("ready"))
        self.end()
        if "missing" in members:
            raise MissingError(str(members["missing"]), str(members.get("place") or ""))
        if "unusable" in members:
            raise UnusableError(str(members["unusable"]))
        raise UnusableError(reason)

    def _first_line(self) -> tuple[Mapping[str, object], str]:
        """The members of the first line, and what to say where they are no greeting."""
        try:
            return _members(self._line(time.monotonic() + START_SECONDS)), _NO_GREETING
        except TimeoutError:
            return {}, f"it did not start within {START_SECONDS:g} seconds"
        except (EOFError, OSError):
            return {}, "it ended while it was starting; run it once more with --debug to see what it said"

    def _note(self, said: _Said) -> None:
        """Keep a call of a turn that has ended; that it ends once more says nothing."""
        if said.end is None:
            self._late.setdefault(said.number, []).append(said.call)

    def _said(self, deadline: float) -> _Said:
        """The next line that belongs to a turn; one that names none that was asked belongs to the latest."""
        line = self._line(deadline)
        members = _members(line)
        named = _NUMBER.match(line)
        number = int(named[1]) if named else members.get("turn")
        if not isinstance(number, int) or not 0 <= number <= self._number:
            number = self._number
        if "call" in members:
            return _Said(number=number, call=_handed(members["call"]))
        if "end" in members:
            error = members.get("error")
            return _Said(
                number=number,
                end=_ENDS.get(str(members["end"]), End.BROKEN),
                error=error if isinstance(error, str) and error.isidentifier() else None,
            )
        # What cannot be read as a line of the protocol can only be a call: ends are plain words.
        return _Said(number=number)

    def _line(self, deadline: float) -> bytes:
        """The next line, without its end; `TimeoutError` past the deadline, `EOFError` where there is none."""
        while b"\n" not in self._buffer:
            try:
                self._buffer += os.read(self._calls, _READ)
            except BlockingIOError:
                self._wait(deadline)
            if len(self._buffer) > MAX_OUTPUT_BYTES:
                raise EOFError
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        return line

    def _wait(self, deadline: float) -> None:
        """Until there is something to read, or news of the process; nothing was there to read a moment ago."""
        if self._box.is_empty:
            raise EOFError
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        ready, _, _ = select.select([self._calls, self._box.fileno()], [], [], left)
        if self._box.fileno() in ready:
            self._box.hear()

    def _send(self, data: bytes, deadline: float) -> None:
        """Write it, piece by piece as the pipe has room."""
        while data:
            try:
                data = data[os.write(self._turns, data) :]
            except BlockingIOError:
                left = deadline - time.monotonic()
                if self._box.has_ended or left <= 0:
                    raise TimeoutError from None
                select.select([self._box.fileno()], [self._turns], [], left)
                self._box.hear()


class _NoGreetingError(Exception):
    """The first line does not say who greets."""


_NO_GREETING: Final = (
    f'its first line must be {{"ready": {{"version": "1.0", "profiles": ["{next(iter(PROFILES))}"]}}}}, with the APIs '
    f"that it speaks: {', '.join(PROFILES)}; docs/adapters.md has the protocol"
)


def _ready(said: object) -> Ready:
    """What the first line says of the adapter. Both members may be left out."""
    if not isinstance(said, dict):
        raise _NoGreetingError
    profiles = said.get("profiles", list(PROFILES))
    version = said.get("version", "unversioned")
    if not isinstance(profiles, list) or not profiles or not all(isinstance(name, str) for name in profiles):
        raise _NoGreetingError
    return Ready(version=str(version), profiles=tuple(profiles))


_ENDS: Final = {
    "returned": End.RETURNED,
    "refused": End.REFUSED,
    "broken": End.BROKEN,
    "no_calls": End.NO_CALLS,
}


def _members(line: bytes) -> Mapping[str, object]:
    """The members of a line; {} for one that cannot be read (a number of thousands of digits, deep nesting)."""
    try:
        value = json.loads(line, parse_float=Decimal)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _handed(call: object) -> Handed:
    if not isinstance(call, dict) or "name" not in call or "arguments" not in call:
        return _UNREADABLE
    return Handed(name=call["name"], arguments=call["arguments"], id=call.get("id"), has_id="id" in call)

"""The process of one adapter: started, asked for turns, timed, ended. Knows the protocol; knows no fixture.

The process gets no variable of this one but those in `KEPT`: no key, no proxy, no setting of a client reaches it.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from replay.errors import ToolreelError, translated
from replay.validator.profiles import PROFILES

from .outcomes import End, Handed, Heard, Unreadable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Starting means importing a client: some take seconds on a busy machine.
START_SECONDS: Final = 120.0
# What one turn may hand over, as lines. One past it is no turn.
MAX_OUTPUT_BYTES: Final = 256 * 1024 * 1024
# After the last turn an adapter ends by itself, with what its threads still hand over; one that does not is ended.
CLOSING_SECONDS: Final = 5.0
_DIGITS: Final = 9
_READ: Final = 64 * 1024
KEPT: Final = frozenset(
    "HOME LANG LC_ALL LC_CTYPE LD_LIBRARY_PATH PATH PYTHONHOME PYTHONPATH TEMP TMP TMPDIR TZ VIRTUAL_ENV".split()
)
# What clients would otherwise do beside their work.
SET: Final[Mapping[str, str]] = {
    "ANONYMIZED_TELEMETRY": "false",
    "DO_NOT_TRACK": "1",
    "LANGSMITH_TRACING": "false",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "NO_PROXY": "*",
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "OTEL_SDK_DISABLED": "true",
    "PYTHONWARNINGS": "ignore",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """What an adapter says of itself."""

    version: str
    profiles: tuple[str, ...]


class MissingError(Exception):
    """The adapter's interpreter lacks a module; `name` is which."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name: Final = name


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

    Where it does not start, making it raises a `MissingError`, or a `ToolreelError` with the next step.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._buffer = bytearray()
        self._command = command
        self._number = 0
        self._late: dict[int, list[Handed]] = {}
        self._ended = False
        with translated(OSError, lambda error: _not_started(command, error)):
            self._process = subprocess.Popen(  # noqa: S603 - the user's own interpreter
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={name: value for name, value in os.environ.items() if name in KEPT} | dict(SET),
                start_new_session=True,
            )
        self.ready: Final = self._greeting()

    @property
    def alive(self) -> bool:
        """Whether it can be asked for another turn."""
        return self._process.poll() is None

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
            assert self._process.stdin is not None
            # A bound of a schema was read as an exact number; a client takes it as a float all the same.
            asked = json.dumps({"number": number, **turn}, default=float)
            self._process.stdin.write(asked.encode("ascii") + b"\n")
            self._process.stdin.flush()
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
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        deadline = time.monotonic() + CLOSING_SECONDS
        with contextlib.suppress(TimeoutError, EOFError, OSError):
            while True:
                self._note(self._said(deadline))
        self.end()

    def end(self) -> None:
        """End the process and all that it started."""
        self._ended = True
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _greeting(self) -> Ready:
        """What the adapter says first; where it does not greet as one does, its process is ended."""
        members, reason = self._first_line()
        ready = members.get("ready")
        if isinstance(ready, dict):
            return Ready(version=str(ready["version"]), profiles=tuple(ready["profiles"]))
        self.end()
        if "missing" in members:
            raise MissingError(str(members["missing"]))
        if "profiles" in members:
            reason = f"its `profiles` must be a list of the APIs that it speaks: {', '.join(PROFILES)}"
        raise ToolreelError(f"{self._command[0]} {self._command[-1]}: {reason}")

    def _first_line(self) -> tuple[Mapping[str, object], str]:
        """The members of the first line, and what to say where they are no greeting."""
        try:
            return _members(self._line(time.monotonic() + START_SECONDS)), "is no adapter"
        except TimeoutError:
            return {}, f"did not start within {START_SECONDS:g} seconds"
        except (EOFError, OSError):
            return {}, "ended while it was starting; run its adapter's import by hand to see why"

    def _note(self, said: _Said) -> None:
        """Keep a call of a turn that has ended; that it ends once more says nothing."""
        if said.end is None:
            self._late.setdefault(said.number, []).append(said.call)

    def _said(self, deadline: float) -> _Said:
        """The next line that belongs to a turn; one that names none that was asked belongs to the latest."""
        word, _, text = self._line(deadline).partition(b" ")
        number = int(word) if word.isdigit() and len(word) <= _DIGITS else self._number + 1
        if number > self._number:
            return _Said(number=self._number)
        members = _members(text)
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
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._buffer:
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    raise TimeoutError
                piece = os.read(self._process.stdout.fileno(), _READ)
                if not piece or len(self._buffer) > MAX_OUTPUT_BYTES:
                    raise EOFError
                self._buffer += piece
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        return line


def _not_started(command: Sequence[str], error: OSError) -> ToolreelError:
    reason = error.strerror or "it cannot be started"
    return ToolreelError(f"{command[0]}: {reason}; name an interpreter with --python NAME=PATH")


_ENDS: Final = {"returned": End.RETURNED, "refused": End.REFUSED, "broken": End.BROKEN}


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

"""A command in its box, from outside: started, heard of, ended. Knows nothing of what the command is for."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NoReturn

import replay

from .lacks import Lack

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ROOT: Final = str(Path(replay.__file__).resolve().parents[1])
_PROGRAM: Final = "import sys; sys.path.insert(0, sys.argv.pop(1)); from replay.diff.box.launcher import main; main()"
# The launcher is an interpreter that imports little, on a machine that may be busy.
START_SECONDS: Final = 60.0
# What is left of a box ends at once; one that does not is ended from outside.
_ENDING_SECONDS: Final = 5.0
_READ: Final = 4096
# What is said to a box that is ended; where nothing is said before the control is closed, whoever started it is gone.
ENDED: Final = b"\n"


class NoBoxError(Exception):
    """The command could not be started; the text says why, as the system does."""


class Boxed:
    """A command that was started in a box. `lacks` is what the box has no means against on this system.

    `listener` listens on the loopback interface that the command sees. The folders of `caches`, each named by a
    variable of the environment, are read as they are; what is written to them goes to `scratch`.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        scratch: Path,
        environment: Mapping[str, str],
        output: int,
        caches: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._heard = b""
        self.has_ended = False
        self.is_empty = False
        self._control, control = socket.socketpair()
        with control:
            asked = {"control": control.fileno(), "scratch": str(scratch), "command": list(command)}
            asked["caches"] = dict(caches)
            self._process: Final = subprocess.Popen(  # noqa: S603 - this interpreter, and the user's own command
                [sys.executable, "-I", "-S", "-B", "-c", _PROGRAM, _ROOT, json.dumps(asked)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=dict(environment),
                pass_fds=[control.fileno()],
                start_new_session=True,
            )
        greeting, sockets = self._greeting()
        self.listener: Final = sockets[0]
        self.lacks: Final = frozenset(Lack[name] for name in greeting["lacks"])

    def fileno(self) -> int:
        """What becomes readable once there is something to `hear`."""
        return self._control.fileno()

    def hear(self) -> None:
        """Take note of what has been said since: that the command has ended, that nothing is left of it."""
        try:
            piece = self._control.recv(_READ, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        self._heard += piece
        *lines, self._heard = self._heard.split(b"\n")
        for line in lines:
            said = json.loads(line)
            self.has_ended = self.has_ended or "ended" in said
            self.is_empty = self.is_empty or "empty" in said
        if not piece:
            self.has_ended = self.is_empty = True

    def end(self) -> None:
        """End the command and all that it started, whatever sessions they made of their own."""
        self.has_ended = self.is_empty = True
        with contextlib.suppress(OSError):
            self._control.send(ENDED)
        self._control.close()
        try:
            self._process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _greeting(self) -> tuple[dict[str, list[str]], list[socket.socket]]:
        """What the box lacks, and its listening socket; where the command did not start, `NoBoxError`."""
        found: list[socket.socket] = []
        deadline = time.monotonic() + START_SECONDS
        while b"\n" not in self._heard:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._control], [], [], left)[0]:
                self._give_up("its box did not start in time")
            piece, numbers, _, _ = socket.recv_fds(self._control, _READ, 1)
            found += [socket.socket(fileno=number) for number in numbers]
            if not piece:
                self._give_up("its box ended while it was starting")
            self._heard += piece
        self._heard, _, rest = self._heard.partition(b"\n")
        said = json.loads(self._heard)
        self._heard = rest
        if "error" in said:
            self._give_up(said["error"])
        return said, found

    def _give_up(self, why: str) -> NoReturn:
        self.end()
        raise NoBoxError(why)

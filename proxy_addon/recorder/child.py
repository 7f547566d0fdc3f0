"""The command that `toolreel record -- COMMAND …` runs: started when the recorder listens, waited for, told of signals.

The command stays in the recorder's process group, so that it has the terminal as it would without the recorder. A
Ctrl-C in the terminal reaches both; one that was sent to the recorder alone is sent on.
"""

import asyncio
import contextlib
import os
import shutil
import signal
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from replay.errors import ToolreelError


def found(command: Sequence[str]) -> tuple[str, ...]:
    """The command, seen to be one that can be run; `ToolreelError` where it is none."""
    if command and shutil.which(command[0]) is None:
        raise ToolreelError(f"{command[0]}: no command that can be run; check its name, and PATH")
    return tuple(command)


class Child:
    """The command as a process. `code` is its exit code once it has ended, 128 and the number where a signal did it."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command: Final = command
        self._process: asyncio.subprocess.Process | None = None
        self.code: int | None = None

    def start(self, environment: Mapping[str, str], *, then: Callable[[], None]) -> None:
        """Start the command on the running loop, and call `then` when it has ended."""
        self._running = asyncio.create_task(self._run(environment))
        self._running.add_done_callback(lambda _: then())

    async def _run(self, environment: Mapping[str, str]) -> None:
        """Wait for the end of the command; what is not started after all counts as 126, as in a shell."""
        try:
            self._process = await asyncio.create_subprocess_exec(*self._command, env=environment)
        except OSError:
            self.code = 126
            return
        code = await self._process.wait()
        self.code = 128 - code if code < 0 else code

    def hear(self, number: int) -> bool:
        """Send a signal on to the command; False where it is none of its any more."""
        if self._process is None or self.code is not None:
            return False
        if number != signal.SIGINT or not _in_the_foreground():
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)
        return True


def _in_the_foreground() -> bool:
    """Whether a Ctrl-C of the terminal comes to every process of this group, and so to the command as well."""
    with contextlib.suppress(OSError):
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
        try:
            return os.tcgetpgrp(terminal) == os.getpgrp()
        finally:
            os.close(terminal)
    return False

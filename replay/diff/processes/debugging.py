"""What `toolreel diff --debug` tells of each turn: the bytes that were served, and what the adapter's process printed.

Without it nothing of either is kept. All of it goes to standard error, so a report on standard output stays one.
"""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from replay.serve.answers import Answers
from replay.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from replay.serve.answers import Answer
    from replay.serve.http1 import Request


class NotedAnswers(Answers):
    """Answers that keep, until they are told, what was asked and the bytes that it was answered with."""

    noted: list[tuple[str, bytes]]

    def answer(self, request: Request) -> Answer:
        """The answer to one request."""
        found = super().answer(request)
        body = b"".join(piece.data for piece in found.pieces)
        self.noted.append((f"{request.method} {request.target}: {found.status}", body))
        return found


class Silence:
    """Tells nothing: what a process prints goes nowhere. Also what is known of a run without `--debug`."""

    def __init__(self) -> None:
        self.output = os.open(os.devnull, os.O_RDWR)

    def answers(self, answers: Callable[[type[Answers]], Answers]) -> Answers:
        """The answers of a run, made of the class that is wanted here."""
        return answers(Answers)

    def tell(self, about: str) -> None:
        """Tell what has come since the last time, of a turn or of the start of a process."""

    def close(self) -> None:
        """Nothing is told from now on."""
        os.close(self.output)


class Debugging(Silence):
    """Tells line by line, each through `say`; control characters are shown as text."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._read = 0
        self._noted: list[tuple[str, bytes]] = []
        self.output = self._file.fileno()

    def answers(self, answers: Callable[[type[Answers]], Answers]) -> Answers:
        """The answers of a run, which note what they answer."""
        made = answers(NotedAnswers)
        assert isinstance(made, NotedAnswers)
        made.noted = self._noted
        return made

    def tell(self, about: str) -> None:
        """Say what was served, then what was printed."""
        for asked, body in self._noted:
            self._lines(f"debug: {about}: served to {asked}", body)
        self._noted.clear()
        printed = os.pread(self.output, os.fstat(self.output).st_size - self._read, self._read)
        self._read += len(printed)
        if printed:
            self._lines(f"debug: {about}: printed", printed)

    def close(self) -> None:
        """Nothing is told from now on."""
        self._file.close()

    def _lines(self, headline: str, data: bytes) -> None:
        self._say(printable(headline))
        for line in data.decode("utf-8", "backslashreplace").splitlines():
            self._say(f"  {printable(line)}")

"""Files: read whole within a bound, written whole or not at all. Every error is one line with the next step.

Knows paths and bytes; knows nothing of what is in them. A path may also lead to an object of a store or into a pack
(`elsewhere`): `read`, `read_if_there`, `exists`, `write` and `remove` take it like any other.
"""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from replay.atomic import Pending
from replay.errors import ToolreelError, translated
from replay.validator.limits import MAX_FIXTURE_BYTES

from . import elsewhere

if TYPE_CHECKING:
    from typing import Self, TextIO

StrPath: TypeAlias = "str | os.PathLike[str]"

# A pipe must not make the command wait for its writer. Plain calls of the system: a run opens two files a fixture, and
# a file object costs as much as the reading.
_READING: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


def read(path: StrPath, *, limit: int = MAX_FIXTURE_BYTES) -> bytes:
    """The bytes of the file; a `ToolreelError` that names it where it cannot be read whole."""
    kept = elsewhere.of(path)
    if kept is not None:
        return kept.read(os.fspath(path), limit)
    with _named(path):
        descriptor = os.open(path, _READING)
        try:
            found = os.fstat(descriptor)
            unsuitable = _unsuitable(found, limit)
            data = b"" if unsuitable else _whole(descriptor, found.st_size)
        finally:
            os.close(descriptor)
    if not unsuitable and len(data) != found.st_size:
        unsuitable = "changed while it was read; run this again when it is whole"
    if unsuitable:
        raise ToolreelError(f"{path}: {unsuitable}")
    return data


def _whole(descriptor: int, size: int) -> bytes:
    """All that there is, up to one byte more than there should be."""
    data = os.read(descriptor, size + 1)
    while len(data) < size:  # the system gives 2 GiB at most at once, and less where a signal came
        more = os.read(descriptor, size + 1 - len(data))
        if not more:
            break
        data += more
    return data


def read_if_there(path: StrPath) -> bytes | None:
    """The bytes of the file, None where there is none; a link that leads nowhere is there, and cannot be read."""
    kept = elsewhere.of(path)
    if kept is not None:
        return kept.read_if_there(os.fspath(path), MAX_FIXTURE_BYTES)
    try:
        return read(path)
    except ToolreelError:
        if os.path.lexists(path):
            raise
    return None


def exists(path: StrPath) -> bool:
    """Whether something has this name; a link that leads nowhere has it."""
    kept = elsewhere.of(path)
    return os.path.lexists(path) if kept is None else kept.exists(os.fspath(path))


def _unsuitable(found: os.stat_result, limit: int) -> str:
    """Why the file is not even opened; empty where it may be."""
    if stat.S_ISDIR(found.st_mode):
        return "is a folder; name a file in it"
    if not stat.S_ISREG(found.st_mode):
        return "is no regular file; copy what it gives into one"
    if found.st_size > limit:
        return f"larger than {limit:,} bytes, so it is no fixture; leave it out"
    return ""


def write(path: StrPath, data: bytes) -> None:
    """Put `data` in place of the file in one step; where that fails, whatever stood there stays as it was."""
    kept = elsewhere.of(path)
    if kept is not None:
        kept.write(os.fspath(path), data)
        return
    with translated(
        (OSError, ValueError), lambda error: ToolreelError(f"{path}: {_reason(error)}; nothing was written")
    ):
        target = Path(os.path.realpath(path))  # a link stays a link
        with Pending(target.parent) as pending:
            pending.write(data)
            pending.replace(target)


def _is_stream(path: Path) -> bool:
    """Whether the path is there and what is written to it goes somewhere else; a standard stream may lead to a file."""
    try:
        regular = stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False
    return not regular or path.is_relative_to("/dev")


_NO_REPORT: Final = "; no report was written there"


class Replacement:
    """A text file that is written line by line and takes its place when it is whole; else nothing has happened.

    What is no regular file (a pipe, a device, `/dev/stdout`) stays in its place, and is written to as lines come.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._target = Path(os.path.realpath(path))
        self._opened = ExitStack()
        self._pending: Pending | None = None
        self._stream: TextIO | None = None

    def __enter__(self) -> Self:
        with _named(self._path, _NO_REPORT):
            if self._path.is_dir():
                raise IsADirectoryError
            if _is_stream(self._path):
                self._stream = self._path.open("w", encoding="utf-8", newline="\n", errors="backslashreplace")
                self._opened.enter_context(self._stream)
            else:
                self._pending = self._opened.enter_context(Pending(self._target.parent))
        return self

    def line(self, text: str) -> None:
        """Write one line."""
        with _named(self._path, _NO_REPORT):
            if self._pending is not None:
                self._pending.write(f"{text}\n".encode("utf-8", "backslashreplace"))
            else:
                assert self._stream is not None, "not entered"
                self._stream.write(f"{text}\n")

    def commit(self) -> None:
        """Put the file in place."""
        with _named(self._path, _NO_REPORT):
            if self._pending is not None:
                self._pending.replace(self._target)
            else:
                assert self._stream is not None, "not entered"
                self._stream.close()

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._opened.close()


def remove(path: StrPath) -> None:
    """Remove one file."""
    kept = elsewhere.of(path)
    if kept is not None:
        kept.remove(os.fspath(path))
        return
    with translated(
        (OSError, ValueError), lambda error: ToolreelError(f"{path}: {_reason(error)}; it was not removed")
    ):
        Path(path).unlink()


def is_folder(path: Path) -> bool:
    """Whether the path is a folder; a `ToolreelError` where it is nothing that can be looked at."""
    with _named(path):
        return stat.S_ISDIR(path.stat().st_mode)


def _named(path: StrPath, consequence: str = "") -> translated[Exception]:
    """What makes one line of an error of the system: the file, the reason, and what follows from it."""
    return translated((OSError, ValueError), lambda error: ToolreelError(f"{path}: {_reason(error)}{consequence}"))


def _reason(error: Exception) -> str:
    """Why the file could not be used; in words that do not depend on the platform where it is one of the usual things.

    A `ValueError` is that of a name with a NUL in it.
    """
    if isinstance(error, IsADirectoryError):
        return "is a folder; name a file in it"
    if isinstance(error, FileNotFoundError):
        return "no such file or folder; check the path"
    if isinstance(error, PermissionError):
        return "permission denied; check who may use it"
    if isinstance(error, OSError) and error.strerror:
        return f"cannot be read or written ({error.strerror})"
    return "is no usable file name"

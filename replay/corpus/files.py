"""Files on disk: read whole within a bound, written whole or not at all. Every failure is one line with the next step.

Knows paths and bytes; knows nothing of what is in them.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from replay.errors import ToolreelError
from replay.validator.limits import MAX_FIXTURE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self, TextIO

StrPath: TypeAlias = "str | os.PathLike[str]"

# A pipe must not make the command wait for its writer. Plain calls of the system: a run opens two files a fixture, and
# a file object costs as much as the reading.
_READING: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


def read(path: StrPath, *, limit: int = MAX_FIXTURE_BYTES) -> bytes:
    """The bytes of the file; a `ToolreelError` that names it where it cannot be read whole."""
    problem = ""
    data = b""
    try:
        descriptor = os.open(path, _READING)
        try:
            found = os.fstat(descriptor)
            problem = _unsuitable(found, limit)
            if not problem:
                data = _whole(descriptor, found.st_size)
        finally:
            os.close(descriptor)
        if not problem and len(data) != found.st_size:
            problem = "changed while it was read; run this again when it is whole"
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        problem = _reason(error)
    if problem:
        raise ToolreelError(f"{path}: {problem}")
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
    try:
        return read(path)
    except ToolreelError:
        if os.path.lexists(path):
            raise
    return None


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
    problem = ""
    target = Path(os.path.realpath(path))  # a link stays a link
    temporary = _beside(target)
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _put_in_place(temporary, target)
    except (OSError, ValueError) as error:
        problem = _reason(error)
        with suppress(OSError, ValueError):
            temporary.unlink()
    if problem:
        raise ToolreelError(f"{path}: {problem}; nothing was written")


def _beside(target: Path) -> Path:
    """A name that no other run has: hidden, so that none takes it for a fixture, and one rename away."""
    return target.with_name(f".toolreel-{os.urandom(6).hex()}.tmp")


def _put_in_place(temporary: Path, target: Path) -> None:
    with suppress(FileNotFoundError):
        temporary.chmod(target.stat().st_mode & 0o777)
    temporary.replace(target)


def _is_stream(path: Path) -> bool:
    """Whether the path is there and what is written to it goes somewhere else; a standard stream may lead to a file."""
    try:
        regular = stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False
    return not regular or path.is_relative_to("/dev")


class Replacement:
    """A text file that is written line by line and takes its place when it is whole; else nothing has happened.

    What is no regular file (a pipe, a device, `/dev/stdout`) stays in its place, and gets each line at once.
    """

    def __init__(self, path: Path) -> None:
        """Opened when it is entered."""
        self._path = path
        self._target = Path(os.path.realpath(path))
        self._temporary: Path | None = None
        self._file: TextIO | None = None

    def __enter__(self) -> Self:
        """Open a file beside the target, or the target itself."""
        with self._named():
            if self._path.is_dir():
                raise IsADirectoryError
            if _is_stream(self._path):
                self._file = self._path.open("w", encoding="utf-8", newline="\n", errors="backslashreplace")
            else:
                self._temporary = _beside(self._target)
                self._file = self._temporary.open("x", encoding="utf-8", newline="\n", errors="backslashreplace")
        return self

    def line(self, text: str) -> None:
        """Write one line."""
        assert self._file is not None, "not entered"
        with self._named():
            self._file.write(f"{text}\n")

    def commit(self) -> None:
        """Put the file in place."""
        assert self._file is not None, "not entered"
        with self._named():
            self._file.close()
            if self._temporary is not None:
                _put_in_place(self._temporary, self._target)

    def __exit__(self, *_: object) -> None:
        """Remove what was not put in place."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            if self._temporary is not None:
                with suppress(OSError):
                    self._temporary.unlink()

    @contextmanager
    def _named(self) -> Iterator[None]:
        problem = ""
        try:
            yield
        except (OSError, ValueError) as error:
            problem = _reason(error)
        if problem:
            raise ToolreelError(f"{self._path}: {problem}; no report was written there")


def remove(path: StrPath) -> None:
    """Remove one file."""
    problem = ""
    try:
        Path(path).unlink()
    except (OSError, ValueError) as error:
        problem = _reason(error)
    if problem:
        raise ToolreelError(f"{path}: {problem}; it was not removed")


def is_folder(path: Path) -> bool:
    """Whether the path is a folder; a `ToolreelError` where it is nothing that can be looked at."""
    problem = ""
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except (OSError, ValueError) as error:
        problem = _reason(error)
    raise ToolreelError(f"{path}: {problem}")


def _reason(error: OSError | ValueError) -> str:
    """What went wrong, in words that do not depend on the platform where it is one of the usual things."""
    if isinstance(error, IsADirectoryError):
        return "is a folder; name a file in it"
    if isinstance(error, FileNotFoundError):
        return "no such file or folder; check the path"
    if isinstance(error, PermissionError):
        return "permission denied; check who may use it"
    if isinstance(error, OSError) and error.strerror:
        return f"cannot be read or written ({error.strerror})"
    return "is no usable file name"

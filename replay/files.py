"""Files on disk: read whole within a bound, written whole or not at all. Every failure is one line with the next step.

Knows paths and bytes; knows nothing of what is in them.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from .errors import ToolreelError
from .validator.limits import MAX_FIXTURE_BYTES


def read(path: Path, *, limit: int = MAX_FIXTURE_BYTES) -> bytes:
    """The bytes of the file; a `ToolreelError` that names it where it cannot be read whole."""
    problem = ""
    data = b""
    try:
        # Asked before opening: a pipe would make the command wait, and a device need not end.
        found = path.stat()
        problem = _unsuitable(found, limit)
        if not problem:
            with path.open("rb") as file:
                data = file.read(found.st_size + 1)
            if len(data) != found.st_size:
                problem = "changed while it was read; run this again when it is whole"
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        problem = _reason(error)
    if problem:
        raise ToolreelError(f"{path}: {problem}")
    return data


def _unsuitable(found: os.stat_result, limit: int) -> str:
    """Why the file is not even opened; empty where it may be."""
    if stat.S_ISDIR(found.st_mode):
        return "is a folder; name a file in it"
    if not stat.S_ISREG(found.st_mode):
        return "is no regular file; copy what it gives into one"
    if found.st_size > limit:
        return f"larger than {limit:,} bytes, so it is no fixture; leave it out"
    return ""


def write(path: Path, data: bytes) -> None:
    """Put `data` in place of the file in one step; where that fails, whatever stood there stays as it was."""
    problem = ""
    target = Path(os.path.realpath(path))  # a link stays a link
    # Hidden, so that no run takes it for a fixture; beside the target, so that the last step is a rename.
    temporary = target.with_name(f".{target.name[:64]}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            temporary.chmod(target.stat().st_mode & 0o777)
        temporary.replace(target)
    except (OSError, ValueError) as error:
        problem = _reason(error)
        with suppress(OSError, ValueError):
            temporary.unlink()
    if problem:
        raise ToolreelError(f"{path}: {problem}; nothing was written")


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

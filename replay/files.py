"""Files on disk: read whole within a bound, written whole or not at all. Every failure is one line with the next step.

Knows paths and bytes; knows nothing of what is in them.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from .errors import ToolreelError

# A fixture at every limit at once (100,000 events, 16 MiB of arguments, escaped) stays below this; what is larger is
# no fixture, and reading it whole could exhaust the machine.
MAX_FILE_BYTES: Final = 256 * 1024 * 1024


def read(path: Path, *, limit: int = MAX_FILE_BYTES) -> bytes:
    """The bytes of the file; a `ToolreelError` that names it where it cannot be read whole."""
    problem = ""
    data = b""
    try:
        # Asked before opening: a pipe would make the command wait, and a device need not end.
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            with path.open("rb") as file:
                data = file.read(limit + 1)
        else:
            problem = (
                "is a folder; name a file in it"
                if stat.S_ISDIR(mode)
                else "is no regular file; copy what it gives into one"
            )
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        problem = _reason(error)
    if problem:
        raise ToolreelError(f"{path}: {problem}")
    if len(data) > limit:
        raise ToolreelError(f"{path}: larger than {limit:,} bytes, so it is no fixture; leave it out")
    return data


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


def _reason(error: OSError | ValueError) -> str:
    """What went wrong, in words that do not depend on the platform where it is one of the usual things."""
    if isinstance(error, IsADirectoryError):
        return "is a folder; name a file in it"
    if isinstance(error, FileNotFoundError):
        return "no such file; check the path"
    if isinstance(error, PermissionError):
        return "permission denied; check who may read and write it"
    if isinstance(error, OSError) and error.strerror:
        return f"cannot be read or written ({error.strerror})"
    return "is no usable file name"

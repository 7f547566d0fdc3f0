"""The file of `--log-file`: lines go to its end, and it is opened anew when it was renamed and a signal says so.

Example: logrotate renames `toolreel.log` and sends SIGHUP. The lines until then are in the renamed file, and those
after it in a new `toolreel.log`.
"""

import os
from pathlib import Path
from typing import Final

from replay.errors import ToolreelError, translated

# Its lines are for the recorder's user, and for the group that reads logs.
_MODE: Final = 0o640


class LogFile:
    """An open log file. It is used by one thread, once the recorder runs."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self._torn = False  # the last line is there in part, since the disk was full
        with translated((OSError, ValueError), self._unusable):
            self._descriptor = self._opened()

    def __call__(self, line: bytes) -> None:
        """Write a line to the end; an `OSError` where it cannot be."""
        data = b"\n" + line if self._torn else line
        self._torn = True
        written = 0
        while written < len(data):
            try:
                written += os.write(self._descriptor, data[written:])
            except OSError:
                self._torn = bool(written) or data is not line
                raise
        self._torn = False

    def reopen(self) -> None:
        """Open the file of this name, which may be another one now; an `OSError` where the old one stays."""
        descriptor = self._opened()
        os.close(self._descriptor)
        self._descriptor, self._torn = descriptor, False

    def _opened(self) -> int:
        return os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, _MODE)

    def _unusable(self, error: Exception) -> ToolreelError:
        why = (error.strerror if isinstance(error, OSError) else None) or "no usable file name"
        return ToolreelError(f"--log-file {self._path}: cannot be written ({why}); name another file")

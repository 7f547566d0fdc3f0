"""Files that appear whole or not at all. Standard library only; knows nothing of what is in them.

A file is written under a hidden name beside its target, and gets its real name in one step of the system. Whoever is
killed before that leaves the target as it was:

    with Pending(target.parent) as pending:
        pending.write(data)
        pending.replace(target)
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

# Hidden, so that no run takes a half-written file for a fixture. The process id behind it says whose the file is.
PREFIX: Final = ".toolreel-"
# What the system says where a file system has no hard links.
_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


class Pending:
    """A file that is being written, for the time of a `with` block. Without a name at the end of it, it is removed.

    Each method raises the `OSError` of the system as it comes.
    """

    def __init__(self, folder: Path) -> None:
        self.path: Final = folder / f"{PREFIX}{os.getpid()}-{os.urandom(6).hex()}.tmp"
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        self._file = self.path.open("xb")
        return self

    def write(self, data: bytes) -> None:
        """Write these bytes behind the others."""
        assert self._file is not None, "not entered"
        self._file.write(data)

    def replace(self, target: Path) -> None:
        """Put the file in the place of `target`. It gets the permissions of the file that stood there."""
        self._finish()
        with suppress(FileNotFoundError):
            self.path.chmod(target.stat().st_mode & 0o777)
        self.path.replace(target)

    def publish(self, target: Path) -> bool:
        """Give the file the name `target` where nothing has that name; whether it has it now.

        A file system without hard links cannot do both in one step. There the name is looked at, and then taken.
        """
        self._finish()
        try:
            os.link(self.path, target)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if os.path.lexists(target):
                return False
            self.path.replace(target)
        return True

    def _finish(self) -> None:
        """Have all that was written on the disk, so that after a crash the name does not lead to an empty file."""
        assert self._file is not None, "not entered"
        if not self._file.closed:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            with suppress(OSError):
                self.path.unlink()

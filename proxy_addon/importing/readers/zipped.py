"""A HAR in a ZIP archive, as Playwright writes it: the log, and each body a file beside it.

Nothing is unpacked to the disk, and of an archive no more is read than the member that is asked for.
"""

import contextlib
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from proxy_addon.importing.entries import MAX_ENTRY_BYTES, BrokenError
from replay.errors import translated

START: Final = b"PK\x03\x04"
_LOG: Final = ".har"
# What the standard library raises where an archive is damaged, encrypted, or packed in a way that it does not know.
_ERRORS: Final = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError)


def log_in(path: Path) -> str | None:
    """The name of the HAR in an archive; None where there is none, or more than one."""
    with contextlib.suppress(*_ERRORS), zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(_LOG)]
        return names[0] if len(names) == 1 else None
    return None


@contextlib.contextmanager
def opened(path: Path, member: str) -> Iterator[IO[bytes]]:
    """A member of an archive, to be read."""
    broken = BrokenError("whole file", "its zip cannot be undone")
    with translated(_ERRORS, lambda _: broken), zipfile.ZipFile(path) as archive, archive.open(member) as file:
        yield file


def attached(path: Path, name: str) -> bytes | None:
    """The bytes of another member, as an entry names it; None where it is not there, or is too large."""
    with contextlib.suppress(KeyError, *_ERRORS), zipfile.ZipFile(path) as archive, archive.open(name) as file:
        data = file.read(MAX_ENTRY_BYTES + 1)
        return data if len(data) <= MAX_ENTRY_BYTES else None
    return None

"""The index of an output folder: what an earlier run has learnt of its files, so that a start need not read them all.

It is a file beside them, with a line for each: its digest, its stamp (size, times and number, as the system has them)
and its name. It is never believed blindly. A file with another stamp is read; an index that is damaged, or of another
version, is as none; and a digest out of it counts as a hint until the file itself has been read (`KnownFiles`).
"""

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from redaction.fixture import DIGEST_VERSION

# No fixture and no unfinished file is called so, and no command takes it for either.
INDEX_FILE: Final = ".toolreel-index"

# A folder with fewer files is read faster than anybody notices, and is often one that people look at and check in.
FEWEST: Final = 1000

_HEAD: Final = f"toolreel-index 1.{DIGEST_VERSION} "
_NO_DIGEST: Final = "-"


# What the index says of a file: its stamp, and its digest, or None where it was no fixture. A pair and no class of its
# own, for there may be a million of them.
Entry = tuple[str, str | None]


def stamp_of(status: os.stat_result) -> str:
    """What tells a file from what it was: the system gives it another one whenever somebody writes to it."""
    return f"{status.st_size}.{status.st_mtime_ns}.{status.st_ctime_ns}.{status.st_ino}"


def read_index(folder: Path) -> Mapping[str, Entry]:
    """The entries by name; none where there is no index, or none that is whole."""
    try:
        head, _, body = (folder / INDEX_FILE).read_bytes().partition(b"\n")
    except OSError:
        return {}
    if head.decode("ascii", "replace") != _HEAD + hashlib.sha256(body).hexdigest():
        return {}
    with contextlib.suppress(ValueError):
        return dict(_entries(body.decode("utf-8", "surrogateescape")))
    return {}


def _entries(body: str) -> Iterator[tuple[str, Entry]]:
    for line in body.split("\n")[:-1]:
        digest, stamp, name = line.split(" ", 2)
        yield name, (stamp, None if digest == _NO_DIGEST else digest)


# Gives a file with these bytes in a folder, under a name that is gone after the block.
WrittenOut = Callable[[Path, bytes], AbstractContextManager[Path]]


def write_index(folder: Path, entries: Iterable[tuple[str, Entry]], written_out: WrittenOut) -> None:
    """Put an index in the place of the one that is there."""
    lines = (f"{digest or _NO_DIGEST} {stamp} {name}\n" for name, (stamp, digest) in entries if "\n" not in name)
    body = "".join(lines).encode("utf-8", "surrogateescape")
    head = f"{_HEAD}{hashlib.sha256(body).hexdigest()}\n".encode("ascii")
    with contextlib.suppress(OSError), written_out(folder, head + body) as path:
        path.replace(folder / INDEX_FILE)

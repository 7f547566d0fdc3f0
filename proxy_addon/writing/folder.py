"""The output folder: puts fixtures into files. The only code that writes a recording.

It takes a `Fixture` and nothing else, so only proved bytes reach the disk. A file is whole or not there, and a file
that is there is never written over.

Example: two turns of the case `weather` become `weather.json` and, where their shapes differ, `weather-2.json`.
"""

import contextlib
import errno
import math
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from proxy_addon.writing.cases import BESIDE
from proxy_addon.writing.settled import Dropped, How, Settled, unwritten
from redaction.captured.exchange import Fixture
from replay.errors import ToolreelError, translated

SUFFIX: Final = ".json"
NO_FIXTURES: Final = tuple(name + SUFFIX for name in BESIDE)

# How the name of an unfinished file begins; the process id behind it says whose file it is.
TEMPORARY: Final = ".toolreel-"

# A fixture is far smaller. A bigger file is none of ours and is not read to learn its shape.
MAX_FIXTURE_BYTES: Final = 64 * 1024 * 1024

# What the system says of a link where the file system has no hard links.
_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


class FixtureFolder:
    """One output folder. Used by one thread; other processes may write to the folder at the same time.

    `digest_of` gives the digest of a fixture file, or None of any other file. At most `max_fixtures` files with
    `max_bytes` together are written.
    """

    def __init__(
        self,
        folder: Path,
        *,
        digest_of: Callable[[bytes], str | None],
        max_fixtures: int,
        max_bytes: float = math.inf,
    ) -> None:
        self._folder: Final = folder
        self._digest_of: Final = digest_of
        self._left = max_fixtures
        self._bytes_left = max_bytes
        self._digests: dict[str, str] = {}  # of each name; files without a digest are not in it
        self._shapes: dict[str, str] = {}  # the first name of each digest
        with translated(OSError, partial(_unusable, folder)):
            folder.mkdir(parents=True, exist_ok=True)
            self._sweep()
            with _written_out(folder, b""):
                pass  # so files can be made here
            found = sorted(path for path in folder.iterdir() if path.name.endswith(SUFFIX))
        for path in found:
            if not path.name.endswith(NO_FIXTURES):
                self._learn(path)

    def store(self, fixture: Fixture, case: str | None) -> Settled:
        """Write a fixture under its case or its own stem, unless its shape is there already.

        A case is compared with the files of its own name only: whoever names a case wants that file. A fixture without
        a case is compared with the whole folder.
        """
        known = self._shapes.get(fixture.digest)
        if case is None and known is not None:
            return Settled(how=How.SAME_SHAPE, file=known)
        try:
            return self._store(fixture, case or fixture.stem)
        except OSError as error:
            return unwritten(Dropped.WRITE, note=errno.errorcode.get(error.errno or 0, type(error).__name__))

    def _store(self, fixture: Fixture, stem: str) -> Settled:
        number = 1
        while True:
            name = stem + ("" if number == 1 else f"-{number}") + SUFFIX
            target = self._folder / name
            if not os.path.lexists(target):
                if self._left <= 0:
                    return unwritten(Dropped.FOLDER_LIMIT)
                if len(fixture.data) > self._bytes_left:
                    return unwritten(Dropped.BYTES_LIMIT)
                if self._put(fixture.data, target):
                    self._left -= 1
                    self._bytes_left -= len(fixture.data)
                    self._note(name, fixture.digest)
                    return Settled(how=How.WRITTEN, file=name)
            self._learn(target)
            if self._digests.get(name) == fixture.digest:
                return Settled(how=How.SAME_SHAPE, file=name)
            number += 1

    def _put(self, data: bytes, target: Path) -> bool:
        """Make the file `target` in one step; False where the name has been taken meanwhile."""
        with _written_out(self._folder, data) as path:
            if not _linked(path, target):
                return False
        self._sync()
        return True

    def _sync(self) -> None:
        """Have the names in the folder on the disk, too."""
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        except OSError:
            pass  # some file systems have no such thing for folders; the file itself is safe
        finally:
            os.close(descriptor)

    def _learn(self, path: Path) -> None:
        """Note the shape of a file, if it is a fixture. A file that cannot be read is equal to nothing."""
        if path.name in self._digests:
            return
        digest = None
        with contextlib.suppress(OSError):
            if path.is_file() and path.stat().st_size <= MAX_FIXTURE_BYTES:
                digest = self._digest_of(path.read_bytes())
        if digest is not None:
            self._note(path.name, digest)

    def _note(self, name: str, digest: str) -> None:
        self._digests[name] = digest
        self._shapes.setdefault(digest, name)

    def _sweep(self) -> None:
        """Remove the unfinished files of recorders that were killed."""
        for path in self._folder.glob(f"{TEMPORARY}*"):
            owner = path.name.removeprefix(TEMPORARY).partition("-")[0]
            if owner.isdecimal() and not _alive(int(owner)):
                path.unlink(missing_ok=True)


@contextlib.contextmanager
def _written_out(folder: Path, data: bytes) -> Iterator[Path]:
    """A file that holds `data` and is on the disk, under a name that is gone after the block."""
    path = folder / f"{TEMPORARY}{os.getpid()}-{os.urandom(6).hex()}"
    try:
        with path.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield path
    finally:
        with contextlib.suppress(OSError):
            path.unlink()


def _linked(path: Path, target: Path) -> bool:
    """Give a finished file the name `target`; False where that has been taken meanwhile."""
    try:
        os.link(path, target)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # In two steps, then: between them another process could take the name, and would lose its file.
        if os.path.lexists(target):
            return False
        path.replace(target)
    return True


def _unusable(folder: Path, error: OSError) -> ToolreelError:
    """The error about an output folder, made of what the system says of it."""
    in_the_way = Path(error.filename or folder) if isinstance(error, FileExistsError) else None
    why = os.strerror(error.errno or 0) if in_the_way is None else _what_it_is(in_the_way, folder=folder)
    return ToolreelError(f"{folder}: cannot write fixtures here ({why}); name another folder with --out DIR")


def _what_it_is(path: Path, *, folder: Path) -> str:
    """What `path`, the folder or one above it, is instead of a folder. Example: `it is a link to a file`."""
    number: int | None = None
    try:
        path.stat()
    except OSError as error:
        number = error.errno
    if number == errno.ELOOP:
        what = "a link that leads in a circle"
    elif number == errno.ENOENT:
        what = "a link to what is not there"
    else:
        end = "a file" if path.is_file() else "something that is no folder"
        what = f"a link to {end}" if path.is_symlink() else end
    return f"{'it' if path == folder else path} is {what}"


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True

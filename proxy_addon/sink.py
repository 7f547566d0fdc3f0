"""Fixture to file: the only code that writes a recording.

Takes `Fixture` and nothing else, so only proved bytes reach the disk. A file appears whole or not at all, and a file
that is there is never written over.
"""

import contextlib
import errno
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proxy_addon.errors import RecordError
from proxy_addon.tally import Dropped
from redaction.exchange import Fixture

SUFFIX: Final = ".json"
PIN_SUFFIX: Final = ".expected.json"

# Half-written files start so; the process id says whose they are.
TEMPORARY: Final = ".toolreel-"

# A fixture is far smaller; a bigger file is none of ours and is not read to learn its shape.
MAX_FIXTURE_BYTES: Final = 64 * 1024 * 1024

# Where a file system has no hard links, the name is checked and taken in two steps.
_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


class OutputFolderError(RecordError):
    """The folder for the fixtures cannot be used."""

    def __init__(self, folder: Path, why: str) -> None:
        """`why` is a short word, such as the name of an errno."""
        super().__init__(f"{folder}: cannot write fixtures here ({why}); name another folder with --out DIR")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A new file."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SameShape:
    """Not written: `name` has this shape already."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotWritten:
    """Not written, for this reason."""

    why: Dropped
    detail: str = ""


class Sink:
    """One output folder. Used by one thread; other processes may write to the folder at the same time."""

    def __init__(self, folder: Path, *, digest_of: Callable[[bytes], str | None], max_fixtures: int) -> None:
        """Make the folder ready and learn what is in it; `digest_of` gives the digest of a fixture file, else None."""
        self._folder: Final = folder
        self._digest_of: Final = digest_of
        self._left = max_fixtures
        self._digests: dict[str, str] = {}  # of each name; files without a digest are not in it
        self._shapes: dict[str, str] = {}  # the first name of each digest
        why = ""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._sweep()
            probe, name = tempfile.mkstemp(prefix=f"{TEMPORARY}{os.getpid()}-", dir=folder)
            os.close(probe)
            Path(name).unlink()
            found = sorted(path for path in folder.iterdir() if path.name.endswith(SUFFIX))
        except OSError as error:
            why = _word(error)
        if why:
            raise OutputFolderError(folder, why)
        for path in found:
            if not path.name.endswith(PIN_SUFFIX):
                self._learn(path)

    def store(self, fixture: Fixture, case: str | None) -> Written | SameShape | NotWritten:
        """Write a fixture under its case or its own stem, unless its shape is there.

        A case is compared with the files of its own name only: whoever names a case wants that file. What has no case
        is compared with the whole folder.
        """
        known = self._shapes.get(fixture.digest)
        if case is None and known is not None:
            return SameShape(name=known)
        if self._left <= 0:
            return NotWritten(why=Dropped.FOLDER_LIMIT)
        try:
            return self._store(fixture, case or fixture.stem)
        except OSError as error:
            return NotWritten(why=Dropped.WRITE, detail=_word(error))

    def _store(self, fixture: Fixture, stem: str) -> Written | SameShape:
        temporary: Path | None = None
        number = 1
        try:
            while True:
                name = stem + ("" if number == 1 else f"-{number}") + SUFFIX
                target = self._folder / name
                if os.path.lexists(target):
                    self._learn(target)
                    if self._digests.get(name) == fixture.digest:
                        return SameShape(name=name)
                    number += 1
                    continue
                temporary = temporary or self._write(fixture.data)
                if _publish(temporary, target):
                    break
            self._sync_folder()
        finally:
            if temporary is not None:
                with contextlib.suppress(OSError):
                    temporary.unlink()
        self._left -= 1
        self._note(name, fixture.digest)
        return Written(name=name)

    def _write(self, data: bytes) -> Path:
        # mkstemp opens with O_EXCL and for the owner alone; a fixture is for everyone who may read the folder.
        descriptor, name = tempfile.mkstemp(prefix=f"{TEMPORARY}{os.getpid()}-", dir=self._folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                os.fchmod(file.fileno(), 0o666 & ~_umask())
        except OSError:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
        return Path(name)

    def _sync_folder(self) -> None:
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        except OSError:
            pass  # some file systems have no such thing for folders; the file itself is safe
        finally:
            os.close(descriptor)

    def _learn(self, path: Path) -> None:
        """Note the shape of a file, if it is a fixture. A file that cannot be read is simply not equal to anything."""
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
        """Remove what a killed recorder left half-written here."""
        for path in self._folder.glob(f"{TEMPORARY}*"):
            owner = path.name.removeprefix(TEMPORARY).partition("-")[0]
            if owner.isdecimal() and not _alive(int(owner)):
                path.unlink(missing_ok=True)


def _publish(temporary: Path, target: Path) -> bool:
    """Give a finished file its name, in one step; False if the name has been taken meanwhile."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(target):
            return False
        temporary.replace(target)
    return True


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _umask() -> int:
    """The process's mask. Reading it sets it; the recorder has no other thread that makes files."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _word(error: OSError) -> str:
    return errno.errorcode.get(error.errno or 0, type(error).__name__)

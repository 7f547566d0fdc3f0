"""Fixture to file: the only code that writes a recording.

Takes `Fixture` and nothing else, so only proved bytes reach the disk. A file appears whole or not at all, and a file
that is there is never written over.
"""

import contextlib
import errno
import os
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from proxy_addon.writing.cases import BESIDE
from proxy_addon.writing.settled import Dropped, How, Settled, unwritten
from redaction.captured.exchange import Fixture
from replay.errors import ToolreelError, translated

SUFFIX: Final = ".json"
NO_FIXTURES: Final = tuple(name + SUFFIX for name in BESIDE)

# Half-written files start so; the process id says whose they are.
TEMPORARY: Final = ".toolreel-"

# A fixture is far smaller; a bigger file is none of ours and is not read to learn its shape.
MAX_FIXTURE_BYTES: Final = 64 * 1024 * 1024

# Through which a file without a name gets one.
_PROC: Final = Path("/proc/self/fd")

# Where a file system has no hard links, the name is checked and taken in two steps.
_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


class FixtureFolder:
    """One output folder. Used by one thread; other processes may write to the folder at the same time."""

    def __init__(
        self, folder: Path, *, digest_of: Callable[[bytes], str | None], max_fixtures: int, max_bytes: int | None = None
    ) -> None:
        """Make the folder ready and learn what is in it; `digest_of` gives the digest of a fixture file, else None."""
        self._folder: Final = folder
        self._digest_of: Final = digest_of
        self._left = max_fixtures
        self._bytes_left = max_bytes
        self._nameless = hasattr(os, "O_TMPFILE") and _PROC.is_dir()
        self._digests: dict[str, str] = {}  # of each name; files without a digest are not in it
        self._shapes: dict[str, str] = {}  # the first name of each digest
        with translated(OSError, partial(_unusable, folder)):
            folder.mkdir(parents=True, exist_ok=True)
            self._sweep()
            probe, name = tempfile.mkstemp(prefix=f"{TEMPORARY}{os.getpid()}-", dir=folder)
            os.close(probe)
            Path(name).unlink()
            found = sorted(path for path in folder.iterdir() if path.name.endswith(SUFFIX))
        for path in found:
            if not path.name.endswith(NO_FIXTURES):
                self._learn(path)

    def store(self, fixture: Fixture, case: str | None) -> Settled:
        """Write a fixture under its case or its own stem, unless its shape is there.

        A case is compared with the files of its own name only: whoever names a case wants that file. What has no case
        is compared with the whole folder.
        """
        known = self._shapes.get(fixture.digest)
        if case is None and known is not None:
            return Settled(how=How.SAME_SHAPE, file=known)
        try:
            return self._store(fixture, case or fixture.stem)
        except OSError as error:
            return unwritten(Dropped.WRITE, note=_word(error))

    def _store(self, fixture: Fixture, stem: str) -> Settled:
        pending: _Unnamed | _Temporary | None = None
        number = 1
        try:
            while True:
                name = stem + ("" if number == 1 else f"-{number}") + SUFFIX
                target = self._folder / name
                if os.path.lexists(target):
                    self._learn(target)
                    if self._digests.get(name) == fixture.digest:
                        return Settled(how=How.SAME_SHAPE, file=name)
                    number += 1
                    continue
                if self._left <= 0:
                    return unwritten(Dropped.FOLDER_LIMIT)
                if self._bytes_left is not None and len(fixture.data) > self._bytes_left:
                    return unwritten(Dropped.BYTES_LIMIT)
                pending = pending or self._write(fixture.data)
                if self._publish(pending, target):
                    break
                if not self._nameless and isinstance(pending, _Unnamed):
                    pending.discard()
                    pending = None
            self._sync_folder()
        finally:
            if pending is not None:
                pending.discard()
        self._left -= 1
        if self._bytes_left is not None:
            self._bytes_left -= len(fixture.data)
        self._note(name, fixture.digest)
        return Settled(how=How.WRITTEN, file=name)

    def _write(self, data: bytes) -> "_Unnamed | _Temporary":
        return (_Unnamed.write(self._folder, data) if self._nameless else None) or _Temporary.write(self._folder, data)

    def _publish(self, pending: "_Unnamed | _Temporary", target: Path) -> bool:
        """Give a finished file its name, in one step; False if that has to be tried again."""
        try:
            return pending.publish(target)
        except OSError:
            if isinstance(pending, _Temporary):
                raise
        self._nameless = False  # this file system has no way to name it
        return False

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


class _Unnamed:
    """A finished file without a name: whoever kills us leaves nothing of it. Linux has them, on most file systems."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: Final = descriptor

    @classmethod
    def write(cls, folder: Path, data: bytes) -> "_Unnamed | None":
        """None where the file system has no such files, or cannot be written at all, which the other way will say."""
        try:
            descriptor = os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o666)
        except OSError:
            return None
        pending = cls(descriptor)
        try:
            with open(descriptor, "wb", closefd=False) as file:
                file.write(data)
            os.fsync(descriptor)
        except OSError:
            pending.discard()
            raise
        return pending

    def publish(self, target: Path) -> bool:
        """Give it the name, in one step; False if the name has been taken meanwhile."""
        try:
            # With a descriptor of a folder, or Python would link the symbolic link and not what it leads to.
            os.link(f"/proc/self/fd/{self._descriptor}", target, src_dir_fd=self._descriptor, follow_symlinks=True)
        except FileExistsError:
            return False
        return True

    def discard(self) -> None:
        """Leave nothing of it but its name, if it got one."""
        os.close(self._descriptor)


class _Temporary:
    """A finished file under a name that the next start sweeps away."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path

    @classmethod
    def write(cls, folder: Path, data: bytes) -> "_Temporary":
        """The file, complete and on the disk."""
        # mkstemp opens with O_EXCL and for the owner alone; a fixture is for everyone who may read the folder.
        descriptor, name = tempfile.mkstemp(prefix=f"{TEMPORARY}{os.getpid()}-", dir=folder)
        pending = cls(Path(name))
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                os.fchmod(file.fileno(), 0o666 & ~_umask())
        except OSError:
            pending.discard()
            raise
        return pending

    def publish(self, target: Path) -> bool:
        """Give it the name, in one step; False if the name has been taken meanwhile."""
        try:
            os.link(self._path, target)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if os.path.lexists(target):
                return False
            self._path.replace(target)
        return True

    def discard(self) -> None:
        """Leave nothing of it but its name, if it got one."""
        with contextlib.suppress(OSError):
            self._path.unlink()


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


def _umask() -> int:
    """The process's mask. Reading it sets it; the recorder has no other thread that makes files."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _word(error: OSError) -> str:
    return errno.errorcode.get(error.errno or 0, type(error).__name__)

"""The output folder: puts fixtures into files. The only code that writes a recording.

It takes a `Fixture` and nothing else, so only proved bytes reach the disk. A file is whole or not there, and a file
that is there is never written over, unless its case is to be recorded anew.

Example: the turns of the case `weather` become `weather.json`, `weather+2.json`, `weather+3.json`: a file each, though
the first two may be of one shape, for an application that plays them wants each in its turn. There is no list of them
beside the files: what the files say cannot be out of step with what a list says.
"""

import contextlib
import errno
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Final

from proxy_addon.writing.cases import SUFFIX, Turn, number_of
from proxy_addon.writing.outcomes.settled import Dropped, How, LeftOut, Settled, unwritten
from proxy_addon.writing.storage.folder_index import FEWEST, write_index
from proxy_addon.writing.storage.known_files import MAX_FIXTURE_BYTES, KnownFiles
from proxy_addon.writing.storage.room import Day, Full, Limits, today
from redaction.captured.exchange import Fixture
from replay.errors import ToolreelError, translated

# How the name of an unfinished file begins; the process id behind it says whose file it is.
TEMPORARY: Final = ".toolreel-"

# So many fixtures are written, and then the index is written anew: a recorder that is killed loses no more of it.
_INDEX_EVERY: Final = 1000

# What the system says of a link where the file system has no hard links.
_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


NO_LIMITS: Final = Limits()


class Recorded(Enum):
    """What becomes of a case that an earlier run has recorded, where its turns are others now."""

    STAYS = "its files stay, and nothing of it is written"
    ANEW = "the new turns take the place of the old ones"


@dataclass(slots=True)
class _Case:
    """A case of this run. `recorded`: its first file was there before its first turn came."""

    recorded: bool
    numbers: set[int] = field(default_factory=set)  # of the turns that came


class FixtureFolder:
    """One output folder. Used by one thread; other processes may write to the folder at the same time.

    `digest_of` gives the digest of a fixture file, or None of any other file. `limits` bounds what is written, on days
    that `today` names. `recorded` is for the cases that were there before.
    """

    def __init__(
        self,
        folder: Path,
        *,
        digest_of: Callable[[bytes], str | None],
        limits: Limits = NO_LIMITS,
        today: Callable[[], date] = today,
        recorded: Recorded = Recorded.STAYS,
    ) -> None:
        self._folder: Final = folder
        self._limits: Final = limits
        self._day: Final = Day(limits, today)
        self.removed = 0  # fixtures that made room for younger ones
        self._recorded: Final = recorded
        self._cases: dict[str, _Case] = {}
        self._removed: Counter[str] = Counter()  # turns of an earlier run, by case
        self._known: Final = KnownFiles(folder, digest_of)
        with translated(OSError, partial(_unusable, folder)):
            folder.mkdir(parents=True, exist_ok=True)
            with _written_out(folder, b""):
                pass  # so files can be made here
            for name in self._known.load():
                self._sweep(name)
        self._since_index = self._known.read
        if self._since_index >= FEWEST:
            self.save_index()

    def store(self, fixture: Fixture, turn: Turn | None) -> Settled:
        """Write a fixture as this turn of its case; where it has none under its own stem, unless its shape is there.

        A turn is compared with the file of that turn alone: whoever names a case wants those files. A fixture without a
        case is compared with the whole folder.
        """
        try:
            return self._store_shape(fixture) if turn is None else self._store_turn(fixture, turn)
        except OSError as error:
            return unwritten(Dropped.WRITE, note=errno.errorcode.get(error.errno or 0, type(error).__name__))

    def _store_shape(self, fixture: Fixture) -> Settled:
        known = self._known.with_shape(fixture.digest)
        if known is not None:
            return Settled(how=How.SAME_SHAPE, file=known)
        number = 1
        while True:
            name = fixture.stem + ("" if number == 1 else f"-{number}") + SUFFIX
            settled = self._new(fixture, name) or self._same(fixture, name)
            if settled is not None:
                return settled
            number += 1

    def _store_turn(self, fixture: Fixture, turn: Turn) -> Settled:
        first = self._folder / Turn(case=turn.case).file
        case = self._cases.setdefault(turn.case, _Case(recorded=os.path.lexists(first)))
        case.numbers.add(turn.number)
        there = os.path.lexists(self._folder / turn.file)
        if there and self._known.digest(turn.file) is None:
            return Settled(how=How.LEFT_OUT, why=LeftOut.NO_FIXTURE, file=turn.file)
        if self._recorded is Recorded.ANEW and (there or case.recorded):
            return self._anew(fixture, turn, case)
        if case.recorded and not there:
            return unwritten(LeftOut.MORE_TURNS)
        settled = self._new(fixture, turn.file) or self._same(fixture, turn.file)
        return settled or Settled(how=How.LEFT_OUT, why=LeftOut.OTHER_TURN, file=turn.file)

    def _new(self, fixture: Fixture, name: str) -> Settled | None:
        """Write a file that is not there yet; None where it is."""
        target = self._folder / name
        if os.path.lexists(target):
            return None
        return self._over_limit(fixture) or (self._written(fixture, name) if self._put(fixture.data, target) else None)

    def _over_limit(self, fixture: Fixture) -> Settled | None:
        limit = self._day.over(len(fixture.data))
        if limit is None and not self._has_room(len(fixture.data)):
            limit = Dropped.FOLDER_FULL
        return None if limit is None else unwritten(limit)

    def _has_room(self, size: int) -> bool:
        """Whether one more file fits into the folder, once the oldest ones went, where they may."""
        if self._limits.full is Full.OLDEST and size <= self._limits.folder:
            oldest = self._known.oldest()
            while self._known.size + size > self._limits.folder and (names := next(oldest, ())):
                for name in reversed(names):  # so that a case that is cut off here has its first turns
                    (self._folder / name).unlink(missing_ok=True)
                    self._known.forget(name)
                    self.removed += 1
        return self._known.size + size <= self._limits.folder

    def _written(self, fixture: Fixture, name: str) -> Settled:
        self._day.wrote(len(fixture.data))
        self._known.note(name, fixture.digest)
        self._since_index += 1
        if self._since_index >= _INDEX_EVERY:
            self.save_index()
        return Settled(how=How.WRITTEN, file=name)

    def save_index(self) -> None:
        """Write what is known of the files for the next run, where there are many of them and some are new."""
        if self._since_index and len(self._known) >= FEWEST:
            write_index(self._folder, self._known.entries(), _written_out)
        self._since_index = 0

    def _same(self, fixture: Fixture, name: str) -> Settled | None:
        """What is said where the file has the shape; None where it has not."""
        return Settled(how=How.SAME_SHAPE, file=name) if self._known.digest(name) == fixture.digest else None

    def _anew(self, fixture: Fixture, turn: Turn, case: _Case) -> Settled:
        """Write a turn over the one of an earlier run, and take away the old turns behind it, which follow another one.

        The new file is on the disk before anything goes: whatever ends the process, no file is half written, and at
        worst the old case lacks its last turns.
        """
        target = self._folder / turn.file
        if _content(target) == fixture.data:
            return self._same(fixture, turn.file) or Settled(how=How.SAME_SHAPE, file=turn.file)
        limit = self._over_limit(fixture)
        if limit is not None:
            return limit
        with _written_out(self._folder, fixture.data) as path:
            self._remove_behind(turn.case, turn.number, case)
            path.replace(target)
        self._sync()
        return self._written(fixture, turn.file)

    def _remove_behind(self, name: str, number: int, case: _Case) -> None:
        """Remove the turns of an earlier run that come behind this one, the last one first."""
        found = ((number_of(path.name, name), path) for path in self._folder.glob(f"{name}*{SUFFIX}"))
        old = [(at, path) for at, path in found if at is not None and at > number and at not in case.numbers]
        for _, path in sorted(old, reverse=True):
            if self._known.digest(path.name) is None:
                continue
            path.unlink(missing_ok=True)
            self._known.forget(path.name)
            self._removed[name] += 1

    def end(self) -> Iterator[tuple[str, str]]:
        """End the run: the case, and what is to be said of it, where it has fewer turns than it was recorded with."""
        for name, case in self._cases.items():
            last = max(case.numbers)
            if self._recorded is Recorded.ANEW:
                with contextlib.suppress(OSError):
                    self._remove_behind(name, last, case)
                if self._removed[name]:
                    yield name, f"turns of the earlier recording that are gone: {self._removed[name]}"
            elif case.recorded and os.path.lexists(self._folder / Turn(case=name, number=last + 1).file):
                yield name, f"ended with turn {last}, and was recorded with more (--rewrite records it anew)"

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

    def _sweep(self, name: str) -> None:
        """Remove a file if it is an unfinished one of a recorder that was killed."""
        owner = name.removeprefix(TEMPORARY).partition("-")[0]
        if name.startswith(TEMPORARY) and owner.isdecimal() and not _alive(int(owner)):
            (self._folder / name).unlink(missing_ok=True)


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


def _content(path: Path) -> bytes | None:
    """The bytes of a file, as far as a fixture has as many; None where there is none."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_FIXTURE_BYTES + 1)
    except FileNotFoundError:
        return None


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

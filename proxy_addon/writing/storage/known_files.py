"""What is known of the files in an output folder: the shape of each, its size, and which are the oldest.

A shape that is asked for is looked up, and then the file is looked at: whoever removes or changes files while a
recorder runs for weeks has their shapes recorded anew. What an index says of a file is proved by reading it before it
is used.
"""

import contextlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proxy_addon.writing.cases import BESIDE, NUMBERED, SUFFIX
from proxy_addon.writing.storage.folder_index import Entry, read_index, stamp_of
from replay.garbage import relaxed

NO_FIXTURES: Final = tuple(name + SUFFIX for name in BESIDE)

# A fixture is far smaller. A bigger file is none of ours and is not read to learn its shape.
MAX_FIXTURE_BYTES: Final = 64 * 1024 * 1024

# A file as it was found: its age (when it was last written), name, stamp and size.
_Found = tuple[int, str, str, int]

DigestOf = Callable[[bytes], str | None]


@dataclass(slots=True)
class _File:
    """What is known of a file. `proved`: its digest was made of its bytes, in this run."""

    stamp: str
    size: int
    digest: str | None
    proved: bool


class KnownFiles:
    """The files of one folder by their names, from the oldest to the youngest; all turns of a case are of one age.

    `digest_of` gives the digest of a fixture file, or None of any other file.
    """

    def __init__(self, folder: Path, digest_of: DigestOf) -> None:
        self._folder: Final = folder
        self._digest_of: Final = digest_of
        self._files: dict[str, _File] = {}
        self._shapes: dict[str, str] = {}  # the first name of each digest
        self._others: dict[str, list[str]] = {}  # the other names of a digest, in order
        self._turns: dict[str, list[str]] = {}  # the names of the later turns of each case that has several
        self.read = 0  # how many files had to be read when the folder was loaded
        self.size = 0  # of all files in the folder, in bytes

    def load(self) -> Iterator[str]:
        """Learn of all files in the folder; the names of those that are no fixtures."""
        index = read_index(self._folder)
        found: list[_Found] = []
        with os.scandir(self._folder) as entries, relaxed():  # for each file there are some values that stay
            for entry in entries:
                name = entry.name
                is_fixture = name.endswith(SUFFIX) and not name.endswith(NO_FIXTURES)
                if not is_fixture:
                    yield name
                with contextlib.suppress(OSError):
                    status = entry.stat()
                    self.size += status.st_size
                    if is_fixture and stat.S_ISREG(status.st_mode):
                        found.append((status.st_mtime_ns, name, stamp_of(status), status.st_size))
            self._learn(found, index)

    def _learn(self, found: list[_Found], index: Mapping[str, Entry]) -> None:
        for _, name, stamp, size in _by_age(found):
            told, digest = index.get(name, ("", None))
            if told == stamp:
                self._add(name, _File(stamp, size, digest, proved=False))
            else:
                self._add(name, self._read(name, stamp, size))
                self.read += 1
        for digest, others in self._others.items():
            self._shapes[digest], *others[:] = sorted((self._shapes[digest], *others))

    def entries(self) -> Iterator[tuple[str, Entry]]:
        """What an index is to say of the files."""
        return ((name, (file.stamp, file.digest)) for name, file in self._files.items())

    def __len__(self) -> int:
        return len(self._files)

    def digest(self, name: str) -> str | None:
        """The digest of a file, as it is now; None where it is no fixture, or not there."""
        file = self._current(name)
        return None if file is None else file.digest

    def with_shape(self, digest: str) -> str | None:
        """The first file that has this shape now; None where none has."""
        while (name := self._shapes.get(digest)) is not None:
            if self.digest(name) == digest:
                return name
        return None

    def note(self, name: str, digest: str) -> None:
        """Note a file that has just been written, with its case as the youngest."""
        self.forget(name)
        with contextlib.suppress(OSError):
            status = (self._folder / name).stat()
            self.size += status.st_size
            self._add(name, _File(stamp_of(status), status.st_size, digest, proved=True))
            self._make_young(name)

    def forget(self, name: str) -> None:
        """Forget a file that is another one now, or gone."""
        file = self._files.pop(name, None)
        if file is None:
            return
        self.size -= file.size
        if file.digest is not None:
            self._forget_shape(name, file.digest)
        _take_out(self._turns, _case(name), name)

    def _forget_shape(self, name: str, digest: str) -> None:
        if self._shapes[digest] != name:
            _take_out(self._others, digest, name)
        elif digest in self._others:
            self._shapes[digest] = self._others[digest][0]
            _take_out(self._others, digest, self._shapes[digest])
        else:
            del self._shapes[digest]

    def oldest(self) -> Iterator[tuple[str, ...]]:
        """The files that may go, the oldest first: fixtures without a pin, and of a case all turns together.

        A pin says that somebody has looked at the fixture and wants it. Its case counts as the youngest from here on.
        """
        for _ in range(len(self._files)):
            first = next(iter(self._files), None)
            if first is None:
                return
            names = self._of_case(first)
            if all(self._may_go(name) for name in names):
                yield names
                if first in self._files:
                    return  # it could not be removed
            else:
                self._make_young(first)

    def _may_go(self, name: str) -> bool:
        pins = (self._folder / f"{name.removesuffix(SUFFIX)}{end}" for end in NO_FIXTURES)
        return self._files[name].digest is not None and not any(map(os.path.lexists, pins))

    def _of_case(self, name: str) -> tuple[str, ...]:
        case = _case(name)
        first = case + SUFFIX
        return (*((first,) if first in self._files else ()), *self._turns.get(case, ()))

    def _make_young(self, name: str) -> None:
        for one in self._of_case(name):
            self._files[one] = self._files.pop(one)

    def _current(self, name: str) -> _File | None:
        """What is known of a file, if it has not changed since; else what it says now."""
        path = self._folder / name
        file = self._files.get(name)
        try:
            status = path.stat()
        except OSError:
            self.forget(name)
            return None
        if file is not None and file.proved and file.stamp == stamp_of(status):
            return file
        read = self._read(name, stamp_of(status), status.st_size)
        if file is not None and file.digest == read.digest:
            self.size += read.size - file.size
            self._files[name] = read  # in its place
        else:
            self.forget(name)
            self.size += read.size
            self._add(name, read)
        return read

    def _read(self, name: str, stamp: str, size: int) -> _File:
        """What the bytes of a file say. One that cannot be read is equal to nothing."""
        path = self._folder / name
        digest = None
        with contextlib.suppress(OSError):
            if path.is_file() and size <= MAX_FIXTURE_BYTES:
                digest = self._digest_of(path.read_bytes())
        return _File(stamp, size, digest, proved=True)

    def _add(self, name: str, file: _File) -> None:
        self._files[name] = file
        if file.digest is not None and self._shapes.setdefault(file.digest, name) != name:
            self._others.setdefault(file.digest, []).append(name)
        if NUMBERED in name:
            self._turns.setdefault(_case(name), []).append(name)


def _case(name: str) -> str:
    """The case that a file may be a turn of, by its name."""
    return name.removesuffix(SUFFIX).partition(NUMBERED)[0]


def _take_out(lists: dict[str, list[str]], key: str, name: str) -> None:
    """Take a name out of the list of this key, and the list away where it was the last one."""
    names = lists.get(key, [])
    if name in names:
        names.remove(name)
        if not names:
            del lists[key]


def _by_age(found: list[_Found]) -> list[_Found]:
    """The files from the oldest to the youngest, where all turns of a case are as old as the youngest of them."""
    ages: dict[str, int] = {}
    for age, name, _, _ in found:
        if NUMBERED in name:
            case = _case(name)
            ages[case] = max(age, ages.get(case, 0))
    if ages:
        found = [(max(age, ages.get(_case(name), 0)), name, stamp, size) for age, name, stamp, size in found]
    return sorted(found)

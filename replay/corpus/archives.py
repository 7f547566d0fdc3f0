"""A pack: one file with the fixtures and pins of a corpus, each compressed by itself, and an index at its end.

It is a zip archive, so `unzip` reads it too. Here a pack is read as a folder is: `corpus.pack.zip/weather.json` names a
file in it. It is written whole and never changed; a corpus grows by another pack beside it. The same files give the
same bytes: they stand in the order of their names, without dates, compressed at one level.
"""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections import OrderedDict
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Protocol, cast

from replay.errors import ToolreelError, translated
from replay.store import names
from replay.validator.limits import MAX_FIXTURE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


# Level 9 makes a pack smaller by less than a thousandth, and level 1 larger by a fifteenth (docs/scale.md).
_LEVEL: Final = 6
# The first moment that a zip archive can name.
_NO_DATE: Final = (1980, 1, 1, 0, 0, 0)
_MODE: Final = 0o644 << 16
_UNIX: Final = 3
# Packs that stand open at a time: their files are asked for in the order of their names, so a run is in one of them.
_MAX_OPEN: Final = 4
_CUT: Final = "is cut or damaged: {}; get it again, or pack the corpus anew"


class Written(Protocol):
    """What a pack is written to."""

    def write(self, data: bytes, /) -> object:
        """Write these bytes behind the others."""


class Pack:
    """A pack that stands open."""

    def __init__(self, path: str) -> None:
        self._path: Final = path
        with self._whole():
            self._archive: Final = zipfile.ZipFile(_opened(path))
        self.names: Final = tuple(sorted(name for name in self._archive.namelist() if not name.endswith("/")))
        if len(set(self.names)) < len(self.names) or not all(map(_is_plain, self.names)):
            raise ToolreelError(f"{path}: names in it are no names of a corpus; make the pack with toolreel pack")

    def read(self, name: str) -> bytes:
        """The bytes of a file in the pack; a `KeyError` where there is none."""
        info = self._archive.getinfo(name)
        if info.file_size > MAX_FIXTURE_BYTES:
            larger = f"larger than {MAX_FIXTURE_BYTES:,} bytes, so it is no fixture; leave it out"
            raise ToolreelError(f"{self._path}/{name}: {larger}")
        with self._whole():
            return self._archive.read(info)

    def __contains__(self, name: object) -> bool:
        return name in self._archive.NameToInfo

    def close(self) -> None:
        """Close the file."""
        self._archive.close()

    def _whole(self) -> translated[Exception]:
        """What makes one line of the many ways in which an archive can be broken."""
        broken = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)
        return translated(broken, partial(_broken, self._path))


def _broken(path: str, error: Exception) -> ToolreelError:
    if isinstance(error, FileNotFoundError):
        return ToolreelError(f"{path}: no such file or folder; check the path")
    if isinstance(error, PermissionError):
        return ToolreelError(f"{path}: permission denied; check who may use it")
    what = "its index is not at its end" if isinstance(error, zipfile.BadZipFile) else "a file in it cannot be read"
    return ToolreelError(f"{path}: the pack {_CUT.format(what)}")


def _is_plain(name: str) -> bool:
    """Whether a name in a pack stays in it, wherever the pack is unpacked."""
    parts = name.split("/")
    return "\\" not in name and "\0" not in name and all(part not in ("", ".", "..") for part in parts)


def _opened(path: str) -> IO[bytes]:
    if names.is_stored(path):
        from replay.store import objects  # loads the library of the store

        return cast("IO[bytes]", objects.opened(path))
    return Path(path).open("rb")


_open: OrderedDict[str, Pack] = OrderedDict()
if hasattr(os, "register_at_fork"):
    # A file that two processes have in common has one place for both of them.
    os.register_at_fork(after_in_child=_open.clear)


def pack(path: str) -> Pack:
    """The pack at a path, opened once."""
    found = _open.get(path)
    if found is None:
        found = _open[path] = Pack(path)
        while len(_open) > _MAX_OPEN:
            _open.popitem(last=False)[1].close()
    _open.move_to_end(path)
    return found


class _Forwards(io.RawIOBase):
    """What is written to from the start to the end: so an archive is the same wherever it goes."""

    def __init__(self, into: Written) -> None:
        super().__init__()
        self._into: Final = into

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        written = bytes(cast("bytes", data))
        self._into.write(written)
        return len(written)


def write(into: Written, files: Iterable[tuple[str, bytes]]) -> Iterator[str]:
    """Write these files, whose names are in order, as a pack; each name as it is written."""
    with zipfile.ZipFile(_Forwards(into), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(_entry(name), data, zipfile.ZIP_DEFLATED, _LEVEL)
            yield name


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _NO_DATE)
    entry.create_system, entry.external_attr = _UNIX, _MODE
    return entry

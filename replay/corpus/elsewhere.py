"""Files of a corpus that are no files on the disk: objects of a store, and what is in a pack. Read as those are.

`of` says in which of the two a path leads, and None for the path of a file: so a run on local files pays for two looks
at each path, and loads nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, Protocol

from replay.errors import ToolreelError
from replay.store import names

from . import packs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from . import archives


class Kept(Protocol):
    """How files are used that are no files on the disk. Every error is a `ToolreelError` about the path."""

    def read(self, path: str, limit: int) -> bytes:
        """The bytes of the file."""

    def read_if_there(self, path: str, limit: int) -> bytes | None:
        """The bytes of the file, None where there is none."""

    def exists(self, path: str) -> bool:
        """Whether it is there."""

    def listed(self, path: str) -> Iterator[str]:
        """All files behind a path, in no order that counts."""

    def write(self, path: str, data: bytes) -> None:
        """Put these bytes in the place of the file."""

    def remove(self, path: str) -> None:
        """Remove the file."""


class _Stored:
    """Objects of a store."""

    def read(self, path: str, limit: int) -> bytes:
        from replay.store import objects  # this, and the same below, loads the library of the store

        return objects.read(path, limit=limit)

    def read_if_there(self, path: str, limit: int) -> bytes | None:
        from replay.store import objects

        return objects.read_if_there(path, limit=limit)

    def exists(self, path: str) -> bool:
        from replay.store import objects

        return objects.exists(path)

    def listed(self, path: str) -> Iterator[str]:
        from replay.store import objects

        return objects.listed(path)

    def write(self, path: str, data: bytes) -> None:
        from replay.store import objects

        objects.write(path, data)

    def remove(self, path: str) -> None:
        from replay.store import objects

        objects.remove(path)


class _Packed:
    """What is in a pack; nothing in it can be changed."""

    def read(self, path: str, limit: int) -> bytes:
        data = self.read_if_there(path, limit)
        if data is None:
            raise ToolreelError(f"{path}: no such file in the pack; check the path")
        return data

    def read_if_there(self, path: str, limit: int) -> bytes | None:  # noqa: ARG002 - a pack has its own limit
        pack, name = _inside(path)
        try:
            return _archive(pack).read(name)
        except KeyError:
            return None

    def exists(self, path: str) -> bool:
        if packs.is_pack(path):
            return STORED.exists(path) if names.is_stored(path) else os.path.lexists(path)
        pack, name = _inside(path)
        return name in _archive(pack)

    def listed(self, path: str) -> Iterator[str]:
        whole = packs.is_pack(path)
        pack, folder = (path, "") if whole else _inside(path)
        prefix = f"{folder.rstrip('/')}/" if folder else ""
        return (f"{pack}/{name}" for name in _archive(pack).names if name.startswith(prefix))

    def write(self, path: str, data: bytes) -> None:  # noqa: ARG002 - it is refused
        raise _fixed(path)

    def remove(self, path: str) -> None:
        raise _fixed(path)


def _archive(pack: str) -> archives.Pack:
    from . import archives  # only a run that meets a pack pays for it

    return archives.pack(pack)


def _inside(path: str) -> tuple[str, str]:
    found = packs.holder(path)
    assert found is not None, "asked of paths that lead into a pack"
    return found


def _fixed(path: str) -> ToolreelError:
    pack, _ = _inside(path)
    return ToolreelError(
        f"{path}: a pack is not changed; unpack it (toolreel pack --extract {pack} --out FOLDER), change the folder, "
        "and pack that"
    )


PACK_SUFFIX: Final = packs.SUFFIX
STORED: Final[Kept] = _Stored()
PACKED: Final[Kept] = _Packed()


def of(path: str | os.PathLike[str]) -> Kept | None:
    """How the file at a path is used, where it is none on the disk."""
    if packs.SUFFIX in os.fspath(path) and (packs.is_pack(path) or packs.holder(path) is not None):
        return PACKED
    return STORED if names.is_stored(path) else None

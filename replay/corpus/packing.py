"""A corpus into a pack, and a pack into a folder. Reads one file at a time, so memory does not grow with the corpus."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay.atomic import Pending
from replay.errors import ToolreelError, translated
from replay.store import names

from . import archives, discovery, files, packs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# What may stand beside a fixture, and goes with it.
_BESIDE: Final = (discovery.PIN_SUFFIX, discovery.OUTCOMES_SUFFIX)
_NOT_WRITTEN: Final = "cannot be written, so there is no pack"


@dataclass(slots=True, kw_only=True)
class Packed:
    """How much went into a pack, or came out of one."""

    fixtures: int = 0
    beside: int = 0  # pins, and outcomes of clients
    size: int = 0  # bytes, as loose files have them

    def add(self, name: str, data: bytes) -> None:
        """Count one file."""
        beside = discovery.is_beside(name)
        self.beside += beside
        self.fixtures += not beside
        self.size += len(data)


def pack(paths: Iterable[str], out: str) -> Packed:
    """Write the fixtures under `paths`, with all that stands beside them, as the pack `out`, which is not there yet."""
    if not out.endswith(packs.SUFFIX):
        raise ToolreelError(f"--out {out}: a pack ends in {packs.SUFFIX}; for example corpus{packs.SUFFIX}")
    if files.exists(out):
        raise ToolreelError(f"--out {out}: is there already; name another file, or remove it first")
    members = _members(paths)
    packed = Packed()
    contents = _read(members, packed)
    if names.is_stored(out):
        from replay.store import objects  # loads the library of the store

        with tempfile.TemporaryFile() as file:
            _drain(archives.write(file, contents))
            file.seek(0)
            objects.upload(out, file)
    else:
        _write_locally(Path(out), contents)
    return packed


def _write_locally(target: Path, contents: Iterator[tuple[str, bytes]]) -> None:
    unwritten = translated(OSError, lambda error: ToolreelError(f"{target}: {_NOT_WRITTEN} ({error.strerror})"))
    with unwritten, Pending(target.parent) as pending:
        _drain(archives.write(pending, contents))
        if not pending.publish(target):
            raise FileExistsError(0, "is there already")


def _drain(written: Iterator[str]) -> None:
    for _ in written:
        pass


def _members(paths: Iterable[str]) -> dict[str, str]:
    """Where the file of each name in the pack is, in the order of the names in the pack."""
    found: dict[str, str] = {}
    for path in paths:
        plan = discovery.find([path])
        for alone in plan.alone:
            raise ToolreelError(f"{alone}: its fixture is not beside it; bring it back, or remove this file")
        for fixture in plan.fixtures:
            stem = fixture.removesuffix(discovery.FIXTURE_SUFFIX)
            there = (fixture, *(file for file in map(stem.__add__, _BESIDE) if files.exists(file)))
            for file in there:
                name = _name(file, path)
                if found.setdefault(name, file) != file:
                    raise ToolreelError(f"{file}: {found[name]} has the same name in the pack; pack them apart")
    return dict(sorted(found.items()))


def _name(file: str, path: str) -> str:
    """The name of a file in the pack: what stands behind the path that was named. Of a pack in it, a folder is left."""
    folder = discovery.shown(path) if discovery.is_folder(path) else ""
    inner = file.removeprefix(f"{folder.rstrip('/')}/") if folder else file.rpartition("/")[2]
    return inner.replace(f"{packs.SUFFIX}/", "/")


def _read(members: dict[str, str], packed: Packed) -> Iterator[tuple[str, bytes]]:
    for name, file in members.items():
        data = files.read(file)
        packed.add(name, data)
        yield name, data


def extract(pack_path: str, out: Path) -> Packed:
    """Write what is in a pack into a folder. A file that is there already stays, and is an error if it is another."""
    if not packs.is_pack(pack_path):
        raise ToolreelError(f"{pack_path}: no pack; packs end in {packs.SUFFIX}")
    opened = archives.pack(pack_path)
    packed = Packed()
    for name in opened.names:
        target = out / name
        data = opened.read(name)
        old = files.read_if_there(target)
        if old is not None and old != data:
            raise ToolreelError(f"{target}: is there already and says something else; name an empty folder with --out")
        if old is None:
            with translated(OSError, lambda error: ToolreelError(f"{out}: cannot be written ({error.strerror})")):
                target.parent.mkdir(parents=True, exist_ok=True)
            files.write(target, data)
        packed.add(name, data)
    return packed

"""The sources that the arguments of an import stand for: files, folders and patterns; and a fixture's name after one.

A file that is named has to be a source. In a folder, or behind a pattern that the shell has left to us, what is none is
passed over. Hidden files are none.
"""

import glob
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proxy_addon.importing.entries import SourceError
from proxy_addon.importing.readers.formats import Format
from proxy_addon.importing.sources import Source, look
from proxy_addon.writing.cases import CASE_NAME

_PATTERN: Final = re.compile(r"[*?]|\[.+\]")
_OTHER: Final = re.compile(r"[^a-z0-9._-]+")
_LONGEST: Final = 64
_PACKED: Final = ".gz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A source, and whether it was named itself, so that it has to be one."""

    source: Source
    named: bool


def find(paths: Sequence[Path], format_: Format | None) -> list[Found]:
    """Every source that the paths stand for, in the order of the paths and then of their names."""
    found: list[Found] = []
    for path in paths:
        if _is_many(path):
            inside = [Found(source=source, named=False) for source in _inside(path, format_)]
            if not inside:
                raise SourceError(path, "no source here: no file that holds exchanges or streams; check the path")
            found += inside
        else:
            found.append(Found(source=look(path, format_), named=True))
    return found


def _is_many(path: Path) -> bool:
    return os.path.isdir(path) or (not os.path.lexists(path) and bool(_PATTERN.search(str(path))))  # noqa: PTH112


def _inside(path: Path, format_: Format | None) -> Iterator[Source]:
    files = _walked(path) if os.path.isdir(path) else _matched(path)  # noqa: PTH112
    for file in files:
        try:
            yield look(file, format_)
        except SourceError:
            continue  # the file of another kind, which nobody has named


def _walked(folder: Path) -> Iterator[Path]:
    for inner, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(inner, name) for name in sorted(names) if not name.startswith("."))


def _matched(pattern: Path) -> Iterator[Path]:
    for name in sorted(glob.glob(str(pattern), recursive=True)):  # noqa: PTH207 - patterns may be absolute
        if os.path.isfile(name):  # noqa: PTH113
            yield Path(name)


def name_after(path: Path) -> str | None:
    """The name of a fixture after its source; None where the file has no name that a fixture can have.

    Example: `Chat (1).yaml.gz` gives `chat-1`.
    """
    name = path.name.lower().removesuffix(_PACKED)
    stem = _OTHER.sub("-", name.rpartition(".")[0] or name).strip(".-")[:_LONGEST].rstrip(".-")
    return stem if CASE_NAME.fullmatch(stem) else None

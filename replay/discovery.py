"""Which fixtures and pins a command is about: files, folders and patterns to sorted lists.

Knows names and folders; opens no file.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, overload

from . import files
from .errors import ToolreelError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FIXTURE_SUFFIX: Final = ".json"
PIN_SUFFIX: Final = ".expected.json"
# What clients made of a fixture, pinned by `toolreel diff`. It stands beside a fixture as a pin does.
OUTCOMES_SUFFIX: Final = ".adapters.json"
# A raw body may be pinned too, by its own suite. A pin beside one has its fixture, and is not ours to judge.
BODY_SUFFIX: Final = ".sse"

_PATTERN: Final = re.compile(r"[*?]|\[.+\]")


class Paths(Sequence[Path]):
    """Paths kept as plain texts, a fifth of their size: a run has many of them, and looks at each once."""

    __slots__ = ("_texts",)
    __hash__ = None  # type: ignore[assignment]  # compares with lists, which have none

    def __init__(self, texts: list[str]) -> None:
        """Each text as `str` gives it of a path."""
        self._texts = texts

    def __len__(self) -> int:
        """How many there are."""
        return len(self._texts)

    @overload
    def __getitem__(self, at: int) -> Path: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Path]: ...
    def __getitem__(self, at: int | slice) -> Path | Sequence[Path]:
        """One path, or some."""
        return Paths(self._texts[at]) if isinstance(at, slice) else Path(self._texts[at])

    def __eq__(self, other: object) -> bool:
        """Whether the other sequence has the same paths in the same order."""
        return isinstance(other, Sequence) and list(self) == list(other)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What lies under the paths of a command, in the order of the names."""

    fixtures: Sequence[Path]
    orphans: Sequence[Path]  # the pins
    stray_outcomes: Sequence[Path] = ()  # outcomes of clients without their fixture


def pin_path(fixture: Path) -> Path:
    """Where the pin of a fixture stands."""
    return fixture.with_name(fixture.name.removesuffix(FIXTURE_SUFFIX) + PIN_SUFFIX)


def fixture_path(pin: Path) -> Path:
    """Where the fixture of a pin stands."""
    return pin.with_name(pin.name.removesuffix(PIN_SUFFIX) + FIXTURE_SUFFIX)


def is_orphan(pin: Path) -> bool:
    """Whether nothing is beside the pin that it could be the pin of."""
    body = pin.with_name(pin.name.removesuffix(PIN_SUFFIX) + BODY_SUFFIX)
    return not os.path.lexists(fixture_path(pin)) and not os.path.lexists(body)


def find(paths: Iterable[Path]) -> Plan:
    """The fixtures under `paths`: files that are named, and all in the folders, hidden ones excepted.

    A pin that is named stands for its fixture, so that a pattern that matches both may be given. Every path comes out
    relative to the working folder, so that no report says where that folder is.
    """
    fixtures: dict[str, str] = {}
    orphans: dict[str, Path] = {}
    strays: dict[str, Path] = {}
    for path in paths:
        for file in _files(path):
            if file.name.endswith(OUTCOMES_SUFFIX):
                fixture = file.with_name(file.name.removesuffix(OUTCOMES_SUFFIX) + FIXTURE_SUFFIX)
                there = os.path.lexists(fixture)
                if there:
                    fixtures.setdefault(_key(fixture), str(fixture))
                else:
                    strays.setdefault(_key(file), file)
            elif not file.name.endswith(PIN_SUFFIX):
                fixtures.setdefault(_key(file), str(file))
            elif os.path.lexists(fixture_path(file)):
                fixtures.setdefault(_key(fixture_path(file)), str(fixture_path(file)))
            elif is_orphan(file):
                orphans.setdefault(_key(file), file)
    return Plan(
        fixtures=Paths(sorted(fixtures.values())),
        orphans=sorted(orphans.values(), key=str),
        stray_outcomes=tuple(sorted(strays.values(), key=str)),
    )


def _files(path: Path) -> Iterator[Path]:
    """The fixtures and pins that one path of the command stands for; there is at least one."""
    text = str(path)
    if _PATTERN.search(text) and not os.path.lexists(path):
        yield from _matched(path)
    elif files.is_folder(path):
        yield from _nonempty(_walk(_relative(path)), f"{path}: no fixture (*{FIXTURE_SUFFIX}) in this folder")
    elif path.name.endswith(FIXTURE_SUFFIX):
        yield _relative(path)
    else:
        raise ToolreelError(f"{path}: not a fixture; fixtures end in {FIXTURE_SUFFIX}")


def _matched(path: Path) -> Iterator[Path]:
    """What a pattern stands for, where the shell has not resolved it. What is no fixture is passed over."""
    yield from _nonempty(
        (
            inner
            for name in sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 - Path.glob takes no absolute pattern
            for inner in (_walk(_relative(Path(name))) if Path(name).is_dir() else (_relative(Path(name)),))
            if inner.name.endswith(FIXTURE_SUFFIX)
        ),
        f"{path}: no fixture (*{FIXTURE_SUFFIX}) matches this pattern",
    )


def _nonempty(found: Iterable[Path], problem: str) -> Iterator[Path]:
    some = False
    for file in found:
        some = True
        yield file
    if not some:
        raise ToolreelError(f"{problem}; check the path")


def _walk(path: Path) -> Iterator[Path]:
    seen = set()
    for folder, inner, names in os.walk(path, onerror=_unlistable, followlinks=True):
        # A link may lead back up: each folder is walked once.
        real = os.path.realpath(folder)
        if real in seen:
            inner.clear()
            continue
        seen.add(real)
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        there = set(names)
        for name in sorted(names):
            if name.endswith(FIXTURE_SUFFIX) and not name.startswith(".") and not _has_fixture_in(name, there):
                yield Path(folder, name)


def _has_fixture_in(name: str, there: set[str]) -> bool:
    """Whether a name is that of a pin, or of outcomes, beside its fixture, which is then found by itself."""
    for suffix in (PIN_SUFFIX, OUTCOMES_SUFFIX):
        if name.endswith(suffix):
            return name.removesuffix(suffix) + FIXTURE_SUFFIX in there
    return False


def _relative(path: Path) -> Path:
    return Path(os.path.relpath(path)) if path.is_absolute() else path


def _key(file: Path) -> str:
    """Equal for two spellings of one name; a link is a name of its own."""
    return os.path.abspath(file)  # noqa: PTH100 - Path.absolute keeps `..`, and Path.resolve follows links


def _unlistable(error: OSError) -> None:
    raise ToolreelError(f"{error.filename}: this folder cannot be listed ({error.strerror})")

"""The fixtures and pins that a command is about: files, folders and patterns to sorted lists. Opens no fixture.

A path may also name an object store, a prefix in one, or a pack: `elsewhere` lists what is there.

A path that is found is a text, a fifth of the size of a `Path`: a run has many, and looks at each once.
"""

from __future__ import annotations

import glob
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay.errors import ToolreelError
from replay.store import names

from . import elsewhere, files, packs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .elsewhere import Kept
    from .files import StrPath

FIXTURE_SUFFIX: Final = ".json"
PIN_SUFFIX: Final = ".expected.json"
# What clients made of a fixture, pinned by `toolreel diff`. It stands beside a fixture as a pin does.
OUTCOMES_SUFFIX: Final = ".adapters.json"
# A raw body may be pinned too, by its own suite. A pin beside one has its fixture, and is not ours to judge.
BODY_SUFFIX: Final = ".sse"

# An empty argument would be the working folder as a path, with all that is in it.
EMPTY: Final = "an argument is empty; if it is a variable of the shell, set it"

_PATTERN: Final = re.compile(r"[*?]|\[.+\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The files under the paths of a command, in the order of their names."""

    fixtures: Sequence[str]
    orphans: Sequence[str]  # the pins
    stray_outcomes: Sequence[str] = field(default_factory=list)  # outcomes of clients without their fixture

    @property
    def alone(self) -> Sequence[str]:
        """Every file that belongs to a fixture which is not beside it."""
        return sorted((*self.orphans, *self.stray_outcomes))

    def some(self) -> Sequence[str]:
        """The fixtures, for a command that has nothing to do without one; a `ToolreelError` where there is none."""
        if not self.fixtures:
            raise ToolreelError(f"{self.alone[0]}: its fixture is not beside it, and no other is here; check the path")
        return self.fixtures


def pin_path(fixture: str) -> str:
    """Where the pin of a fixture stands."""
    return fixture.removesuffix(FIXTURE_SUFFIX) + PIN_SUFFIX


def fixture_path(beside: str) -> str:
    """Where the fixture of a pin, or of the outcomes of clients, stands."""
    suffix = OUTCOMES_SUFFIX if beside.endswith(OUTCOMES_SUFFIX) else PIN_SUFFIX
    return beside.removesuffix(suffix) + FIXTURE_SUFFIX


def is_beside(name: str) -> bool:
    """Whether a name is that of a file which stands beside a fixture: a pin, or the outcomes of clients."""
    return name.endswith((PIN_SUFFIX, OUTCOMES_SUFFIX))


def is_orphan(pin: str) -> bool:
    """Whether nothing is beside the pin that it could be the pin of."""
    body = pin.removesuffix(PIN_SUFFIX) + BODY_SUFFIX
    return not files.exists(fixture_path(pin)) and not files.exists(body)


def find(paths: Iterable[StrPath]) -> Plan:
    """The fixtures under `paths`: files that are named, and all in the folders, hidden ones excepted.

    A pin that is named stands for its fixture, so that a pattern that matches both may be given. Every path comes out
    relative to the working folder, so that no report says where that folder is.
    """
    fixtures: dict[str, str] = {}
    orphans: dict[str, str] = {}
    strays: dict[str, str] = {}
    named = list(paths)
    for path in named:
        for file in _files(path):
            if file.endswith(OUTCOMES_SUFFIX):
                fixture = fixture_path(file)
                if files.exists(fixture):
                    fixtures.setdefault(_key(fixture), fixture)
                else:
                    strays.setdefault(_key(file), file)
            elif not file.endswith(PIN_SUFFIX):
                fixtures.setdefault(_key(file), file)
            else:
                fixture = fixture_path(file)
                if files.exists(fixture):
                    fixtures.setdefault(_key(fixture), fixture)
                elif is_orphan(file):
                    orphans.setdefault(_key(file), file)
    if named and not fixtures and not orphans and not strays:
        # Pins of raw bodies.
        raise ToolreelError(f"{named[0]}: no fixture (*{FIXTURE_SUFFIX}) here; check the path")
    return Plan(
        fixtures=sorted(fixtures.values()),
        orphans=sorted(orphans.values()),
        stray_outcomes=sorted(strays.values()),
    )


def is_many(path: StrPath) -> bool:
    """Whether a path stands for several fixtures: a folder, a pack, or a pattern that the shell has not resolved."""
    return is_folder(path) or not files.exists(path)


def is_folder(path: StrPath) -> bool:
    """Whether a path stands for what is in it: a folder, a pack, or a prefix of a store."""
    if elsewhere.of(path) is not None:
        return not os.fspath(path).endswith(FIXTURE_SUFFIX)
    return Path(path).is_dir()


def shown(path: StrPath) -> str:
    """A path as `find` has it in front of what it finds there: relative to the working folder, or in a store."""
    if names.is_stored(path):
        name = names.split(os.fspath(path))
        return f"{name.root}/{name.key}".rstrip("/")
    relative = _relative(Path(path))
    return "" if relative == os.curdir else relative


def _files(named: StrPath) -> Iterator[str]:
    """The fixtures and pins that one path of the command stands for; there is at least one."""
    kept = elsewhere.of(named)
    if kept is not None:
        yield from _kept(os.fspath(named), kept)
        return
    path = Path(named)
    text = str(path)
    if _PATTERN.search(text) and not os.path.lexists(path):
        yield from _matched(path)
    elif files.is_folder(path):
        yield from _nonempty(_walk(_relative(path)), f"{path}: no fixture (*{FIXTURE_SUFFIX}) in this folder")
    elif path.name.endswith(FIXTURE_SUFFIX):
        yield _relative(path)
    else:
        raise ToolreelError(f"{path}: not a fixture; fixtures end in {FIXTURE_SUFFIX}")


def _kept(path: str, kept: Kept) -> Iterator[str]:
    """The fixtures and pins of a store or of a pack."""
    if _PATTERN.search(path) and kept is elsewhere.STORED:
        raise ToolreelError(f"{path}: patterns are for files on this machine; name a prefix, and all behind it counts")
    if path.endswith(FIXTURE_SUFFIX):
        yield shown(path)
    else:
        yield from _nonempty(_listed(shown(path), kept), f"{path}: no fixture (*{FIXTURE_SUFFIX}) is there")


def _listed(path: str, kept: Kept) -> Iterator[str]:
    """The fixtures and pins behind a path, hidden ones excepted, and those in the packs there."""
    start = len(path.rstrip("/")) + 1
    every = kept.listed(path)
    there = {name for name in every if not any(part.startswith(".") for part in name[start:].split("/"))}
    for name in sorted(there):
        if name.endswith(FIXTURE_SUFFIX) and not _has_fixture_in(name, there):
            yield name
        elif name.endswith(packs.SUFFIX) and kept is elsewhere.STORED:
            yield from _listed(name, elsewhere.PACKED)


def _matched(path: Path) -> Iterator[str]:
    """The fixtures and pins that a pattern stands for, where the shell left it to us; other files are passed over."""
    yield from _nonempty(
        (
            inner
            for name in sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 - Path.glob takes no absolute pattern
            for inner in _inside(_relative(Path(name)))
            if inner.endswith(FIXTURE_SUFFIX)
        ),
        f"{path}: no fixture (*{FIXTURE_SUFFIX}) matches this pattern",
    )


def _inside(name: str) -> Iterable[str]:
    """What a matched name stands for: what is in a folder or a pack, or itself."""
    if elsewhere.of(name) is elsewhere.PACKED:
        return _listed(name, elsewhere.PACKED)
    return _walk(name) if Path(name).is_dir() else (name,)


def _nonempty(found: Iterable[str], otherwise: str) -> Iterator[str]:
    some = False
    for file in found:
        some = True
        yield file
    if not some:
        raise ToolreelError(f"{otherwise}; check the path")


def _walk(path: str) -> Iterator[str]:
    seen = set()
    for folder, inner, files_here in os.walk(path, onerror=_unlistable, followlinks=True):
        # A link may lead back up: each folder is walked once.
        real = os.path.realpath(folder)
        if real in seen:
            inner.clear()
            continue
        seen.add(real)
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        there = set(files_here)
        shown = str(Path(folder))
        prefix = "" if shown == os.curdir else os.path.join(shown, "")  # noqa: PTH118 - a text
        for name in sorted(files_here):
            if name.endswith(FIXTURE_SUFFIX) and not name.startswith(".") and not _has_fixture_in(name, there):
                yield prefix + name
            elif name.endswith(packs.SUFFIX) and not name.startswith("."):
                yield from _listed(prefix + name, elsewhere.PACKED)


def _has_fixture_in(name: str, there: set[str]) -> bool:
    """Whether a name is that of a pin, or of outcomes, beside its fixture, which is then found by itself."""
    for suffix in (PIN_SUFFIX, OUTCOMES_SUFFIX):
        if name.endswith(suffix):
            return name.removesuffix(suffix) + FIXTURE_SUFFIX in there
    return False


def _relative(path: Path) -> str:
    return os.path.relpath(path) if path.is_absolute() else str(path)


def _key(file: str) -> str:
    """Equal for two spellings of one name; a link is a name of its own."""
    if elsewhere.of(file) is elsewhere.STORED:
        return file
    return os.path.abspath(file)  # noqa: PTH100 - Path.absolute keeps `..`, and Path.resolve follows links


def _unlistable(error: OSError) -> None:
    raise ToolreelError(f"{error.filename}: this folder cannot be listed ({error.strerror})")

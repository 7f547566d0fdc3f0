"""Names for fixture files: short, and never two alike. Knows paths as texts; opens nothing.

A case is a fixture, and the turns that are numbered behind it in the same folder: `checkout`, `checkout+2`. Its name is
its file's name without `.json`; where that would stand for another case too, or for a turn of one, with as many folders
in front as tell them apart: `shop.checkout`, `shop.checkout+2`. Where no folders do, a number does: `checkout~2`.

The recorder writes a plus sign before the number. A hyphen stands there in folders of older versions, and may be a part
of the name as well: `gpt-4`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from replay.corpus.discovery import FIXTURE_SUFFIX

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import PurePath

# What stands before the number of a turn, as the recorder writes it.
PLUS: Final = "+"
_NUMBERED: Final = re.compile(r"(.+)([-+])([1-9][0-9]{0,8})\Z", re.DOTALL)


def turn_of(name: str) -> tuple[str, int] | None:
    """The case that a name is a further turn of, and which one; None where it is no such name."""
    match = _NUMBERED.match(name)
    return (match[1], int(match[3])) if match is not None and int(match[3]) > 1 else None


def is_recorded(name: str) -> bool:
    """Whether a further turn is numbered as the recorder does it."""
    match = _NUMBERED.match(name)
    return match is not None and match[2] == PLUS


def names(paths: Sequence[PurePath]) -> list[str]:
    """A name for each file, in their order, which has no say in them. No path is there twice."""
    found = [""] * len(paths)
    cases = list(_cases(paths))
    _tell_apart(cases)
    for case in cases:
        for rest, at in case.turns.items():
            found[at] = case.name + rest
    return found


def _cases(paths: Sequence[PurePath]) -> Iterator[_Case]:
    folders: defaultdict[PurePath, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for at, path in enumerate(paths):
        folders[path.parent][_stem(path.name)].append(at)
    for folder, stems in folders.items():
        cases: dict[str, _Case] = {}
        for stem, several in stems.items():
            at, *others = sorted(several, key=lambda at: paths[at])
            first = _first(stem, stems)
            case = cases.setdefault(first, _Case(folder=folder, file="", first=first))
            case.turns[stem.removeprefix(first)] = at
            for other in others:  # `x` beside `x.json`: never one case
                yield _Case(folder=folder, file=paths[other].name, first=stem, turns={"": other})
        yield from cases.values()


def _stem(name: str) -> str:
    """Dots alone are no name: clients take them for folders."""
    stem = name.removesuffix(FIXTURE_SUFFIX)
    return stem if stem.strip(".") else name


def _first(stem: str, stems: Collection[str]) -> str:
    """The first turn of the case that a file of a folder belongs to."""
    while (turn := turn_of(stem)) is not None and turn[0] in stems:
        stem = turn[0]
    return stem


@dataclass(slots=True, kw_only=True, eq=False)
class _Case:
    """The files of one case, and how far its name has grown."""

    folder: PurePath
    file: str  # where another file of the folder has this stem
    first: str
    turns: dict[str, int] = field(default_factory=dict)  # what stands behind `first` in a file's name: its position
    depth: int = 0
    number: int = 1

    @property
    def folders(self) -> tuple[str, ...]:
        """What can stand in front: neither a root nor a way up is part of a name."""
        return tuple(part for part in self.folder.parts if part not in (self.folder.anchor, ".."))

    @property
    def name(self) -> str:
        folders = self.folders
        front = folders[len(folders) - self.depth :]
        return ".".join((*front, self.first)) + (f"~{self.number}" if self.number > 1 else "")

    @property
    def can_deepen(self) -> bool:
        return self.depth < len(self.folders)

    @property
    def rank(self) -> tuple[object, ...]:
        """Who keeps a name before others: the one that says it with the fewest folders."""
        return (self.number, self.depth, len(self.folder.parts), self.folder, self.first, self.file)


def _tell_apart(cases: Sequence[_Case]) -> None:
    """Let names grow until no two cases share one.

    This ends. A name runs out of folders that it can take in front; and of the cases that get a number, the first in
    rank keeps its name, whatever the others do.
    """
    while clashes := list(_clashes(cases)):
        deeper: set[_Case] = set()
        numbered: set[_Case] = set()
        for clash in clashes:
            lowest = min(case.depth for case in clash)
            at_lowest = [case for case in clash if case.depth == lowest]
            keeps = at_lowest if len(at_lowest) == 1 else []
            growing = [case for case in clash if case not in keeps and case.can_deepen]
            deeper.update(growing)
            if not growing:
                numbered.update(sorted(clash, key=lambda case: case.rank)[1:])
        for case in deeper:
            case.depth += 1
        for case in numbered - deeper:
            case.number += 1


def _clashes(cases: Iterable[_Case]) -> Iterator[list[_Case]]:
    """The cases that would share a name, or of which one would be taken for a further turn of another."""
    owners: defaultdict[str, dict[_Case, None]] = defaultdict(dict)
    followers: defaultdict[str, dict[_Case, None]] = defaultdict(dict)
    for case in cases:
        for rest in case.turns:
            name = case.name + rest
            owners[name][case] = None
            turn = turn_of(name)
            if turn is not None:
                followers[turn[0]][case] = None
    for name, own in owners.items():
        clash = own | followers.get(name, {})
        if len(clash) > 1:
            yield list(clash)

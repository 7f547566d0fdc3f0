"""Fixtures and pins on disk: found, judged, compared, written. One result a fixture, in the order of their names.

Knows folders, the validator and pins; prints nothing. A result says what was found and what to do about it; only what
the caller cannot have meant (no fixture at all) is raised.
"""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from . import files, pins
from .errors import ToolreelError
from .validator import Allowance, Limits, Report, validate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

FIXTURE_SUFFIX: Final = ".json"
# A raw body may be pinned too, by its own suite. A pin beside one has its fixture, and is not ours to judge.
BODY_SUFFIX: Final = ".sse"


class Mode(Enum):
    """What a verdict that is not the pinned one leads to."""

    CHECK = "report it"
    UPDATE = "report it, and write the pin"


class Outcome(Enum):
    """How a fixture compares with its pin; the value is its name in a report."""

    AS_PINNED = "as_pinned"
    CHANGED = "changed"  # the verdict is not the pinned one
    UNPINNED = "unpinned"  # no pin beside the fixture
    ORPHAN = "orphan"  # a pin without its fixture
    REPINNED = "repinned"  # changed, and written
    PINNED = "pinned"  # unpinned, and written
    ERROR = "error"  # the fixture or its pin could not be read, or the pin not be written


# 1: something differs. 2: something could not be read, so that nothing is known of it. The highest one counts.
EXIT_CODES: Final[Mapping[Outcome, int]] = {
    Outcome.AS_PINNED: 0,
    Outcome.CHANGED: 1,
    Outcome.UNPINNED: 1,
    Outcome.ORPHAN: 1,
    Outcome.REPINNED: 0,
    Outcome.PINNED: 0,
    Outcome.ERROR: 2,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What every fixture is judged with, beside what its own pin says; of two limits, the one here counts."""

    accept: frozenset[Allowance] = frozenset()
    limits: Mapping[str, int] = field(default_factory=dict)
    mode: Mode = Mode.CHECK

    def update_command(self, path: Path) -> str:
        """The command that writes the pin of `path`, judged as now."""
        words = ["toolreel", "replay", "--update"]
        for name in sorted(self.accept):
            words += ["--accept", name.value]
        for limit, value in self.limits.items():
            words += ["--limit", f"{limit}={value}"]
        return f"{' '.join(words)} {_quoted(path)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of one fixture; of an orphan, the fixture is the one that is not there. Reports without messages."""

    fixture: Path
    outcome: Outcome
    pinned: Report | None = None
    found: Report | None = None
    advice: str = ""  # one line: what is wrong and the next step; empty where nothing is to be done

    @property
    def pin(self) -> Path:
        """Where the pin of the fixture stands, or would."""
        return pin_path(self.fixture)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What lies under the paths of a command, in the order of the names."""

    fixtures: Sequence[Path]
    orphans: Sequence[Path]  # the pins


def pin_path(fixture: Path) -> Path:
    """Where the pin of a fixture stands."""
    return fixture.with_name(fixture.name.removesuffix(FIXTURE_SUFFIX) + pins.SUFFIX)


def find(paths: Iterable[Path]) -> Plan:
    """The fixtures under `paths`: files that are named, and all in the folders, hidden ones excepted.

    A pin that is named stands for its fixture, so that a pattern that matches both may be given.
    """
    fixtures: dict[str, Path] = {}
    orphans: dict[str, Path] = {}
    for path in paths:
        some = False
        for file in _files(path):
            some = True
            if file.name.endswith(pins.SUFFIX):
                stem = file.name.removesuffix(pins.SUFFIX)
                fixture = file.with_name(stem + FIXTURE_SUFFIX)
                if not os.path.lexists(fixture):
                    if not os.path.lexists(file.with_name(stem + BODY_SUFFIX)):
                        orphans.setdefault(_key(file), file)
                    continue
                file = fixture
            fixtures.setdefault(_key(file), file)
        if not some:
            raise ToolreelError(f"{path}: no fixture (*{FIXTURE_SUFFIX}) in this folder; check the path")
    return Plan(fixtures=sorted(fixtures.values(), key=str), orphans=sorted(orphans.values(), key=str))


def _files(path: Path) -> Iterator[Path]:
    """The fixtures and pins that one path of the command stands for."""
    if not files.is_folder(path):
        if not path.name.endswith(FIXTURE_SUFFIX):
            raise ToolreelError(f"{path}: not a fixture; fixtures end in {FIXTURE_SUFFIX}")
        yield path
        return
    seen = set()
    for folder, inner, names in os.walk(path, onerror=_unlistable, followlinks=True):
        # A link may lead back up: each folder is walked once.
        real = os.path.realpath(folder)
        if real in seen:
            inner.clear()
            continue
        seen.add(real)
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            if name.endswith(FIXTURE_SUFFIX) and not name.startswith("."):
                yield Path(folder, name)


def _key(file: Path) -> str:
    """Equal for two spellings of one name; a link is a name of its own."""
    return os.path.normpath(file.absolute())


def _unlistable(error: OSError) -> None:
    raise ToolreelError(f"{error.filename}: this folder cannot be listed ({error.strerror})")


def replay(plan: Plan, options: Options) -> Iterator[Result]:
    """Judge every fixture of the plan and compare it with its pin; each result as soon as it is there."""
    for fixture in plan.fixtures:
        yield _replay_one(fixture, options)
    for orphan in plan.orphans:
        missing = orphan.with_name(orphan.name.removesuffix(pins.SUFFIX) + FIXTURE_SUFFIX)
        advice = f"{missing.name} is not beside it; bring it back, or remove the pin: rm {_quoted(orphan)}"
        yield Result(fixture=missing, outcome=Outcome.ORPHAN, advice=advice)


def _replay_one(fixture: Path, options: Options) -> Result:
    trouble = ""
    try:
        return _compared(fixture, options)
    except ToolreelError as error:
        trouble = str(error)
    return Result(fixture=fixture, outcome=Outcome.ERROR, advice=trouble)


def _compared(fixture: Path, options: Options) -> Result:
    data = files.read(fixture)
    pin_file = pin_path(fixture)
    update = options.update_command(fixture)
    pin = _pin(pin_file, update)
    found = _judged(data, pin, options)
    if pin is None:
        outcome, written = Outcome.UNPINNED, Outcome.PINNED
        advice = f"no pin beside it; to pin this verdict: {update}"
    elif pin.report != found.report:
        outcome, written = Outcome.CHANGED, Outcome.REPINNED
        advice = f"to accept the new verdict: {update}"
    else:
        outcome = written = Outcome.AS_PINNED
        advice = ""
    if options.mode is Mode.UPDATE and outcome is not written:
        files.write(pin_file, pins.write(found))
        outcome, advice = written, ""
    return Result(
        fixture=fixture,
        outcome=outcome,
        pinned=pin.report if pin else None,
        found=found.report,
        advice=advice,
    )


def _pin(path: Path, update: str) -> pins.Pin | None:
    if not os.path.lexists(path):
        return None
    data = files.read(path)
    problem = ""
    try:
        return pins.read(data)
    except pins.PinError as error:
        problem = str(error)
    raise ToolreelError(f"{path}: {problem}; mend it, or delete it and run: {update}")


def _judged(data: bytes, pin: pins.Pin | None, options: Options) -> pins.Pin:
    """The verdict as a pin. Of what was accepted it names what the pin named or what was used: the rest is idle."""
    accept = options.accept | (pin.accept if pin else frozenset())
    limits = {**(pin.limits if pin else {}), **options.limits}
    report = pins.bare(validate(data, accept=accept, limits=Limits(**limits)))
    used = {use.name for use in report.allowances}
    return pins.Pin(report=report, accept=(pin.accept if pin else frozenset()) | used, limits=limits)


def _quoted(path: Path) -> str:
    text = shlex.quote(str(path))
    return f"-- {text}" if text.startswith("-") else text

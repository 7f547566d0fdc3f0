"""The command `toolreel scan`. The only module of this package that knows click and the disk."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from redaction.captured.exchange import FIRST_RUNGS, RUNGS
from redaction.proof.files.page_files import START
from redaction.proof.leak import Leak
from redaction.proof.readback import read_back
from redaction.proof.scan import STALE, STRUCTURE, scan_fixture, scan_outcomes, scan_page, scan_pin
from redaction.proof.tripwire import Tripwire, load
from redaction.proof.words.declared import declared_words
from replay import config, garbage, processes
from replay.corpus import elsewhere
from replay.corpus.files import StrPath, exists, read
from replay.errors import ToolreelError, install_hint, translated
from replay.terminal import printable

_PIN: Final = ".expected.json"
_OUTCOMES: Final = ".adapters.json"
_PAGE: Final = ".html"
# What draws a page again, by this interpreter and from this installation, whatever the current folder holds.
_DRAW: Final = (sys.executable, "-P", "-m", "replay.show.redraw")
_INSTALLED_IN: Final = str(Path(__file__).resolve().parents[1])


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(readable=False), metavar="[PATH]...")
@click.option(
    "--tripwire/--no-tripwire",
    default=None,
    help="Ask the secret scanner of the extra `scan` too. By default, where it is installed.",
)
@click.option(
    "--report",
    type=click.Choice(["text", "json", "words"]),
    default="text",
    show_default=True,
    help="json says of each file its rung too: how much redaction had to reveal; words is what --words asks for.",
)
@click.option(
    "--words",
    "report",
    flag_value="words",
    help="List every word that the tools declare once, with the files that hold it: for a review before publishing.",
)
@click.option(
    "--jobs", metavar="N", default="1", show_default=True, help="Processes to scan in; auto: one for each processor."
)
@click.pass_context
def scan(
    ctx: click.Context,
    *,
    paths: tuple[str, ...],
    tripwire: bool | None,
    report: str,
    jobs: str,
) -> None:
    """Prove that fixtures, their pins and the pages of `toolreel show` are data only.

    PATH is a fixture, a pin (of the verdict, or of the outcomes of clients), a page, or a folder of them. In a folder
    all *.json and all pages count, hidden ones and what links lead to as well. Without one, the paths of toolreel.toml
    count. Names the file, the place and the rule, never the value. Exit code 0: nothing but data; 1: something else was
    found, or a pin is not of its fixture; 2: a file cannot be read, or a folder has nothing to scan.
    """
    ctx.with_resource(garbage.relaxed())
    number = processes.number(jobs)
    _begin(tripwire)
    files = [file for path in paths or _of_settings() for file in _files(path)]
    told = _REPORTS[report]()
    scanned: list[_Scanned] = []
    for one in _scanned(files, tripwire, number):
        if isinstance(one, _Scanned):
            scanned.append(one)
            told.one(one)
        else:
            click.echo(f"Error: {printable(one)}", err=True)
    told.all(scanned)
    ctx.exit(2 if len(scanned) < len(files) else 1 if any(one.found for one in scanned) else 0)


def _of_settings() -> list[StrPath]:
    """The paths of the project's settings, their patterns resolved; a usage error where there are none."""
    found = config.replay_settings().paths
    if not found:
        raise click.UsageError(f"Missing argument 'PATH...'; or name paths in [replay] of {config.FILE}")
    return [file for path in found for file in (config.matched(path) or (path,))]


@dataclass(frozen=True, slots=True)
class _Scanned:
    """A file that was scanned: what was found, and its rung where it is a fixture that names one."""

    file: str
    found: tuple[tuple[str | None, Leak], ...]
    rung: str | None

    @property
    def leaks(self) -> list[tuple[str | None, Leak]]:
        """What was found but pins that are stale."""
        return [one for one in self.found if one[1] != STALE]

    @property
    def stale(self) -> int:
        """How many pins are not of their fixtures: the file itself, or those that it holds."""
        return len(self.found) - len(self.leaks)


# Files that a process takes at once, at most.
_BATCH: Final = 64


def _scanned(files: Sequence[str], tripwire: bool | None, jobs: int) -> Iterator[_Scanned | str]:  # noqa: FBT001
    """What was found in each file, in their order; where one cannot be read, why. This process has begun to scan."""
    if jobs == 1 or len(files) == 1:
        yield from map(_scan_one, files)
        return
    size = max(1, min(_BATCH, len(files) // (jobs * 4)))
    batches = (files[at : at + size] for at in range(0, len(files), size))
    for batch in processes.ordered(_scan_batch, batches, jobs=jobs, begin=_begin, given=(tripwire,)):
        yield from batch


def _begin(tripwire: bool | None) -> None:  # noqa: FBT001
    """What a process that scans holds: the secret scanner, where it is asked for."""
    _HELD.clear()
    _HELD.append(_tripwire(wanted=tripwire))


_HELD: Final[list[Tripwire | None]] = []


def _scan_batch(files: Sequence[str]) -> list[_Scanned | str]:
    return [*map(_scan_one, files)]


def _scan_one(file: str) -> _Scanned | str:
    try:
        data = read(file)
        return _Scanned(file, tuple(_leaks(file, data, _HELD[0])), _rung(file, data))
    except ToolreelError as error:
        return str(error)


class _Text:
    """The report for people: a line for each leak as it is found, and the numbers."""

    def one(self, scanned: _Scanned) -> None:
        """Says what was found in one file."""
        for inner, leak in scanned.found:
            name = scanned.file if inner is None else f"{scanned.file}: {inner}"
            where = f" in event {leak.event}" if leak.event is not None else ""
            rule = "" if leak == STALE else f": {leak.rule}"
            click.echo(f"{printable(name)}: {leak.place}{where}{rule}")

    def all(self, scanned: Sequence[_Scanned]) -> None:
        """Says the numbers, where anything was scanned."""
        files, found = len(scanned), sum(len(one.leaks) for one in scanned)
        stale = sum(one.stale for one in scanned)
        if files:
            pins = f", {stale} stale pin{'s' * (stale != 1)}" if stale else ""
            click.echo(f"{files} file{'s' * (files != 1)} scanned, {found} place{'s' * (found != 1)} found{pins}")


class _Json:
    """The report for programs: one document, with the rung of each fixture."""

    def one(self, scanned: _Scanned) -> None:
        """Says nothing yet."""

    def all(self, scanned: Sequence[_Scanned]) -> None:
        """Says everything."""
        files = [
            {
                "file": one.file,
                "rung": one.rung,
                "leaks": [
                    {"in": inner, "place": leak.place, "event": leak.event, "rule": leak.rule}
                    for inner, leak in one.leaks
                ],
                "stale_pins": one.stale,
            }
            for one in scanned
        ]
        totals = {"scanned": len(scanned), "found": sum(len(one.leaks) for one in scanned)}
        stale = sum(one.stale for one in scanned)
        click.echo(json.dumps({"files": files, **totals, "stale_pins": stale}, indent=1))


class _Words(_Text):
    """The report for people, and behind the leaks every declared word of all fixtures, each once."""

    def __init__(self) -> None:
        self._files: dict[tuple[str, str], list[str]] = {}

    def one(self, scanned: _Scanned) -> None:
        """Says what was found in one file, and notes its words."""
        super().one(scanned)
        if not scanned.file.endswith((_PIN, _OUTCOMES, _PAGE)):
            for word in declared_words(read_back(read(scanned.file))):
                self._files.setdefault(word, []).append(scanned.file.rpartition("/")[2])

    def all(self, scanned: Sequence[_Scanned]) -> None:
        """Says the words, and the numbers."""
        for (kind, word), files in sorted(self._files.items()):
            click.echo(printable(f"{kind} {json.dumps(word, ensure_ascii=False)}: {', '.join(files)}"))
        super().all(scanned)


_REPORTS: Final[Mapping[str, Callable[[], _Text | _Json]]] = {"text": _Text, "json": _Json, "words": _Words}


def _rung(file: str, data: bytes) -> str | None:
    """The rung that a fixture names, where it is one of the known ones."""
    if file.endswith((_PIN, _OUTCOMES, _PAGE)):
        return None
    fixture = read_back(data)
    capture = fixture.get("capture") if isinstance(fixture, dict) else None
    rung = capture.get("rung") if isinstance(capture, dict) else None
    return rung if isinstance(rung, str) and rung in {*RUNGS, *FIRST_RUNGS} else None


def _tripwire(*, wanted: bool | None) -> Tripwire | None:
    wire = None if wanted is False else load()
    if wanted and wire is None:
        raise ToolreelError(f"the secret scanner is not installed; {install_hint('scan')}")
    return wire


def _files(path: StrPath) -> list[str]:
    """The files that one path stands for; never none, for a gate that looked at nothing would let everything pass."""
    kept = elsewhere.of(path)
    if kept is not None:
        found = [os.fspath(path)] if os.fspath(path).endswith((".json", _PAGE)) else _listed(os.fspath(path))
    elif not os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises where a folder on the way is closed
        return [str(Path(path))]
    else:
        found = [file for folder, names in _folders(Path(path)) for name in names for file in _held(str(folder / name))]
    if not found:
        raise ToolreelError(f"{path}: no fixture (*.json) in this folder; check the path")
    return sorted(found)


def _listed(path: str) -> list[str]:
    """The fixtures, pins and pages behind a path that leads into a store or a pack, and those in the packs there."""
    kept = elsewhere.of(path)
    assert kept is not None, "asked of no other path"
    there = list(kept.listed(path))
    found = [name for name in there if name.endswith((".json", _PAGE))]
    packed = [name for name in there if kept is elsewhere.STORED and name.endswith(elsewhere.PACK_SUFFIX)]
    return [*found, *(name for pack in packed for name in _listed(pack))]


def _held(file: str) -> list[str]:
    """A file of a folder; of a pack all that is in it."""
    return _listed(file) if file.endswith(elsewhere.PACK_SUFFIX) else [file]


def _folders(path: Path) -> Iterator[tuple[Path, list[str]]]:
    """Each folder in `path`, hidden and linked ones too, with the names of the fixtures and pins in it.

    Links are followed as `replay` follows them. What is no regular file is not passed over: reading it says so.
    """
    seen = set()
    for folder, inner, names in os.walk(path, onerror=_unlistable, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:  # a link may lead back up: each folder is looked at once
            inner.clear()
            continue
        seen.add(real)
        inner.sort()
        yield (
            Path(folder),
            [name for name in names if name.endswith((".json", elsewhere.PACK_SUFFIX)) or _is_page(Path(folder, name))],
        )


def _is_page(file: Path) -> bool:
    """Whether a file is a page of `show`. Others that end so may stand in a folder, and say nothing of fixtures."""
    if not file.name.endswith(_PAGE) or not file.is_file():
        return False
    unreadable = ToolreelError(f"{file}: this page cannot be read; check its mode")
    with translated(OSError, lambda _: unreadable), file.open("rb") as opened:
        return opened.read(len(START)) == START


def _unlistable(error: OSError) -> None:
    raise ToolreelError(f"{error.filename}: this folder cannot be listed ({error.strerror})")


def _leaks(file: str, data: bytes, wire: Tripwire | None) -> Iterator[tuple[str | None, Leak]]:
    """The leaks of a file, each with the name of the file in it that it is in, where it holds files."""
    if file.endswith(_PAGE):
        yield from scan_page(data, _drawn, wire)
    elif file.endswith(_OUTCOMES):
        yield from ((None, leak) for leak in scan_outcomes(data))
    elif file.endswith(_PIN):
        yield from ((None, leak) for leak in _leaks_of_pin(file, data))
    else:
        yield from ((None, leak) for leak in scan_fixture(data, wire))


def _leaks_of_pin(file: str, data: bytes) -> Iterator[Leak]:
    fixture = file.removesuffix(_PIN) + ".json"
    if exists(fixture):
        yield from scan_pin(data, read(fixture))
    else:
        yield Leak("pin without a fixture", rule=STRUCTURE)


def _drawn(source: bytes) -> bytes:
    """The page that `show` draws of these files, in a process of its own; nothing where it draws none."""
    path = os.pathsep.join(part for part in (_INSTALLED_IN, os.environ.get("PYTHONPATH", "")) if part)
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(_DRAW, input=source, capture_output=True, env=environment, check=False)  # noqa: S603 - ours
    return b"" if done.returncode else done.stdout

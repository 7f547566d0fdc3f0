"""`toolreel search` and `toolreel reduce`: read fixtures, find the adapter, look, write what was found."""

from __future__ import annotations

import importlib.util
import re
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from replay.corpus import discovery, files, pins
from replay.derive.recording import read
from replay.derive.short_files import of_file
from replay.derive.suite import bundled
from replay.diff import outcome_pins
from replay.diff.box.system import hide_memory
from replay.diff.processes import adapter_command
from replay.diff.turns import Driver, Telling
from replay.errors import ToolreelError
from replay.finite import finite
from replay.serve.cutting import Cuts
from replay.shell import quoted
from replay.terminal import printable

from .probe import probe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.derive.recording import Recording
    from replay.diff.processes.adapter_command import Adapter
    from replay.diff.processes.adapter_process import Ready

    from .looking import Find
    from .probe import Probe

# Turns of a search are many and short; one that takes longer hangs.
_SECONDS: Final = 2.0
_DATABASE: Final = ".toolreel-search"


@click.command("reduce")
@click.argument("fixture", metavar="FIXTURE", type=click.Path(path_type=Path, readable=False))
@click.option(
    "--out", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False), help="[default: NAME.reduced.json]"
)
@click.option("--adapter", "name", metavar="NAME", help="Keep what this client makes of it, too.")
@click.option("--adapter-command", "program", metavar="COMMAND", help="The same, of a program in any language.")
@click.option("--python", "pythons", metavar="PATH", multiple=True, help="The interpreter of the adapter.")
@click.option("--node-folder", type=click.Path(path_type=Path), default=Path(), help="As in `toolreel diff`.")
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0.1),
    default=_SECONDS,
    show_default=True,
    help="What one turn may take.",
)
def reduce_command(
    *,
    fixture: Path,
    out: Path | None,
    name: str | None,
    program: str | None,
    pythons: tuple[str, ...],
    node_folder: Path,
    timeout: float,
) -> None:
    """Make a fixture as short as it can be with the same findings: fewer events, fragments, schemas.

    The new fixture is written beside the old one, with its pin. It holds nothing that the old one does not. With an
    adapter the outcome of that client stays as well.

    Exit codes: 0; 2, an argument is wrong, or a client or a file is not there or could not be written.
    """
    target = out or fixture.with_name(f"{fixture.stem}.reduced.json")
    adapter = _adapter(name, program, pythons, node_folder)
    data, kept = files.read(fixture), ""
    if adapter is None:
        found = of_file(data, str(fixture))
    else:
        driver = _driver(adapter, timeout)
        try:
            driver.ready()
            with probe(driver) as asked:
                found = of_file(data, str(fixture), asked.keeps(data))
                kept = f", {asked.outcome_of(data)} by {adapter.name}"
        finally:
            driver.end()
    files.write(target, found.data)
    files.write(discovery.pin_path(str(target)), pins.write(pins.Pin(report=found.report)))
    codes = ", ".join(sorted({one.code.value for one in found.report.findings})) or found.report.status.value
    path = printable(quoted(str(target)))
    click.echo(f"{found.before} events became {found.after}, still {codes}{kept}; look at them: toolreel show {path}")


@click.command()
@click.argument("fixtures", metavar="[FIXTURE]...", nargs=-1, type=click.Path(path_type=Path, readable=False))
@click.option(
    "--adapter",
    "name",
    metavar="NAME",
    help="A client, as in `toolreel diff`.",
)
@click.option(
    "--adapter-command", "program", metavar="COMMAND", help="A program in any language, as in `toolreel diff`."
)
@click.option("--python", "pythons", metavar="PATH", multiple=True, help="The interpreter of the adapter.")
@click.option(
    "--node-folder",
    type=click.Path(path_type=Path),
    default=Path(),
    help="As in `toolreel diff`.",
)
@click.option(
    "--time",
    "seconds",
    metavar="SECONDS",
    type=click.FloatRange(min=0.1),
    default=60.0,
    show_default=True,
    help="How long to search.",
)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0.1),
    default=_SECONDS,
    show_default=True,
    help="What one turn may take.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("found"),
    show_default=True,
    help="Where finds are written.",
)
@click.option("--most", metavar="N", type=click.IntRange(min=1), default=50, show_default=True, help="Of finds.")
@click.option(
    "--seed",
    metavar="N",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="The same seed searches in the same order.",
)
@click.pass_context
def search(
    ctx: click.Context,
    *,
    fixtures: tuple[Path, ...],
    name: str | None,
    program: str | None,
    pythons: tuple[str, ...],
    node_folder: Path,
    seconds: float,
    timeout: float,
    out: Path,
    most: int,
    seed: int,
) -> None:
    """Look for a stream on which a client hands over what it must not, loses or changes a call, crashes or hangs.

    Begins with the fixtures, which must pass; without one, with the synthetic turns that come with toolreel. Each find
    is made as short as it can be and written to DIR as a fixture, with its pin and the outcome.

    Exit codes: 0, nothing was found; 1, something was; 2, an argument is wrong, or a client or a file is not there.
    """
    if importlib.util.find_spec("hypothesis") is None:
        raise ToolreelError(
            "toolreel search: hypothesis is not installed; install it with: pip install 'toolreel[search]'"
        )
    adapter = _adapter(name, program, pythons, node_folder)
    if adapter is None:
        raise ToolreelError("name one client: --adapter NAME or --adapter-command COMMAND")
    driver = _driver(adapter, timeout)
    found = 0
    try:
        ready = driver.ready()
        recordings = list(_recordings(fixtures, ready))
        began = time.monotonic()
        with probe(driver) as asked:
            usable = [one for one, data in recordings if _shown(asked, data, one, adapter)]
            for number, one in enumerate(usable, 1):
                until = began + finite("--time", seconds) * number / len(usable)
                for find in islice(_finds(one, asked, until, seed), most - found):
                    found += 1
                    click.echo(_written(find, adapter, ready, out, found))
        if not usable:
            raise ToolreelError(f"{adapter.called}: it hands over no healthy call, so a search would say nothing")
        took = time.monotonic() - began
        click.echo(
            f"{asked.asked} streams in {took:.0f} s, {asked.asked / max(took, 0.001):.0f} a second; {found} found."
        )
    finally:
        driver.end()
    ctx.exit(1 if found else 0)


def _adapter(name: str | None, program: str | None, pythons: tuple[str, ...], folder: Path) -> Adapter | None:
    """The client that the options name; None where they name none."""
    if name is not None and program is not None:
        raise ToolreelError("name one client: --adapter NAME or --adapter-command COMMAND")
    if name is not None:
        return adapter_command.find(name, adapter_command.interpreters(pythons, folder, names=(name,)))
    return None if program is None else adapter_command.of_command(program)


def _driver(adapter: Adapter, timeout: float) -> Driver:
    hide_memory()
    telling = Telling(say=lambda line: click.echo(printable(line), err=True))
    return Driver(adapter, cuts=Cuts(), seconds=finite("--timeout", timeout), telling=telling)


def _shown(asked: Probe, data: bytes, one: Recording, adapter: Adapter) -> bool:
    """Whether the adapter hands over healthy calls of this recording's tools; it is said where it does not."""
    lacking = asked.shows(data)
    if lacking:
        words = f"{adapter.called} hands over no healthy call of {lacking!r}"
        click.echo(printable(f"left out: {one.profile}: {words}"), err=True)
    return not lacking


def _finds(one: Recording, asked: Probe, until: float, seed: int) -> Iterator[Find]:
    from hypothesis.database import DirectoryBasedExampleDatabase

    from .looking import Search

    database = DirectoryBasedExampleDatabase(_DATABASE)
    return Search(one, asked, until=until, seed=seed, database=database).finds()


def _recordings(fixtures: tuple[Path, ...], ready: Ready) -> Iterator[tuple[Recording, bytes]]:
    """The healthy turns to begin with, of the families that the adapter speaks."""
    usable = 0
    for path in discovery.find(fixtures).fixtures if fixtures else ():
        data = files.read(path)
        one = read(data, str(path))
        if one.profile in ready.profiles:
            usable += 1
            yield one, data
    for profile in () if fixtures else ready.profiles:
        usable += 1
        yield read(bundled(profile), profile), bundled(profile)
    if not usable:
        raise ToolreelError(f"the adapter speaks {', '.join(ready.profiles)}, and no fixture does")


def _written(find: Find, adapter: Adapter, ready: Ready, out: Path, number: int) -> str:
    """Write a find: the fixture, its pin, the outcome; and say it in a line."""
    out.mkdir(parents=True, exist_ok=True)
    stem = re.sub(r"[^A-Za-z0-9_.]+", "-", adapter.name).strip("-.") or "adapter"
    path = out / f"{stem}-{number}.json"
    files.write(path, find.short.data)
    files.write(discovery.pin_path(str(path)), pins.write(pins.Pin(report=find.short.report)))
    outcomes = {adapter.name: {ready.version: find.outcome}}
    files.write(outcome_pins.path_of(path), outcome_pins.write(outcomes))
    codes = ", ".join(sorted({one.code.value for one in find.short.report.findings})) or "a legal stream"
    word = printable(quoted(str(path)))
    return f"{find.outcome.value}: {codes}, {find.short.after} events ({find.plan.kind}): toolreel show {word}"

"""`toolreel search` and `toolreel reduce`: read fixtures, find the adapter, look, write what was found."""

from __future__ import annotations

import importlib.util
import re
import time
from dataclasses import dataclass, replace
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
from replay.diff.processes.cli import ONE, client_options
from replay.diff.turns import Driver, Telling
from replay.errors import ToolreelError, install_hint
from replay.finite import finite
from replay.serve.cutting import Cuts
from replay.shell import quoted
from replay.terminal import printable

from .probe import probe
from .telling import STYLES, Client, Searched, Written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.derive.recording import Recording
    from replay.diff.processes.adapter_command import Adapter
    from replay.diff.processes.adapter_process import Ready
    from replay.diff.processes.cli import Clients

    from .looking import Find
    from .probe import Probe
    from .telling import Style

# Turns of a search are many and short; one that takes longer hangs.
_SECONDS: Final = 2.0
_DATABASE: Final = ".toolreel-search"


@click.command("reduce")
@click.argument("fixture", metavar="FIXTURE", type=click.Path(path_type=Path, readable=False))
@click.option(
    "--out", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False), help="[default: NAME.reduced.json]"
)
@client_options(replace(ONE, adapter="Keep what this client makes of it, too."))
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
    clients: Clients,
    timeout: float,
) -> None:
    """Make a fixture as short as it can be with the same findings: fewer events, fragments, schemas.

    The new fixture is written beside the old one, with its pin. It holds nothing that the old one does not. With an
    adapter the outcome of that client stays as well.

    Exit codes: 0; 2, an argument is wrong, or a client or a file is not there or could not be written.
    """
    target = out or fixture.with_name(f"{fixture.stem}.reduced.json")
    adapter = clients.one()
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
@client_options(ONE)
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
@click.option(
    "--report",
    "style",
    type=click.Choice(list(STYLES)),
    default="text",
    show_default=True,
    help="How to say what is found; jsonl: an object a line, and one for what was searched.",
)
@click.pass_context
def search(
    ctx: click.Context,
    *,
    fixtures: tuple[Path, ...],
    clients: Clients,
    seconds: float,
    timeout: float,
    out: Path,
    most: int,
    seed: int,
    style: str,
) -> None:
    """Look for a stream on which a client hands over what it must not, loses or changes a call, crashes or hangs.

    Begins with the fixtures, which must pass; without one, with the synthetic turns that come with toolreel. Each find
    is made as short as it can be and written to DIR as a fixture, with its pin and the outcome.

    Exit codes: 0, nothing was found; 1, something was; 2, an argument is wrong, or a client or a file is not there.
    """
    if importlib.util.find_spec("hypothesis") is None:
        raise ToolreelError(f"toolreel search: hypothesis is not installed; {install_hint('search')}")
    adapter = clients.one()
    if adapter is None:
        raise ToolreelError("name one client: --adapter NAME or --adapter-command COMMAND")
    driver = _driver(adapter, timeout)
    asked = _Asked(adapter=adapter, out=out, most=most, seed=seed, say=STYLES[style])
    try:
        found = _searched(driver, fixtures, finite("--time", seconds), asked)
    finally:
        driver.end()
    ctx.exit(1 if found else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What is to be searched, where finds are written, and how they are said."""

    adapter: Adapter
    out: Path
    most: int
    seed: int
    say: Style


def _searched(driver: Driver, fixtures: tuple[Path, ...], seconds: float, asked: _Asked) -> int:
    """Search for so long, beginning with the fixtures; the number of finds."""
    ready, found = driver.ready(), 0
    client = Client(name=asked.adapter.name, version=ready.version)
    recordings = list(_recordings(fixtures, ready))
    began = time.monotonic()
    with probe(driver) as asking:
        usable = [one for one, data in recordings if _shown(asking, data, one, asked.adapter)]
        for number, one in enumerate(usable, 1):
            until = began + seconds * number / len(usable)
            for find in islice(_finds(one, asking, until, asked.seed), asked.most - found):
                found += 1
                click.echo(asked.say.of_find(client, _written(find, client, asked.out, found)))
    if not usable:
        raise ToolreelError(f"{asked.adapter.called}: it hands over no healthy call, so a search would say nothing")
    done = Searched(streams=asking.asked, seconds=time.monotonic() - began, found=found)
    click.echo(asked.say.of_whole(client, done))
    return found


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


def _written(find: Find, client: Client, out: Path, number: int) -> Written:
    """Write a find: the fixture, its pin, the outcome."""
    out.mkdir(parents=True, exist_ok=True)
    stem = re.sub(r"[^A-Za-z0-9_.]+", "-", client.name).strip("-.") or "adapter"
    path = out / f"{stem}-{number}.json"
    files.write(path, find.short.data)
    files.write(discovery.pin_path(str(path)), pins.write(pins.Pin(report=find.short.report)))
    files.write(outcome_pins.path_of(str(path)), outcome_pins.write({client.name: {client.version: find.outcome}}))
    return Written(find=find, path=path)

"""`toolreel derive`: read recordings, make what was asked for, write, exit."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from replay.corpus import discovery, files, pins
from replay.errors import ToolreelError
from replay.shell import quoted
from replay.terminal import printable
from replay.validator.profiles import PROFILES

from .kinds import KINDS
from .recording import read
from .suite import Lacking, Wrong, bundled, suite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .recording import Recording

_OUR_BUG: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What to make of each recording, and where to write it."""

    names: tuple[str, ...]
    out: Path
    pairs: int
    seed: int


@click.command()
@click.argument("fixtures", metavar="[FIXTURE]...", nargs=-1, type=click.Path(path_type=Path, readable=False))
@click.option(
    "--out", metavar="DIR", type=click.Path(path_type=Path, file_okay=False), help="Where to write; made if absent."
)
@click.option("--kind", "kinds", metavar="KIND", multiple=True, help="Only this kind. May be given several times.")
@click.option(
    "--profile",
    "profiles",
    metavar="PROFILE",
    type=click.Choice(list(PROFILES)),
    multiple=True,
    help="Without a FIXTURE: from the synthetic turn of this family that comes with toolreel; default all. "
    f"One of {', '.join(PROFILES)}. May be given several times.",
)
@click.option(
    "--pairs",
    metavar="N",
    type=click.IntRange(min=0),
    default=0,
    help="As many pairs: a kind told as a legal twin, or two faults in one turn.",
)
@click.option(
    "--seed",
    metavar="N",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Where texts are cut, and which pairs.",
)
@click.option("--list", "listed", is_flag=True, help="List the kinds, with the families that have them, and end.")
@click.pass_context
def derive(
    ctx: click.Context,
    *,
    fixtures: tuple[Path, ...],
    out: Path | None,
    kinds: tuple[str, ...],
    profiles: tuple[str, ...],
    pairs: int,
    seed: int,
    listed: bool,
) -> None:
    """Make from a healthy recording the whole adversarial suite: one fixture a kind, each with its pin.

    A FIXTURE is a recording that passes, with at least one tool call; or a folder of such, or a pattern in quotes. A
    legal twin says the same in another form and must pass. Any other kind must be blocked, with the finding that the
    rules name. The files say in `capture.derived` that they were derived.

    Exit codes: 0; 1, the verdict of a kind is not what the rules say, which is a bug of toolreel; 2, an argument is
    wrong or a file could not be read or written.
    """
    if listed:
        for line in _list():
            click.echo(line)
        return
    if out is None:
        raise click.UsageError("say where to write: --out DIR")
    asked = _Asked(names=_known(kinds), out=out, pairs=pairs, seed=seed)
    counts: Counter[str] = Counter()
    for one, stem in _recordings(fixtures, profiles, seed):
        counts.update(_written(one, stem, asked))
    folder = printable(quoted(str(out)))
    click.echo(
        f"{counts['written']} fixtures written to {folder}, each with its pin; judge them: toolreel replay {folder}"
    )
    if counts["wrong"]:
        ctx.exit(_OUR_BUG)


def _known(kinds: tuple[str, ...]) -> tuple[str, ...]:
    for name in kinds:
        if name not in KINDS:
            raise click.BadParameter(f"{name} is no kind; see: toolreel derive --list", param_hint="--kind")
    return kinds or tuple(KINDS)


def _recordings(fixtures: tuple[Path, ...], profiles: tuple[str, ...], seed: int) -> Iterator[tuple[Recording, str]]:
    """The recordings, each with the beginning of the names of its files."""
    if not fixtures:
        for profile in profiles or PROFILES:
            yield read(bundled(profile), profile, seed), profile
        return
    if profiles:
        raise click.UsageError(
            "--profile chooses among the turns that come with toolreel: leave it out, or the FIXTURE"
        )
    usable = 0
    for path in discovery.find(fixtures).fixtures:
        try:
            one = read(files.read(path), path, seed)
        except ToolreelError as error:
            click.echo(f"left out: {printable(str(error))}", err=True)
            continue
        usable += 1
        yield one, Path(path).stem
    if not usable:
        raise ToolreelError("no fixture that others can be derived of")


def _written(one: Recording, stem: str, asked: _Asked) -> Iterator[str]:
    """Write what is made of a recording, and say what is not; a word for each, to be counted."""
    asked.out.mkdir(parents=True, exist_ok=True)
    lacking: dict[str, list[str]] = {}
    for found in suite(one, asked.names, asked.pairs, asked.seed):
        if isinstance(found, Wrong):
            click.echo(f"wrong: {found.why}; please report it", err=True)
            yield "wrong"
        elif isinstance(found, Lacking):
            lacking.setdefault(found.why, []).append(found.kind)
        else:
            path = asked.out / f"{stem}.{found.kind}.json"
            files.write(path, found.data)
            files.write(discovery.pin_path(str(path)), pins.write(pins.Pin(report=found.report)))
            yield "written"
    for why, kinds in lacking.items():
        click.echo(f"left out of {printable(stem)}: {', '.join(kinds)}: {why}", err=True)


def _list() -> Iterator[str]:
    width = max(map(len, KINDS))
    for name, kind in KINDS.items():
        families = "all families" if kind.of == frozenset(PROFILES) else ", ".join(p for p in PROFILES if p in kind.of)
        yield f"{name:<{width}}  {kind.does} ({families})"

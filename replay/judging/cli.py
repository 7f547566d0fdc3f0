"""The commands that judge fixtures: `validate`, `replay`, `coverage`. Each parses its options, calls, and reports."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

import click

from replay import ci, config, garbage, processes
from replay.corpus import discovery
from replay.errors import ToolreelError
from replay.reports import styles
from replay.reports.text import Paint
from replay.reports.totals import NOTHING_JUDGED, Totals
from replay.shell import quoted
from replay.terminal import colours, printable
from replay.validator import Allowance, Limits, command

from .comparison import unneeded
from .progress import Progress
from .results import Outcome
from .run_options import Detail, Mode, Options, Orphans, Shard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replay.corpus.files import StrPath

    from . import recut
    from .results import Result

# More processes than this are a slip of the finger, and would take the machine down.
MAX_JOBS: Final = 256

_paths = click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(readable=False))
_accept = click.option(
    "--accept",
    metavar="NAME",
    multiple=True,
    help=f"Accept an allowance where the fixture names it: {', '.join(name.value for name in Allowance)}. Repeatable.",
)
_limit = click.option(
    "--limit",
    metavar="NAME=N",
    multiple=True,
    help=f"Set a limit of the rules: {', '.join(command.LIMIT_NAMES)}. Repeatable.",
)
_report = click.option(
    "--report",
    type=click.Choice([style.value for style in command.Style]),
    default=command.Style.TEXT.value,
    show_default=True,
    help="How to report.",
)


@click.command()
@click.argument("fixtures", metavar="FIXTURE...", nargs=-1, required=True, type=click.Path(readable=False))
@_accept
@_limit
@_report
@click.pass_context
def validate(
    ctx: click.Context, *, fixtures: tuple[str, ...], accept: tuple[str, ...], limit: tuple[str, ...], report: str
) -> None:
    """Judge fixtures: whether the tool calls of each turn may be executed.

    The same as scripts/validate_tool_stream.py. A verdict is eligibility, never authorization.

    Exit codes: 0, every turn passes; 1, one is blocked; else 2, one is invalid or not applicable. An argument that is
    wrong or a path that cannot be read is 2, without a report.
    """
    with garbage.relaxed():
        outcome = command.run(
            fixtures,
            style=command.Style(report),
            accept=command.allowances(accept),
            limits=command.limits(limit),
        )
    ctx.exit(command.deliver(outcome, sys.stdout))


def _is_count(text: str) -> bool:
    """Whether a text is an integer of 1 or more, and no absurd one."""
    return text.isascii() and text.isdigit() and len(text) <= 9 and int(text) >= 1


def _shard(text: str) -> Shard:
    number, slash, of = text.partition("/")
    if slash and _is_count(number) and _is_count(of) and int(number) <= int(of):
        return Shard(number=int(number), of=int(of))
    raise ToolreelError(f"--shard {text}: must be I/N, the part and the number of parts; for example 1/4")


def _cuts(text: str) -> recut.Cuts:
    from . import recut  # only a run that cuts pays for it

    if text == "all":
        return recut.Cuts(number=None)
    if _is_count(text):
        return recut.Cuts(number=int(text))
    raise ToolreelError(f"--recut {text}: must be an integer of 1 or more, or all")


@click.command()
@_paths
@click.option("--update", is_flag=True, help="Show what changed, and write the pins that are missing or differ.")
@click.option("--prune", is_flag=True, help="Remove pins, and outcomes of clients, whose fixtures are gone.")
@click.option(
    "--in-ci",
    is_flag=True,
    help="Let --update and --prune write in a CI job. Without it they refuse where the variable CI is set.",
)
@_accept
@_limit
@click.option(
    "--report",
    "reports",
    metavar="STYLE[=FILE]",
    multiple=True,
    help=(
        f"How to report: {', '.join(styles.NAMES)}. Repeatable; STYLE=FILE writes to a file. Text goes to standard "
        "output, unless another style does."
    ),
)
@click.option(
    "--jobs", metavar="N", default="1", show_default=True, help="Processes to judge in; auto: one for each processor."
)
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Judge on the cluster of dask.distributed whose scheduler is there; local: on one of this machine, of --jobs.",
)
@click.option("--shard", metavar="I/N", help="Judge part I of N alone. A fixture's content decides its part.")
@click.option(
    "--recut",
    "cuts",
    metavar="N",
    help="Render each fixture to bytes, cut at N places (all: at every one), and see that the verdict is the same.",
)
@click.pass_context
def replay(
    ctx: click.Context,
    *,
    paths: tuple[str, ...],
    update: bool,
    prune: bool,
    in_ci: bool,
    accept: tuple[str, ...],
    limit: tuple[str, ...],
    reports: tuple[str, ...],
    jobs: str,
    dask: str | None,
    shard: str | None,
    cuts: str | None,
) -> None:
    """Judge fixtures, and compare each verdict with its pin.

    A PATH is a fixture, a folder with fixtures in it (every *.json that is not a pin, *.expected.json), or a pattern
    in quotes ('reels/**/*.json'). Without one, the paths of toolreel.toml count. The pin of NAME.json is
    NAME.expected.json beside it. A PATH may also be a pack, or be in an object store: s3://bucket/prefix, gs://… or
    az://…. For files of this machine nothing is fetched and no socket is opened.

    Exit codes: 0, every verdict is as pinned; 1, a verdict or a pin differs or is missing; 2, an argument is wrong or
    a file could not be read.
    """
    for name, given in (("--update", update), ("--prune", prune)):
        if given and not in_ci:
            ci.refuse_to_write(name, meant="--in-ci")
    settings = config.replay_settings()
    asked = styles.wanted(reports)
    options = Options(
        accept=command.allowances(accept) | settings.accept,
        limits={**settings.limits, **_limits(limit)},
        settings=settings,
        mode=Mode.UPDATE if update else Mode.CHECK,
        orphans=Orphans.PRUNE if prune else Orphans.KEEP,
        shard=_shard(shard) if shard is not None else None,
        recut=_cuts(cuts) if cuts is not None else None,
        detail=Detail.ROWS if any(one.style is styles.Style.PARQUET for one in asked) else Detail.DIFFERENCES,
    )
    number = processes.number(jobs, most=MAX_JOBS)
    plan = discovery.find(_named(paths, settings))
    totals = _reported(_results(plan, options, number, dask), asked, total=len(plan.fixtures))
    for line in _afterwards(totals, options, found=len(plan.fixtures), named=bool(paths)):
        click.echo(printable(line), err=True)
    ctx.exit(totals.exit_code)


def _named(paths: tuple[str, ...], settings: config.ReplaySettings) -> tuple[StrPath, ...]:
    """The paths of the command, or else those of the project's settings."""
    if not paths and not settings.paths:
        raise click.UsageError(f"Missing argument 'PATH...'; or name paths in [replay] of {config.FILE}")
    return paths or settings.paths


def _afterwards(totals: Totals, options: Options, *, found: int, named: bool) -> Iterator[str]:
    """What is to be said of the run as a whole: that no fixture was judged, or what was accepted and changes nothing.

    Where the command itself has `named` the fixtures, they may be a few of those that the settings are for.
    """
    if not totals.fixtures and totals.exit_code == NOTHING_JUDGED:
        shard = options.shard
        why = f"--shard {shard.number}/{shard.of}: none of {found} falls into this part; " if shard else ""
        yield f"Error: no fixture was judged; {why}{'ask for fewer parts' if shard else 'there is none at the path'}"
    elif options.shard is None:
        # A part of the fixtures says nothing of what the others need.
        settings = options.settings
        yield from (unneeded.of_option(name) for name in sorted(options.accept - settings.accept - totals.used))
        if not named:
            yield from (unneeded.of_settings(settings.name, name) for name in sorted(settings.accept - totals.used))


def _limits(settings: tuple[str, ...]) -> dict[str, int]:
    """The limits that were set, by name; those that were not are left to the pins."""
    limits = command.limits(settings)
    named = {setting.partition("=")[0] for setting in settings}
    return {name: getattr(limits, name) for name in command.LIMIT_NAMES if name in named}


def _results(plan: discovery.Plan, options: Options, jobs: int, dask: str | None) -> Iterator[Result]:
    if dask is not None:
        from . import cluster  # loads the engine

        return cluster.replay(plan, options, address=dask, jobs=jobs)
    if jobs == 1 or len(plan.fixtures) <= 1:
        from . import runner

        return runner.replay(plan, options)
    from . import workers  # the standard library's processes: only those who ask for them pay for them

    return workers.replay(plan, options, jobs=jobs)


def _reported(results: Iterable[Result], asked: Iterable[styles.Wanted], *, total: int) -> Totals:
    """Report the results as they come, with a bar of how far they are; the totals."""
    paint = Paint.ANSI if colours(sys.stdout, os.environ) else Paint.NONE
    bar = Progress(sys.stderr, total=total, terminal=os.environ.get("TERM", ""))

    def show(line: str) -> None:
        bar.clear()
        click.echo(line, color=paint is Paint.ANSI)

    totals = Totals()
    with garbage.relaxed(), styles.Reports(asked, show=show, paint=paint) as output, bar:
        for result in results:
            bar.step()
            totals.add(result)
            if result.outcome is Outcome.ERROR:
                bar.clear()
                click.echo(f"Error: {printable(result.advice)}", err=True)
            output.add(result)
        bar.clear()
        output.finish(totals)
    return totals


@click.command()
@_paths
@click.option("--report", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to report.")
def coverage(*, paths: tuple[str, ...], report: str) -> None:
    """Show what kinds of broken and unusual streams a corpus holds, and what it lacks.

    For each profile: how many fixtures have each kind of trouble and each finding code. What stands at 0 is what
    your adapter has not been tested on. PATH, toolreel.toml and what it accepts as in `toolreel replay`.

    Exit codes: 0; 2, an argument is wrong or a file could not be read.
    """
    from replay.reports import coverage_report

    from . import coverage as kinds

    with garbage.relaxed():
        settings = config.replay_settings()
        limits = Limits(**settings.limits)
        named = _named(paths, settings)
        found = kinds.survey(discovery.find(named).some(), accept=settings.accept, limits=limits)
    for line in coverage_report.table(found) if report == "text" else coverage_report.document(found):
        click.echo(line)
    if report == "text" and coverage_report.lacks(found):
        words = " ".join(quoted(str(path)) for path in named)
        click.echo(f"\nto fill what is missing: toolreel derive {printable(words)} --out derived")

"""The command `toolreel diff`: parse the options, run the adapters, report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from replay import ci, processes
from replay.corpus import discovery, files
from replay.errors import ToolreelError
from replay.finite import finite
from replay.judging.comparison import unneeded
from replay.serve import served_fixtures
from replay.serve.cutting import read_cuts
from replay.shell import quoted
from replay.terminal import printable
from replay.validator import command

from . import reporting, runs, turns
from .box.system import hide_memory
from .outcomes import COUNTING, Outcome
from .processes.cli import MANY, client_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from replay.validator import Allowance

    from .processes.adapter_command import Adapter
    from .processes.cli import Clients
    from .runs import Result

# What a rollout gate may demand, and the outcomes that it refuses.
DEMANDS: Final[Mapping[str, frozenset[Outcome]]] = {
    **{f"no-{outcome.value}": frozenset({outcome}) for outcome in COUNTING if outcome is not Outcome.AGREE},
    "agree": frozenset(Outcome) - {Outcome.AGREE},
}
# Of a file with outcomes that stands alone.
_STRAY: Final = "its fixture is not beside it; bring it back, or remove this file: toolreel replay --prune"


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path())
@client_options(MANY)
@click.option("--update", is_flag=True, help="Show what changed, and write the outcomes.")
@click.option("--in-ci", is_flag=True, help="Let --update write in a CI job. Without it, it refuses where CI is set.")
@click.option(
    "--demand",
    "demands",
    metavar="DEMAND",
    multiple=True,
    help="Fail on these outcomes, or below this share of blocked kinds that are caught; pins are not read. "
    f"One of {', '.join((*DEMANDS, 'score=PERCENT'))}. Repeatable.",
)
@click.option(
    "--debug",
    "detail",
    flag_value=turns.Detail.DEBUG,
    type=click.UNPROCESSED,
    default=turns.Detail.NOTICES,
    help="Tell on standard error what was served in each turn, and what the adapter printed, tracebacks too.",
)
@click.option("--accept", metavar="NAME", multiple=True, help="Accept an allowance where the fixture names it.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1, max=runs.MAX_SECONDS),
    default=runs.TIME_LIMIT,
    show_default=True,
    metavar="SECONDS",
    help="What one turn may take.",
)
@click.option(
    "--cuts", metavar="all|N|seed:N|reads", default="frames", show_default=True, help="As in `toolreel serve`."
)
@click.option(
    "--jobs",
    metavar="N",
    default="1",
    show_default=True,
    help="Processes of each client; auto: one for each processor.",
)
@click.option(
    "--report",
    metavar="STYLE[=FILE]",
    default="text",
    show_default=True,
    help=f"How to report: {', '.join(reporting.STYLES)}. STYLE=FILE writes to a file, and text to standard output.",
)
@click.pass_context
def diff(
    ctx: click.Context,
    *,
    paths: tuple[str, ...],
    clients: Clients,
    detail: turns.Detail,
    update: bool,
    in_ci: bool,
    demands: tuple[str, ...],
    accept: tuple[str, ...],
    timeout: float,
    cuts: str,
    jobs: str,
    report: str,
) -> None:
    """Run fixtures through real clients, and compare what each would execute with the verdict.

    Tools are recorders that do nothing, and no client can reach anything but this machine. The outcomes of NAME.json
    are pinned in NAME.adapters.json beside it: agree; unsafe (calls of a turn that may not be executed are handed
    over); wrong (other calls than those that passed); lost (calls that passed are missing); crash; hang. An outcome
    counts only where the client hands over the call of a healthy turn with the same tools: else it has no control.

    Exit codes: 0, every outcome is as pinned, or as demanded; 1, one differs, is not pinned, is not as demanded or has
    no control; 2, an argument is wrong, or a client or a file is not there.
    """
    style, file = _style(report)
    score = _score(demands)
    if update and demands:
        raise ToolreelError("--update, --demand: a gate writes nothing; leave one of them out")
    if update and not in_ci:
        ci.refuse_to_write("--update", meant="--in-ci")
    chosen = clients.adapters()
    if not chosen:
        raise ToolreelError("no adapter is named: give --adapter NAME or --adapter-command COMMAND")
    hide_memory()
    options = runs.Options(
        mode=runs.Mode.UPDATE if update else runs.Mode.DEMAND if demands else runs.Mode.CHECK,
        never=frozenset().union(*(DEMANDS.get(demand, frozenset()) for demand in demands)),
        accept=command.allowances(accept),
        seconds=finite("--timeout", timeout),
        cuts=read_cuts(cuts),
        python=clients.pythons,
        node_folder=clients.node_folder,
        jobs=processes.number(jobs),
        telling=turns.Telling(say=lambda line: click.echo(printable(line), err=True), detail=detail),
    )
    totals = reporting.PairTotals()
    code = _compared(discovery.find(paths), chosen, options, totals, style, file)
    ctx.exit(max(code, _below(totals, score)))


def _score(demands: tuple[str, ...]) -> int:
    """The share of caught kinds that is demanded, in percent; 0 where none is."""
    found = 0
    for demand in demands:
        if demand in DEMANDS:
            continue
        name, _, percent = demand.partition("=")
        if name != "score" or not (percent.isascii() and percent.isdigit() and 1 <= int(percent[:4]) <= 100):
            known = ", ".join(DEMANDS)
            raise ToolreelError(f"--demand {printable(demand)}: must be {known}, or score=PERCENT with 1 to 100")
        found = max(found, int(percent))
    return found


def _below(totals: reporting.PairTotals, score: int) -> int:
    """The exit code for what is demanded of the scores, after a line for each that is below."""
    if not score:
        return 0
    scores = list(totals.scores)
    if not scores:
        raise ToolreelError(
            "--demand score: no derived fixture of a blocked kind is among them; make some: "
            "toolreel derive FIXTURE --out derived"
        )
    below = [one for one in scores if one.percent < score]
    for one in below:
        words = f"{one.adapter} {one.version}, {one.profile}: {one.percent} %, and {score} % is demanded"
        click.echo(f"not as demanded: {printable(words)}", err=True)
    return 1 if below else 0


def _compared(
    plan: discovery.Plan,
    chosen: Sequence[Adapter],
    options: runs.Options,
    totals: reporting.PairTotals,
    style: str,
    file: Path | None,
) -> int:
    """Run the adapters over the fixtures and report in this style, maybe to a file; the exit code."""
    found = served_fixtures.fill(plan.fixtures)
    strays = plan.stray_outcomes if options.mode is not runs.Mode.DEMAND else ()
    for line in (*found.left_out, *(f"Error: {stray}: {_STRAY} {quoted(stray)}" for stray in strays)):
        click.echo(printable(line), err=True)
    used: set[Allowance] = set()
    results = _told(runs.run(found, chosen, options), used)
    if file is not None:
        results = _written(results, style, file)
        style = "text"
    for line in reporting.STYLES[style](results, totals):
        click.echo(line)
    for name in sorted(options.accept - used):
        click.echo(unneeded.of_option(name), err=True)
    return max(totals.exit_code, 1 if strays else 0)


def _style(report: str) -> tuple[str, Path | None]:
    """The style that was asked for, and the file that it goes to; None where that is standard output."""
    style, equals, file = report.partition("=")
    if style not in reporting.STYLES or (equals and not file):
        known = ", ".join(reporting.STYLES)
        raise ToolreelError(f"--report {printable(report)}: must be STYLE or STYLE=FILE; styles are {known}")
    return style, Path(file) if equals else None


def _written(results: Iterable[Result], style: str, file: Path) -> Iterator[Result]:
    """The results, once their report is in the file."""
    kept = list(results)
    with files.Replacement(file) as replacement:
        for line in reporting.STYLES[style](kept, reporting.PairTotals()):
            replacement.line(line)
        replacement.commit()
    yield from kept


def _told(results: Iterable[Result], used: set[Allowance]) -> Iterator[Result]:
    """The results, each error told as it comes; the allowances that were used are added to `used`."""
    for result in results:
        used.update(use.name for use in (result.report.allowances if result.report else ()))
        if result.standing is runs.Standing.ERROR:
            click.echo(f"Error: {printable(result.advice)}", err=True)
        yield result

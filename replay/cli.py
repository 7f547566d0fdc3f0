"""The command `toolreel`: parse, call, render, exit. Beside it only the `cli` of `serve` and of `diff` know click.

What another package brings is named here and imported when it is called, so that replaying never pays for recording.
"""

from __future__ import annotations

import errno
import functools
import importlib
import io
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from replay.judging.progress import Progress
from replay.reports.totals import Totals

from . import garbage, schemas
from .corpus import discovery
from .errors import ToolreelError
from .judging import runner
from .judging.options import Mode, Options, Orphans, Shard
from .judging.results import Outcome
from .reports import styles
from .reports.text import Paint
from .terminal import colours, is_ci, printable
from .validator import Allowance, command

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .judging import recut
    from .judging.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """A command that lives in another package."""

    target: str  # "module:attribute"
    help: str
    needs: str  # the third-party package whose absence means that the extra is not installed
    extra: str


ELSEWHERE: Final[Mapping[str, Elsewhere]] = {
    "ca": Elsewhere(
        target="proxy_addon.setup.cli:ca",
        help="Show, renew or remove the certificate authority of the recorder.",
        needs="mitmproxy",
        extra="record",
    ),
    "demo": Elsewhere(
        target="proxy_addon.demo.cli:demo",
        help="Record, redact and replay bundled turns, on this machine alone.",
        needs="mitmproxy",
        extra="record",
    ),
    "diff": Elsewhere(
        target="replay.diff.cli:diff",
        help="Run fixtures through real clients, and compare what they would execute.",
        needs="click",
        extra="",
    ),
    "doctor": Elsewhere(
        target="proxy_addon.setup.cli:doctor",
        help="Say what stands between this machine and a recording.",
        needs="mitmproxy",
        extra="record",
    ),
    "env": Elsewhere(
        target="proxy_addon.setup.cli:env",
        help="Print the variables that make clients use the recorder.",
        needs="mitmproxy",
        extra="record",
    ),
    "import": Elsewhere(
        target="proxy_addon.importing.cli:import_command",
        help="Turn HAR files, cassettes, flow files and stream bodies into fixtures.",
        needs="orjson",
        extra="import",
    ),
    "record": Elsewhere(
        target="proxy_addon.cli:record",
        help="Run the recording proxy and write data-only fixtures.",
        needs="mitmproxy",
        extra="record",
    ),
    "scan": Elsewhere(
        target="redaction.cli:scan",
        help="Prove that fixtures and their pins are data only.",
        needs="orjson",
        extra="scan",
    ),
    "serve": Elsewhere(
        target="replay.serve.cli:serve",
        help="Serve fixtures over HTTP on this machine, as their providers answered.",
        needs="click",
        extra="",
    ),
}


class _Deferred(click.Command):
    """Stands for a command until it is called: lists itself without importing anything."""

    def __init__(self, name: str, elsewhere: Elsewhere) -> None:
        super().__init__(name, help=elsewhere.help)
        self._elsewhere = elsewhere

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: object
    ) -> click.Context:
        # The context belongs to the real command, and the group then invokes the command of the context.
        return self._load().make_context(info_name, args, parent, **extra)

    def _load(self) -> click.Command:
        module, _, attribute = self._elsewhere.target.partition(":")
        missing = False
        try:
            found = getattr(importlib.import_module(module), attribute)
        except ModuleNotFoundError as error:
            missing = error.name == self._elsewhere.needs
            if not missing:
                raise
        if missing:
            raise ToolreelError(
                f"toolreel {self.name}: {self._elsewhere.needs} is not installed; "
                f"install it with: pip install 'toolreel[{self._elsewhere.extra}]'"
            )
        if _told_to_end:
            sys.exit(_told_to_end[0])
        assert isinstance(found, click.Command)
        return found


# As shells say it of what SIGINT has ended: 128 and its number. Not click's 1, which here means that something differs.
INTERRUPTED: Final = 130
# The same for SIGPIPE: whoever read the output has stopped, and nothing is known of the rest.
OUTPUT_CLOSED: Final = 141
TERMINATED: Final = 143
# And SIGHUP: the terminal was closed.
HUNG_UP: Final = 129
# What is wrong where the output cannot be written. Files that a command opens itself are named by the command.
UNWRITABLE: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


# The exit code that a signal asked for. What its handler raises in the middle of an import, the import can swallow.
_told_to_end: Final[list[int]] = []


class _Root(click.Group):
    """The root command: lists every command, and turns an error of the user into one line and exit 2."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *ELSEWHERE})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in ELSEWHERE:
            return _Deferred(cmd_name, ELSEWHERE[cmd_name])
        return super().get_command(ctx, cmd_name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        trouble = ""
        if "" in args:
            trouble = discovery.EMPTY
        try:
            os.getcwd()  # noqa: PTH109 - asks whether there is one
        except OSError:
            trouble = "the working folder is gone, or may not be entered; change to another one"
        if trouble:
            click.echo(f"Error: {trouble}", err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        message: str | None = None
        found: object = None
        try:
            found = super().invoke(ctx)
        except (ToolreelError, command.UsageError) as error:
            message = str(error)
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            command.give_up(sys.stdout)
            ctx.exit(OUTPUT_CLOSED)
        except OSError as error:
            if error.errno not in UNWRITABLE or error.filename is not None:
                raise
            message = f"cannot write the output: {error.strerror}; see where it goes"
            command.give_up(sys.stdout)
        if message is not None:
            click.echo(f"Error: {printable(message)}", err=True)
            ctx.exit(2)
        return found


def _show_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:  # noqa: FBT001 - as click calls it
    if not asked:
        return
    import importlib.metadata  # as slow to load as half of the rest, and only needed here

    try:
        version = importlib.metadata.version("toolreel")
    except importlib.metadata.PackageNotFoundError:
        version = "not installed: run from a checkout"
    click.echo(f"toolreel {version}")
    ctx.exit()


@click.group(cls=_Root, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, callback=_show_version, expose_value=False, is_eager=True, help="Show the version."
)
def root() -> None:
    """Record LLM provider streams, redact them in memory, replay them in CI through a strict tool-call validator."""


# More processes than this are a slip of the finger, and would take the machine down.
MAX_JOBS: Final = 256

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


@root.command()
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


def _jobs(text: str) -> int:
    if text == "auto":
        return os.cpu_count() or 1
    if _is_count(text) and int(text) <= MAX_JOBS:
        return int(text)
    raise ToolreelError(f"--jobs {text}: must be an integer from 1 to {MAX_JOBS}, or auto")


def _cuts(text: str) -> recut.Cuts:
    from .judging import recut  # only a run that cuts pays for it

    if text == "all":
        return recut.Cuts(number=None)
    if _is_count(text):
        return recut.Cuts(number=int(text))
    raise ToolreelError(f"--recut {text}: must be an integer of 1 or more, or all")


@root.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path, readable=False))
@click.option("--update", is_flag=True, help="Show what changed, and write the pins that are missing or differ.")
@click.option("--prune", is_flag=True, help="Remove pins whose fixtures are gone.")
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
    paths: tuple[Path, ...],
    update: bool,
    prune: bool,
    in_ci: bool,
    accept: tuple[str, ...],
    limit: tuple[str, ...],
    reports: tuple[str, ...],
    jobs: str,
    shard: str | None,
    cuts: str | None,
) -> None:
    """Judge fixtures, and compare each verdict with its pin.

    A PATH is a fixture, a folder with fixtures in it (every *.json that is not a pin, *.expected.json), or a pattern
    in quotes ('reels/**/*.json'). The pin of NAME.json is NAME.expected.json beside it. Nothing is fetched and no
    socket is opened.

    Exit codes: 0, every verdict is as pinned; 1, a verdict or a pin differs or is missing; 2, an argument is wrong or
    a file could not be read.
    """
    for name, given in (("--update", update), ("--prune", prune)):
        if given and not in_ci and is_ci(os.environ):
            raise ToolreelError(
                f"{name} changes pins, and this is a CI job (CI is set): run it on your machine and commit what it "
                "writes, or say that it is meant: --in-ci"
            )
    limits = command.limits(limit)
    named = {setting.partition("=")[0] for setting in limit}
    options = Options(
        accept=command.allowances(accept),
        limits={name: getattr(limits, name) for name in command.LIMIT_NAMES if name in named},
        mode=Mode.UPDATE if update else Mode.CHECK,
        orphans=Orphans.PRUNE if prune else Orphans.KEEP,
        shard=_shard(shard) if shard is not None else None,
        recut=_cuts(cuts) if cuts is not None else None,
    )
    processes = _jobs(jobs)
    asked = styles.wanted(reports)
    paint = Paint.ANSI if colours(sys.stdout, os.environ) else Paint.NONE
    plan = discovery.find(paths)
    bar = Progress(sys.stderr, total=len(plan.fixtures), terminal=os.environ.get("TERM", ""))

    def show(line: str) -> None:
        bar.clear()
        click.echo(line, color=paint is Paint.ANSI)

    tally = Totals()
    with garbage.relaxed(), styles.Reports(asked, show=show, paint=paint) as output, bar:
        for result in _results(plan, options, processes):
            bar.step()
            tally.add(result)
            if result.outcome is Outcome.ERROR:
                bar.clear()
                click.echo(f"Error: {printable(result.advice)}", err=True)
            output.add(result)
        bar.clear()
        output.finish(tally)
    ctx.exit(tally.exit_code)


def _results(plan: discovery.Plan, options: Options, processes: int) -> Iterator[Result]:
    if processes == 1 or len(plan.fixtures) <= 1:
        return runner.replay(plan, options)
    from .judging import workers  # the standard library's processes: only those who ask for them pay for them

    return workers.replay(plan, options, jobs=processes)


@root.command()
@click.argument("kind", metavar="KIND", type=click.Choice(schemas.NAMES))
def schema(*, kind: str) -> None:
    """Print a JSON Schema: of a fixture, of a pin, or of a report.

    Draft 2020-12, as shipped with this version. KIND is fixture, expected (a pin, that is an expected report), report
    (of `validate`), or replay (the report of `replay`).
    """
    click.echo(schemas.text(kind), nl=False)


@root.command("rules")
@click.argument("codes", metavar="[CODE]...", nargs=-1)
def rules_command(*, codes: tuple[str, ...]) -> None:
    """Explain finding codes: what each reports, why it matters, an example with its legal twin, what to do.

    Without a CODE: list all of them.
    """
    from . import rule_pages  # reads its pages only when asked

    click.echo(rule_pages.text(codes), nl=False)


@root.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path, readable=False))
@click.option("--report", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to report.")
def coverage(*, paths: tuple[Path, ...], report: str) -> None:
    """Show what kinds of broken and unusual streams a corpus holds, and what it lacks.

    For each profile: how many fixtures have each kind of trouble and each finding code. What stands at 0 is what
    your adapter has not been tested on. PATH as in `toolreel replay`.

    Exit codes: 0; 2, an argument is wrong or a file could not be read.
    """
    from .judging import coverage as kinds
    from .reports import coverage_report

    found = kinds.survey(discovery.find(paths).fixtures)
    for line in coverage_report.table(found) if report == "text" else coverage_report.document(found):
        click.echo(line)


def _end(code: int, *_: object) -> None:
    _told_to_end.append(code)
    sys.exit(code)


def main() -> None:
    """The entry point of the installed command."""
    # Output that was closed from the start is not wanted; and no file that a command opens may take its place.
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115 - as long as the process
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character gets its escape, not a traceback.
            stream.reconfigure(errors="backslashreplace")
    for name, code in (("SIGTERM", TERMINATED), ("SIGHUP", HUNG_UP)):
        number = getattr(signal, name, None)  # not every system has both
        # One that is ignored stays so, as nohup wants it.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            # Ending by it unwinds as Ctrl-C does, so that no half-written file and no child is left.
            signal.signal(number, functools.partial(_end, code))
    root.main(prog_name="toolreel")


if __name__ == "__main__":
    main()

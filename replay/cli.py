"""The command `toolreel`: parse, call, render, exit. The only module of `replay` that knows click.

What another package brings is named here and imported when it is called, so that replaying never pays for recording.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import io
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from . import runner
from .errors import ToolreelError
from .reports import machine, text
from .reports.tally import Tally
from .terminal import printable
from .validator import Allowance, command

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """A command that lives in another package."""

    target: str  # "module:attribute"
    help: str
    needs: str  # the third-party package whose absence means that the extra is not installed
    extra: str


ELSEWHERE: Final[Mapping[str, Elsewhere]] = {
    "demo": Elsewhere(
        target="proxy_addon.demo.cli:demo",
        help="Record, redact and replay bundled turns, on this machine alone.",
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
        assert isinstance(found, click.Command)
        return found


class _Root(click.Group):
    """The root command: lists every command, and turns an error of the user into one line and exit 2."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *ELSEWHERE})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in ELSEWHERE:
            return _Deferred(cmd_name, ELSEWHERE[cmd_name])
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: click.Context) -> object:
        message: str | None = None
        found: object = None
        try:
            found = super().invoke(ctx)
        except (ToolreelError, command.UsageError) as error:
            message = str(error)
        if message is not None:
            click.echo(f"Error: {printable(message)}", err=True)
            ctx.exit(2)
        return found


def _version() -> str:
    try:
        return importlib.metadata.version("toolreel")
    except importlib.metadata.PackageNotFoundError:
        return "not installed: run from a checkout"


@click.group(cls=_Root, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(_version(), prog_name="toolreel", message="%(prog)s %(version)s")
def root() -> None:
    """Record LLM provider streams, redact them in memory, replay them in CI through a strict tool-call validator."""


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
@click.argument("fixtures", metavar="FIXTURE...", nargs=-1, required=True, type=click.Path())
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
    for line in outcome.lines:
        click.echo(line)
    ctx.exit(outcome.exit_code)


@root.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--update", is_flag=True, help="Show what changed, and write the pins.")
@_accept
@_limit
@_report
@click.pass_context
def replay(
    ctx: click.Context,
    *,
    paths: tuple[Path, ...],
    update: bool,
    accept: tuple[str, ...],
    limit: tuple[str, ...],
    report: str,
) -> None:
    """Judge fixtures, and compare each verdict with its pin.

    A PATH is a fixture, or a folder with fixtures in it: every *.json that is not a pin (*.expected.json). The pin of
    NAME.json is NAME.expected.json beside it. Nothing is fetched and no socket is opened.

    Exit codes: 0, every verdict is as pinned; 1, a verdict or a pin differs or is missing; 2, an argument is wrong or
    a file could not be read.
    """
    limits = command.limits(limit)
    named = {setting.partition("=")[0] for setting in limit}
    options = runner.Options(
        accept=command.allowances(accept),
        limits={name: getattr(limits, name) for name in command.LIMIT_NAMES if name in named},
        mode=runner.Mode.UPDATE if update else runner.Mode.CHECK,
    )
    style = command.Style(report)
    tally = Tally()
    rows = []
    for result in runner.replay(runner.find(paths), options):
        tally.add(result)
        if result.outcome is runner.Outcome.ERROR:
            click.echo(f"Error: {printable(result.advice)}", err=True)
        if style is command.Style.TEXT:
            for line in text.result(result):
                click.echo(line)
        elif style is command.Style.JSONL:
            click.echo(machine.line(result))
        else:
            rows.append(machine.members(result))
    if style is command.Style.TEXT:
        click.echo(text.summary(tally))
    elif style is command.Style.JSON:
        click.echo(machine.document(rows, tally))
    ctx.exit(tally.exit_code)


def main() -> None:
    """The entry point of the installed command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character gets its escape, not a traceback.
            stream.reconfigure(errors="backslashreplace")
    root.main(prog_name="toolreel")


if __name__ == "__main__":
    main()

"""The command `toolreel`: what it lists, how it starts, and what it says where a file or an option is wrong.

The commands stand in the `cli` of their packages. They are named here and imported when they are called, so that
replaying never pays for recording. No other modules than these know click.
"""

from __future__ import annotations

import errno
import importlib
import io
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import click

from . import help_groups, schemas
from .corpus import discovery
from .ending import INTERRUPTED, OUTPUT_CLOSED, Ending
from .errors import ToolreelError, missing_extra
from .terminal import printable
from .validator import command

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """A command that lives in a module of its own, which is imported when the command is called."""

    target: str  # "module:attribute"
    help: str
    needs: str = ""  # the third-party package whose absence means that the extra is not installed
    extra: str = ""


ELSEWHERE: Final[Mapping[str, Elsewhere]] = {
    "ca": Elsewhere(
        target="proxy_addon.setup.cli:ca",
        help="Show, renew or remove the certificate authority of the recorder.",
        needs="mitmproxy",
        extra="record",
    ),
    "coverage": Elsewhere(
        target="replay.judging.cli:coverage",
        help="Show what kinds of broken and unusual streams a corpus holds, and what it lacks.",
    ),
    "demo": Elsewhere(
        target="proxy_addon.demo.cli:demo",
        help="Record, redact and replay bundled turns, on this machine alone.",
        needs="mitmproxy",
        extra="record",
    ),
    "derive": Elsewhere(
        target="replay.derive.cli:derive",
        help="Make from a healthy recording the whole adversarial suite, each fixture with its pin.",
    ),
    "diff": Elsewhere(
        target="replay.diff.cli:diff",
        help="Run fixtures through real clients, and compare what they would execute.",
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
    "pack": Elsewhere(
        target="replay.corpus.cli:pack",
        help="Put a corpus into one file, which every command reads in place; or take it out.",
    ),
    "record": Elsewhere(
        target="proxy_addon.cli:record",
        help="Run the recording proxy and write data-only fixtures.",
        needs="mitmproxy",
        extra="record",
    ),
    "reduce": Elsewhere(
        target="replay.search.cli:reduce_command",
        help="Make a fixture as short as it can be with the same findings.",
    ),
    "replay": Elsewhere(
        target="replay.judging.cli:replay",
        help="Judge fixtures, and compare each verdict with its pin.",
    ),
    "scan": Elsewhere(
        target="redaction.cli:scan",
        help="Prove that fixtures, their pins and pages of them are data only.",
        needs="orjson",
        extra="scan",
    ),
    "search": Elsewhere(
        target="replay.search.cli:search",
        help="Look for a stream on which a client does what it must not.",
        needs="hypothesis",
        extra="search",
    ),
    "serve": Elsewhere(
        target="replay.serve.cli:serve",
        help="Serve fixtures over HTTP on this machine, as their providers answered.",
    ),
    "validate": Elsewhere(
        target="replay.judging.cli:validate",
        help="Judge fixtures: whether the tool calls of each turn may be executed.",
    ),
    "show": Elsewhere(
        target="replay.show.cli:show",
        help="Show a turn or a folder of turns, in the terminal or as one page of HTML.",
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
        found = self._load()
        if parent is not None and isinstance(parent.obj, Ending):
            parent.obj.check()
        # The context belongs to the real command, and the group then invokes the command of the context.
        return found.make_context(info_name, args, parent, **extra)

    def _load(self) -> click.Command:
        module, _, attribute = self._elsewhere.target.partition(":")
        try:
            found = getattr(importlib.import_module(module), attribute)
        except ModuleNotFoundError as error:
            needs, extra = self._elsewhere.needs, self._elsewhere.extra
            raise missing_extra(
                error, needs, extra=extra, said=f"toolreel {self.name}: {needs} is not installed"
            ) from None
        assert isinstance(found, click.Command)
        assert self.name is not None, "named in the table"
        found.epilog = found.epilog or help_groups.epilog(self.name)
        return found


# What the system says where the output cannot be written. Files that a command opens itself are named by the command.
UNWRITABLE: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


# More characters than a line of help has: none is cut.
_WHOLE: Final = 1000


class _Root(click.Group):
    """The root command: lists every command, and turns an error of the user into one line and exit code 2."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *ELSEWHERE})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in ELSEWHERE:
            return _Deferred(cmd_name, ELSEWHERE[cmd_name])
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands in their groups, each with its whole line of help."""
        for title, names in help_groups.groups(self.list_commands(ctx)).items():
            found = [(name, self.get_command(ctx, name)) for name in names]
            rows = [(name, one.get_short_help_str(limit=_WHOLE)) for name, one in found if one is not None]
            with formatter.section(title):
                formatter.write_dl(rows)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            os.getcwd()  # noqa: PTH109 - asks whether there is one
        except OSError:
            _error(ctx, "the working folder is gone, or may not be entered; change to another one")
        if "" in args:
            _error(ctx, discovery.EMPTY)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (ToolreelError, command.UsageError) as error:
            _error(ctx, str(error))
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            command.give_up(sys.stdout)
            ctx.exit(OUTPUT_CLOSED)
        except OSError as error:
            if error.errno not in UNWRITABLE or error.filename is not None:
                raise
            command.give_up(sys.stdout)
            _error(ctx, f"cannot write the output: {error.strerror}; see where it goes")


def _error(ctx: click.Context, message: str) -> NoReturn:
    """Say one line on standard error, and end with exit code 2."""
    click.echo(f"Error: {printable(message)}", err=True)
    ctx.exit(2)


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


@root.command(epilog=help_groups.epilog("schema"))
@click.argument("kind", metavar="KIND", type=click.Choice(schemas.NAMES))
def schema(*, kind: str) -> None:
    """Print a JSON Schema: of a fixture, of a pin, or of a report.

    Draft 2020-12, as shipped with this version. KIND is fixture, expected (a pin, that is an expected report), report
    (of `validate`), or replay (the report of `replay`).
    """
    click.echo(schemas.text(kind), nl=False)


@root.command("rules", epilog=help_groups.epilog("rules"))
@click.argument("codes", metavar="[CODE]...", nargs=-1)
def rules_command(*, codes: tuple[str, ...]) -> None:
    """Explain finding codes: what each reports, why it matters, an example with its legal twin, what to do.

    Without a CODE: list all of them.
    """
    from . import rule_pages  # reads its pages only when asked

    click.echo(rule_pages.text(codes), nl=False)


def main() -> None:
    """The entry point of the installed command."""
    # Output that was closed from the start is not wanted; and no file that a command opens may take its place.
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115 - as long as the process
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character gets its escape, not a traceback.
            stream.reconfigure(errors="backslashreplace")
    ending = Ending()
    ending.install()
    root.main(prog_name="toolreel", obj=ending)


if __name__ == "__main__":
    main()

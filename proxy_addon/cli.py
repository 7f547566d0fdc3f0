"""`toolreel record`: reads and checks its options, runs the recorder, prints the summary.

mitmproxy and what builds on it are imported last, when everything else is known to be right.
"""

import json
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Unpack, cast

import click
from click.core import ParameterSource

from proxy_addon.contract.cli import ContractCommand
from proxy_addon.recorder import banner, running
from proxy_addon.recorder.child import Child
from proxy_addon.recorder.settings import config_file, options, requirements
from proxy_addon.recorder.settings.checking import Given, check
from proxy_addon.recorder.settings.cli import record_options
from proxy_addon.recorder.settings.options import RecordOptions
from proxy_addon.recorder.stopping import Stopping
from proxy_addon.setup import authority, clients
from proxy_addon.setup.shells import Way
from proxy_addon.upstreams import origin_of
from proxy_addon.writing.outcomes.counts import Summary
from replay.config import read as read_config
from replay.errors import nearest_word
from replay.terminal import printable

# Each option is also a variable: `--max-body` is `TOOLREEL_RECORD_MAX_BODY`.
_PREFIX: Final = "TOOLREEL_RECORD"

# The options that a file cannot give: where it is, and what is asked of the command instead of a run.
_NOT_IN_FILE: Final = frozenset({"config", "print_config", "help"})


def _take_file(context: click.Context, _: click.Parameter, path: Path | None) -> None:
    """Have the file of `--config` give the options that neither the command line nor a variable gives."""
    if path is None:
        return
    found = read_config(path)
    kinds = {name: kind_of(one) for name, one in _options(context).items()}
    members = found.section("record", (*kinds, config_file.UPSTREAMS))
    context.default_map = config_file.defaults(
        members, kinds, folder=path.parent, error=lambda said: found.error("record", said)
    )


def _options(context: click.Context) -> dict[str, click.Option]:
    """The options that are settings, by their names without the hyphens before them."""
    return {
        option.opts[0].removeprefix("--"): option
        for option in context.command.params
        if isinstance(option, click.Option) and option.name not in _NOT_IN_FILE
    }


def kind_of(option: click.Option) -> config_file.Kind:
    """What a file has to say for an option."""
    kind = option.type
    if option.multiple:
        return config_file.Kind.TEXTS
    if option.is_flag:
        return config_file.Kind.SWITCH
    if isinstance(kind, click.Path):
        return config_file.Kind.PATH
    if isinstance(kind, click.types.IntParamType):
        return config_file.Kind.WHOLE
    return config_file.Kind.NUMBER if isinstance(kind, click.types.FloatParamType) else config_file.Kind.TEXT


def _print_config(context: click.Context, given: Mapping[str, object]) -> None:
    """Print the settings of a run as a file that `--config` takes, and where each comes from; then end."""
    settings = {
        name: (given[str(option.name)], _SOURCES.get(context.get_parameter_source(str(option.name)), "default"))
        for name, option in _options(context).items()
    }
    for line in config_file.lines(settings):
        click.echo(printable(line))
    context.exit()


_SOURCES: Final = {
    ParameterSource.COMMANDLINE: "option",
    ParameterSource.ENVIRONMENT: "variable",
    ParameterSource.DEFAULT_MAP: "file",
    None: "default",
}


def _misspelled(context: click.Context) -> None:
    """Say which variables are meant for an option that there is not."""
    known = {f"{_PREFIX}_{str(option.name).upper()}" for option in _options(context).values()}
    for name in sorted(one for one in os.environ if one.startswith(f"{_PREFIX}_") and one not in known):
        near = nearest_word(name, known)
        click.echo(printable(f"toolreel: {name}: no option has this name, so it changes nothing{near}"), err=True)


@click.command(cls=ContractCommand, context_settings={"allow_interspersed_args": False, "auto_envvar_prefix": _PREFIX})
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    envvar="TOOLREEL_CONFIG",
    is_eager=True,
    expose_value=False,
    callback=_take_file,
    help="File whose section [record] gives options; no file is read that is not named.",
)
@click.option(
    "--print-config",
    is_flag=True,
    allow_from_autoenv=False,
    help="Print the settings and where each comes from, as such a file, and end.",
)
@record_options
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND ...]")
def record(**given: Unpack[Given]) -> None:
    """Run the recording proxy and write data-only fixtures.

    Each provider has a path prefix on one local port: point a client's base URL at it and use the client as always.
    Its traffic passes unchanged; recognised streams are redacted in memory and written to --out. Nothing raw is ever
    stored.

    With a COMMAND behind --, such as `toolreel record -- pytest -q`, the recorder takes a free port, runs the command
    with the variables that lead its clients there, and ends with its exit code.
    """
    context = click.get_current_context()
    _misspelled(context)
    if given["print_config"]:
        _print_config(context, cast("Mapping[str, object]", given))
    stopping = Stopping()
    stopping.let_end()
    default_port = context.get_parameter_source("port") is ParameterSource.DEFAULT
    checked = check(given, asked_port=None if default_port else given["port"])
    child = Child(checked.command)
    summary = running.run(checked, stopping, _start(child, checked, Way(given["way"]), stopping))
    said = [json.dumps(summary.as_dict())] if given["report"] == "json" else map(printable, summary.lines())
    for line in said:
        click.echo(line, err=bool(checked.command))
    stopping.ignore()
    lacking = list(_lacking(given, checked, summary))
    for line in lacking:
        click.echo(printable(line), err=True)
    sys.exit(child.code or bool(lacking))


def _lacking(given: Given, checked: RecordOptions, summary: Summary) -> Iterator[str]:
    """A line for each thing that was asked of the run and does not hold."""
    for kind in requirements.missing(checked.required, summary.recorded):
        yield f"toolreel: nothing of {kind} was recorded; the summary says what passed (--require-recorded)"
    if given["once"] and summary.cases_changed:
        yield f"toolreel: turns of recorded cases that are others now: {summary.cases_changed} (--once)"


def _start(child: Child, checked: RecordOptions, way: Way, stopping: Stopping) -> running.Start:
    """What is done once the recorder listens: it says where, or runs its command."""
    environment = dict(os.environ)  # also what the recorder itself does not use

    def say(port: int, admin: str | None) -> None:
        for line in banner.lines(options.with_port(checked, port), admin):
            click.echo(printable(line))
        sys.stdout.flush()

    def run(port: int, admin: str | None) -> None:
        if admin is not None:
            click.echo(printable(f"toolreel tells of itself at {admin}"), err=True)
        origin = origin_of(checked.host, port)
        found = clients.variables(way, environment, origin=origin, upstreams=checked.routes.upstreams)
        child.start({**environment, **found}, then=stopping.asked.set)
        click.echo(printable(f"toolreel records into {checked.out}: {shlex.join(checked.command)}"), err=True)

    if not checked.command:
        return say
    stopping.first = child.hear
    if way is not Way.URL:
        with running.from_mitmproxy():
            authority.ensure()  # before the recorder takes it, and makes it able to sign for the upstreams
    return run

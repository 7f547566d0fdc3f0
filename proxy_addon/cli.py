"""`toolreel record`: reads and checks its options, runs the recorder, prints the summary.

mitmproxy and what builds on it are imported last, when everything else is known to be right.
"""

import json
import math
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TypedDict, Unpack, cast

import click
from click.core import ParameterSource

from proxy_addon.contract.cli import ContractCommand, contract, contract_options
from proxy_addon.recorder import banner, running
from proxy_addon.recorder.child import Child
from proxy_addon.recorder.child import found as found_command
from proxy_addon.recorder.settings import config_file, cores, options, requirements
from proxy_addon.recorder.settings.access import Access, access
from proxy_addon.recorder.settings.options import RecordOptions
from proxy_addon.recorder.stopping import Stopping
from proxy_addon.recorder.tunnels import upstream_proxies
from proxy_addon.setup import authority, clients
from proxy_addon.setup.shells import Way
from proxy_addon.watching.address import address
from proxy_addon.writing.cli import out_option
from proxy_addon.writing.outcomes.counts import Summary
from proxy_addon.writing.outcomes.journal import Style
from proxy_addon.writing.sampling import Only
from proxy_addon.writing.storage import sinks
from proxy_addon.writing.storage.folder import Recorded
from proxy_addon.writing.storage.room import Full, Limits
from redaction.captured.exchange import RUNGS, Pieces, Widths
from replay.config import read as read_config
from replay.errors import ToolreelError, nearest_word
from replay.local_clients import local_clients
from replay.terminal import printable

MEBIBYTE: Final = 1024 * 1024


class _Given(TypedDict):
    """The options as click gives them."""

    out: Path | str
    host: str
    listen: str | None
    tls_cert: Path | None
    tls_key: Path | None
    client_token_file: Path | None
    client_ca: Path | None
    port: int
    allow_host: tuple[str, ...]
    allow_origin: tuple[str, ...]
    upstream: tuple[str, ...]
    upstream_ca: Path | None
    upstream_proxy: str | None
    other: str
    schemas: Path | None
    lengths: str
    pieces: str
    rung: str
    rename_contract: str | None
    all_tools: bool
    keep_timing: bool
    keep_reads: bool
    drain: float
    idle: int
    max_body: int
    max_memory: int
    redactors: int | None
    workers: int
    max_fixtures: int
    max_bytes: int
    max_folder: int | None
    when_full: str
    sample: tuple[str, ...]
    sample_by: str | None
    only: str
    rewrite: bool
    by_day: bool
    once: bool
    admin: str | None
    log: str
    log_file: Path | None
    count_every: int
    require_recorded: tuple[str, ...]
    report: str
    command: tuple[str, ...]
    way: str
    print_config: bool


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
@out_option
@click.option("--by-day", is_flag=True, help="Put the fixtures of each day, in UTC, into a folder day=YYYY-MM-DD.")
@click.option("--host", default=banner.DEFAULT_HOST, show_default=True, help="Loopback address to listen on.")
@click.option(
    "--listen",
    metavar="unix:PATH|ADDRESS",
    help="Listen on a Unix socket of this user alone, and on no port; or on an address that other machines reach, with "
    "--tls-cert and --client-token-file or --client-ca.",
)
@click.option("--tls-cert", type=click.Path(path_type=Path), help="PEM file of the recorder's certificate and chain.")
@click.option("--tls-key", type=click.Path(path_type=Path), help="PEM file of the key of --tls-cert.")
@click.option(
    "--client-token-file",
    type=click.Path(path_type=Path),
    help="File of tokens, one a line: a client sends one as X-Toolreel-Token, or as its proxy's password.",
)
@click.option(
    "--client-ca",
    type=click.Path(path_type=Path),
    help="PEM file of the authority that a client's certificate has to be of (mutual TLS).",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=banner.DEFAULT_PORT,
    show_default=True,
    help="Port; 0 takes any free one.",
)
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="Take requests with this Host as well as with loopback names. Repeatable.",
)
@click.option(
    "--allow-origin",
    multiple=True,
    metavar="ORIGIN",
    help="Take requests of this site's pages in a browser, such as https://app.example. Repeatable.",
)
@click.option(
    "--upstream",
    multiple=True,
    metavar="NAME=URL[,KEY=VALUE]...",
    help="Add a provider behind the prefix /NAME, or replace one. The keys are provider=NAME, profile=PROFILE, "
    "allow=NAME+NAME, and path=END[:PROFILE]. Repeatable.",
)
@click.option(
    "--upstream-ca", type=click.Path(path_type=Path), help="PEM file of a private authority that upstreams may use."
)
@click.option(
    "--upstream-proxy",
    metavar="URL",
    help="Proxy through which upstreams are reached, or none; without it HTTPS_PROXY and NO_PROXY say it.",
)
@click.option(
    "--other",
    type=click.Choice(["refuse", "pass"]),
    default="refuse",
    show_default=True,
    help="What becomes of hosts that are no upstream, for clients with HTTPS_PROXY.",
)
@click.option(
    "--schemas", type=click.Path(path_type=Path), help="JSON file, tool name to schema, for tools that requests lack."
)
@click.option(
    "--lengths",
    type=click.Choice([found.value for found in Widths]),
    default=Widths.DROPPED.value,
    show_default=True,
    help="exact keeps the widths of text and arguments, which can tell what was said; the fixture says so.",
)
@click.option(
    "--pieces",
    type=click.Choice([found.value for found in Pieces]),
    default=Pieces.ROUNDED.value,
    show_default=True,
    help="How many text deltas a turn without calls and findings keeps: rounded down to 1, 2, 4, 8 and so on, or all.",
)
@click.option(
    "--rung",
    type=click.Choice(RUNGS),
    default=RUNGS[-1],
    show_default=True,
    help="The last rung of redaction that may be taken; canonical refuses a turn rather than tell any length.",
)
@contract_options
@click.option(
    "--keep-timing", is_flag=True, help="Keep when events came, in steps of 100 ms; that can tell what was said."
)
@click.option(
    "--keep-reads", is_flag=True, help="Keep where network reads ended, by place; that can tell what was said."
)
@click.option(
    "--drain",
    type=click.FloatRange(0, 24 * 60 * 60),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long live streams may go on after the first Ctrl-C.",
)
@click.option(
    "--idle",
    type=click.IntRange(1, 7 * 24 * 60 * 60),
    default=24 * 60 * 60,
    show_default=True,
    metavar="SECONDS",
    help="How long a connection may be silent; a model may think for long.",
)
@click.option(
    "--max-body",
    type=click.IntRange(1, 1024),
    default=64,
    show_default=True,
    metavar="MIB",
    help="Longest response that is captured, as it comes and decoded.",
)
@click.option(
    "--max-memory",
    type=click.IntRange(1, 65536),
    default=512,
    show_default=True,
    metavar="MIB",
    help="Memory for all captures together; those that wait for redaction have half of it.",
)
@click.option(
    "--redactors",
    type=click.IntRange(1, 64),
    metavar="N",
    help="Redaction processes; without it one for each core but one, 4 at most.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 32),
    default=1,
    show_default=True,
    metavar="N",
    help="Processes that carry the traffic of the one port.",
)
@click.option(
    "--max-fixtures",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    help="Most files written in one day (UTC).",
)
@click.option(
    "--max-bytes",
    type=click.IntRange(1),
    default=1024 * MEBIBYTE,
    show_default=True,
    help="Most bytes written in one day (UTC), all files together.",
)
@click.option(
    "--max-folder",
    type=click.IntRange(1),
    metavar="MIB",
    help="Most that the folder may hold, also of earlier runs; without it there is no such limit.",
)
@click.option(
    "--when-full",
    type=click.Choice([full.value for full in Full]),
    default=Full.STOP.value,
    show_default=True,
    help="At --max-folder: write no more, or have the oldest fixtures go that have no pin.",
)
@click.option(
    "--sample",
    multiple=True,
    metavar="[UPSTREAM=]N",
    help="Record one of every N recognised streams, of all upstreams or of one; the fixtures say so. Repeatable.",
)
@click.option(
    "--sample-by",
    metavar="HEADER",
    help="Request header that names a session, such as X-Session-Id: --sample takes all turns of it or none.",
)
@click.option(
    "--only",
    type=click.Choice([only.value for only in Only]),
    default=Only.ALL.value,
    show_default=True,
    help="Write only turns with this verdict; calls: those with a call, and blocked ones.",
)
@click.option(
    "--rewrite", is_flag=True, help="Record a case anew where its turns are others now; by default its files stay."
)
@click.option("--once", is_flag=True, help="End with 1 where the turns of a recorded case are others now.")
@click.option(
    "--admin",
    metavar="ADDRESS:PORT|unix:PATH",
    help="Answer /healthz and /metrics there, on a loopback address or a Unix socket of this user alone.",
)
@click.option(
    "--log",
    type=click.Choice([style.value for style in Style]),
    default=Style.TEXT.value,
    show_default=True,
    help="A line for each decision, on standard error.",
)
@click.option(
    "--log-file",
    type=click.Path(path_type=Path),
    help="File that gets these lines at its end instead; SIGHUP opens it anew, and ends nothing.",
)
@click.option(
    "--count-every",
    type=click.IntRange(1, 24 * 60 * 60),
    default=60,
    show_default=True,
    metavar="SECONDS",
    help="How often a line counts what is not recorded, where there is more of it.",
)
@click.option(
    "--require-recorded",
    multiple=True,
    metavar="KIND",
    help="End with exit code 1 where no turn of KIND was recorded: any, an upstream, a profile or UPSTREAM/PROFILE. "
    "Repeatable.",
)
@click.option("--report", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Final summary.")
@click.option(
    "--way",
    type=click.Choice([way.value for way in Way]),
    default=Way.URL.value,
    show_default=True,
    help="How the clients of COMMAND come to the recorder: base URLs of the SDKs, the HTTPS proxy, or both.",
)
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND ...]")
def record(**given: Unpack[_Given]) -> None:
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
    checked = _checked(given)
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


def _lacking(given: _Given, checked: RecordOptions, summary: Summary) -> Iterator[str]:
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
        origin = banner.origin_of(checked.host, port)
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


def _checked(given: _Given) -> RecordOptions:
    """The options of the recorder, each seen to be usable."""
    routes = options.upstreams(given["upstream"])
    command = found_command(given["command"])
    reached = _access(given, command)
    chosen = click.get_current_context().get_parameter_source("port") is not ParameterSource.DEFAULT
    return RecordOptions(
        out=given["out"],
        host=reached.host,
        port=given["port"] if chosen or not command else 0,
        routes=routes,
        schemas=options.schemas(given["schemas"]),
        widths=Widths(given["lengths"]),
        pieces=Pieces(given["pieces"]),
        last=options.last_rung(given["rung"], Widths(given["lengths"])),
        contract=contract(given["rename_contract"], given["all_tools"]),
        kept=options.kept(timing=given["keep_timing"], reads=given["keep_reads"]),
        upstream_ca=options.authority(given["upstream_ca"]),
        other=given["other"],
        clients=local_clients(hosts=(*reached.names, *given["allow_host"]), origins=given["allow_origin"]),
        drain=options.seconds("--drain", given["drain"]),
        idle=given["idle"],
        max_body=given["max_body"] * MEBIBYTE,
        max_memory=given["max_memory"] * MEBIBYTE,
        workers=_workers(given["workers"]),
        redactors=given["redactors"] or cores.redactors(cores.cores()),
        limits=_limits(given),
        sample=options.rates(given["sample"], routes),
        sample_by=options.header_name("--sample-by", given["sample_by"]),
        only=Only(given["only"]),
        recorded=_recorded(given),
        layout=sinks.Layout.BY_DAY if given["by_day"] else sinks.Layout.TOGETHER,
        admin=address(given["admin"]),
        log=Style(given["log"]),
        log_file=options.log_file(given["log_file"], given["log"]),
        count_every=given["count_every"],
        required=requirements.required(given["require_recorded"], routes),
        command=command,
        access=reached,
        proxies=upstream_proxies.chosen(given["upstream_proxy"], os.environ, host=reached.host, port=given["port"]),
    )


def _access(given: _Given, command: tuple[str, ...]) -> Access:
    with running.from_mitmproxy():  # what reads the names in a certificate comes with it
        found = access(
            host=given["host"],
            listen=given["listen"],
            tls_cert=given["tls_cert"],
            tls_key=given["tls_key"],
            client_token_file=given["client_token_file"],
            client_ca=given["client_ca"],
        )
    if command and not found.open:
        raise ToolreelError(
            "--listen unix:PATH, --tls-cert or --client-token-file and a COMMAND: its clients come to a plain port of "
            "this machine; leave one of the two out"
        )
    return found


def _workers(number: int) -> int:
    if number > 1 and not hasattr(os, "fork"):
        raise ToolreelError(f"--workers {number}: this system cannot share a port among processes; leave it out")
    return number


def _limits(given: _Given) -> Limits:
    most, full = given["max_folder"], Full(given["when_full"])
    if most is None and full is Full.OLDEST:
        raise ToolreelError("--when-full oldest: it says what goes when the folder is full; add --max-folder MIB")
    folder = math.inf if most is None else most * MEBIBYTE
    return Limits(files=given["max_fixtures"], day_bytes=given["max_bytes"], folder=folder, full=full)


def _recorded(given: _Given) -> Recorded:
    if given["rewrite"] and given["once"]:
        raise ToolreelError(
            "--rewrite and --once: one records a changed case anew, the other refuses to; leave one out"
        )
    return Recorded.ANEW if given["rewrite"] else Recorded.STAYS

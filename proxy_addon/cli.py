"""`toolreel record`: reads and checks its options, runs the recorder, prints the summary.

mitmproxy and what builds on it are imported last, when everything else is known to be right.
"""

import asyncio
import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

import click
from click.core import ParameterSource

from proxy_addon.recorder import banner, options, requirements, upstream_proxies
from proxy_addon.recorder.child import Child
from proxy_addon.recorder.child import found as found_command
from proxy_addon.recorder.options import RecordOptions
from proxy_addon.recorder.stopping import Stopping
from proxy_addon.setup import authority, clients
from proxy_addon.setup.shells import Way
from proxy_addon.silence import drop_key_logs, silence_process
from proxy_addon.writing.counts import Counts, Summary
from proxy_addon.writing.folder import FixtureFolder, Recorded
from proxy_addon.writing.journal import Journal, Style, write_to
from proxy_addon.writing.sampling import Only, Sample
from redaction.captured.exchange import RUNGS, Pieces, Widths
from replay.errors import ToolreelError, translated
from replay.local_clients import local_clients
from replay.terminal import printable

if TYPE_CHECKING:
    from proxy_addon.writing.finished import Budget
    from proxy_addon.writing.writer import Writer

MEBIBYTE: Final = 1024 * 1024

# For the writer to count the capture whose redaction was ended, and for the journal to write its last lines.
_LAST_SECONDS: Final = 2.0


class _Given(TypedDict):
    """The options as click gives them."""

    out: Path
    host: str
    port: int
    allow_hosts: tuple[str, ...]
    allow_origins: tuple[str, ...]
    upstreams: tuple[str, ...]
    upstream_ca: Path | None
    upstream_proxy: str | None
    other: str
    schemas: Path | None
    lengths: str
    pieces: str
    rung: str
    drain: float
    idle: int
    max_body: int
    max_memory: int
    max_fixtures: int
    max_bytes: int
    sample: int
    only: str
    rewrite: bool
    once: bool
    log: str
    count_every: int
    required: tuple[str, ...]
    report: str
    command: tuple[str, ...]
    way: str


@click.command(context_settings={"allow_interspersed_args": False})
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("reels"), show_default=True, help="Folder for the fixtures."
)
@click.option("--host", default=banner.DEFAULT_HOST, show_default=True, help="Loopback address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=banner.DEFAULT_PORT,
    show_default=True,
    help="Port; 0 takes any free one.",
)
@click.option(
    "--allow-host",
    "allow_hosts",
    multiple=True,
    metavar="NAME",
    help="Take requests with this Host as well as with loopback names. Repeatable.",
)
@click.option(
    "--allow-origin",
    "allow_origins",
    multiple=True,
    metavar="ORIGIN",
    help="Take requests of this site's pages in a browser, such as https://app.example. Repeatable.",
)
@click.option(
    "--upstream",
    "upstreams",
    multiple=True,
    metavar="NAME=URL[,provider=NAME][,profile=PROFILE][,allow=NAME+NAME][,path=END[:PROFILE]]",
    help="Add a provider behind the prefix /NAME, or replace one. Repeatable.",
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
    help="Memory for all captures together.",
)
@click.option(
    "--max-fixtures", type=click.IntRange(1), default=10_000, show_default=True, help="Most files written in one run."
)
@click.option(
    "--max-bytes",
    type=click.IntRange(1),
    default=1024 * MEBIBYTE,
    show_default=True,
    help="Most bytes written in one run, all files together.",
)
@click.option(
    "--sample", type=click.IntRange(1), default=1, metavar="N", help="Record the first of every N recognised streams."
)
@click.option(
    "--only",
    type=click.Choice([only.value for only in Only]),
    default=Only.ALL.value,
    show_default=True,
    help="Write only turns with this verdict.",
)
@click.option(
    "--rewrite", is_flag=True, help="Record a case anew where its turns are others now; by default its files stay."
)
@click.option("--once", is_flag=True, help="End with 1 where the turns of a recorded case are others now.")
@click.option(
    "--log",
    type=click.Choice([style.value for style in Style]),
    default=Style.TEXT.value,
    show_default=True,
    help="A line for each decision, on standard error.",
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
    "required",
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
    stopping = Stopping()
    stopping.let_end()
    checked = _checked(given)
    child = Child(checked.command)
    summary = _run(checked, stopping, _start(child, checked, Way(given["way"]), stopping))
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


# Called on the running loop with the port, as soon as the recorder listens.
_Start = Callable[[int], None]


def _start(child: Child, checked: RecordOptions, way: Way, stopping: Stopping) -> _Start:
    """What is done once the recorder listens: it says where, or runs its command."""
    environment = dict(os.environ)  # also what the recorder itself does not use

    def say(port: int) -> None:
        for line in banner.lines(options.with_port(checked, port)):
            click.echo(printable(line))
        sys.stdout.flush()

    def run(port: int) -> None:
        found = clients.variables(way, environment, host=checked.host, port=port, upstreams=checked.routes.upstreams)
        child.start({**environment, **found}, then=stopping.asked.set)
        click.echo(printable(f"toolreel records into {checked.out}: {shlex.join(checked.command)}"), err=True)

    if not checked.command:
        return say
    stopping.first = child.hear
    if way is not Way.URL:
        with _from_mitmproxy():
            authority.ensure()  # before the recorder takes it, and makes it able to sign for the upstreams
    return run


def _from_mitmproxy() -> translated[ModuleNotFoundError]:
    """Raises how to install mitmproxy, in the place of an error about a module that comes with it."""
    missing = ToolreelError("mitmproxy is not installed; install it with: pip install 'toolreel[record]'")
    return translated(ModuleNotFoundError, lambda _: missing)


def _checked(given: _Given) -> RecordOptions:
    """The options of the recorder, each seen to be usable."""
    routes = options.upstreams(given["upstreams"])
    host = options.loopback(given["host"])
    command = found_command(given["command"])
    chosen = click.get_current_context().get_parameter_source("port") is not ParameterSource.DEFAULT
    return RecordOptions(
        out=given["out"],
        host=host,
        port=given["port"] if chosen or not command else 0,
        routes=routes,
        schemas=options.schemas(given["schemas"]),
        widths=Widths(given["lengths"]),
        pieces=Pieces(given["pieces"]),
        last=options.last_rung(given["rung"], Widths(given["lengths"])),
        upstream_ca=options.authority(given["upstream_ca"]),
        other=given["other"],
        clients=local_clients(hosts=given["allow_hosts"], origins=given["allow_origins"]),
        drain=options.seconds("--drain", given["drain"]),
        idle=given["idle"],
        max_body=given["max_body"] * MEBIBYTE,
        max_memory=given["max_memory"] * MEBIBYTE,
        max_fixtures=given["max_fixtures"],
        max_bytes=given["max_bytes"],
        sample=given["sample"],
        only=Only(given["only"]),
        recorded=_recorded(given),
        log=Style(given["log"]),
        count_every=given["count_every"],
        required=requirements.required(given["required"], routes),
        command=command,
        proxies=upstream_proxies.chosen(given["upstream_proxy"], os.environ, host=host, port=given["port"]),
    )


def _recorded(given: _Given) -> Recorded:
    if given["rewrite"] and given["once"]:
        raise ToolreelError(
            "--rewrite and --once: one records a changed case anew, the other refuses to; leave one out"
        )
    return Recorded.ANEW if given["rewrite"] else Recorded.STAYS


def _run(checked: RecordOptions, stopping: Stopping, start: "_Start") -> Summary:
    """Wire the parts together and run them until the recorder is stopped; the numbers of the run."""
    stopping.note()
    dropped = drop_key_logs()
    with _from_mitmproxy():
        import mitmproxy.version  # noqa: F401

    from proxy_addon.writing.finished import Budget
    from proxy_addon.writing.worker import RedactionProcess
    from proxy_addon.writing.writer import Writer
    from redaction.fixture import digest_of

    folder = FixtureFolder(
        checked.out,
        digest_of=digest_of,
        max_fixtures=checked.max_fixtures,
        max_bytes=checked.max_bytes,
        recorded=checked.recorded,
    )
    silence_process()
    redact = RedactionProcess(
        max_body=checked.max_body, widths=checked.widths, pieces=checked.pieces, last=checked.last
    )
    counts, budget = Counts(), Budget(checked.max_memory)
    journal = Journal(write_to(sys.stderr.fileno()), style=checked.log)
    writer = Writer(
        redact=redact,
        folder=folder,
        counts=counts,
        budget=budget,
        journal=journal,
        schemas=checked.schemas,
        only=checked.only,
    )
    for name in dropped:
        writer.note(name, "not used: it would write the secrets of TLS to a file")
    try:
        _serve(checked, stopping, start, writer=writer, counts=counts, budget=budget)
    finally:
        redact.end()
        writer.stop()
        writer.join(_LAST_SECONDS)
        if not writer.running:
            writer.end_cases()
        lost = journal.close(_LAST_SECONDS)
    return replace(counts.summary(), lines_lost=lost)


def _serve(
    checked: RecordOptions, stopping: Stopping, start: _Start, *, writer: "Writer", counts: Counts, budget: "Budget"
) -> None:
    from proxy_addon.recorder.addon import Recorder
    from proxy_addon.recorder.engine import Interception, every, serve
    from proxy_addon.recorder.forward import Other, Tunnels
    from proxy_addon.recorder.via import Via
    from proxy_addon.setup.constraints import hosts_of

    other = Other(checked.other)
    via = Via(checked.proxies)
    interception = Interception(
        hosts=hosts_of(checked.routes.upstreams), note=lambda says: writer.note("certificate authority", says)
    )
    tunnels = Tunnels(
        routes=checked.routes, other=other, counts=counts, authority=interception.ready, passed=writer.passed, via=via
    )
    recorder = Recorder(
        routes=checked.routes,
        writer=writer,
        counts=counts,
        budget=budget,
        max_body=checked.max_body,
        sample=Sample(checked.sample),
        tunnels=tunnels,
        other=other,
        clients=checked.clients,
        via=via,
    )

    async def run() -> None:
        with stopping.listening(), every(checked.count_every, writer.tell_passed):
            await serve(recorder, tunnels, via, interception, checked, writer=writer, stopping=stopping, ready=start)

    writer.start()
    asyncio.run(run())

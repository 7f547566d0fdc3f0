"""The options of `toolreel record`, in the order of its help, and what they say as click gives it."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from proxy_addon.contract.cli import contract_options
from proxy_addon.recorder import banner
from proxy_addon.recorder.settings.checking import MEBIBYTE
from proxy_addon.setup.shells import Way
from proxy_addon.writing.cli import out_option
from proxy_addon.writing.outcomes.journal import Style
from proxy_addon.writing.sampling import Only
from proxy_addon.writing.storage.room import Full
from redaction.captured.exchange import RUNGS, Pieces, Widths

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])

_OPTIONS: Final[tuple[Callable[[Any], Any], ...]] = (
    out_option,
    click.option("--by-day", is_flag=True, help="Put the fixtures of each day, in UTC, into a folder day=YYYY-MM-DD."),
    click.option("--host", default=banner.DEFAULT_HOST, show_default=True, help="Loopback address to listen on."),
    click.option(
        "--listen",
        metavar="unix:PATH|ADDRESS",
        help="Listen on a Unix socket of this user alone, and on no port; or on an address that other machines reach, "
        "with --tls-cert and --client-token-file or --client-ca.",
    ),
    click.option(
        "--tls-cert", type=click.Path(path_type=Path), help="PEM file of the recorder's certificate and chain."
    ),
    click.option("--tls-key", type=click.Path(path_type=Path), help="PEM file of the key of --tls-cert."),
    click.option(
        "--client-token-file",
        type=click.Path(path_type=Path),
        help="File of tokens, one a line: a client sends one as X-Toolreel-Token, or as its proxy's password.",
    ),
    click.option(
        "--client-ca",
        type=click.Path(path_type=Path),
        help="PEM file of the authority that a client's certificate has to be of (mutual TLS).",
    ),
    click.option(
        "--port",
        type=click.IntRange(0, 65535),
        default=banner.DEFAULT_PORT,
        show_default=True,
        help="Port; 0 takes any free one.",
    ),
    click.option(
        "--allow-host",
        multiple=True,
        metavar="NAME",
        help="Take requests with this Host as well as with loopback names. Repeatable.",
    ),
    click.option(
        "--allow-origin",
        multiple=True,
        metavar="ORIGIN",
        help="Take requests of this site's pages in a browser, such as https://app.example. Repeatable.",
    ),
    click.option(
        "--upstream",
        multiple=True,
        metavar="NAME=URL[,KEY=VALUE]...",
        help="Add a provider behind the prefix /NAME, or replace one. The keys are provider=NAME, profile=PROFILE, "
        "allow=NAME+NAME, and path=END[:PROFILE]. Repeatable.",
    ),
    click.option(
        "--upstream-ca", type=click.Path(path_type=Path), help="PEM file of a private authority that upstreams may use."
    ),
    click.option(
        "--upstream-proxy",
        metavar="URL",
        help="Proxy through which upstreams are reached, or none; without it HTTPS_PROXY and NO_PROXY say it.",
    ),
    click.option(
        "--other",
        type=click.Choice(["refuse", "pass"]),
        default="refuse",
        show_default=True,
        help="What becomes of hosts that are no upstream, for clients with HTTPS_PROXY.",
    ),
    click.option(
        "--schemas",
        type=click.Path(path_type=Path),
        help="JSON file, tool name to schema, for tools that requests lack.",
    ),
    click.option(
        "--lengths",
        type=click.Choice([found.value for found in Widths]),
        default=Widths.DROPPED.value,
        show_default=True,
        help="exact keeps the widths of text and arguments, which can tell what was said; the fixture says so.",
    ),
    click.option(
        "--pieces",
        type=click.Choice([found.value for found in Pieces]),
        default=Pieces.ROUNDED.value,
        show_default=True,
        help="How many text deltas a turn without calls and findings keeps: rounded down to 1, 2, 4, 8 and so on, "
        "or all.",
    ),
    click.option(
        "--rung",
        type=click.Choice(RUNGS),
        default=RUNGS[-1],
        show_default=True,
        help="The last rung of redaction that may be taken; canonical refuses a turn rather than tell any length.",
    ),
    contract_options,
    click.option(
        "--keep-timing", is_flag=True, help="Keep when events came, in steps of 100 ms; that can tell what was said."
    ),
    click.option(
        "--keep-reads", is_flag=True, help="Keep where network reads ended, by place; that can tell what was said."
    ),
    click.option(
        "--drain",
        type=click.FloatRange(0, 24 * 60 * 60),
        default=10.0,
        show_default=True,
        metavar="SECONDS",
        help="How long live streams may go on after the first Ctrl-C.",
    ),
    click.option(
        "--idle",
        type=click.IntRange(1, 7 * 24 * 60 * 60),
        default=24 * 60 * 60,
        show_default=True,
        metavar="SECONDS",
        help="How long a connection may be silent; a model may think for long.",
    ),
    click.option(
        "--max-body",
        type=click.IntRange(1, 1024),
        default=64,
        show_default=True,
        metavar="MIB",
        help="Longest response that is captured, as it comes and decoded.",
    ),
    click.option(
        "--max-memory",
        type=click.IntRange(1, 65536),
        default=512,
        show_default=True,
        metavar="MIB",
        help="Memory for all captures together; those that wait for redaction have half of it.",
    ),
    click.option(
        "--redactors",
        type=click.IntRange(1, 64),
        metavar="N",
        help="Redaction processes; without it one for each core but one, 4 at most.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(1, 32),
        default=1,
        show_default=True,
        metavar="N",
        help="Processes that carry the traffic of the one port.",
    ),
    click.option(
        "--max-fixtures",
        type=click.IntRange(1),
        default=10_000,
        show_default=True,
        help="Most files written in one day (UTC).",
    ),
    click.option(
        "--max-bytes",
        type=click.IntRange(1),
        default=1024 * MEBIBYTE,
        show_default=True,
        help="Most bytes written in one day (UTC), all files together.",
    ),
    click.option(
        "--max-folder",
        type=click.IntRange(1),
        metavar="MIB",
        help="Most that the folder may hold, also of earlier runs; without it there is no such limit.",
    ),
    click.option(
        "--when-full",
        type=click.Choice([full.value for full in Full]),
        default=Full.STOP.value,
        show_default=True,
        help="At --max-folder: write no more, or have the oldest fixtures go that have no pin.",
    ),
    click.option(
        "--sample",
        multiple=True,
        metavar="[UPSTREAM=]N",
        help="Record one of every N recognised streams, of all upstreams or of one; the fixtures say so. Repeatable.",
    ),
    click.option(
        "--sample-by",
        metavar="HEADER",
        help="Request header that names a session, such as X-Session-Id: --sample takes all turns of it or none.",
    ),
    click.option(
        "--only",
        type=click.Choice([only.value for only in Only]),
        default=Only.ALL.value,
        show_default=True,
        help="Write only turns with this verdict; calls: those with a call, and blocked ones.",
    ),
    click.option(
        "--rewrite", is_flag=True, help="Record a case anew where its turns are others now; by default its files stay."
    ),
    click.option("--once", is_flag=True, help="End with 1 where the turns of a recorded case are others now."),
    click.option(
        "--admin",
        metavar="ADDRESS:PORT|unix:PATH",
        help="Answer /healthz and /metrics there, on a loopback address or a Unix socket of this user alone.",
    ),
    click.option(
        "--log",
        type=click.Choice([style.value for style in Style]),
        default=Style.TEXT.value,
        show_default=True,
        help="A line for each decision, on standard error.",
    ),
    click.option(
        "--log-file",
        type=click.Path(path_type=Path),
        help="File that gets these lines at its end instead; SIGHUP opens it anew, and ends nothing.",
    ),
    click.option(
        "--count-every",
        type=click.IntRange(1, 24 * 60 * 60),
        default=60,
        show_default=True,
        metavar="SECONDS",
        help="How often a line counts what is not recorded, where there is more of it.",
    ),
    click.option(
        "--require-recorded",
        multiple=True,
        metavar="KIND",
        help="End with exit code 1 where no turn of KIND was recorded: any, an upstream, a profile or "
        "UPSTREAM/PROFILE. Repeatable.",
    ),
    click.option(
        "--report", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Final summary."
    ),
    click.option(
        "--way",
        type=click.Choice([way.value for way in Way]),
        default=Way.URL.value,
        show_default=True,
        help="How the clients of COMMAND come to the recorder: base URLs of the SDKs, the HTTPS proxy, or both.",
    ),
)


def record_options(command: _Decorated) -> _Decorated:
    """Gives a command all of them."""
    return reduce(lambda decorated, option: option(decorated), reversed(_OPTIONS), command)

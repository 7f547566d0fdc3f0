"""The command `toolreel serve`: parse the options, read the fixtures, serve them, say what was served."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from typing import TYPE_CHECKING

import click

from replay.corpus import discovery
from replay.finite import finite
from replay.local_clients import local_clients
from replay.terminal import printable

from . import served_fixtures, server
from .answers import Answers, Cut, Ending
from .cutting import Mode, read_cuts
from .log import Log, writer
from .matching import FixtureMatcher, Order

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterable

    from .server import Pace, Served


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path())
@click.option("--host", default=server.HOST, show_default=True, help="Loopback address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8200, show_default=True, help="Port; 0 takes any free one."
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
    "--cuts",
    metavar="all|N|seed:N|reads",
    default=Mode.FRAMES.value,
    show_default=True,
    help="How to tear the writes: all, one byte each; N, at N places, in strings, escapes, characters and line ends; "
    "seed:N, at as many, and where, as a seed chooses; reads, where the recorded reads ended; frames, one event each.",
)
@click.option(
    "--speed",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    help="Keep recorded times: 1 as recorded, 2 twice as fast; 0, no waiting.",
)
@click.option(
    "--order",
    type=click.Choice([order.value for order in Order]),
    default=Order.CYCLE.value,
    show_default=True,
    help="What follows the last turn of a case: the first again, or 599.",
)
@click.option(
    "--cut",
    type=click.Choice([cut.value for cut in Cut]),
    default=Cut.FIN.value,
    show_default=True,
    help="How to end a stream that its provider did not finish: close or reset the connection.",
)
@click.option(
    "--patience",
    type=click.FloatRange(min=0),
    default=server.PATIENCE,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait, where a stream is recorded as left by the client, for the client to leave.",
)
def serve(
    *,
    paths: tuple[str, ...],
    host: str,
    port: int,
    allow_hosts: tuple[str, ...],
    allow_origins: tuple[str, ...],
    cuts: str,
    speed: float,
    order: str,
    cut: str,
    patience: float,
) -> None:
    """Serve fixtures over HTTP on this machine alone, as their providers answered.

    Point a client's base URL at it, with any key. A request chooses its fixture by the header X-Toolreel-Case: NAME,
    by the path prefix /case/NAME, or by order. NAME is the fixture's file name without .json. A request that fits no
    fixture gets the status 599 and the names of the nearest. Nothing is forwarded.
    """
    clients = local_clients(hosts=allow_hosts, origins=allow_origins)
    pace = server.Pace(speed=finite("--speed", speed), patience=finite("--patience", patience))
    given = served_fixtures.fill(discovery.find(paths).some())
    for line in given.left_out:
        click.echo(printable(line), err=True)
    matcher = FixtureMatcher(given.fixtures, order=Order(order))
    answers = Answers(matcher, cuts=read_cuts(cuts), cut=Cut(cut), clients=clients)
    listener = server.listen(host, port)
    root = server.url(listener)
    noun = "fixture" if len(given.fixtures) == 1 else "fixtures"
    urls = server.base_urls(root, ((fixture.upstream, fixture.profile) for fixture in given.fixtures))
    ready = {"base_urls": urls, "port": listener.getsockname()[1]}
    shown = [(printable(name), url) for name, url in urls.items()]
    shown.append(("one case", f"{server.case_url(root, next(iter(matcher)).name)}/..."))
    width = max(len(name) for name, _ in shown)
    lines = [
        f"toolreel serves {len(given.fixtures)} {noun}; Ctrl-C ends it",
        "",
        *(f"  {name:<{width}}  {url}" for name, url in shown),
        "",
        f"ready {json.dumps(ready, sort_keys=True)}",
    ]
    _run(listener, answers, pace, lines)


def _run(listener: socket.socket, answers: Answers, pace: Pace, lines: Iterable[str]) -> None:
    """Serve until a signal comes; `lines` are said as soon as one would be heard."""

    async def until_stopped() -> None:
        log = Log(writer(sys.stdout))

        def report(served: Served) -> None:
            log.say(_told(served))

        main = asyncio.ensure_future(server.serve(listener, answers, pace=pace, report=report))
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):  # where the platform has no such handlers
                loop.add_signal_handler(number, main.cancel)
        for line in lines:
            log.say(line)
        try:
            with contextlib.suppress(asyncio.CancelledError):
                await main
        finally:
            log.close()

    with listener, contextlib.suppress(KeyboardInterrupt):
        asyncio.run(until_stopped())


def _told(served: Served) -> str:
    """One line on one answer."""
    if served.fixture is None:
        return printable(f"{served.status}: {served.reason}")
    writes = "1 write" if served.writes == 1 else f"{served.writes} writes"
    ending = "" if served.ending is Ending.WHOLE else f"; {served.ending.value}"
    gone = "" if served.whole else "; the client went away first"
    return printable(f"{served.fixture}: {served.status}, {writes}{ending}{gone}")

"""`toolreel env`, `toolreel ca`, `toolreel doctor`: give clients what they need, and say what is missing."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypedDict, Unpack

import click
from click.core import ParameterSource

from proxy_addon.recorder.banner import DEFAULT_HOST, DEFAULT_PORT
from proxy_addon.recorder.settings import options
from proxy_addon.recorder.settings.tokens import TOKEN_HEADER
from proxy_addon.recorder.tunnels import upstream_proxies
from proxy_addon.setup import authority, checks, clients, shells
from proxy_addon.setup.authority import Authority
from proxy_addon.setup.diagnosis import Diagnosis, Grade
from proxy_addon.setup.reached import Reached, reached
from proxy_addon.setup.shells import Shell, Way
from proxy_addon.setup.variables import variables
from replay.errors import ToolreelError, install_hint, translated
from replay.terminal import printable

HOST: Final = click.option("--host", default=DEFAULT_HOST, show_default=True, help="Address of the recorder.")
PORT: Final = click.option(
    "--port", type=click.IntRange(1, 65535), default=DEFAULT_PORT, show_default=True, help="Port of the recorder."
)


class Given(TypedDict):
    """The options that say which recorder is meant, as click gives them."""

    host: str
    port: int
    recorder: str | None
    recorder_ca: Path | None
    client_token_file: Path | None
    client_cert: Path | None
    client_key: Path | None


def recorder_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say which recorder is meant and what is shown to it."""
    named = click.Path(path_type=Path)
    for option in (
        click.option("--client-key", type=named, help="PEM file of the key of --client-cert, where that has none."),
        click.option("--client-cert", type=named, help="PEM file of the certificate that is shown to the recorder."),
        click.option("--client-token-file", type=named, help="File whose first line is the token for the recorder."),
        click.option(
            "--recorder-ca", type=named, help="PEM file of a private authority of the recorder's certificate."
        ),
        click.option(
            "--recorder",
            metavar="URL",
            help="Recorder with TLS, such as https://recorder.internal:8100, in their place.",
        ),
        PORT,
        HOST,
    ):
        command = option(command)
    return command


@click.command()
@click.option(
    "--shell",
    type=click.Choice([shell.value for shell in Shell]),
    default=Shell.SH.value,
    show_default=True,
    help="Whose lines to print.",
)
@click.option(
    "--way",
    type=click.Choice([way.value for way in Way]),
    default=Way.BOTH.value,
    show_default=True,
    help="Base URLs of the SDKs, the HTTPS proxy with its certificates, or both.",
)
@recorder_options
def env(shell: str, way: str, **given: Unpack[Given]) -> None:
    """Print the variables that make clients use the recorder.

    eval "$(toolreel env)", or `toolreel env --shell fish | source`. For HTTPS_PROXY an authority is made in your data
    folder where there is none; `toolreel ca` shows and removes it. Only processes with these variables trust it.
    NO_PROXY is among them where that of this shell would keep clients from the recorder.

    The HTTPS proxy of a recorder on another machine has its certificates there; of it there are the base URLs.
    """
    with _from_mitmproxy():
        found = reached(**given)
        chosen = _way(Way(way), found)
        said = clients.variables(chosen, os.environ, origin=found.origin, proxy=found.proxy, ca=found.ca)
    if chosen is not Way.URL:
        checks.look(found)  # a recorder that is asked has its own upstreams signed for, before a client starts
    for line in shells.lines(Shell(shell), said):
        click.echo(line)
    for line in _to_show(chosen, found):
        click.echo(printable(line), err=True)


def _way(way: Way, found: Reached) -> Way:
    """The way in which clients come; base URLs alone where nobody asked for another and no other can be had."""
    if found.here or way is Way.URL:
        return way
    if click.get_current_context().get_parameter_source("way") is ParameterSource.DEFAULT:
        return Way.URL
    raise ToolreelError(
        f"--way {way.value}: HTTPS through a recorder needs the authority that is on its machine; "
        "run toolreel env there, or use --way url"
    )


def _to_show(way: Way, found: Reached) -> Iterator[str]:
    """What clients have to show and no variable says."""
    if found.token is not None and way is not Way.PROXY:
        yield f"toolreel: clients with a base URL send the token of the file as the header {TOKEN_HEADER}"
    if found.certified:
        yield f"toolreel: no variable tells clients of {found.certified}; give it to each as its own certificate"


@click.group()
def ca() -> None:
    """Show, renew or remove the certificate authority of the recorder."""


@ca.command()
def show() -> None:
    """Say where it is, what it is and how long it is good."""
    with _from_mitmproxy():
        found = authority.examine()
    if found is None:
        click.echo(printable(f"no authority in {authority.authority_folder()}; `toolreel env` makes one"))
        return
    _say(found)


@ca.command()
def rotate() -> None:
    """Make a new one in the place of the old. Clients that run have to start again; a recorder takes it at once."""
    with _from_mitmproxy():
        made = authority.rotate()
    _say(made)


@ca.command()
def remove() -> None:
    """Remove its key and its certificates."""
    gone = authority.remove()
    where = authority.authority_folder()
    said = f"removed from {where}; start new shells where its variables are set"
    click.echo(printable(said if gone else f"there is none in {where}"))


def _say(found: Authority) -> None:
    lacking = found.lacking()
    days = found.left().days
    click.echo(printable(f"folder       {found.folder}"))
    for label, path in (("certificate", found.certificate), ("bundle", found.bundle)):
        state = f" (missing, or of another key; {authority.ROTATE})" if path in lacking else ""
        click.echo(printable(f"{label:11}  {path}{state}"))
    state = f"{days} days" if days >= 0 else f"expired; {authority.ROTATE}"
    click.echo(f"good until   {found.expires:%Y-%m-%d} ({state})")
    hosts = ", ".join(sorted(found.hosts)) or f"any; {authority.ROTATE}"
    click.echo(printable(f"signs for    {hosts}"))
    click.echo(f"sha256       {found.fingerprint}")


@click.command()
@recorder_options
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("reels"), show_default=True, help="Folder for the fixtures."
)
@click.option("--upstream", "upstreams", multiple=True, metavar="NAME=URL[,...]", help="As for `toolreel record`.")
@click.option("--upstream-ca", type=click.Path(path_type=Path), help="As for `toolreel record`.")
@click.option("--upstream-proxy", metavar="URL", help="As for `toolreel record`.")
@click.option("--offline", "reach", flag_value="nothing", help="Do not connect to the upstreams.")
@click.option("--report", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to say it.")
def doctor(
    out: Path,
    upstreams: tuple[str, ...],
    upstream_ca: Path | None,
    upstream_proxy: str | None,
    reach: str | None,
    report: str,
    **given: Unpack[Given],
) -> None:
    """Say what stands between this machine and a recording, and how to mend it.

    Exit code 0 where nothing does, 1 where something does.
    """
    to = reached(**given)
    routes = options.upstreams(upstreams)
    authorities = options.authority(upstream_ca)
    ways = upstream_proxies.chosen(upstream_proxy, os.environ, host=to.host, port=to.port)

    def found() -> Iterator[Diagnosis]:
        yield checks.installed()
        yield checks.port(to)
        yield checks.folder(out)
        with _from_mitmproxy():
            certificates = checks.certificates()
        yield certificates
        yield from variables(os.environ, to.origin, routes.upstreams)
        for proxy in () if reach else ways.every:
            yield checks.proxy(proxy, authorities)
        for upstream in () if reach else routes.prefixed:  # where the others are, the client says
            way = ways.for_(upstream.scheme, upstream.host, upstream.port)
            yield checks.upstream(upstream, authorities, way)

    every = []
    for one in found():
        every.append(one)
        if report == "text":
            click.echo(printable(f"{one.grade.value:8} {one.thing}: {one.said}{f'; {one.mend}' if one.mend else ''}"))
    if report == "json":
        click.echo(json.dumps([one.as_dict() for one in every]))
    sys.exit(any(one.grade is Grade.BAD for one in every))


def _from_mitmproxy() -> translated[ModuleNotFoundError]:
    """Raises how to install mitmproxy, in the place of an error about a module that comes with it."""
    return translated(
        ModuleNotFoundError,
        lambda error: ToolreelError(f"{error.name} is not installed; {install_hint('record')}"),
    )

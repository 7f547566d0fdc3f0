"""What the command line of `toolreel record` says, each option seen to be usable."""

import math
import os
from pathlib import Path
from typing import Final, TypedDict

from proxy_addon.contract.cli import contract
from proxy_addon.recorder import running
from proxy_addon.recorder.child import found as found_command
from proxy_addon.recorder.settings import cores, options, requirements
from proxy_addon.recorder.settings.access import Access, access
from proxy_addon.recorder.settings.options import RecordOptions
from proxy_addon.recorder.tunnels import upstream_proxies
from proxy_addon.watching.address import address
from proxy_addon.writing.outcomes.journal import Style
from proxy_addon.writing.sampling import Only
from proxy_addon.writing.storage import sinks
from proxy_addon.writing.storage.folder import Recorded
from proxy_addon.writing.storage.room import Full, Limits
from redaction.captured.exchange import Pieces, Widths
from replay.errors import ToolreelError
from replay.local_clients import local_clients

MEBIBYTE: Final = 1024 * 1024


class Given(TypedDict):
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


def check(given: Given, *, asked_port: int | None) -> RecordOptions:
    """The options of the recorder, each seen to be usable; with a command and no port asked for, a free port."""
    routes = options.upstreams(given["upstream"])
    command = found_command(given["command"])
    reached = _access(given, command)
    return RecordOptions(
        out=given["out"],
        host=reached.host,
        port=0 if command and asked_port is None else given["port"],
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


def _access(given: Given, command: tuple[str, ...]) -> Access:
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


def _limits(given: Given) -> Limits:
    most, full = given["max_folder"], Full(given["when_full"])
    if most is None and full is Full.OLDEST:
        raise ToolreelError("--when-full oldest: it says what goes when the folder is full; add --max-folder MIB")
    folder = math.inf if most is None else most * MEBIBYTE
    return Limits(files=given["max_fixtures"], day_bytes=given["max_bytes"], folder=folder, full=full)


def _recorded(given: Given) -> Recorded:
    if given["rewrite"] and given["once"]:
        raise ToolreelError(
            "--rewrite and --once: one records a changed case anew, the other refuses to; leave one out"
        )
    return Recorded.ANEW if given["rewrite"] else Recorded.STAYS

"""The options of `toolreel record`, read and checked before anything heavy is imported. No mitmproxy, no click.

A value that cannot be used is an `OptionError` that names it and says what to write instead.
"""

import ipaddress
import json
import math
import re
import ssl
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from proxy_addon.recorder.routes import Routes
from proxy_addon.upstreams import BUILT_IN, DEFAULT_PORTS, Upstream
from proxy_addon.writing.outcomes.journal import Style
from proxy_addon.writing.sampling import Only
from proxy_addon.writing.storage.folder import Recorded
from proxy_addon.writing.storage.room import Limits
from proxy_addon.writing.storage.sinks import Layout
from redaction.captured.exchange import RUNGS, Contract, Kept, Pieces, Widths
from replay.errors import ToolreelError, translated
from replay.families import FAMILIES, PROVIDERS, provider_at
from replay.local_clients import LocalClients
from replay.validator import Allowance
from replay.validator.strict_json import parse

if TYPE_CHECKING:
    from proxy_addon.recorder.settings.access import Access
    from proxy_addon.recorder.tunnels.upstream_proxies import UpstreamProxies
    from proxy_addon.watching.address import Address

# The name stands in a path, in file names and in fixtures.
UPSTREAM_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")

# Schemas and certificates are declarations; a file this size is neither.
MAX_FILE_BYTES: Final = 4 * 1024 * 1024
MAX_SCHEMAS_NESTING: Final = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOptions:
    """The checked options. Sizes are in bytes, times in seconds."""

    out: Path | str
    host: str
    port: int
    routes: Routes
    schemas: Mapping[str, object]
    widths: Widths
    pieces: Pieces
    last: str
    contract: Contract
    kept: frozenset[Kept]
    upstream_ca: Path | None
    other: str
    clients: LocalClients
    drain: float
    idle: int
    max_body: int
    max_memory: int
    redactors: int
    workers: int
    limits: Limits
    sample: "Rates"
    sample_by: str | None
    only: Only
    recorded: Recorded
    layout: Layout
    admin: "Address | None"
    log: Style
    log_file: Path | None
    count_every: int
    required: tuple[str, ...]
    command: tuple[str, ...]
    proxies: "UpstreamProxies"
    access: "Access"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What `--sample` says: of how many streams one is recorded, by upstream; `other` is for those it does not name."""

    rates: Mapping[str, int]
    other: int


class OptionError(ToolreelError):
    """A value of the command line that cannot be used. `why` says why not, and what to write instead."""

    def __init__(self, option: str, value: str, why: str) -> None:
        super().__init__(f"{' '.join(part for part in (option, value) if part)}: {why}")


def last_rung(name: str, widths: Widths) -> str:
    """The last rung that may be taken; `OptionError` where lengths are kept from the first one on."""
    if widths is Widths.KEPT and name != RUNGS[-1]:
        raise OptionError("--rung", name, "it tells fewer lengths than --lengths exact keeps; leave one of the two out")
    return name


def kept(*, timing: bool, reads: bool) -> frozenset[Kept]:
    """What of the network is kept, as the two options say it."""
    return frozenset(one for one, asked in ((Kept.TIMES, timing), (Kept.READS, reads)) if asked)


# What a fixture may say of a rate.
MAX_ONE_IN: Final = 9_999
_RATE: Final = re.compile(r"(?:1/)?([1-9][0-9]{0,3})")
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def rates(given: Iterable[str], routes: Routes) -> Rates:
    """The rates of `--sample RATE` and `--sample UPSTREAM=RATE`; RATE is N or 1/N."""
    found: dict[str, int] = {}
    names = [upstream.name for upstream in routes.upstreams]
    for one in given:
        name, _, rate = one.rpartition("=")
        match = _RATE.fullmatch(rate)
        if match is None:
            raise OptionError(
                "--sample", one, f"expected N, 1/N or UPSTREAM=N; one of every N is recorded, N up to {MAX_ONE_IN:,}"
            )
        if name and name not in names:
            raise OptionError("--sample", one, f"no upstream has this name; take one of {', '.join(sorted(names))}")
        if name in found:
            raise OptionError("--sample", one, "given twice; one rate for each upstream, and one for all others")
        found[name] = int(match[1])
    return Rates(other=found.pop("", 1), rates=found)


def header_name(option: str, value: str | None) -> str | None:
    """The name of a header, in lower case."""
    if value is not None and not _HEADER_NAME.fullmatch(value):
        raise OptionError(option, value, "expected the name of a header, such as X-Session-Id")
    return None if value is None else value.lower()


def upstreams(specs: Iterable[str]) -> Routes:
    """The built-in upstreams and those of `--upstream`, which take the place of built-in ones of their name."""
    named: dict[str, Upstream] = {}
    for spec in specs:
        one = upstream(spec)
        if one.name in named:
            raise OptionError("--upstream", one.name, "named twice; give each upstream a name of its own")
        other = next((found for found in named.values() if found.url == one.url), None)
        if other is not None and _by_proxy(one):
            raise OptionError(
                "--upstream",
                f"{other.name} and {one.name}",
                "both have one URL, so that nothing tells them apart for a client that uses the recorder as its proxy; "
                "record one of them, or each in a run of its own",
            )
        named[one.name] = one
    return Routes({**BUILT_IN, **named}.values())


def _by_proxy(one: Upstream) -> bool:
    """Whether clients can ask for this upstream through a proxy: for plain HTTP on this machine none of them does."""
    return one.scheme == "https" or not is_this_machine(one.host)


def is_this_machine(host: str) -> bool:
    """Whether a host is a loopback address, or the name of one."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def upstream(spec: str) -> Upstream:
    """The upstream of one `--upstream NAME=URL[,provider=NAME][,profile=PROFILE][,allow=NAME+NAME][,path=END]`."""
    head, *settings = spec.split(",")
    name, equals, url = head.partition("=")
    # No value is repeated: credentials and queries are secrets, and a path can name a tenant.
    shown = f"{name if UPSTREAM_NAME.fullmatch(name) else 'NAME'}=URL"
    if "@" in spec:
        raise OptionError("--upstream", shown, "take the credentials out; the client sends its own")
    if "?" in spec or "#" in spec:
        raise OptionError("--upstream", shown, "a base URL has no query and no fragment; the client sends its own")
    if not equals or not UPSTREAM_NAME.fullmatch(name):
        raise OptionError(
            "--upstream", shown, "expected NAME=URL, NAME of up to 32 lower-case letters, digits and hyphens"
        )
    found = _at(shown, url, name=name)
    for setting in settings:
        key, _, value = setting.partition("=")
        if key not in _SETTINGS:
            raise OptionError(
                "--upstream",
                shown,
                "after the URL only ,provider=NAME ,profile=PROFILE ,allow=NAME+NAME and ,path=END[:PROFILE] can stand",
            )
        found = _SETTINGS[key](found, shown, value)
    return found


def _provided(found: Upstream, shown: str, value: str) -> Upstream:
    if value not in PROVIDERS:
        raise OptionError("--upstream", shown, f"unknown provider; provider= takes one of {', '.join(PROVIDERS)}")
    return replace(found, provider=value)


def _pinned(found: Upstream, shown: str, value: str) -> Upstream:
    if value not in FAMILIES:
        raise OptionError("--upstream", shown, f"unknown profile; use one of {', '.join(FAMILIES)}")
    return replace(found, profile=value)


def _allowed(found: Upstream, shown: str, value: str) -> Upstream:
    return replace(found, allow=_allowances(shown, value))


# The end of a path, as it stands in a request. A `*` is for one segment of it.
_PATH_END: Final = re.compile(r"[/:][A-Za-z0-9._~@*/:-]*[A-Za-z0-9_~*/-]")


def _with_path(found: Upstream, shown: str, value: str) -> Upstream:
    """The upstream with one more path whose answers are turns. Example: `path=/agents/completions:mistral`."""
    end, colon, family = value.rpartition(":")
    if not colon or not end:  # a path that begins with a colon names a method of Google's: `:streamRawPredict`
        end, family = value, ""
    if family and family not in FAMILIES:
        raise OptionError(
            "--upstream", shown, f"unknown profile behind the colon of path=; use one of {', '.join(FAMILIES)}"
        )
    if not _PATH_END.fullmatch(end) or "//" in end:
        raise OptionError(
            "--upstream",
            shown,
            "path= takes the end of a path, with a slash or colon before it and * for a segment, then maybe "
            ":PROFILE; for example path=/agents/completions",
        )
    return replace(found, paths=(*found.paths, (end, family or None)))


_SETTINGS: Final[Mapping[str, Callable[[Upstream, str, str], Upstream]]] = {
    "provider": _provided,
    "profile": _pinned,
    "allow": _allowed,
    "path": _with_path,
}


def _allowances(shown: str, value: str) -> tuple[str, ...]:
    names = tuple(name for name in value.split("+") if name)
    known = [allowance.value for allowance in Allowance]
    if any(name not in known for name in names):
        raise OptionError("--upstream", shown, f"unknown allowance; allow= takes, joined by +, {', '.join(known)}")
    return names


def _at(shown: str, url: str, *, name: str) -> Upstream:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    scheme, host = parts.scheme, parts.hostname
    if scheme not in DEFAULT_PORTS or not host or port == 0 or not url.isascii() or not url.isprintable() or " " in url:
        raise OptionError("--upstream", shown, "expected an http or https URL, such as https://gateway.example/api")
    return Upstream(
        name=name,
        scheme=scheme,
        host=host,
        port=port or DEFAULT_PORTS[scheme],
        base_path=parts.path.rstrip("/"),
        # Whoever is at a known host deviates as that provider does, whatever it is called here.
        provider=provider_at(host) or (name if name in PROVIDERS else None),
    )


def seconds(option: str, value: float) -> float:
    """A number of seconds that ends. click takes NaN for one within any range, and nothing is ever later than that."""
    if not math.isfinite(value):
        raise OptionError(option, str(value), "expected a number of seconds")
    return value


def log_file(path: Path | None, style: str) -> Path | None:
    """The file of `--log-file`; `OptionError` where there are no lines to write into it."""
    if path is not None and Style(style) is Style.NONE:
        raise OptionError("--log-file", str(path), "--log none writes no lines; leave one of the two out")
    return path


def loopback(host: str) -> str:
    """The address to listen on: this machine only, since whoever reaches the recorder can use what it can reach."""
    refused = OptionError("--host", host, "only a loopback address can be listened on; use 127.0.0.1 or ::1")
    with translated(ValueError, lambda _: refused):
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    if not address.is_loopback:
        raise refused
    return str(address)


def unix_socket(value: str) -> Path:
    """The path of `--listen unix:PATH`."""
    path = value.removeprefix("unix:")
    if not path or "\0" in path:
        raise OptionError("--listen", value, "expected unix:PATH, such as unix:/run/toolreel/recorder.sock")
    return Path(path)


def schemas(path: Path | None) -> Mapping[str, object]:
    """The tools of `--schemas FILE`: a JSON object, tool name to JSON Schema of its arguments."""
    if path is None:
        return {}
    no_json = OptionError("--schemas", str(path), "no strict JSON; expected an object, tool name to schema")
    data = read("--schemas", path)
    with translated(UnicodeDecodeError, lambda _: no_json):
        parsed = parse(data.decode("utf-8"), max_nesting=MAX_SCHEMAS_NESTING)
    if parsed.code is not None:
        raise no_json
    if not isinstance(parsed.value, dict):
        raise OptionError("--schemas", str(path), "expected a JSON object: tool name to JSON Schema of its arguments")
    for name, schema in parsed.value.items():
        if not isinstance(schema, dict | bool):
            raise OptionError("--schemas", str(path), f"the schema of tool {json.dumps(name)} is no JSON object")
    return dict(parsed.value)


def authority(path: Path | None) -> Path | None:
    """The PEM file of `--upstream-ca`, seen to hold a certificate."""
    if path is None:
        return None
    pem("--upstream-ca", path)
    return path.absolute()


def pem(option: str, path: Path) -> str:
    """The certificates of a PEM file, as text."""
    data = read(option, path)
    no_pem = OptionError(option, str(path), "holds no PEM certificate; expected -----BEGIN CERTIFICATE-----")
    if b"-----BEGIN CERTIFICATE-----" not in data:
        raise no_pem
    with translated((ssl.SSLError, ValueError), lambda _: no_pem):
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=data.decode("ascii", "replace"))
    return data.decode("ascii", "replace")


def read(option: str, path: Path) -> bytes:
    """All bytes of a small file."""

    def unreadable(error: Exception) -> OptionError:
        why = (error.strerror if isinstance(error, OSError) else None) or "no usable file name"
        return OptionError(option, str(path), f"cannot be read ({why}); check the path")

    with translated((OSError, ValueError), unreadable), path.open("rb") as file:  # ValueError: a NUL in the name
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise OptionError(option, str(path), f"larger than {MAX_FILE_BYTES:,} bytes; expected a small file")
    return data


def with_port(options: RecordOptions, port: int) -> RecordOptions:
    """The same options, with the port that the system gave."""
    return replace(options, port=port)

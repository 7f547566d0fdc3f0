"""How clients read the variables of a proxy: both spellings of a name, and the hosts that are kept from it.

curl, Python and Node take the lower-case name first, Go the upper-case one. In NO_PROXY they agree on a host, its
subdomains and a lone `*`; about the rest each has its own mind. So a host counts as kept from the proxy where one of
them may keep it, and as spared by all where none can differ. Pure functions.
"""

import contextlib
import ipaddress
import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import urlsplit

from proxy_addon.upstreams import Upstream
from replay.families import is_host

HTTPS: Final = "https_proxy"
EXCEPT: Final = "no_proxy"

# Where plain HTTP goes. The second is for HTTPS too, where HTTPS_PROXY is not set.
PLAIN: Final = "http_proxy"
ALL: Final = "all_proxy"


def spelled(environment: Mapping[str, str], name: str) -> dict[str, str]:
    """The values under each spelling of `name`, the lower-case one first. Windows has one name for both."""
    there = set(environment)
    return {one: environment[one] for one in (name.lower(), name.upper()) if one in there}


def leads_to(value: str, origin: str) -> bool:
    """Whether a proxy's URL is that of the recorder at `origin`, which speaks plain HTTP."""
    wanted = urlsplit(origin)
    found = None
    port = None
    with contextlib.suppress(ValueError):
        found = urlsplit(value if "://" in value else f"http://{value}")
        port = found.port
    if found is None or found.scheme != wanted.scheme or port != wanted.port:
        return False
    return found.hostname == wanted.hostname or (found.hostname == "localhost" and wanted.hostname == "127.0.0.1")


def kept_away(listed: str, upstreams: Iterable[Upstream]) -> list[str]:
    """The hosts of the upstreams that a value of NO_PROXY may keep from the proxy for HTTPS.

    One that is reached without TLS, as Ollama on this machine is, has no part in that proxy.
    """
    entries = _entries(listed)
    reached = [one for one in upstreams if one.scheme == "https"]
    return [one.host for one in reached if any(_covers(entry, one.host, one.port) for entry in entries)]


def covered(listed: str, host: str, port: int) -> bool:
    """Whether a value of NO_PROXY may keep this host from a proxy."""
    return any(_covers(entry, host.lower(), port) for entry in _entries(listed))


def spares(environment: Mapping[str, str], host: str, *, scheme: str = "http") -> bool:
    """Whether every client connects to `host` itself, whatever proxy there is for a URL with this scheme."""
    if not any({**spelled(environment, f"{scheme}_proxy"), **spelled(environment, ALL)}.values()):
        return True
    lists = [_entries(value) for value in spelled(environment, EXCEPT).values()]
    return bool(lists) and all(entries == ["*"] or host in entries for entries in lists)


def exceptions(
    environment: Mapping[str, str], *, upstreams: Iterable[Upstream], spared: Iterable[str], scheme: str = "http"
) -> dict[str, str]:
    """The values of NO_PROXY by which the recorder gets the `upstreams`, and no proxy gets what is for the `spared`.

    `scheme` is that of the URLs by which the latter are reached.
    Each spelling without the entries that are in the way and with those that are missing; nothing where all is well.
    """
    upstreams = list(upstreams)
    now = spelled(environment, EXCEPT)
    kept = {name: [one for one in _entries(value) if not kept_away(one, upstreams)] for name, value in now.items()}
    cut = any(len(kept[name]) < len(_entries(value)) for name, value in now.items())
    left = {**environment, **{name: ",".join(entries) for name, entries in kept.items()}}
    missing = [host for host in spared if not spares(left, host, scheme=scheme)]
    if not (cut or missing):
        return {}
    names = now or (EXCEPT.upper(), EXCEPT)
    return {name: ",".join(dict.fromkeys([*kept.get(name, ()), *missing])) for name in names}


def _entries(listed: str) -> list[str]:
    """The entries of a list of hosts. Clients cut it at commas, and some at white space."""
    return [entry.lower() for entry in re.split(r"[,\s]+", listed) if entry]


def _covers(entry: str, host: str, port: int) -> bool:
    """Whether an entry of NO_PROXY is for this host and port.

    An entry is `*`, a network or address, a host or domain. A scheme, `*.` or `.` may stand before it, a port behind.
    """
    if entry == "*":
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry.strip("[]"), strict=False)
    name = entry.rpartition("://")[2]
    before, colon, number = name.rpartition(":")
    if colon and number.isdecimal():
        if number != str(port):
            return False
        name = before
    name = name.removeprefix("*").strip("[].")
    return name != "" and (host.endswith(f".{name}") or is_host(name, host))

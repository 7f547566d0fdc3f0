"""Whether a request to a server of ours comes from a client of this machine, by three of its headers. No socket.

A page of any site can have a browser send requests to this machine. The browser says so in headers that no page can
change, and these decide:

    Host: 127.0.0.1:8100                                    a client of this machine
    Host: 127.0.0.1:8100, Origin: http://localhost:3000     a page of this machine
    Host: 127.0.0.1:8100, Origin: https://news.example      a page of another site
    Host: 127.0.0.1:8100, Sec-Fetch-Site: cross-site        a page of another site, which asks without its origin
    Host: rebound.example:8100                              a page whose name leads to this machine now
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from replay.errors import ToolreelError

if TYPE_CHECKING:
    from collections.abc import Iterable

# A name, or an address in brackets, and perhaps a port. What has anything else in it names no host.
_HOST: Final = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?P<port>:[0-9]*)?")
_ORIGIN: Final = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<host>[^/]+)")
_DEFAULT_PORTS: Final = {"http": ":80", "https": ":443"}

# What a browser says of a page that has no origin to name: one from a file, or in a frame that is shut off.
_NO_ORIGIN: Final = "null"


class Foreign(Enum):
    """Why a request is not taken for one of this machine; the value says what is expected, and what to do."""

    HOST = "its Host is no loopback name; use 127.0.0.1 or localhost in the URL, or start with --allow-host NAME"
    PAGE = "it comes from a page of another site in a browser; if the page is yours, start with --allow-origin ORIGIN"


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalClients:
    """The clients whose requests are taken: those of this machine, and those that the user named.

    `hosts` are names beside the loopback ones, `origins` those of pages beside the ones of this machine.
    """

    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()

    def refuses(self, headers: Iterable[tuple[str, str]]) -> Foreign | None:
        """Why a request with these headers is not taken; None where it is. Names of headers in any case.

        Without a Host there is no browser behind a request. Where a page names its origin, that alone decides: a page
        at `http://localhost:3000` is another site to `http://127.0.0.1:8100` for a browser, and a page of this machine.
        """
        found: dict[str, list[str]] = {"host": [], "origin": [], "sec-fetch-site": []}
        for name, value in headers:
            found.get(name.lower(), []).append(value.strip().lower())
        if len(found["host"]) > 1 or not all(self._takes_host(value) for value in found["host"]):
            return Foreign.HOST
        if not all(self._takes_origin(value) for value in found["origin"]):
            return Foreign.PAGE
        return Foreign.PAGE if "cross-site" in found["sec-fetch-site"] and not found["origin"] else None

    def _takes_host(self, value: str) -> bool:
        name = _name_of(value)
        return name is not None and (_is_loopback(name) or name in self.hosts)

    def _takes_origin(self, value: str) -> bool:
        if value in self.origins:
            return True
        match = _ORIGIN.fullmatch(value)
        name = _name_of(match["host"]) if match else None
        return name is not None and _is_loopback(name)


def _name_of(host: str) -> str | None:
    """The name or address in a host with or without a port; None where it names none. Example: `::1` of `[::1]:80`."""
    match = _HOST.fullmatch(host)
    return (match["address"] or match["name"]).removesuffix(".") if match else None


@lru_cache(maxsize=64)
def _is_loopback(name: str) -> bool:
    """Whether a name is one of this machine everywhere. No network can give out a name below `localhost` (RFC 6761)."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def local_clients(*, hosts: Iterable[str], origins: Iterable[str]) -> LocalClients:
    """The clients that `--allow-host` and `--allow-origin` name beside those of this machine."""
    return LocalClients(hosts=frozenset(map(_allowed_host, hosts)), origins=frozenset(map(_allowed_origin, origins)))


def _allowed_host(given: str) -> str:
    text = given.lower()
    match = _HOST.fullmatch(f"[{text}]" if ":" in text and not text.startswith("[") else text)
    if match is None or match["port"] is not None:
        raise ToolreelError(f"--allow-host {given}: expected a host name or an address alone, such as dev.internal")
    return (match["address"] or match["name"]).removesuffix(".")


def _allowed_origin(given: str) -> str:
    text = given.lower().removesuffix("/")
    match = _ORIGIN.fullmatch(text)
    if text != _NO_ORIGIN and (match is None or _name_of(match["host"]) is None):
        raise ToolreelError(f"--allow-origin {given}: expected scheme and host, such as https://app.example:3000")
    # A browser leaves out the port that the scheme has anyway.
    return text.removesuffix(_DEFAULT_PORTS.get(match["scheme"], "/")) if match else text

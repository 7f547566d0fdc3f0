"""The network of a test, blocked: what Python would send through a socket raises, in whatever thread.

An audit hook does it, which no library can go round in Python. The hook cannot be removed, so it is installed when the
first test needs it, and does nothing between such tests. It sees no events of some ways out: processes that a test
starts, sending on a connection that was there before the test, and listening on a socket that was bound to no address.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator


class Reach(Enum):
    """How far a test may reach."""

    NONE = "none"
    LOOPBACK = "loopback"  # this machine alone, by its loopback addresses


class NetworkBlockedError(RuntimeError):
    """A test that must not use the network tried to. No OSError, which clients take for a reason to try again."""


class _Rule(Enum):
    """What an event of a socket means for the network."""

    LOCAL = "reaches nothing"
    SEND = "reaches the address that is its second argument"
    BIND = "can be reached at the address that is its second argument"
    NAME = "asks a name server about its first argument, a host"
    ADDRESS = "asks a name server about its first argument, an address"


# The events of CPython 3.11 to 3.13. One that is not here is not let through.
_RULES: Final = {
    "socket.__new__": _Rule.LOCAL,
    "socket.bind": _Rule.BIND,
    "socket.connect": _Rule.SEND,  # connect_ex as well
    "socket.getaddrinfo": _Rule.NAME,
    "socket.gethostbyaddr": _Rule.NAME,  # getfqdn as well
    "socket.gethostbyname": _Rule.NAME,  # gethostbyname_ex as well
    "socket.gethostname": _Rule.LOCAL,
    "socket.getnameinfo": _Rule.ADDRESS,
    "socket.getservbyname": _Rule.LOCAL,  # from a file
    "socket.getservbyport": _Rule.LOCAL,
    "socket.sendmsg": _Rule.SEND,
    "socket.sendto": _Rule.SEND,
    "socket.sethostname": _Rule.LOCAL,
}
# Sockets that end in this machine's kernel or file system; not every system has each.
_LOCAL_FAMILIES: Final = frozenset(
    getattr(socket, name) for name in ("AF_UNIX", "AF_NETLINK", "AF_ALG") if hasattr(socket, name)
)

_BLOCKED: Final = (
    "a test with the marker toolreel may not use the network ({}); "
    "if it serves itself on this machine: @pytest.mark.toolreel(..., network='loopback')"
)
_OPEN: Final = (
    "a test with the marker toolreel may not be reachable from the network ({}); "
    "bind a loopback address: 127.0.0.1 or ::1"
)

# What holds now; the last one of nested blocks counts.
_stack: Final[list[Reach]] = []
_installed: Final[list[bool]] = []


def reach(said: object) -> Reach | None:
    """What a marker's `network` allows; None where it says nothing that is known."""
    return next((known for known in Reach if isinstance(said, str) and known.value == said), None)


@contextmanager
def blocked(reach: Reach) -> Iterator[None]:
    """Inside, nothing past `reach` can be connected to, sent to or looked up."""
    if not _installed:
        _installed.append(True)
        sys.addaudithook(_hook)
    _stack.append(reach)
    try:
        yield
    finally:
        _stack.pop()


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if not _stack or not event.startswith("socket."):
        return
    rule = _RULES.get(event)
    if rule is None:
        raise NetworkBlockedError(_BLOCKED.format(event))
    if rule is _Rule.LOCAL or _is_allowed(rule, arguments, _stack[-1]):
        return
    raise NetworkBlockedError((_OPEN if rule is _Rule.BIND else _BLOCKED).format(event))


def _is_allowed(rule: _Rule, arguments: tuple[object, ...], reach: Reach) -> bool:
    if rule is _Rule.NAME:
        host = arguments[0]
        return host is None or (reach is Reach.LOOPBACK and _is_loopback(host))
    if rule is _Rule.ADDRESS:
        return reach is Reach.LOOPBACK and _is_loopback(_host(arguments[0]))
    if getattr(arguments[0], "family", None) in _LOCAL_FAMILIES:
        return True
    host = _host(arguments[1])
    if rule is _Rule.BIND:  # no host is every address of this machine
        return host != "" and _is_loopback(host)
    # No address: the socket is connected already.
    return arguments[1] is None or (reach is Reach.LOOPBACK and _is_loopback(host))


def _host(address: object) -> object:
    return address[0] if isinstance(address, tuple) and address else address


def _is_loopback(host: object) -> bool:
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
    if name in ("localhost", ""):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False

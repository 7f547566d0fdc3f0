"""No network for a test: what Python would send through a socket raises, whoever asks for it and in whatever thread.

By an audit hook, which no library can go round in Python. It cannot be removed, so it is installed when the first test
needs it and does nothing between such tests. Processes that a test starts are beyond it.
"""

from __future__ import annotations

import ipaddress
import sys
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


class Reach(Enum):
    """How far a test may reach."""

    NONE = "none"
    LOOPBACK = "loopback"  # this machine alone, by its loopback addresses


class NetworkBlockedError(RuntimeError):
    """A test that must not use the network tried to. No OSError, which clients take for a reason to try again."""


# Event of the interpreter -> which of its arguments is the address or the host.
_ADDRESSED: Final = {"socket.connect": 1, "socket.sendto": 1, "socket.sendmsg": 1}
_NAMED: Final = {"socket.getaddrinfo": 0, "socket.gethostbyname": 0, "socket.gethostbyaddr": 0}

# What holds now; the last one of nested blocks counts.
_stack: Final[list[Reach]] = []
_installed: Final[list[bool]] = []


def reach(marker: pytest.Mark) -> Reach:
    """What the marker allows."""
    said = marker.kwargs.get("network", Reach.NONE.value)
    for known in Reach:
        if known.value == said:
            return known
    raise pytest.UsageError(f"toolreel marker: network must be 'none' or 'loopback', and not {said!r}")


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
    if not _stack:
        return
    host: object
    if event in _ADDRESSED:
        address = arguments[_ADDRESSED[event]]
        # A string is the path of a local socket; None says that the socket is connected already.
        if not isinstance(address, tuple) or not address:
            return
        host = address[0]
    elif event in _NAMED:
        host = arguments[_NAMED[event]]
        if host is None:
            return
    else:
        return
    if _stack[-1] is Reach.LOOPBACK and _is_loopback(host):
        return
    raise NetworkBlockedError(
        f"a test with the marker toolreel may not use the network ({event}); "
        "if it serves itself on this machine: @pytest.mark.toolreel(..., network='loopback')"
    )


def _is_loopback(host: object) -> bool:
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
    if name in ("localhost", ""):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False

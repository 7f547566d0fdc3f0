"""Landlock: files that cannot be written, and processes outside that cannot be looked into or signalled.

It needs no privilege, and what it takes away comes back for no program that is started later. For example, a process
behind `restrict(writable=[scratch], port=None)` can read every file, write below `scratch` alone, and not open
`/proc/PID/environ` of a process that is not behind it.
"""

from __future__ import annotations

import ctypes
import os
import stat
from typing import TYPE_CHECKING, Final

from . import system

if TYPE_CHECKING:
    from collections.abc import Iterable

_VERSION: Final = 1  # the flag that asks for the version
_PATH_BENEATH: Final = 1
_NET_PORT: Final = 2
# What writes: a file, a name in a folder, and (by version) a move between folders, a cut, a command to a device.
_WRITE_FILE: Final = 1 << 1
_NAMES: Final = sum(1 << bit for bit in range(4, 13))
_REFER, _TRUNCATE, _IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
_SINCE: Final = ((1, _WRITE_FILE | _NAMES), (2, _REFER), (3, _TRUNCATE))
_CONNECT_TCP: Final = 1 << 1
_NETWORK_SINCE: Final = 4
_SCOPES_SINCE: Final = 6
_SCOPES: Final = 0b11  # abstract sockets, signals


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


class _Port(ctypes.Structure):
    _fields_ = (("allowed", ctypes.c_uint64), ("port", ctypes.c_uint64))


def version() -> int:
    """The version of Landlock that this system has; 0 where it has none."""
    try:
        return system.call(system.SYS_LANDLOCK_CREATE_RULESET, None, 0, _VERSION)
    except OSError:
        return 0


def confines_ports() -> bool:
    """Whether it can say to which ports a process connects."""
    return version() >= _NETWORK_SINCE


def restrict(*, writable: Iterable[str], port: int | None) -> None:
    """Restrict this process to what is `writable`, and to TCP connections to `port` (None: to any)."""
    known = version()
    files = sum(rights for since, rights in _SINCE if known >= since)
    asked = _Ruleset(
        files=files,
        network=_CONNECT_TCP if port is not None and known >= _NETWORK_SINCE else 0,
        scopes=_SCOPES if known >= _SCOPES_SINCE else 0,
    )
    rules = system.call(system.SYS_LANDLOCK_CREATE_RULESET, ctypes.byref(asked), ctypes.sizeof(asked), 0)
    try:
        for path in writable:
            _allow_beneath(rules, path, files)
        if asked.network:
            allowed = _Port(allowed=_CONNECT_TCP, port=port)
            system.call(system.SYS_LANDLOCK_ADD_RULE, rules, _NET_PORT, ctypes.byref(allowed), 0)
        system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
        system.call(system.SYS_LANDLOCK_RESTRICT_SELF, rules, 0)
    finally:
        os.close(rules)


def _allow_beneath(rules: int, path: str, files: int) -> None:
    try:
        found = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # a device that this system does not have
        return
    try:
        folder = stat.S_ISDIR(os.fstat(found).st_mode)
        allowed = _Beneath(allowed=files if folder else files & (_WRITE_FILE | _TRUNCATE), folder=found)
        system.call(system.SYS_LANDLOCK_ADD_RULE, rules, _PATH_BENEATH, ctypes.byref(allowed), 0)
    finally:
        os.close(found)

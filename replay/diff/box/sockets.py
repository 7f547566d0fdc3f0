"""A filter of system calls (seccomp): no socket but those of the internet protocols, since a path leads elsewhere.

A socket with a path reaches the daemon behind it (a container engine, a key agent, a proxy), whatever the network of
the process is; neither a network namespace nor Landlock looks at it. Pairs of sockets stay allowed: runtimes talk to
themselves with them.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from enum import Enum
from typing import Final

from . import system

# Of each machine: its name for the kernel, and its numbers of socket, ptrace, process_vm_readv, io_uring_setup.
_MACHINES: Final = {
    "x86_64": (0xC000003E, 41, (101, 310, 311, 425)),
    "aarch64": (0xC00000B7, 198, (117, 270, 271, 425)),
}
_INTERNET: Final = (2, 10)  # AF_INET, AF_INET6
_X32: Final = 0x40000000
_MODE_FILTER: Final = 2
_ALLOW: Final = 0x7FFF0000
_DENY: Final = 0x00050000 | errno.EACCES
_ABSENT: Final = 0x00050000 | errno.ENOSYS
_LOAD, _EQUAL, _AT_LEAST, _RETURN, _AND = 0x20, 0x15, 0x35, 0x06, 0x54
# Where the number, the machine and the first two arguments stand in what the filter is given.
_NUMBER, _MACHINE, _FIRST, _SECOND = 0, 4, 16, 24
# AF_NETLINK is how a runtime asks which interfaces there are.
_STREAM, _NETLINK, _KIND_BITS = 1, 16, 0xF
_STREAM_ALONE: Final = (
    (_LOAD, 0, 0, _SECOND),
    (_AND, 0, 0, _KIND_BITS),
    (_EQUAL, 1, 0, _STREAM),
    (_RETURN, 0, 0, _DENY),
)


class Allowed(Enum):
    """Which sockets a process may make."""

    INTERNET = "all of the internet protocols"
    STREAMS = "those for connections: a datagram asks nobody, so it needs a network of its own"


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def can_filter() -> bool:
    """Whether the numbers of this machine are known here."""
    return system.LINUX and platform.machine() in _MACHINES


def restrict(allowed: Allowed) -> None:
    """Let this process, and what it starts, make no other socket from now on. `OSError` where that cannot be had."""
    if not can_filter():
        raise OSError(errno.ENOSYS, "no filter for this machine")
    code = program(*_MACHINES[platform.machine()], allowed)
    held = _Program(len(code) // 8, code)
    system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
    system.prctl(system.PR_SET_SECCOMP, _MODE_FILTER, ctypes.cast(ctypes.pointer(held), ctypes.c_void_p))


def program(machine: int, socket: int, absent: tuple[int, ...], allowed: Allowed) -> bytes:
    """The instructions: another machine's calls are absent, and so are those that look past this filter."""
    found = [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 1, 0, machine),
        (_RETURN, 0, 0, _ABSENT),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _ABSENT),
    ]
    for number in absent:
        found += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ABSENT)]
    found += [(_EQUAL, 1, 0, socket), (_RETURN, 0, 0, _ALLOW), (_LOAD, 0, 0, _FIRST)]
    found += [(_EQUAL, 0, 1, _NETLINK), (_RETURN, 0, 0, _ALLOW)]
    for family in _INTERNET:
        kind = _STREAM_ALONE if allowed is Allowed.STREAMS else ()
        found += [(_EQUAL, 0, 1 + len(kind), family), *kind, (_RETURN, 0, 0, _ALLOW)]
    found.append((_RETURN, 0, 0, _DENY))
    return b"".join(struct.pack("HBBI", code, if_so, if_not, value) for code, if_so, if_not, value in found)

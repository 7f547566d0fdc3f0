"""Namespaces of Linux: a network with nothing in it but its own loopback, processes of its own, files read-only.

A user namespace gives the rights for the others, so no privilege is needed where the system allows them to everyone.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import struct
from pathlib import Path
from typing import Final

from . import system

_NEW_MOUNTS, _NEW_IPC, _NEW_USER, _NEW_PROCESSES, _NEW_NETWORK = (
    0x00020000,
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
ALL: Final = _NEW_MOUNTS | _NEW_IPC | _NEW_USER | _NEW_PROCESSES | _NEW_NETWORK
_BIND, _RECURSIVE, _PRIVATE = 0x1000, 0x4000, 0x40000
_NO_SUID, _NO_DEVICES, _NO_PROGRAMS = 0x2, 0x4, 0x8
_READ_ONLY: Final = 0x1
_HERE: Final = -100  # paths begin in the working folder
_SET_FLAGS: Final = 0x8914
_UP_AND_RUNNING: Final = 0x41
# Every capability that a kernel may have; of one that it has not, the call fails.
_CAPABILITIES: Final = range(64)
# Root reads files of other users, as it does outside.
_KEPT_CAPABILITY: Final = 1
_EVERYONE: Final = "0 0 4294967295"


class _Attributes(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "namespace"))


def leave() -> None:
    """Leave all namespaces of the parent's. The next process that this one forks is the first of the new ones."""
    system.unshare(ALL)


def map_users(pid: int) -> None:
    """Give the process that has left its users back: the same numbers; all of them where this process may, else one."""
    if os.geteuid() == 0:
        with contextlib.suppress(OSError):
            for name in ("uid_map", "gid_map"):
                Path(f"/proc/{pid}/{name}").write_text(_EVERYONE, "ascii")
            return
    Path(f"/proc/{pid}/setgroups").write_text("deny", "ascii")
    for name, number in (("uid_map", os.geteuid()), ("gid_map", os.getegid())):
        Path(f"/proc/{pid}/{name}").write_text(f"{number} {number} 1", "ascii")


def raise_loopback() -> None:
    """Bring up the one interface of the new network."""
    import fcntl  # Unix alone, as all of this module

    with socket.socket() as asked:
        fcntl.ioctl(asked, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP_AND_RUNNING))


def make_read_only(*, writable: str) -> None:
    """Make every file read-only for this process and its own, but those below `writable`."""
    system.mount("none", "/", "", _RECURSIVE | _PRIVATE)
    system.mount(writable, writable, "", _BIND)
    _set_attributes("/", _Attributes(set=_READ_ONLY), flags=0x8000)
    _set_attributes(writable, _Attributes(clear=_READ_ONLY), flags=0)


def _set_attributes(path: str, attributes: _Attributes, *, flags: int) -> None:
    name = ctypes.c_char_p(os.fsencode(path))
    size = ctypes.sizeof(attributes)
    system.call(system.SYS_MOUNT_SETATTR, _HERE, name, flags, ctypes.byref(attributes), size)


def write_elsewhere(folder: str, *, scratch: str) -> None:
    """Let the folder be written for this process and its own: what is written goes below `scratch`, an empty folder."""
    upper, work = (Path(scratch, name) for name in ("upper", "work"))
    for one in (upper, work):
        one.mkdir(parents=True)
    system.mount("overlay", folder, "overlay", 0, f"lowerdir={folder},upperdir={upper},workdir={work},userxattr")


def show_own_processes() -> None:
    """Mount a `/proc` that shows the processes of this namespace, and shared memory of its own."""
    with contextlib.suppress(OSError):
        system.mount("shm", "/dev/shm", "tmpfs", _NO_SUID | _NO_DEVICES | _NO_PROGRAMS)  # noqa: S108 - its own
    system.mount("proc", "/proc", "proc", _NO_SUID | _NO_DEVICES | _NO_PROGRAMS)


def drop_capabilities() -> None:
    """Give up, for every program that is started from here, what would undo the rest: mounts above all."""
    for one in _CAPABILITIES:
        if one != _KEPT_CAPABILITY:
            with contextlib.suppress(OSError):
                system.prctl(system.PR_CAPBSET_DROP, one)

"""Calls of the system that Python has no function for. Linux alone; elsewhere each of them raises `OSError`."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from typing import Final

LINUX: Final = sys.platform == "linux"

PR_SET_PDEATHSIG: Final = 1
PR_SET_DUMPABLE: Final = 4
PR_CAPBSET_DROP: Final = 24
PR_SET_SECCOMP: Final = 22
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38

# The same number on every architecture that Linux has had since it has them.
SYS_MOUNT_SETATTR: Final = 442
SYS_LANDLOCK_CREATE_RULESET: Final = 444
SYS_LANDLOCK_ADD_RULE: Final = 445
SYS_LANDLOCK_RESTRICT_SELF: Final = 446


def _libc() -> ctypes.CDLL:
    if not LINUX:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def call(number: int, *arguments: object) -> int:
    """The result of the system call of that number; `OSError` where it has none. Whole numbers are passed as longs."""
    given = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    return _checked(_libc().syscall(ctypes.c_long(number), *given))


def prctl(option: int, *arguments: int | ctypes.c_void_p) -> None:
    """Set a property of this process."""
    given = [ctypes.c_ulong(one) if isinstance(one, int) else one for one in arguments]
    given += [ctypes.c_ulong(0)] * (4 - len(given))
    _checked(_libc().prctl(ctypes.c_int(option), *given))


def unshare(flags: int) -> None:
    """Leave the namespaces that `flags` name, into new ones."""
    _checked(_libc().unshare(ctypes.c_int(flags)))


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """Mount a file system, or change how one is mounted."""
    words = [os.fsencode(one) for one in (source, target, kind)]
    _checked(_libc().mount(*words, ctypes.c_ulong(flags), os.fsencode(data)))


def hide_memory() -> bool:
    """Whether nobody of this user can read this process's memory and environment from now on; root can, as ever."""
    try:
        prctl(PR_SET_DUMPABLE, 0)
    except OSError:
        return False
    return True

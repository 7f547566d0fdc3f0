"""Unix sockets to listen on: made for this user alone, where no other process listens already."""

import contextlib
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from replay.errors import ToolreelError

# For the connection that finds out whether somebody listens on a socket that is there.
_PATIENCE: Final = 2.0


@contextlib.contextmanager
def bound(path: Path, *, option: str) -> Iterator[socket.socket]:
    """A socket with this path, which is gone after the block; an error, which names the option, where there is none."""
    _make_room(path, option)
    listener = _bound(path, option)
    made = path.stat().st_ino
    try:
        yield listener
    finally:
        listener.close()
        with contextlib.suppress(OSError):
            if path.stat().st_ino == made:
                path.unlink()


def _make_room(path: Path, option: str) -> None:
    """Remove a socket that a killed recorder left; an error where it is in use, or something else is there."""
    if not os.path.lexists(path):
        return
    if not stat.S_ISSOCK(path.lstat().st_mode):
        raise ToolreelError(f"{option} unix:{path}: something else is there; name another path")
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(_PATIENCE)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
        except OSError:
            pass
    raise ToolreelError(f"{option} unix:{path}: is in use; name another path")


def _bound(path: Path, option: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)  # the file has its mode from the first moment on
    try:
        listener.bind(str(path))
    except OSError as error:
        listener.close()
        why = error.strerror or "the path is too long"
    else:
        return listener
    finally:
        os.umask(before)
    raise ToolreelError(f"{option} unix:{path}: cannot be listened on ({why}); name another path")

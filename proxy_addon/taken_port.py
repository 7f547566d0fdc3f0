"""What is said of a port that cannot be listened on."""

import errno
import os
import socket

from replay.errors import ToolreelError


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens on an address of this machine; an `OSError` where it cannot."""
    return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)


def why(error: Exception | None) -> str:
    """What the system says, in words. Example: `is in use`."""
    number = error.errno if isinstance(error, OSError) else None
    said = os.strerror(number) if number else "no reason given"
    return "is in use" if number == errno.EADDRINUSE else f"cannot be listened on ({said})"


def cannot_listen(host: str, port: int, error: Exception | None) -> ToolreelError:
    """The error about the port of `--port`."""
    return ToolreelError(f"--port {port}: {host} port {port} {why(error)}; name another, or 0 for any free one")

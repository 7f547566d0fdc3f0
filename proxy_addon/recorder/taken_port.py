"""What is said of a port that cannot be listened on."""

import errno
import os

from replay.errors import ToolreelError


def cannot_listen(host: str, port: int, error: Exception | None) -> ToolreelError:
    """The error about it, made of what the system says."""
    number = error.errno if isinstance(error, OSError) else None
    said = os.strerror(number) if number else "no reason given"
    why = "is in use" if number == errno.EADDRINUSE else f"cannot be listened on ({said})"
    return ToolreelError(f"--port {port}: {host} port {port} {why}; name another, or 0 for any free one")

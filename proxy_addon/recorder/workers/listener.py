"""The one listener of several workers: bound once, by the process that makes them, so that no other one joins it."""

import contextlib
import socket
from collections.abc import Iterator

from proxy_addon.recorder.settings.options import RecordOptions
from proxy_addon.taken_port import cannot_listen, listening
from proxy_addon.unix_sockets import bound
from replay.errors import translated


@contextlib.contextmanager
def listener(checked: RecordOptions) -> Iterator[socket.socket]:
    """The socket that the options ask for, which listens; it is gone after the block."""
    if checked.access.socket is not None:
        with bound(checked.access.socket, option="--listen") as found:
            found.listen()
            yield found
        return
    with translated(OSError, lambda error: cannot_listen(checked.host, checked.port, error)):
        made = listening(checked.host, checked.port)
    with made:
        yield made

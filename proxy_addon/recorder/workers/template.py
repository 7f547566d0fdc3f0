"""The template: a process that has imported all that a worker needs, and makes each worker as a copy of itself.

It is forked before the recorder has any thread, for only then a copy is sound, and waits for orders on a socket. So a
worker that died is replaced in a moment, and what is made once is shared: the listener, the settings, the certificates.
"""

import contextlib
import os
import signal
import socket
from collections.abc import Callable
from typing import Final

from proxy_addon.ending_signals import ignore_ending_signals

# Carries traffic: called in a worker with the end of its channel and its number.
Work = Callable[[socket.socket, int], None]


class Template:
    """The process, seen from the one that gives the orders. `work` runs in each worker, `prepare` before the first."""

    def __init__(self, *, prepare: Callable[[], None], work: Work) -> None:
        self._orders, theirs = socket.socketpair()
        self.pid: Final = os.fork()
        if self.pid == 0:
            self._orders.close()
            _obey(theirs, prepare, work)
        theirs.close()

    def worker(self, number: int) -> socket.socket:
        """Start a worker; our end of its channel. The other end closes when the worker has ended."""
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._orders, [bytes([number])], [theirs.fileno()])
        return ours

    def end(self) -> None:
        """End the process; workers go on."""
        self._orders.close()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def _obey(orders: socket.socket, prepare: Callable[[], None], work: Work) -> None:
    """Make a worker for each order, until nobody can give one any more. Never returns."""
    code = 1
    try:
        with open(os.devnull, "r+b") as nowhere:  # noqa: PTH123 - a descriptor
            for standard in range(3):
                os.dup2(nowhere.fileno(), standard)
        ignore_ending_signals()
        os.setsid()  # Ctrl-C is for the recorder, which tells its workers what to do
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system forgets workers that have ended
        prepare()
        while True:
            order, descriptors, _, _ = socket.recv_fds(orders, 1, 1)
            if not order:
                break
            channel = socket.socket(fileno=descriptors[0])
            if os.fork() == 0:
                orders.close()
                work(channel, order[0])
                break
            channel.close()
        code = 0
    finally:
        os._exit(code)

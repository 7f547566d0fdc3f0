"""A relay in front of a server that can lose an answer: the server has done what was asked, and nobody hears of it."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

_PIECE: Final = 65536


@dataclass(slots=True)
class LosingRelay:
    """Passes connections on to a port of this machine. The answers to the next `to_lose` PUTs are lost."""

    port: int
    to_lose: int = 0
    lost: int = 0
    listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def serve(self) -> None:
        with contextlib.suppress(OSError):  # the listener is closed at the end
            while True:
                client, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.port))
                losing = threading.Event()
                for pump in (self._ask, self._answer):
                    threading.Thread(target=pump, args=(client, server, losing), daemon=True).start()

    def _ask(self, client: socket.socket, server: socket.socket, losing: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while piece := client.recv(_PIECE):
                if self.to_lose and piece.startswith(b"PUT "):
                    self.to_lose -= 1
                    losing.set()
                server.sendall(piece)
        server.close()

    def _answer(self, client: socket.socket, server: socket.socket, losing: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while piece := server.recv(_PIECE):
                if losing.is_set():
                    self.lost += 1
                    break
                client.sendall(piece)
            client.shutdown(socket.SHUT_RDWR)
        client.close()


@contextlib.contextmanager
def losing_relay(port: int) -> Iterator[LosingRelay]:
    """A relay that listens until the end of the block."""
    relay = LosingRelay(port)
    threading.Thread(target=relay.serve, daemon=True).start()
    try:
        yield relay
    finally:
        relay.listener.close()

"""A relay that ends TLS before a port of this machine, as a load balancer does: for servers that speak none."""

import contextlib
import socket
import ssl
import threading
from types import TracebackType
from typing import Final


class TlsRelay:
    """Takes TLS connections on `port` while the `with` block runs, and hands their bytes to the port `behind`."""

    def __init__(self, context: ssl.SSLContext, *, behind: int) -> None:
        self._context: Final = context
        self._behind: Final = behind
        self._listener: Final = socket.create_server(("127.0.0.1", 0))
        self.port: Final = int(self._listener.getsockname()[1])

    def __enter__(self) -> "TlsRelay":
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, plain: socket.socket) -> None:
        with (
            contextlib.suppress(OSError),
            plain,
            socket.create_connection(("127.0.0.1", self._behind)) as server,
            self._context.wrap_socket(plain, server_side=True) as client,
        ):
            back = threading.Thread(target=_carry, args=(server, client), daemon=True)
            back.start()
            _carry(client, server)
            back.join()


def _carry(source: socket.socket, to: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := source.recv(65536):
            to.sendall(piece)
        to.shutdown(socket.SHUT_RDWR)

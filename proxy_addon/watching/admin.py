"""The second listener of a recorder, `--admin`: `/healthz` and `/metrics`, for this machine or this user alone.

It answers on threads of its own, so that it also answers where the event loop is busy, and costs the traffic nothing
but the interpreter's lock. A page in a browser gets nothing, as on the first listener.
"""

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from proxy_addon import unix_sockets
from proxy_addon.taken_port import listening, why
from proxy_addon.watching.address import Address
from proxy_addon.watching.numbers import Numbers, health
from replay.errors import ToolreelError, install_hint, translated
from replay.local_clients import LocalClients

# A scraper has sent its request long before, and few of them ask at one time.
_PATIENCE: Final = 5.0
_MOST: Final = 16

# What is said in the place of the metrics.
NO_METRICS: Final = f"no page: prometheus-client is not installed; {install_hint('metrics')}"


# Gives the page of metrics and its content type, for what a scraper accepts.
Render = Callable[[str], tuple[bytes, str]]


class _Server(ThreadingHTTPServer):
    """The server on a socket that is bound already."""

    daemon_threads = True
    numbers: Callable[[], Numbers]
    render: Render | None
    clients: LocalClients

    def __init__(self, listener: socket.socket) -> None:
        super().__init__(("", 0), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.socket.listen()
        self._free: Final = threading.Semaphore(_MOST)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer on a thread, unless too many do so already."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, on the thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that goes away is no error, and no traceback is for anybody."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = _PATIENCE
    server_version = "toolreel"
    sys_version = ""
    error_message_format = '{"error": "%(message)s"}\n'
    error_content_type = "application/json"

    def do_GET(self) -> None:
        """Answer with one of the two pages."""
        foreign = self.server.clients.refuses(self.headers.items())
        page = _PAGES.get(self.path.partition("?")[0])
        if foreign is not None:
            self.send_error(403, "for this machine alone")
        elif page is None:
            self.send_error(404, "there are /healthz and /metrics")
        else:
            page(self)

    do_HEAD = do_GET  # noqa: N815

    def health(self) -> None:
        """Say how the recorder is, also by the status."""
        numbers = self.server.numbers()
        self._say(200 if numbers.healthy else 503, "application/json", json.dumps(health(numbers)).encode() + b"\n")

    def metrics(self) -> None:
        """The metrics, where the extra is there."""
        render = self.server.render
        if render is None:
            self._say(501, "text/plain; charset=utf-8", f"{NO_METRICS}\n".encode())
            return
        page, content_type = render(", ".join(self.headers.get_all("accept", ())))
        self._say(200, content_type, page)

    def _say(self, status: int, content_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing: a probe comes every few seconds."""


_PAGES: Final[dict[str, Callable[[_Handler], None]]] = {"/healthz": _Handler.health, "/metrics": _Handler.metrics}


@contextlib.contextmanager
def admin(
    address: Address, *, clients: LocalClients, numbers: Callable[[], Numbers], render: Render | None
) -> Iterator[str]:
    """Listen at an address for as long as the block runs; the URL of the listener, or the name of its socket."""
    with contextlib.ExitStack() as stack:
        if address.socket is not None:
            listener = stack.enter_context(unix_sockets.bound(address.socket, option="--admin"))
            port = 0
        else:
            listener = stack.enter_context(_bound(address))
            port = listener.getsockname()[1]
        server = _Server(listener)
        server.numbers, server.render, server.clients = numbers, render, clients
        thread = threading.Thread(target=server.serve_forever, name="toolreel-admin", daemon=True)
        thread.start()
        try:
            yield address.at(port)
        finally:
            server.shutdown()
            thread.join()


def _bound(address: Address) -> socket.socket:
    """A socket at a port of this machine; an error where it cannot be had."""
    where = address.at(address.port).removeprefix("http://")

    def taken(error: OSError) -> ToolreelError:
        return ToolreelError(f"--admin {where}: {why(error)}; name another port, or 0 for any free one")

    with translated(OSError, taken):
        return listening(address.host, address.port)

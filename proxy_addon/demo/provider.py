"""A provider on the loopback interface that streams the bundled turns as a network would: in small, arbitrary pieces.

Knows HTTP and the turns; knows nothing of the recorder. A request names its turn in the header `x-demo-turn`.
"""

import sys
import threading
import time
from collections.abc import Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Final, Self, cast

from .bundled import BundledTurn

TURN_HEADER: Final = "x-demo-turn"

# Small enough that pieces end inside events, words and escapes; quick enough that the demo stays short.
PIECE: Final = 97
PAUSE: Final = 0.002


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    turns: Mapping[str, BundledTurn]

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that is gone, as at a Ctrl-C; anything else is a bug of the demo, and shows."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", "0")))
        turn = cast("_Server", self.server).turns.get(self.headers.get(TURN_HEADER, ""))
        if turn is None or not self.path.endswith(turn.path):
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("content-type", turn.content_type)
        self.send_header("transfer-encoding", "chunked")
        self.send_header("x-request-id", f"req-{turn.key}")
        self.end_headers()
        body = turn.response_body()
        for start in range(0, len(body), PIECE):
            piece = body[start : start + PIECE]
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            time.sleep(PAUSE)
        if turn.whole:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as inherited
        """Say nothing: the demo tells its own story."""


class Provider:
    """A provider that serves the turns, each by its key, while the `with` block runs."""

    def __init__(self, turns: Iterable[BundledTurn]) -> None:
        self._server = _Server(("127.0.0.1", 0), _Answers)
        self._server.turns = {turn.key: turn for turn in turns}
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """The URL at which it listens, without a trailing slash."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

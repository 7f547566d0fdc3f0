"""A provider on the loopback interface that streams the bundled turns as a network would: in small, arbitrary pieces.

Knows HTTP and the turns; knows nothing of the recorder. A request names its turn in the header `x-demo-turn`, or by its
case as the first segment of the path; without either it gets the next turn that is asked for at its path.
"""

import sys
import threading
import time
from collections import Counter
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

    def __init__(self, port: int, turns: Iterable[BundledTurn]) -> None:
        super().__init__(("127.0.0.1", port), _Answers)
        self.turns = {turn.key: turn for turn in turns}
        self.by_case: Final = {turn.case: turn for turn in self.turns.values()}
        self._asked: Final[Counter[str]] = Counter()
        self._lock: Final = threading.Lock()

    def turn(self, key: str | None, path: str) -> BundledTurn | None:
        """The turn that a request asks for; None where it asks for none."""
        named = self.by_case.get(path.split("/")[1] if path.startswith("/") else "")
        found = self.turns.get(key) if key is not None else named or self._next(path)
        return found if found is not None and _is_asked_at(found, path) else None

    def _next(self, path: str) -> BundledTurn | None:
        """The next turn of those at this path, the first one again after the last."""
        turns = [turn for turn in self.turns.values() if _is_asked_at(turn, path)]
        if not turns:
            return None
        with self._lock:
            number = self._asked[turns[0].profile]
            self._asked[turns[0].profile] += 1
        return turns[number % len(turns)]

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that is gone, as at a Ctrl-C; anything else is a bug of the demo, and shows."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def _is_asked_at(turn: BundledTurn, path: str) -> bool:
    """Whether a path without its query is that of a turn, which may have one."""
    return path.endswith(turn.path.partition("?")[0])


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", "0")))
        turn = cast("_Server", self.server).turn(self.headers.get(TURN_HEADER), self.path.partition("?")[0])
        if turn is None:
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

    def do_GET(self) -> None:
        """The request that fits a turn, at `/CASE/request`, for a shell that asks as an application does."""
        case, _, rest = self.path.removeprefix("/").partition("/")
        turn = cast("_Server", self.server).by_case.get(case)
        if turn is None or rest != "request":
            self.send_error(404)
            return
        body = turn.request_body()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as inherited
        """Say nothing: the demo tells its own story."""


class Provider:
    """A provider that serves the turns, each by its key, while the `with` block runs."""

    def __init__(self, turns: Iterable[BundledTurn], *, port: int = 0) -> None:
        self._server = _Server(port, turns)
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

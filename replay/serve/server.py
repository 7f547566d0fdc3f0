"""The server's sockets, on the loopback interface alone. What is answered, `answers` decides.

`Server` runs in a thread of its own, so that tests can use it beside a client that blocks:

    with Server(Answers(FixtureMatcher(served.fixtures))) as server:
        OpenAI(base_url=server.url_of("checkout") + "/v1", api_key="x")
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import os
import socket
import struct
import threading
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from replay.errors import ToolreelError, translated
from replay.families import FAMILIES

from . import http1
from .answers import CASE_PREFIX, Answers, Ending, encoded, no_fixture
from .http1 import Framing
from .matching import NoFixture, segment

if TYPE_CHECKING:
    import concurrent.futures
    from collections.abc import Callable, Iterable

    from .answers import Answer
    from .http1 import Request

HOST: Final = "127.0.0.1"
# How long the server waits for a client that was recorded as the one that went away.
PATIENCE: Final = 30.0
# How long a client may go on sending a request that is refused already: closed at once, its connection would be reset,
# and the answer lost. It is read and thrown away.
LINGER: Final = 10.0
_READ: Final = 64 * 1024
# Writes of one answer, after which other connections get their turn.
_A_TURN: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast answers go. `speed` 0 takes no account of recorded times, 1 keeps them, 2 is twice as fast."""

    speed: float = 0.0
    patience: float = PATIENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """One request that was answered. `whole`: every piece was written, and the client was still there."""

    status: int
    fixture: str | None
    reason: str
    writes: int
    ending: Ending
    whole: bool


def loopback(host: str) -> str:
    """The address of `host`; a `ToolreelError` where it is not one of this machine alone."""
    name = HOST if host == "localhost" else host
    try:
        local = ipaddress.ip_address(name).is_loopback
    except ValueError:
        local = False
    if not local:
        raise ToolreelError(f"--host {host}: must be a loopback address, for example {HOST}")
    return name


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; a `ToolreelError` where the port is taken."""
    name = loopback(host)
    with translated(OSError, lambda error: _not_listening(name, port, error)):
        family = socket.AF_INET6 if ":" in name else socket.AF_INET
        found = socket.create_server((name, port), family=family, backlog=128)
        # A connection inherits it: else the last piece of an answer waits until the client acknowledges the others.
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return found


def _not_listening(name: str, port: int, error: OSError) -> ToolreelError:
    said = os.strerror(error.errno) if error.errno else "no reason given"
    why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be listened on ({said})"
    return ToolreelError(f"--port {port}: {name} port {port} {why}; name another, or 0 for any free one")


async def serve(
    listener: socket.socket, answers: Answers, *, pace: Pace | None = None, report: Callable[[Served], None]
) -> None:
    """Answer on `listener` until cancelled. `report` hears of each request when its answer is over."""
    connections = _Connections(answers, pace or Pace(), report)
    server = await asyncio.start_server(connections.accept, sock=listener)
    try:
        await asyncio.get_running_loop().create_future()
    finally:
        server.close()
        await connections.close()


class _Connections:
    """The connections of one server: a task each, which reads requests and writes answers."""

    def __init__(self, answers: Answers, pace: Pace, report: Callable[[Served], None]) -> None:
        self._answers = answers
        self._pace = pace
        self._report = report
        self._tasks: set[asyncio.Task[None]] = set()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._talk(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass  # the client went away
        except asyncio.CancelledError:
            writer.transport.abort()  # the server stops; asyncio would log a cancelled connection as an error
        finally:
            self._tasks.discard(task)
            writer.close()

    async def close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests = http1.RequestReader()
        keep = True
        while keep:
            request = await self._request(requests, reader, writer)
            if request is None:
                return
            if isinstance(request, NoFixture):
                await self._answer(no_fixture(request), http1.Request(method="", target="", minor=0), reader, writer)
                writer.write_eof()
                await _gone(reader, LINGER)
                return
            keep = await self._answer(self._answers.answer(request), request, reader, writer) and request.keeps_alive

    async def _request(
        self, requests: http1.RequestReader, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> Request | NoFixture | None:
        """The next request; None where the client is done, and why there is no answer where it sent no request."""
        try:
            while (request := requests.next()) is None:
                if requests.wants_go_ahead():
                    writer.write(http1.GO_AHEAD)
                    await writer.drain()
                piece = await reader.read(_READ)
                if not piece:
                    return None
                requests.feed(piece)
        except http1.BadRequestError as error:
            return NoFixture(reason=str(error))
        return request

    async def _answer(
        self, answer: Answer, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Write the answer; whether the connection can carry another one."""
        writes = 0
        whole = False
        framing = http1.framing(answer.status, request)
        try:
            writer.write(http1.head(answer.status, answer.headers, request))
            start = asyncio.get_running_loop().time()
            for piece in answer.pieces if framing is not Framing.NONE else ():
                if piece.at is not None and self._pace.speed > 0:
                    await self._until(start + piece.at / 1000 / self._pace.speed)
                elif writes % _A_TURN == _A_TURN - 1:
                    await asyncio.sleep(0)
                writer.write(http1.chunk(piece.data, request))
                await writer.drain()
                writes += 1
            whole = True
            if answer.ending is Ending.WHOLE:
                if framing is Framing.CHUNKED:
                    writer.write(http1.LAST_CHUNK)
                await writer.drain()
                return framing is not Framing.CLOSE
            await self._end(answer.ending, reader, writer)
            return False
        except ConnectionError:
            whole = False
            return False
        finally:
            self._report(
                Served(
                    status=answer.status,
                    fixture=answer.fixture,
                    reason=answer.reason,
                    writes=writes,
                    ending=answer.ending,
                    whole=whole,
                )
            )

    async def _until(self, due: float) -> None:
        """Until a piece is due: an absolute time, so that delays do not add up."""
        await asyncio.sleep(max(0.0, due - asyncio.get_running_loop().time()))

    async def _end(self, ending: Ending, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """End in the middle of the message; what closes the connection comes behind this."""
        if ending is Ending.HOLD:
            await _gone(reader, self._pace.patience)
        if ending is Ending.RST:
            found = writer.get_extra_info("socket")
            # A linger time of zero turns the close into a reset; what was written must have gone out before.
            await _sent(writer)
            found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()


async def _gone(reader: asyncio.StreamReader, seconds: float) -> None:
    """Until the client is gone, so many seconds at most; what it sends is thrown away."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while await reader.read(_READ):
                pass


async def _sent(writer: asyncio.StreamWriter) -> None:
    """Until nothing waits in this process. A reset drops what the client has not read yet: give it a moment to."""
    while writer.transport.get_write_buffer_size():
        await asyncio.sleep(0.001)
    await asyncio.sleep(0.05)


class Server:
    """A server in a thread of its own, for the time of a `with` block. Port 0 takes any free one.

    `served` grows as answers are over. Behind the block every connection is closed, and the thread has ended.
    """

    def __init__(self, answers: Answers, *, host: str = HOST, port: int = 0, pace: Pace | None = None) -> None:
        self._answers = answers
        self._host = host
        self._port = port
        self._pace = pace
        self._loop: asyncio.AbstractEventLoop | None = None
        self._main: asyncio.Task[None] | None = None
        self._thread: threading.Thread | None = None
        self._listener: socket.socket | None = None
        self._also: list[concurrent.futures.Future[None]] = []
        self.served: list[Served] = []

    def __enter__(self) -> Self:
        self._listener = listen(self._host, self._port)
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), name="toolreel serve", daemon=True)
        self._thread.start()
        ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._main is not None
        assert self._thread is not None
        assert self._listener is not None
        self._loop.call_soon_threadsafe(self._main.cancel)
        self._thread.join()
        self._listener.close()  # where the block was over before the server had begun

    def listen_also(self, listener: socket.socket) -> None:
        """Answer on this socket too, until the block ends; it is closed then."""
        assert self._loop is not None, "not entered"
        serving = serve(listener, self._answers, pace=self._pace, report=self.served.append)
        # The loop itself holds no task: one that nobody waits for would be collected as garbage.
        self._also.append(asyncio.run_coroutine_threadsafe(serving, self._loop))

    @property
    def url(self) -> str:
        """Where the server is, without a slash behind it."""
        assert self._listener is not None, "not entered"
        return url(self._listener)

    def url_of(self, case: str) -> str:
        """The base of a case: what an SDK takes as its base URL, less its own `/v1`."""
        return case_url(self.url, case)

    def _run(self, ready: threading.Event) -> None:
        asyncio.run(self._serve(ready))

    async def _serve(self, ready: threading.Event) -> None:
        assert self._listener is not None
        self._loop = asyncio.get_running_loop()
        self._main = asyncio.ensure_future(
            serve(self._listener, self._answers, pace=self._pace, report=self.served.append)
        )
        ready.set()
        with contextlib.suppress(asyncio.CancelledError):
            await self._main


def url(listener: socket.socket) -> str:
    """The URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def case_url(root: str, case: str) -> str:
    """The base of a case; any file name can stand in it."""
    return root + CASE_PREFIX + encoded(case)


def base_urls(root: str, upstreams: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The base URL of each (upstream, profile), as its official SDK takes it.

    Its name is the upstream's, and where that has several profiles, `UPSTREAM/PROFILE`.
    """
    given = list(dict.fromkeys(upstreams))
    profiles = Counter(upstream for upstream, _ in given)
    return {
        upstream if profiles[upstream] == 1 else f"{upstream}/{profile}": (
            f"{root}/{encoded(segment(upstream))}{FAMILIES[profile].base}"
        )
        for upstream, profile in given
    }

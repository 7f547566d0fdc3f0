"""Many paced streams at a time, for benchmarks: a provider as a process of its own, and the clients of it.

Run as a script it serves: `X-Blob` mebibytes in large pieces, then `X-Chunks` chunks `X-Pace` milliseconds apart (0: at
once), each beginning with the time at which it was sent; `X-Cut` ends the body in the middle.
"""

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

MARK: Final = b": sent "
MEBIBYTE: Final = 1024 * 1024


def _event(delta: dict[str, object], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "gpt-4o",
        "choices": [choice],
    }
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


FIRST: Final = _event({"role": "assistant", "content": ""})
WORD: Final = _event({"content": "word "})
LAST: Final = _event({}, "stop") + b"data: [DONE]\n\n"


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError, asyncio.IncompleteReadError):
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            lines = (line.partition(":") for line in head.decode("latin-1").split("\r\n")[1:] if line)
            headers = {name.lower(): value.strip() for name, _, value in lines}
            await reader.readexactly(int(headers.get("content-length", "0")))
            await _answer(writer, headers)
            if "x-cut" in headers or headers.get("connection") == "close":
                break
    writer.close()


async def _answer(writer: asyncio.StreamWriter, headers: dict[str, str]) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    if "x-blob" in headers:
        piece = b": " + b"x" * (64 * 1024 - 4) + b"\n\n"
        for _ in range(int(headers["x-blob"]) * 16):
            await _chunk(writer, piece)
    chunks, pace = int(headers.get("x-chunks", "0")), int(headers.get("x-pace", "0")) / 1000
    due = time.monotonic()
    for number in range(chunks):
        if pace:
            due += pace
            await asyncio.sleep(due - time.monotonic())
        await _chunk(writer, MARK + b"%d\n" % time.monotonic_ns() + (WORD if number else FIRST))
        if headers.get("x-cut") and number >= chunks // 2:
            return
    await _chunk(writer, LAST)
    writer.write(b"0\r\n\r\n")
    await writer.drain()


async def _chunk(writer: asyncio.StreamWriter, piece: bytes) -> None:
    writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
    await writer.drain()


async def _main() -> None:
    server = await asyncio.start_server(_serve, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def process(*command: str, environment: dict[str, str] | None = None) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process whose first line is its port; killed in the end."""
    started = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert started.stdout is not None
        yield started, int(started.stdout.readline())
    finally:
        started.kill()
        started.wait()
        assert started.stdout is not None
        started.stdout.close()


@contextmanager
def provider() -> Iterator[int]:
    """The port of the provider."""
    with process(sys.executable, __file__) as (_, port):
        yield port


@dataclass(slots=True)
class Seen:
    """What the clients of one load saw."""

    latencies: list[float] = field(default_factory=list)  # milliseconds, one a chunk
    whole: int = 0
    broken: int = 0
    size: int = 0


async def _client(port: int, requests: Sequence[bytes], seen: Seen, leave_after: int | None) -> None:
    """The requests on one connection, one after the other; or leave in the middle of the first."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for raw in requests:
            writer.write(raw)
            tail = b""
            while not tail.endswith(b"0\r\n\r\n"):
                piece = await reader.read(65536)
                now = time.monotonic_ns()
                if not piece:
                    seen.broken += 1
                    return
                seen.size += len(piece)
                for rest in (tail + piece).split(MARK)[1:]:
                    stamp, line_end, _ = rest.partition(b"\n")
                    if line_end and stamp.isdigit():  # a proxy may cut a chunk, and so a stamp, in two
                        seen.latencies.append((now - int(stamp)) / 1e6)
                whole_marks = (tail + piece).rfind(MARK)
                cut = whole_marks >= 0 and b"\n" not in (tail + piece)[whole_marks:]
                tail = (tail + piece)[whole_marks:] if cut else piece[-len(MARK) :]
                if leave_after is not None and len(seen.latencies) >= leave_after:
                    seen.broken += 1
                    return
            seen.whole += 1
    except OSError:
        seen.broken += 1
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def run(port: int, connections: Sequence[Sequence[bytes]], *, leave_after: Sequence[int | None] | None = None) -> Seen:
    """All connections at once."""
    seen = Seen()

    async def every() -> None:
        leaving = leave_after or [None] * len(connections)
        views = [seen if limit is None else Seen() for limit in leaving]
        clients = [_client(port, *each) for each in zip(connections, views, leaving, strict=True)]
        await asyncio.gather(*clients)
        for view in views:
            if view is not seen:
                seen.whole += view.whole
                seen.broken += view.broken

    asyncio.run(every())
    return seen


@contextmanager
def socket_port() -> Iterator[int]:
    """A port that is free, for who cannot choose one."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield int(listener.getsockname()[1])


def wait_for(port: int) -> None:
    """Until somebody listens there."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port)).close()
            return
        time.sleep(0.01)


def cpu_seconds(pid: int) -> float:
    """What a process has used, without its children; from /proc."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int, line: str = "VmRSS") -> float:
    """Resident memory of a process in MiB, now or (`VmHWM`) at its highest."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(row.split()[1]) for row in status.splitlines() if row.startswith(line)) / 1024


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_main())

"""What a client sees with the recorder between, beside what it sees without: every way in which a stream can end.

Each row asks for the same answer twice, of the provider and through the recorder, and compares all that came.
"""

import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request, text
from support.processes.recorder import Recorder
from support.sockets.provider import Answer, End, Framing, Provider, Request, Wait
from support.sockets.wire import Client, post

CHAT: Final = "/v1/chat/completions"
TURN: Final = tuple(call('{"ci', 'ty": "Oslo"}'))
CUT: Final = TURN[:2]
JSON: Final = (("Content-Type", "application/json"),)


@dataclass(frozen=True, slots=True)
class View:
    """Everything a client can see: the bytes, and whether the connection ended with a reset."""

    data: bytes
    reset: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An answer, and what the recorder makes of it. `differs` names the one thing that is not as without it."""

    answer: Callable[[], Answer]
    stream_end: str | None = None
    passed: str | None = None
    differs: str = ""
    method: str = "POST"


def rows() -> Iterator[tuple[str, Row]]:
    for framing in Framing:
        whole = Answer(pieces=(*TURN, DONE), framing=framing)
        yield f"{framing.value}-whole", Row(answer=lambda whole=whole: whole, stream_end="complete")  # type: ignore[misc]
    for framing in (Framing.CHUNKED, Framing.LENGTH):
        unmarked = Answer(pieces=TURN, framing=framing)
        yield f"{framing.value}-no-marker", Row(answer=lambda unmarked=unmarked: unmarked, stream_end="complete")  # type: ignore[misc]
    for framing in Framing:
        for end in (End.FIN, End.RST):
            yield (
                f"{framing.value}-{end.name.lower()}",
                Row(
                    answer=lambda framing=framing, end=end: Answer(pieces=(*CUT, Wait()), framing=framing, end=end),  # type: ignore[misc]
                    stream_end="upstream_disconnected",
                    differs="the reset is an end of data" if end is End.RST else "",
                ),
            )
    yield (
        "close-half-event",
        Row(
            answer=lambda: Answer(pieces=(*TURN, b"data: {"), framing=Framing.CLOSE), stream_end="upstream_disconnected"
        ),
    )
    yield (
        "json-400",
        Row(
            answer=lambda: Answer(pieces=(b'{"error": {}}',), status=400, headers=JSON, framing=Framing.LENGTH),
            passed="status other than 200",
        ),
    )
    yield (
        "json-503",
        Row(
            answer=lambda: Answer(pieces=(b'{"error": {}}',), status=503, headers=JSON), passed="status other than 200"
        ),
    )
    yield "stream-500", Row(answer=lambda: Answer(pieces=TURN, status=500), passed="status other than 200")
    yield (
        "no-content",
        Row(answer=lambda: Answer(status=204, headers=(), framing=Framing.CLOSE), passed="status other than 200"),
    )
    yield (
        "head",
        Row(
            answer=lambda: Answer(
                raw_head=b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 99\r\n\r\n",
                end=End.FIN,
            ),
            method="HEAD",
            passed="path or method not recognised",
        ),
    )
    yield (
        "cut-before-head",
        Row(
            answer=lambda: Answer(raw_head=b"", end=End.FIN),
            passed="ended before a response",
            differs="an answer of the recorder's own, with status 502",
        ),
    )
    yield (
        "cut-in-head",
        Row(
            answer=lambda: Answer(raw_head=b"HTTP/1.1 200 OK\r\nContent-Ty", end=End.FIN),
            passed="provider sent no valid HTTP/1.1 response",
            differs="an answer of the recorder's own, with status 502",
        ),
    )


ROWS: Final = dict(rows())


class Bench:
    """A provider that answers with the row that a request names, and one recorder for all rows."""

    def __init__(self, folder: Path) -> None:
        self.waits: dict[str, Wait] = {}
        self.provider = Provider(self._answer)
        self.folder = folder

    def _answer(self, seen: Request) -> Answer:
        answer = ROWS[seen.header("x-row")[0][::-1]].answer()
        for piece in answer.pieces:
            if isinstance(piece, Wait):
                self.waits[seen.header("x-asked")[0]] = piece
        return answer

    def view(self, port: int, target: str, row: str, *headers: str) -> View:
        """Everything one client sees; a provider that waits to cut is told to once its pieces have arrived."""
        backwards = row[::-1]  # the case has the name of the row, and none that repeats its request is used
        asked = f"{backwards}-{port}"
        raw = post(target, request(), f"X-Row: {backwards}", f"X-Asked: {asked}", *headers)
        if ROWS[row].method != "POST":
            raw = raw.replace(b"POST", ROWS[row].method.encode(), 1)
        with Client(port) as client:
            client.send(raw)
            if any(isinstance(piece, Wait) for piece in ROWS[row].answer().pieces):
                client.read_until(CUT[-1])
                self.waits[asked].go.set()
            return View(*client.read_to_the_end())


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, Recorder]]:
    folder = tmp_path_factory.mktemp("beside")
    bench = Bench(folder)
    upstream = f"openai={bench.provider.url}"
    with bench.provider, Recorder(folder / "out", "--upstream", upstream, "--log", "json") as recorder:
        yield bench, recorder


def test_every_row_is_seen_as_without_the_recorder_and_recorded_as_it_ended(bench: tuple[Bench, Recorder]) -> None:
    found, recorder = bench
    for row, expected in ROWS.items():
        direct = found.view(found.provider.port, CHAT, row)
        through = found.view(recorder.port, f"/openai{CHAT}", row, f"X-Toolreel-Case: {row}")
        if not expected.differs:
            assert through == direct, row
        elif expected.stream_end is not None:  # what differs is the kind of cut, and no byte
            assert (direct.reset, through) == (True, View(direct.data, reset=False)), row
        else:
            assert through.data.startswith(b"HTTP/1.1 502 "), row
            assert not through.reset, row
    recorded = {row: expected.stream_end for row, expected in ROWS.items() if expected.stream_end is not None}
    recorder.decisions(len(recorded))
    ends = {path.stem: json.loads(path.read_bytes())["capture"]["stream_end"] for path in recorder.out.iterdir()}
    assert ends == recorded


HANDSHAKE: Final = (
    b"GET /v1/realtime HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
SWITCH: Final = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
)


def frame(text: bytes, *, masked: bool) -> bytes:
    """A WebSocket text message (RFC 6455); a client masks, here with zeros."""
    return b"\x81" + bytes([len(text) | (0x80 if masked else 0)]) + (bytes(4) if masked else b"") + text


def unmasked(data: bytes) -> bytes:
    """The text of a short masked message."""
    mask, coded = data[2:6], data[6:]
    return bytes(byte ^ mask[at % 4] for at, byte in enumerate(coded))


def test_a_websocket_passes_in_both_directions(tmp_path: Path) -> None:
    heard: list[bytes] = []

    def talk(connection: socket.socket, reader: BinaryIO) -> None:
        heard.append(unmasked(reader.read(6 + len(b"to the provider"))))
        connection.sendall(frame(b"to the client", masked=False))
        reader.read(1)  # until the client goes

    with (
        Provider(Answer(raw_head=SWITCH, talk=talk)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        with Client(recorder.port) as client:
            client.send(HANDSHAKE.replace(b"/v1", b"/openai/v1"))
            assert client.read_until(b"\r\n\r\n") == SWITCH
            client.send(frame(b"to the provider", masked=True))
            assert client.read_until(b"to the client").endswith(frame(b"to the client", masked=False))
        assert heard == [b"to the provider"]
        summary = recorder.stop()
    assert (summary["captured"], summary["bugs"]) == (0, {})
    assert provider.requests[0].target == "/v1/realtime"


def test_pipelined_requests_are_answered_in_order(tmp_path: Path) -> None:
    def answer(seen: Request) -> Answer:
        return Answer(pieces=(*text([seen.header("x-number")[0]]), DONE), framing=Framing.LENGTH)

    def requests(target: str) -> bytes:
        return b"".join(post(target, request(), f"X-Number: word{number}", close=number == 4) for number in range(5))

    with Provider(answer) as provider, Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder:
        views = []
        for port, target in ((provider.port, CHAT), (recorder.port, f"/openai{CHAT}")):
            with Client(port) as client:
                client.send(requests(target))
                views.append(client.read_to_the_end())
        assert views[0] == views[1]
        assert recorder.stop()["captured"] == 5


def test_a_hundred_streams_of_one_pool_go_side_by_side(tmp_path: Path) -> None:
    """None ends before all have begun; then each connection carries a second one."""
    streams = 100
    together = [threading.Barrier(streams), threading.Barrier(streams)]

    def pieces(number: int, turn: int) -> Iterator[bytes]:
        yield from text([f"word{number}-{turn} "])[:2]
        together[turn].wait(60)
        yield from [*text(["x"])[2:], DONE]

    def answer(seen: Request) -> Answer:
        number, turn = seen.header("x-number")[0].split("-")
        return Answer(pieces=pieces(int(number), int(turn)))

    def client(number: int) -> list[bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", recorder.port, timeout=60)
        found = []
        for turn in range(2):
            connection.request("POST", f"/openai{CHAT}", request(), {"X-Number": f"{number}-{turn}"})
            found.append(connection.getresponse().read())
        connection.close()
        return found

    with Provider(answer) as provider, Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder:
        with ThreadPoolExecutor(streams) as pool:
            found = list(pool.map(client, range(streams)))
        summary = recorder.stop()
    for number, bodies in enumerate(found):
        assert [body.count(f"word{number}-{turn} ".encode()) for turn, body in enumerate(bodies)] == [1, 1]
        assert all(body.endswith(DONE) and body.count(b"word") == 1 for body in bodies)
    assert provider.connections == streams
    assert (summary["captured"], summary["dropped"], summary["written"]) == (2 * streams, {}, 1)


def test_a_connection_that_is_silent_for_too_long_is_ended_by_the_recorder_and_named_so(tmp_path: Path) -> None:
    with (
        Provider(Answer(pieces=CUT, end=End.HOLD)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", "--idle", "1", "--log", "json") as recorder,
    ):
        with Client(recorder.port) as client:
            client.send(post(f"/openai{CHAT}", request()))
            received, _ = client.read_to_the_end()  # the provider never sends more, so only the recorder can end it
        assert received.endswith(b"%x\r\n%b\r\n" % (len(CUT[-1]), CUT[-1]))
        (decision,) = recorder.decisions(1)
        found = json.loads((recorder.out / str(decision["file"])).read_bytes())
        assert found["capture"]["stream_end"] == "proxy_stopped"
        assert provider.gone.wait(30)
        recorder.stop()


def test_a_name_that_nothing_has_is_said_so(tmp_path: Path) -> None:
    with Recorder(tmp_path / "out", "--upstream", "openai=http://nothing.invalid") as recorder:
        with Client(recorder.port) as client:
            client.send(post(f"/openai{CHAT}", request()))
            received, _ = client.read_to_the_end()
        assert b"toolreel_upstream_unreachable" in received
        assert recorder.stop()["passed"] == {"provider not reachable": 1}

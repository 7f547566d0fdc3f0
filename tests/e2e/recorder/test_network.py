"""Times and reads through a real recorder, and at the client that a server plays them to."""

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.builders.turns import DONE, call, request
from support.processes.command import toolreel
from support.processes.recorder import Recorder
from support.sockets.provider import Answer, Provider
from support.sockets.wire import ask, post

from replay.serve.answers import Answers
from replay.serve.cutting import Cuts, Mode
from replay.serve.matching import FixtureMatcher
from replay.serve.served_fixtures import fill
from replay.serve.server import Pace, Server

pytest.importorskip("mitmproxy")

CHAT = "/v1/chat/completions"
CASE = "X-Toolreel-Case: slow"
BODY = b"".join((*call('{"city": "Os', 'lo"}'), DONE))
HALF = BODY.index(b"Os") + 1


def recorded(out: Path, *options: str) -> dict[str, object]:
    """The fixture of a turn of which the second half comes a third of a second after the first."""

    def pieces() -> Iterator[bytes]:
        yield BODY[:HALF]
        time.sleep(0.35)
        yield BODY[HALF:]

    with (
        Provider(lambda _: Answer(pieces=pieces())) as provider,
        Recorder(out, "--upstream", f"openai={provider.url}", *options) as recorder,
    ):
        ask(recorder.port, post(f"/openai{CHAT}", request(), CASE))
        assert recorder.stop()["written"] == 1
    found = json.loads((out / "slow.json").read_bytes())
    assert isinstance(found, dict)
    return found


def played(out: Path, *, cuts: Mode) -> list[tuple[float, bytes]]:
    """What a client gets, with the time of each part."""
    answers = Answers(FixtureMatcher(fill(out.glob("*.json")).fixtures), cuts=Cuts(mode=cuts))
    found: list[tuple[float, bytes]] = []
    with Server(answers, pace=Pace(speed=1.0)) as server:
        address = ("127.0.0.1", int(server.url.rpartition(":")[2]))
        with socket.create_connection(address, timeout=60) as client:
            start = time.monotonic()
            client.sendall(post(CHAT, request(), CASE))
            while not b"".join(data for _, data in found).endswith(b"0\r\n\r\n"):
                data = client.recv(65536)
                found.append((time.monotonic() - start, data))
    return found


def test_times_and_reads_are_kept_where_asked_for_and_played_again(tmp_path: Path) -> None:
    kept = recorded(tmp_path / "kept", "--keep-timing", "--keep-reads")
    bare = recorded(tmp_path / "bare")
    (reads, times) = (kept["transport"][name] for name in ("reads", "milliseconds"))  # type: ignore[index]
    assert [1, "string"] in reads
    assert len(times) == len(reads)
    assert times[-1] - times[0] >= 300
    assert all(at % 100 == 0 for at in times)
    for name, member in (
        ("capture", "timing"),
        ("capture", "reads"),
        ("transport", "reads"),
        ("transport", "milliseconds"),
    ):
        assert member in kept[name]  # type: ignore[operator]
        assert member not in bare[name]  # type: ignore[operator]
    toolreel("scan", str(tmp_path / "kept"))
    toolreel("replay", "--update", str(tmp_path / "kept"))
    toolreel("replay", "--recut", "3", str(tmp_path / "kept"))
    parts = played(tmp_path / "kept", cuts=Mode.READS)
    assert parts[-1][0] >= 0.3
    early = b"".join(data for at, data in parts if at < 0.2)
    assert b'"name":"get_weather"' in early
    assert b"[DONE]" not in early

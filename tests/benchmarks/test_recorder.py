"""What recording costs: against the same embedded mitmproxy with no recording, in the same process and the same run.

A path that is no turn goes through the recorder with `stream=True` and no tap, so one process serves both sides of each
comparison, in turns. Prints figures and ratios and asserts no times: `pytest tests/benchmarks -s`.
"""

import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.builders.turns import DONE, event, request, text
from support.processes.command import PATIENCE
from support.processes.recorder import Recorder
from support.sockets.provider import Answer, Provider, Request
from support.sockets.wire import Client, post

pytest.importorskip("mitmproxy")
pytestmark = [pytest.mark.benchmark, pytest.mark.nightly]

RECORDED = "/openai/v1/chat/completions"
PASSED = "/openai/v1/other"

# One stream at the pace of a fast model, and one as fast as it goes.
PACE = 0.002
PACED_CHUNKS = 400
BURST_CHUNKS = 20_000
ROUNDS = 3
MARK = b": sent "


def paced(chunks: int) -> Iterator[bytes]:
    """Chunks of a text turn; each begins with a comment that says when it was sent."""
    word = event({"content": "word "})
    for _ in range(chunks):
        time.sleep(PACE)
        yield MARK + b"%d\n" % time.monotonic_ns() + word
    yield event({}, finish="stop") + DONE


def answer(seen: Request) -> Answer:
    if seen.header("x-burst"):
        return Answer(pieces=(*text(["word "] * (BURST_CHUNKS - 2)), DONE))
    return Answer(pieces=paced(PACED_CHUNKS))


def latencies(port: int, target: str) -> list[float]:
    """Milliseconds from sending to receiving, of each chunk of one paced stream."""
    found = []
    with Client(port) as client:
        client.send(post(target, request()))
        for received, piece in client.pieces():
            found += [(received - int(rest.split(b"\n", 1)[0])) / 1e6 for rest in piece.split(MARK)[1:]]
    assert len(found) == PACED_CHUNKS
    return found


def rate(port: int, target: str) -> float:
    """Chunks a second of one burst."""
    with Client(port) as client:
        client.send(post(target, request(), "X-Burst: 1"))
        begun = time.perf_counter()
        size = len(client.read_all())
        took = time.perf_counter() - begun
    assert size > BURST_CHUNKS * 100
    return BURST_CHUNKS / took


def decided(recorder: Recorder, count: int) -> None:
    """Wait until the writer has decided on so many streams, so that its work is in no other figure."""
    deadline = time.monotonic() + PATIENCE
    while recorder.errors.count("\n") < count:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def middle(values: list[float]) -> str:
    ordered = sorted(values)
    return f"median {statistics.median(ordered):.2f} ms, p99 {ordered[int(len(ordered) * 0.99)]:.2f} ms"


def test_recording_against_the_same_proxy_without_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ways = {"direct": "", "passed": PASSED, "recorded": RECORDED}
    waits: dict[str, list[float]] = {way: [] for way in ways}
    rates: dict[str, list[float]] = {way: [] for way in ways}
    beside: list[float] = []
    decisions = 0
    with (
        Provider(answer) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        for _ in range(ROUNDS):
            for way, target in ways.items():
                port = recorder.port if target else provider.port
                waits[way] += latencies(port, target or RECORDED)
                rates[way].append(rate(port, target or RECORDED))
                decisions += 2 * (way == "recorded")
                decided(recorder, decisions)
        for _ in range(ROUNDS):  # one stream while the writer redacts another, large one
            burst = threading.Thread(target=rate, args=(recorder.port, RECORDED))
            burst.start()
            burst.join()
            beside += latencies(recorder.port, PASSED)
            decisions += 1
            decided(recorder, decisions)
        summary = recorder.stop()
    assert summary["captured"] == decisions
    assert summary["dropped"] == {}
    with capsys.disabled():
        print("\nrecorder, added to one stream:")
        for way in ways:
            print(f"  {way:9} {middle(waits[way])}, {statistics.median(rates[way]):,.0f} chunks/s")
        print(f"  passed while the writer redacts {BURST_CHUNKS:,} chunks: {middle(beside)}")
        medians = {way: statistics.median(found) for way, found in waits.items()}
        print(
            f"  recorded / passed: latency {medians['recorded'] / medians['passed']:.2f}, "
            f"throughput {statistics.median(rates['recorded']) / statistics.median(rates['passed']):.2f}"
        )

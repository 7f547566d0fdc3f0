"""A recorder on more than one core, and on a folder of many files: processor time, turns by the clock, time to start.

Minutes on all cores of a machine, so only where it is asked for; figures by the clock mean something on an idle one.

    TOOLREEL_LOAD=1 pytest tests/benchmarks/test_recorder_scale.py -s
"""

import os
import statistics
import time
from multiprocessing import Pool
from pathlib import Path
from typing import Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import request
from support.processes import load
from support.processes.recorder import Recorder
from support.processes.tree import cpu_seconds
from support.sockets.wire import post

from proxy_addon.writing.storage.folder import FixtureFolder
from redaction.captured.exchange import Exchange, Proved
from redaction.fixture import digest_of
from redaction.redactor import redact

RECORDED: Final = "/openai/v1/chat/completions"
PASSED: Final = "/openai/v1/other"
CLIENTS: Final = 2  # processes
CONNECTIONS: Final = 16  # of each
TURNS: Final = 20  # of each connection
CHUNKS: Final = 20
ROUNDS: Final = 3
FILES: Final = 100_000

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.nightly,
    pytest.mark.load,
    pytest.mark.timeout(3600),
    pytest.mark.skipif("TOOLREEL_LOAD" not in os.environ, reason="a load of minutes, run with TOOLREEL_LOAD=1"),
]


def many(port: int, target: str) -> int:
    """The turns of one process of clients, all of them whole."""
    raw = post(target, request(), f"X-Chunks: {CHUNKS}", "X-Pace: 0", close=False)
    return load.run(port, [[raw] * TURNS] * CONNECTIONS).whole


def loaded(recorder: Recorder, target: str) -> tuple[float, float]:
    """Milliseconds of processor time that a turn costs the whole recorder, and turns a second."""
    with Pool(CLIENTS) as clients:
        before, start = cpu_seconds(recorder.process.pid), time.monotonic()
        turns = sum(clients.starmap(many, [(recorder.port, target)] * CLIENTS))
        clock = time.monotonic() - start
    assert turns == CLIENTS * CONNECTIONS * TURNS
    return (cpu_seconds(recorder.process.pid) - before) / turns * 1000, turns / clock


def test_traffic_that_passes_costs_the_same_with_two_workers_and_is_faster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    costs: dict[int, list[float]] = {1: [], 2: []}
    rates: dict[int, list[float]] = {1: [], 2: []}
    with load.provider() as provider:
        for _ in range(ROUNDS):
            for workers in costs:
                options = (f"--upstream=openai=http://127.0.0.1:{provider}", f"--workers={workers}")
                with Recorder(tmp_path / "out", *options) as recorder:
                    loaded(recorder, PASSED)  # warm
                    cost, rate = loaded(recorder, PASSED)
                    recorder.stop()
                costs[workers].append(cost)
                rates[workers].append(rate)
    cost = {workers: statistics.median(found) for workers, found in costs.items()}
    rate = {workers: max(found) for workers, found in rates.items()}
    with capsys.disabled():
        print()
        for workers in costs:
            print(
                f"  {workers} workers: {cost[workers]:.2f} ms of processor a turn, {rate[workers]:.0f} turns a second"
            )
        print(f"  two to one: processor {cost[2] / cost[1]:.2f}, turns by the clock {rate[2] / rate[1]:.2f}")
    assert cost[2] / cost[1] < 1.1


def test_the_rate_that_redaction_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turns = CLIENTS * CONNECTIONS * TURNS
    rows = []
    with load.provider() as provider:
        for redactors in (1, 2):
            options = (f"--upstream=openai=http://127.0.0.1:{provider}", f"--redactors={redactors}", "--log=json")
            with Recorder(tmp_path / f"out-{redactors}", *options) as recorder:
                loaded(recorder, RECORDED)  # warm
                recorder.decisions(turns)
                before, start = cpu_seconds(recorder.process.pid), time.monotonic()
                loaded(recorder, RECORDED)
                passed = time.monotonic() - start
                recorder.decisions(2 * turns)
                clock = time.monotonic() - start
                cost = (cpu_seconds(recorder.process.pid) - before) / turns * 1000
                summary = recorder.stop()
            assert (summary["captured"], summary["dropped"]) == (2 * turns, {})
            rows.append((redactors, turns / passed, turns / clock, cost))
    with capsys.disabled():
        print()
        for redactors, served, settled, cost in rows:
            print(
                f"  {redactors} redaction processes: {served:.0f} turns a second served, {settled:.0f} settled, "
                f"{cost:.2f} ms of processor a turn in all"
            )


def test_a_start_on_a_folder_of_a_hundred_thousand_fixtures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = Exchange(
        profile="openai",
        provider="openai",
        request_body=request(),
        content_type="text/event-stream",
        body=load.FIRST + load.WORD + load.LAST,
    )
    proved = redact(whole)
    assert isinstance(proved, Proved)
    data = proved.fixture.data
    assert b'"done":1' in data
    (tmp_path / "many").mkdir()
    for number in range(FILES):
        path = tmp_path / "many" / f"case-{number:06}.json"
        path.write_bytes(data.replace(b'"done":1', b'"done":1,"comments":[[0,%d]]' % (number + 1)))
    processor, clock = time.process_time(), time.monotonic()
    FixtureFolder(tmp_path / "many", digest_of=digest_of)
    found = {"reading all files": (time.process_time() - processor, time.monotonic() - clock)}
    for name, folder in (("empty", "none"), ("index", "many"), ("index again", "many")):
        start = time.monotonic()
        with Recorder(tmp_path / folder) as recorder:
            found[name] = (load.cpu_seconds(recorder.process.pid), time.monotonic() - start)
            recorder.stop()
    with capsys.disabled():
        print()
        for name, (processor, clock) in found.items():
            print(f"  start, {name}: {processor:.2f} s of processor, {clock:.2f} s by the clock")
    assert min(found["index"][0], found["index again"][0]) - found["empty"][0] < 2


def paced(port: int, target: str) -> list[float]:
    """Milliseconds from sending to receiving, of each chunk of some paced streams, sorted."""
    raw = post(target, request(), "X-Chunks: 150", "X-Pace: 20", close=False)
    seen = load.run(port, [[raw]] * 10)
    assert seen.whole == 10
    return sorted(seen.latencies)


def test_the_delay_of_a_chunk_while_redaction_is_busy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A thousand captures wait for redaction while other streams are recorded; against no recorder at all."""
    rows: dict[str, list[float]] = {"no recorder": [], "redaction idle": [], "redaction busy": []}
    with load.provider() as provider:
        options = (f"--upstream=openai=http://127.0.0.1:{provider}", "--log=json")
        with Recorder(tmp_path / "out", *options) as recorder:
            raw = post(RECORDED, request(), "X-Chunks: 400", "X-Pace: 0", close=False)
            for _ in range(ROUNDS):
                rows["no recorder"] += paced(provider, RECORDED)
                rows["redaction idle"] += paced(recorder.port, RECORDED)
                load.run(recorder.port, [[raw] * 8] * 10)
                rows["redaction busy"] += paced(recorder.port, RECORDED)
                recorder.decisions(len(rows["redaction busy"]) // (150 * 10) * 100)
            summary = recorder.stop()
    assert summary["dropped"] == {}
    with capsys.disabled():
        print()
        base = sorted(rows["no recorder"])
        for name, found in rows.items():
            found.sort()
            middle, high = found[len(found) // 2], found[len(found) * 99 // 100]
            print(
                f"  {name:15} p50 {middle:.2f} ms ({middle / base[len(base) // 2]:.1f}), "
                f"p99 {high:.2f} ms ({high / base[len(base) * 99 // 100]:.1f})"
            )

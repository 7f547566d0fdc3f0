"""The recorder under load: CPU and latency as ratios in one run, and memory.

Minutes on both cores of a machine, so only where it is asked for:

    TOOLREEL_LOAD=1 pytest tests/benchmarks/test_recorder_load.py -s
"""

import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import request
from support.processes import load
from support.processes.command import environment
from support.processes.recorder import Recorder
from support.sockets.wire import post

RECORDED: Final = "/openai/v1/chat/completions"
PASSED: Final = "/openai/v1/other"
PACE: Final = 20  # milliseconds: 50 chunks a second
SECONDS: Final = 4
ROUNDS: Final = 3
BURST: Final = 20_000

pytestmark = [pytest.mark.benchmark, pytest.mark.nightly, pytest.mark.load, pytest.mark.timeout(3600)]
loaded = pytest.mark.skipif("TOOLREEL_LOAD" not in os.environ, reason="a load of minutes, run with TOOLREEL_LOAD=1")


def asked(target: str, *headers: str, close: bool = False) -> bytes:
    return post(target, request(), *headers, close=close)


@contextmanager
def nginx(folder: Path, upstream: int) -> Iterator[tuple[int, int]]:
    """The port of an nginx in front of the provider, unbuffered, and the process that serves."""
    with load.socket_port() as port:
        pass
    (folder / "nginx").mkdir()
    config = folder / "nginx" / "nginx.conf"
    config.write_text(
        f"daemon off; master_process off; pid {folder}/nginx/pid; error_log {folder}/nginx/log;"
        "events { worker_connections 2048; }"
        f"http {{ access_log off; client_body_temp_path {folder}/nginx/b; proxy_temp_path {folder}/nginx/p;"
        f"server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://127.0.0.1:{upstream};"
        'proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; } } }'
    )
    process = subprocess.Popen(["nginx", "-c", str(config)], stderr=subprocess.DEVNULL)
    try:
        load.wait_for(port)
        yield port, process.pid
    finally:
        process.kill()
        process.wait()


def measured(port: int, target: str, streams: int, pid: int | None) -> tuple[list[float], float]:
    """Latencies of the chunks of so many paced streams, and the microseconds of CPU that the proxy spent on each."""
    chunks = SECONDS * 1000 // PACE
    raw = asked(target, f"X-Chunks: {chunks}", f"X-Pace: {PACE}")
    before = load.cpu_seconds(pid) if pid else 0.0
    seen = load.run(port, [[raw]] * streams)
    assert seen.whole == streams
    assert len(seen.latencies) > 0.95 * streams * chunks
    return seen.latencies, ((load.cpu_seconds(pid) if pid else 0.0) - before) / (streams * chunks) * 1e6


def burst(port: int, target: str, pid: int) -> float:
    """Microseconds of CPU a chunk, of one stream as fast as it goes."""
    before = load.cpu_seconds(pid)
    seen = load.run(port, [[asked(target, f"X-Chunks: {BURST}")]])
    assert seen.whole == 1
    return (load.cpu_seconds(pid) - before) / BURST * 1e6


def settled(recorder: Recorder, count: int) -> None:
    """Wait until the writer has decided so many streams, so that its work is in no other figure."""
    recorder.decisions(count)


@loaded
def test_cpu_and_latency_beside_other_proxies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = str(Path(load.__file__).with_name("plain_proxy.py"))
    with ExitStack() as stack:
        provider = stack.enter_context(load.provider())
        here = f"http://127.0.0.1:{provider}"
        bare, bare_port = stack.enter_context(load.process(sys.executable, plain, here, environment=environment()))
        recorder = stack.enter_context(Recorder(tmp_path / "out", "--upstream", f"openai={here}", "--log", "json"))
        ways: dict[str, tuple[int, str, int | None]] = {"no proxy": (provider, RECORDED, None)}
        if shutil.which("nginx"):
            port, pid = stack.enter_context(nginx(tmp_path, provider))
            ways["nginx"] = (port, RECORDED, pid)
        ways["mitmproxy alone"] = (bare_port, RECORDED, bare.pid)
        ways["recorder, passing"] = (recorder.port, PASSED, recorder.process.pid)
        ways["recorder, recording"] = (recorder.port, RECORDED, recorder.process.pid)
        decided = 0
        bursts: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(ROUNDS):
            for way, (port, target, pid) in ways.items():
                if pid:
                    bursts[way].append(burst(port, target, pid))
                    decided += way == "recorder, recording"
                    settled(recorder, decided)
        rows: dict[int, dict[str, tuple[list[float], float]]] = {}
        for streams in (50, 200):
            found: dict[str, tuple[list[float], list[float]]] = {way: ([], []) for way in ways}
            for _ in range(ROUNDS):
                for way, (port, target, pid) in ways.items():
                    latencies, cpu = measured(port, target, streams, pid)
                    found[way][0].extend(latencies)
                    found[way][1].append(cpu)
                    decided += streams * (way == "recorder, recording")
                    settled(recorder, decided)
            rows[streams] = {
                way: (sorted(all_of_it), statistics.median(cpu)) for way, (all_of_it, cpu) in found.items()
            }
        summary: dict[str, Any] = recorder.stop()
    assert (summary["captured"], summary["dropped"], summary["bugs"]) == (decided, {}, {})
    with capsys.disabled():
        print(f"\none burst of {BURST:,} chunks, CPU a chunk:")
        base = statistics.median(bursts["mitmproxy alone"])
        for way, values in bursts.items():
            if values:
                middle = statistics.median(values)
                print(f"  {way:20} {middle:6.1f} us, {middle / base:.2f} of mitmproxy alone")
        for streams, ways_of in rows.items():
            print(f"{streams} streams at {1000 // PACE} chunks a second, latency and CPU a chunk:")
            base_latencies, base = ways_of["mitmproxy alone"]
            for way, (latencies, cpu) in ways_of.items():
                median, p99 = statistics.median(latencies), latencies[int(len(latencies) * 0.99)]
                ratio = f", {cpu:6.1f} us, {cpu / base:.2f} of mitmproxy alone" if cpu else ""
                print(
                    f"  {way:20} median {median:6.2f} ms ({median / statistics.median(base_latencies):.2f}),"
                    f" p99 {p99:7.2f} ms{ratio}"
                )


@loaded
def test_memory_stays_flat(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Over 5,000 recorded streams, and over one body of 200 MB, of which the recorder may keep 64 MiB."""
    with (
        load.provider() as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai=http://127.0.0.1:{provider}", "--log", "json") as recorder,
    ):
        pids = {"recorder": recorder.process.pid, "redaction": recorder.redaction}
        found: dict[str, list[float]] = {name: [] for name in pids}
        decided = 0
        for _ in range(5):
            for _ in range(10):
                seen = load.run(recorder.port, [[asked(RECORDED, "X-Chunks: 40")] * 10] * 10)
                assert seen.whole == 100
                decided += 100
                settled(recorder, decided)
            for name, pid in pids.items():
                found[name].append(load.memory(pid))
        load.run(recorder.port, [[asked(RECORDED, "X-Blob: 200", "X-Chunks: 2")]])
        settled(recorder, decided + 1)
        after = {name: (load.memory(pid), load.memory(pid, "VmHWM")) for name, pid in pids.items()}
        summary: dict[str, Any] = recorder.stop()
    assert summary["captured"] == decided + 1
    assert summary["dropped"] == {"response over --max-body": 1}
    with capsys.disabled():
        print("\nresident memory in MiB, after each 1,000 recorded streams:")
        for name, values in found.items():
            print(f"  {name:10} {' '.join(f'{value:.0f}' for value in values)}")
        for name, (now, highest) in after.items():
            print(f"  {name:10} after one body of 200 MiB: {now:.0f}, at its highest: {highest:.0f}")
    for values in found.values():
        assert values[-1] - values[1] < 16  # warm after the first 2,000
    assert after["recorder"][1] - found["recorder"][-1] < 3 * 64

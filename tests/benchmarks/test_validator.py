"""What judging costs: against `json.loads` alone over the same payload texts, in the same run.

Prints figures and ratios and asserts no times: `pytest tests/benchmarks -s`. The target is at most 0.6 times
`json.loads` from decoded payloads and 2.5 times from the fixture file.
"""

import gc
import json
import math
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from replay.validator import Envelope, Limits, judge, read_envelope, validate
from replay.validator.strict_json import parse

pytestmark = pytest.mark.benchmark

CALLS = 8
DELTAS = 20_000
FRAGMENT = "abcde"
ROUNDS = 5
UNLIMITED = Limits(max_events=10_000_000, max_slot_bytes=1 << 30, max_turn_bytes=1 << 30)
TOOLS = {"put": {"type": "object", "properties": {"a": {"type": "string"}}}}


def chunk(entry: dict[str, Any] | None, finish: str | None = None) -> dict[str, Any]:
    delta = {"tool_calls": [entry]} if entry is not None else {}
    return {
        "id": "chatcmpl-0000000000000000000000000001",
        "object": "chat.completion.chunk",
        "created": 1760000000,
        "model": "example-model",
        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
    }


def chunks(calls: int, deltas: int) -> list[dict[str, Any]]:
    """Calls that grow round robin."""
    found = [
        chunk(
            {
                "index": slot,
                "id": f"call_{slot}",
                "type": "function",
                "function": {"name": "put", "arguments": '{"a":"'},
            }
        )
        for slot in range(calls)
    ]
    found += [chunk({"index": step % calls, "function": {"arguments": FRAGMENT}}) for step in range(deltas)]
    found += [chunk({"index": slot, "function": {"arguments": '"}'}}) for slot in range(calls)]
    return [*found, chunk(None, "tool_calls")]


def events(calls: int, deltas: int) -> list[dict[str, Any]]:
    """Blocks that grow round robin."""

    def grow(slot: int, text: str) -> dict[str, Any]:
        delta = {"type": "input_json_delta", "partial_json": text}
        return {"type": "content_block_delta", "index": slot, "delta": delta}

    found: list[dict[str, Any]] = [{"type": "message_start", "message": {"id": "msg_1", "content": []}}]
    for slot in range(calls):
        block = {"type": "tool_use", "id": f"toolu_{slot}", "name": "put", "input": {}}
        found += [{"type": "content_block_start", "index": slot, "content_block": block}, grow(slot, '{"a":"')]
    found += [grow(step % calls, FRAGMENT) for step in range(deltas)]
    for slot in range(calls):
        found += [grow(slot, '"}'), {"type": "content_block_stop", "index": slot}]
    return [*found, {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}]


FAMILIES: dict[str, tuple[str, Callable[[int, int], list[dict[str, Any]]]]] = {
    "openai": ("chunks", chunks),
    "anthropic": ("events", events),
}


def fixture(profile: str, texts: list[str]) -> bytes:
    array = FAMILIES[profile][0]
    head = json.dumps({"profile": profile, "tool_schemas": TOOLS})[:-1]
    return (head + f', "{array}": [\n' + ",\n".join(texts) + "\n]}\n").encode()


def best(work: Callable[[], object]) -> float:
    """The shortest of several runs, in seconds of processor time: what else runs on the machine counts little."""
    times = []
    for _ in range(ROUNDS):
        gc.collect()
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def texts_of(profile: str, calls: int, deltas: int) -> list[str]:
    return [json.dumps(payload, separators=(",", ":")) for payload in FAMILIES[profile][1](calls, deltas)]


def loads_all(texts: list[str]) -> None:
    for text in texts:
        json.loads(text)


@pytest.mark.parametrize("profile", FAMILIES)
@pytest.mark.parametrize(
    ("name", "streams", "calls", "deltas"),
    [("A, one stream, 8 calls", 1, CALLS, DELTAS), ("B, 1,000 streams of 60", 1_000, 1, 57)],
)
def test_the_cost_of_judging(profile: str, name: str, streams: int, calls: int, deltas: int) -> None:
    texts = texts_of(profile, calls, deltas)
    data = fixture(profile, texts)
    envelope = read_envelope(data)
    assert isinstance(envelope, Envelope)
    assert judge(envelope).executable
    turns = range(streams)
    alone = best(lambda: [loads_all(texts) for _ in turns])
    payloads = best(lambda: [judge(envelope) for _ in turns])

    file = best(lambda: [validate(data) for _ in turns])
    total = streams * len(texts)
    print(f"\n{name}, {profile}: json.loads {total / alone:,.0f} payloads/s;", end=" ")
    print(f"from decoded payloads {total / payloads:,.0f}/s, {payloads / alone:.2f} times its time;", end=" ")
    print(f"from the file {total / file:,.0f}/s, {file / alone:.2f} times")


@pytest.mark.parametrize("profile", FAMILIES)
def test_the_cost_grows_with_the_work(profile: str) -> None:
    points = []
    for deltas in (1_000, 10_000, 100_000, 1_000_000):
        payloads = FAMILIES[profile][1](CALLS, deltas)
        envelope = Envelope(profile=profile, tool_schemas=TOOLS, payloads=payloads)
        gc.collect()
        start = time.process_time()
        assert judge(envelope, limits=UNLIMITED).executable
        points.append((math.log(deltas), math.log(time.process_time() - start)))
        del payloads, envelope
    mean_x, mean_y = (sum(axis) / len(points) for axis in zip(*points, strict=True))
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    print(f"\n{profile}: from 1,000 to 1,000,000 deltas, fitted exponent {slope:.2f}")


@pytest.mark.parametrize("profile", FAMILIES)
def test_the_memory_of_judging(profile: str) -> None:
    data = fixture(profile, texts_of(profile, CALLS, DELTAS))
    tracemalloc.start()
    decoded = parse(data.decode(), max_nesting=512).value
    size, _ = tracemalloc.get_traced_memory()
    del decoded
    tracemalloc.reset_peak()
    assert validate(data).executable
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"\n{profile}: decoded {size / 1e6:.1f} MB, at most {peak / 1e6:.1f} MB while judging, {peak / size:.2f} x")

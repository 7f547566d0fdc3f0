"""What judging costs: against `json.loads` alone over the same payload texts, in the same run.

Prints figures and ratios and asserts no times: `pytest tests/benchmarks -s`. The target is at most 0.6 times
`json.loads` from decoded payloads and 2.5 times from the fixture file. In a run of all tests it does a small part.
"""

import gc
import json
import math
import subprocess
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from support.builders.growing import responses
from support.made.mutations import CARRIED, hangs_together, load, mutants
from support.processes import clients
from support.shared import ROOT, beside
from support.streamed import bedrock, cohere, gemini

from replay.validator import Allowance, Code, Envelope, Limits, envelope_from, judge, read_envelope, validate
from replay.validator.strict_json import parse

pytestmark = [pytest.mark.benchmark, pytest.mark.nightly]

ACCUMULATE = ROOT / "tests" / "clients" / "accumulate.py"
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

    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "example-model",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 1},
    }
    found: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    for slot in range(calls):
        block = {"type": "tool_use", "id": f"toolu_{slot}", "name": "put", "input": {}}
        found += [{"type": "content_block_start", "index": slot, "content_block": block}, grow(slot, '{"a":"')]
    found += [grow(step % calls, FRAGMENT) for step in range(deltas)]
    for slot in range(calls):
        found += [grow(slot, '"}'), {"type": "content_block_stop", "index": slot}]
    end = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}}
    return [*found, end, {"type": "message_stop"}]


def converse(calls: int, deltas: int) -> list[dict[str, Any]]:
    """Blocks of Bedrock that grow round robin."""
    found: list[dict[str, Any]] = [bedrock.BEGIN]
    for slot in range(calls):
        found += [bedrock.start(slot, name="put"), bedrock.grow(slot, '{"a":"')]
    found += [bedrock.grow(step % calls, FRAGMENT) for step in range(deltas)]
    for slot in range(calls):
        found += [bedrock.grow(slot, '"}'), bedrock.stop(slot)]
    return [*found, bedrock.end()]


def chat(calls: int, deltas: int) -> list[dict[str, Any]]:
    """Calls of Cohere that grow round robin."""
    found = [cohere.begin()]
    for slot in range(calls):
        found.append(cohere.start(slot, name="put", arguments='{"a":"'))
    found += [cohere.grow(step % calls, FRAGMENT) for step in range(deltas)]
    for slot in range(calls):
        found += [cohere.grow(slot, '"}'), cohere.stop(slot)]
    return [*found, cohere.end()]


def parts(_: int, deltas: int) -> list[dict[str, Any]]:
    """A call of Gemini that grows piece by piece, by its path: it has one open at a time."""
    piece = {"jsonPath": "$.a", "stringValue": FRAGMENT, "willContinue": True}
    grow = gemini.chunk(gemini.call(partialArgs=[piece], willContinue=True))
    last = gemini.call(partialArgs=[{"jsonPath": "$.a", "stringValue": FRAGMENT}], willContinue=True)
    ends = [gemini.chunk(last), gemini.chunk(gemini.call()), gemini.chunk({"text": ""}, reason="STOP")]
    return [gemini.chunk(gemini.call(name="put", willContinue=True)), *[grow] * deltas, *ends]


# How many members the argument object of a whole call has, and how many calls a stream has.
MEMBERS = 100
WHOLE_CALLS = 20


def arguments() -> dict[str, str]:
    return {f"member {at}": f"{at} and some words" for at in range(MEMBERS)}


def whole_of_gemini() -> list[dict[str, Any]]:
    calls = [gemini.chunk(gemini.call(name="put", args=arguments())) for _ in range(WHOLE_CALLS)]
    return [*calls, gemini.chunk({"text": ""}, reason="STOP")]


def whole_of_ollama() -> list[dict[str, Any]]:
    called = [{"function": {"name": "put", "arguments": arguments()}}]
    end = {"model": "llama3.2", "message": {"role": "assistant", "content": ""}, "done_reason": "stop", "done": True}
    call = {"model": "llama3.2", "message": {"role": "assistant", "content": "", "tool_calls": called}, "done": False}
    return [*[call] * WHOLE_CALLS, end]


WHOLE = {"gemini": whole_of_gemini, "ollama": whole_of_ollama}


FAMILIES: dict[str, tuple[str, Callable[[int, int], list[dict[str, Any]]]]] = {
    "openai": ("chunks", chunks),
    "anthropic": ("events", events),
    "openai-responses": ("events", lambda calls, deltas: responses(calls, deltas, fragment=FRAGMENT)),
    "bedrock-converse": ("events", converse),
    "cohere-v2": ("events", chat),
    "gemini": ("chunks", parts),
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


WORKLOADS = {"A, one stream, 8 calls": (1, CALLS, DELTAS), "B, streams of 60": (1_000, 1, 57)}
SAMPLE = 50  # streams of B in a run of all tests


def size_of(name: str, thorough: bool) -> tuple[int, int, int]:
    streams, calls, deltas = WORKLOADS[name]
    return (streams, calls, deltas) if thorough else (min(streams, SAMPLE), calls, min(deltas, 2_000))


@pytest.mark.parametrize("profile", FAMILIES)
@pytest.mark.parametrize("name", WORKLOADS)
def test_the_cost_of_judging(profile: str, name: str, thorough: bool) -> None:
    streams, calls, deltas = size_of(name, thorough)
    texts = texts_of(profile, calls, deltas)
    data = fixture(profile, texts)
    schemas = json.dumps(TOOLS)
    envelope = read_envelope(data)
    assert isinstance(envelope, Envelope)
    assert judge(envelope).executable
    turns = range(streams)

    def decode() -> Envelope:
        """A stream as a gateway has it: fresh payloads, and the schemas of its own request."""
        return Envelope(
            profile=profile, tool_schemas=json.loads(schemas), payloads=[json.loads(text) for text in texts]
        )

    def decode_all() -> None:
        for _ in turns:
            decode()

    def judge_all() -> None:
        for _ in turns:
            judge(decode())

    alone = best(lambda: [loads_all(texts) for _ in turns])
    again = best(lambda: [judge(envelope) for _ in turns])
    decoding, both = best(decode_all), best(judge_all)
    file = best(lambda: [validate(data) for _ in turns])
    total = streams * len(texts)
    print(f"\n{name}, {profile}: json.loads {total / alone:,.0f} payloads/s;", end=" ")
    print(f"from decoded payloads {total / again:,.0f}/s, {again / alone:.2f} times its time", end=" ")
    if streams > 1:  # of one large stream this would mostly measure the collector
        print(f"({(both - decoding) / alone:.2f} where each stream is judged once, right after decoding)", end=" ")
    print(f"and from the file {total / file:,.0f}/s, {file / alone:.2f} times")


@pytest.mark.parametrize("profile", WHOLE)
def test_the_cost_of_judging_whole_objects(profile: str) -> None:
    """Payloads that are nearly all argument object; the target is at most 2 times `json.loads`."""
    texts = [json.dumps(payload, separators=(",", ":")) for payload in WHOLE[profile]()]
    payloads = [json.loads(text) for text in texts]
    envelope = Envelope(profile=profile, tool_schemas=TOOLS, payloads=payloads)
    assert judge(envelope).executable
    alone, again = (best(work) for work in (lambda: loads_all(texts), lambda: judge(envelope)))
    print(f"\n{profile}, whole objects of {MEMBERS} members: judging {again / alone:.2f} times json.loads")


@pytest.mark.clients
@pytest.mark.parametrize("profile", ["openai", "anthropic"])
def test_the_cost_of_judging_against_that_of_the_official_clients(profile: str, thorough: bool) -> None:
    workloads: list[dict[str, Any]] = []
    for name in WORKLOADS:
        streams, calls, deltas = size_of(name, thorough)
        workloads.append({"texts": texts_of(profile, calls, deltas), "streams": min(streams, 200 if thorough else 10)})
    task = {"profile": profile, "rounds": ROUNDS if thorough else 1, "workloads": workloads}
    done = subprocess.run(
        [clients.python(), ACCUMULATE], input=json.dumps(task), capture_output=True, text=True, check=False, timeout=280
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    for name, workload, theirs in zip(WORKLOADS, workloads, json.loads(done.stdout), strict=True):
        print(f"\n{name}, {profile}: {compared(profile, theirs, **workload)}")


def compared(profile: str, theirs: dict[str, Any], *, texts: list[str], streams: int) -> str:
    """How the client's times compare with judging the same payloads here."""
    turns = range(streams)
    envelope = read_envelope(fixture(profile, texts))
    assert isinstance(envelope, Envelope)
    assert json.loads(judge(envelope).calls[0].arguments) == json.loads(theirs["arguments"])
    alone = best(lambda: [loads_all(texts) for _ in turns])
    ours = best(lambda: [judge(envelope) for _ in turns])
    client, kernel = theirs["client"] / theirs["loads"], ours / alone
    return (
        f"the client's accumulation {client:.1f} times json.loads, judging {kernel:.2f} times: "
        f"{client / kernel:.0f} times faster"
    )


@pytest.mark.parametrize("profile", FAMILIES)
def test_the_cost_grows_with_the_work(profile: str, thorough: bool) -> None:
    points = []
    sizes = (1_000, 10_000, 100_000, 1_000_000)
    for deltas in sizes if thorough else sizes[:2]:
        payloads = FAMILIES[profile][1](CALLS, deltas)
        envelope = Envelope(profile=profile, tool_schemas=TOOLS, payloads=payloads)
        gc.collect()
        start = time.process_time()
        assert judge(envelope, limits=UNLIMITED).executable
        points.append((math.log(deltas), math.log(time.process_time() - start)))
        del payloads, envelope
    mean_x, mean_y = (sum(axis) / len(points) for axis in zip(*points, strict=True))
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    print(f"\n{profile}: from {sizes[0]:,} to {sizes[len(points) - 1]:,} deltas, fitted exponent {slope:.2f}")


def test_damaged_cases_give_reports(thorough: bool) -> None:
    shared = beside("cases")
    fixtures = load(CARRIED) + (load(shared) if shared is not None else [])
    counts: Counter[str] = Counter()
    codes: Counter[Code] = Counter()
    slowest = 0.0
    start = time.process_time()
    for mutant in mutants(fixtures, seed=1, count=100_000 if thorough else 500):
        before = time.process_time()
        envelope = envelope_from(mutant)
        report = judge(envelope, accept=list(Allowance)) if isinstance(envelope, Envelope) else None
        slowest = max(slowest, time.process_time() - before)
        counts[report.status.value if report is not None else "invalid"] += 1
        if report is not None:
            hangs_together(report)
            codes.update({finding.code for finding in report.findings})
    verdicts = ", ".join(f"{count:,} {status}" for status, count in counts.most_common())
    print(f"\n{sum(counts.values()):,} damaged cases in {time.process_time() - start:.0f} s: {verdicts};", end=" ")
    print(f"{len(codes) + 1} of {len(Code)} codes; the slowest took {slowest * 1e3:.1f} ms")
    if thorough:
        assert codes.keys() == set(Code) - {Code.INVALID_FIXTURE}


@pytest.mark.parametrize("profile", FAMILIES)
def test_the_memory_of_judging(profile: str, thorough: bool) -> None:
    data = fixture(profile, texts_of(profile, CALLS, DELTAS if thorough else 2_000))
    tracemalloc.start()
    decoded = parse(data.decode(), max_nesting=512).value
    size, _ = tracemalloc.get_traced_memory()
    del decoded
    tracemalloc.reset_peak()
    assert validate(data).executable
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"\n{profile}: decoded {size / 1e6:.1f} MB, at most {peak / 1e6:.1f} MB while judging, {peak / size:.2f} x")

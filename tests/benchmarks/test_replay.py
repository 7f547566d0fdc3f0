"""What replaying costs: 10,000 fixtures of 60 events against `json.loads` of the same files, and what a start costs.

Prints figures and ratios and asserts no times: `pytest tests/benchmarks/test_replay.py -s`. The fixtures are recorded
turns as redaction writes them: the payloads of each family with all their members, arguments in pieces.
"""

import json
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
FIXTURES: Final = 10_000
SAMPLE: Final = 200  # in a run of all tests
EVENTS: Final = 60
ROUNDS: Final = 3
SCHEMA: Final = {
    "search": {
        "type": "object",
        "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 1, "maximum": 20}},
        "required": ["query"],
        "additionalProperties": False,
    }
}

pytestmark = [pytest.mark.benchmark, pytest.mark.nightly, pytest.mark.timeout(1800)]


def pieces(number: int, count: int) -> list[str]:
    """Arguments of one call in `count` pieces."""
    text = json.dumps({"query": f"word {number} " * 40, "limit": 1 + number % 20})
    step = -(-len(text) // count)
    found = [text[at : at + step] for at in range(0, len(text), step)]
    return found + [""] * (count - len(found))


def openai(number: int) -> dict[str, object]:
    def chunk(delta: object, finish: str | None = None) -> object:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "gpt-4o-mini",
            "service_tier": "default",
            "system_fingerprint": "fp_1",
            "choices": [choice],
            "usage": None,
            "obfuscation": "x",
        }

    call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "search", "arguments": ""}}
    first = chunk({"role": "assistant", "content": None, "tool_calls": [call], "refusal": None})
    middle = [
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}) for piece in pieces(number, EVENTS - 2)
    ]
    return {"profile": "openai", "array": "chunks", "items": [first, *middle, chunk({}, "tool_calls")]}


def anthropic(number: int) -> dict[str, object]:
    usage = {"input_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 0}
    message = {
        "model": "claude-sonnet-4-5",
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    start = {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {}}
    stop = {"stop_reason": "tool_use", "stop_sequence": None}
    middle = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}}
        for piece in pieces(number, EVENTS - 6)
    ]
    items = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "ping"},
        *middle,
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": usage},
        {"type": "message_stop"},
    ]
    return {"profile": "anthropic", "array": "events", "items": items}


def write(path: Path, turn: dict[str, object]) -> None:
    """As the recorder writes a fixture: one payload a line, no spaces in it."""
    items = turn["items"]
    assert isinstance(items, list)
    assert len(items) == EVENTS
    capture = {"provider": "x", "model": "x", "api": "x", "mode": "reverse", "stream_end": "complete", "policy": 1}
    head = {"fixture_version": 1, "profile": turn["profile"], "tool_schemas": SCHEMA, "capture": capture}
    lines = ",\n".join(json.dumps(item, separators=(",", ":")) for item in items)
    text = json.dumps(head, separators=(",", ":"))[:-1] + f',\n"{turn["array"]}": [\n{lines}\n]\n}}\n'
    path.write_text(text, "utf-8")


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from replay.cli import main; main()", *arguments]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """With compiled modules, as an installation has them."""
    return {"PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(tmp_path_factory.mktemp("compiled"))}


@pytest.fixture(scope="module", params=[openai, anthropic], ids=["openai", "anthropic"])
def corpus(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    environment: dict[str, str],
    thorough: bool,
) -> Path:
    folder = tmp_path_factory.mktemp(request.param.__name__)
    for number in range(FIXTURES if thorough else SAMPLE):
        write(folder / f"{number:05}.json", request.param(number))
    subprocess.run(
        command("replay", "--update", str(folder), "--report", f"jsonl={folder}/../pinned"),
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return folder


# The other side of the comparison, as a command of its own: `json.loads` over files, in as many processes.
LOADS: Final = """
import json, sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

def loads(paths):
    for path in paths:
        with open(path, "rb") as file:
            json.loads(file.read())

folder, suffix, processes = sys.argv[1], sys.argv[2], int(sys.argv[3])
paths = sorted(str(path) for path in Path(folder).iterdir() if path.name.count(".") <= int(suffix))
if processes == 1:
    loads(paths)
else:
    with ProcessPoolExecutor(processes) as pool:
        list(pool.map(loads, [paths[part::processes] for part in range(processes)]))
"""


def best(words: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds by the clock, and of processors: the least of a few runs each. On a busy machine the latter say more."""
    clock, processors = [], []
    for _ in range(ROUNDS):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(words, env=environment, check=True, stdout=subprocess.DEVNULL)
        clock.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processors.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(clock), min(processors)


@pytest.mark.parametrize("processes", [1, 2])
def test_replaying_is_measured_against_reading_the_same_files(
    corpus: Path, environment: dict[str, str], processes: int
) -> None:
    count = len(list(corpus.iterdir())) // 2
    assert count in (FIXTURES, SAMPLE)
    sides = {
        "json.loads of the fixtures": [sys.executable, "-c", LOADS, str(corpus), "1", str(processes)],
        "json.loads of fixtures and pins": [sys.executable, "-c", LOADS, str(corpus), "2", str(processes)],
    }
    clock, processors = best(command("replay", str(corpus), "--jobs", str(processes)), environment)
    size = (corpus / "00000.json").stat().st_size
    print(
        f"\n{corpus.name}, {count:,} fixtures of {EVENTS} events and {size:,} bytes, {processes} process(es): "
        f"replay {clock:.2f} s, {processors:.2f} s of processors"
    )
    for name, words in sides.items():
        base_clock, base_processors = best(words, environment)
        print(
            f"  {name} {base_clock:.2f} s, {base_processors:.2f} s of processors: "
            f"ratio {clock / base_clock:.2f}, of processors {processors / base_processors:.2f}"
        )


# Not getrusage: its figure is inherited from the process that started this one.
PEAK: Final = """
import re, sys
from replay.cli import main
try:
    main()
finally:
    with open("/proc/self/status") as file:
        print(re.search(r"VmHWM:\\s*([0-9]+) kB", file.read())[1], file=sys.stderr)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="this system tells no peak of one process")
def test_memory_is_measured_against_the_number_of_fixtures(corpus: Path, environment: dict[str, str]) -> None:
    peaks = {}
    for pattern in ("0000[0-9].json", "*[0-9].json"):
        done = subprocess.run(
            [sys.executable, "-c", PEAK, "replay", str(corpus / pattern), "--report", "json"],
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        peaks[pattern] = int(done.stderr) / 1024
    few, many = peaks.values()
    print(f"\npeak memory: 10 fixtures {few:.1f} MiB, all {many:.1f} MiB")
    assert few > 0


def test_the_start_is_measured_against_a_bare_interpreter(corpus: Path, environment: dict[str, str]) -> None:
    one = str(corpus / "00000.json")

    def run(words: list[str]) -> float:
        start = time.perf_counter()
        subprocess.run(words, env=environment, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start

    run(command("replay", one))
    pairs = [(run([sys.executable, "-c", "pass"]), run(command("replay", one))) for _ in range(9)]
    bare, replayed = (min(times) for times in zip(*pairs, strict=True))
    middle = statistics.median(replayed - bare for bare, replayed in pairs)
    print(
        f"\nstart: python -c pass {1000 * bare:.0f} ms, toolreel replay ONE {1000 * replayed:.0f} ms; "
        f"{1000 * (replayed - bare):.0f} ms more (median of pairs {1000 * middle:.0f} ms)"
    )

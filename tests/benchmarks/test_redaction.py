"""What redaction costs: megabytes of response body a second with the whole gate, and how it grows with size.

Prints figures and ratios to `json.loads` over the same payloads in the same run, and asserts no times:
`pytest tests/benchmarks/test_redaction.py -s`. The target is 3 MB a second, linear up to 16 MB.
"""

import contextlib
import gc
import json
import math
import time
import tracemalloc
from collections.abc import Callable

import pytest

from redaction.captured.exchange import Exchange, Proved
from redaction.redactor import redact

pytestmark = [pytest.mark.benchmark, pytest.mark.nightly]

ROUNDS = 2
SIZES_MB = (1, 2, 4, 8, 16)
SAMPLE_MB = (0.2, 0.4)  # in a run of all tests
PROSE = "The patient was seen on Tuesday and asked about the second opinion; nothing else was noted in the record. "
SCHEMA = {
    "type": "object",
    "properties": {
        "rows": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
            },
        }
    },
}


def body(payloads: list[object]) -> bytes:
    return b"".join(b"data: %b\n\n" % json.dumps(one).encode() for one in payloads) + b"data: [DONE]\n\n"


def chunk(delta: object, finish: str | None = None) -> dict[str, object]:
    return {
        "id": "chatcmpl-AbCdEfGh",
        "object": "chat.completion.chunk",
        "created": 1760000000,
        "model": "gpt-4o",
        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
    }


def prose(size: int) -> bytes:
    """Text deltas; longer ones where the event limit of the validator would be passed."""
    count = min(90_000, size // 190)
    text = PROSE * math.ceil(size / max(count, 1) / len(PROSE))
    length = max(5, size // count - 180)
    return body([chunk({"content": text[:length]}) for _ in range(count)])


def arguments(size: int) -> bytes:
    """One call whose arguments hold rows, 40 characters to a delta (more where limits ask for it)."""
    room = min(size // 6, 4_000_000)
    row = json.dumps({"name": "Ann Miller", "age": 44, "note": PROSE[:40]})
    text = '{"rows": [' + ", ".join([row] * (room // len(row))) + "]}"
    step = max(40, len(text) // 90_000 + 1)
    pieces = [text[at : at + step] for at in range(0, len(text), step)]
    found = [chunk({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "put", "arguments": ""}}]})]
    found += [chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}) for piece in pieces]
    return body([*found, chunk({}, "tool_calls")])


def exchange(raw: bytes) -> Exchange:
    tools = [{"type": "function", "function": {"name": "put", "description": PROSE, "parameters": SCHEMA}}]
    request = {"model": "gpt-4o", "messages": [{"role": "user", "content": PROSE}], "tools": tools}
    return Exchange(profile="openai", provider="openai", request_body=json.dumps(request).encode(), body=raw)


def best(run: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        gc.collect()
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


@pytest.mark.parametrize("kind", [prose, arguments], ids=["prose", "arguments"])
def test_speed_and_growth(kind: Callable[[int], bytes], thorough: bool) -> None:
    points = []
    print()
    for size in SIZES_MB if thorough else SAMPLE_MB:
        raw = kind(int(size * 1e6))
        texts = [line.removeprefix(b"data: ") for line in raw.split(b"\n\n") if line and line != b"data: [DONE]"]
        found = exchange(raw)
        result = redact(found)
        assert isinstance(result, Proved), result
        took = best(lambda found=found: redact(found))  # type: ignore[misc]
        plain = best(lambda texts=texts: [json.loads(text) for text in texts])  # type: ignore[misc]
        points.append((len(raw), took))
        print(
            f"{kind.__name__}: {len(raw) / 1e6:6.2f} MB, {len(texts):6d} events: {len(raw) / 1e6 / took:5.2f} MB/s, "
            f"{took / plain:5.1f} times json.loads, fixture {len(result.fixture.data) / len(raw):.2f} of the body"
        )
    logs = [(math.log(size), math.log(took)) for size, took in points]
    middle = [sum(axis) / len(logs) for axis in zip(*logs, strict=True)]
    slope = sum((x - middle[0]) * (y - middle[1]) for x, y in logs) / sum((x - middle[0]) ** 2 for x, _ in logs)
    print(f"{kind.__name__}: time grows with size to the power of {slope:.2f}")


@pytest.mark.parametrize("kind", [prose, arguments], ids=["prose", "arguments"])
def test_memory(kind: Callable[[int], bytes], thorough: bool) -> None:
    raw = kind(4_000_000 if thorough else 200_000)
    found = exchange(raw)
    tracemalloc.start()
    result = redact(found)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert isinstance(result, Proved), result
    print(f"\n{kind.__name__}: peak of {peak / len(raw):.1f} times the body of {len(raw) / 1e6:.1f} MB")


@pytest.mark.parametrize("kind", [prose, arguments], ids=["prose", "arguments"])
def test_against_secret_scanners(kind: Callable[[int], bytes], thorough: bool) -> None:
    """What scanners that guess cost on the same body: those that are installed here."""
    raw = kind(2_000_000 if thorough else 100_000)
    found = exchange(raw)
    took = best(lambda: redact(found))
    print(f"\n{kind.__name__}: redaction with the whole gate {len(raw) / 1e6 / took:.2f} MB/s")
    for name, scan in scanners(raw.decode()):
        scanned = best(scan)
        print(
            f"{kind.__name__}: {name} {len(raw) / 1e6 / scanned:.2f} MB/s; redaction takes {took / scanned:.2f} of it"
        )


def scanners(text: str) -> list[tuple[str, Callable[[], object]]]:
    """The scanners that can be imported, each as a run over `text`."""
    installed: list[tuple[str, Callable[[], object]]] = []
    with contextlib.suppress(ImportError):
        from kingfisher_sdk import Scanner

        scanner = Scanner()
        installed.append(("Kingfisher", lambda: scanner.scan(text)))
    with contextlib.suppress(ImportError):
        from detect_secrets.core.scan import scan_line
        from detect_secrets.settings import default_settings

        def by_line() -> None:
            with default_settings():
                for line in text.splitlines():
                    list(scan_line(line))

        installed.append(("detect-secrets", by_line))
    if not installed:
        pytest.skip("no secret scanner is installed: pip install kingfisher-secret-scanner detect-secrets")
    return installed

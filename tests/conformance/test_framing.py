"""The framing data: every body in every framing gives its payloads, however it is cut, and raises nothing."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import shared

from redaction.captured.payloads import Broken, read_payload
from replay.validator import strict_json
from replay.wire.aws_event_stream import AWS_EVENT_STREAM
from replay.wire.framing import Frame, Framing, Payloads
from replay.wire.json_array import JSON_ARRAY
from replay.wire.ndjson import NDJSON
from replay.wire.sse import SSE

FRAMINGS: dict[str, Framing] = {one.name: one for one in (AWS_EVENT_STREAM, JSON_ARRAY, NDJSON, SSE)}
CARRIED = Path(__file__).parents[1] / "data" / "framing" / "cases.json"


def cases(path: Path) -> list[dict[str, object]]:
    found = strict_json.parse(path.read_text("utf-8"), max_nesting=1000).value
    assert isinstance(found, list)
    return found


# Of a long body, not every position is tried alone: its cuts are as far apart as makes about so many.
MOST_CUTS = 400


def cuts_of(size: int) -> Iterator[tuple[int, ...]]:
    yield tuple(range(1, size))
    for cut in range(1, size, 1 + size // MOST_CUTS):
        yield (cut,)


def frames_of(framing: Framing, body: bytes, cuts: tuple[int, ...]) -> tuple[list[Frame], bool]:
    stream = framing.open()
    found: list[Frame] = []
    for start, end in zip((0, *cuts), (*cuts, len(body)), strict=True):
        found += stream.feed(body[start:end])
    tail = stream.close()
    return [*found, *tail.frames], tail.pending


def payloads(framing: Framing, body: bytes) -> Payloads:
    """The payloads of a body, which no cut changes."""
    whole = frames_of(framing, body, ())
    for cuts in cuts_of(len(body)):
        assert frames_of(framing, body, cuts) == whole, f"cut at {cuts[:3]}"
    return framing.collect(whole[0], read_payload)


def check(case: dict[str, object]) -> None:
    body = base64.b64decode(str(case["input_base64"]))
    found = payloads(FRAMINGS[str(case["framing"])], body).items
    expected = case["payloads"]
    assert isinstance(expected, list)
    assert len(found) == len(expected)
    for item, payload in zip(found, expected, strict=True):
        if payload == "<any string>":
            assert isinstance(item, Broken)
        else:
            assert item == payload


@pytest.mark.parametrize("case", cases(CARRIED), ids=lambda case: case["name"])
def test_a_body_gives_its_payloads_at_every_cut(case: dict[str, object]) -> None:
    check(case)


def test_the_reference_data_give_theirs() -> None:
    found = cases(shared.folder("suites") / "framing" / "cases.json")
    for case in found:
        check(case)
    assert len(found) >= 111


def test_the_carried_cases_are_of_every_framing() -> None:
    assert {case["framing"] for case in json.loads(CARRIED.read_text("utf-8"))} == FRAMINGS.keys()

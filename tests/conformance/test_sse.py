"""The server-sent events data: every body at every cut gives the events, payloads and report that the data demand."""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from support import shared

from replay.wire.payloads import collect
from replay.wire.sse import EventStream, Frame, Tail


@dataclass(frozen=True, kw_only=True)
class Body:
    frames: list[Frame]
    tail: Tail


def cuts_of(body: bytes) -> Iterator[tuple[int, ...]]:
    yield ()
    yield tuple(range(1, len(body)))
    for cut in range(1, len(body)):
        yield (cut,)


def read(body: bytes, cuts: tuple[int, ...]) -> Body:
    stream = EventStream()
    frames: list[Frame] = []
    for start, end in zip((0, *cuts), (*cuts, len(body)), strict=True):
        frames += stream.feed(body[start:end])
    return Body(frames=frames, tail=stream.close())


def at_every_cut(body: bytes) -> Body:
    whole = read(body, ())
    for cuts in cuts_of(body):
        assert read(body, cuts) == whole, f"cut at {cuts[:3]}"
    return whole


def events_of(body: Body) -> tuple[list[dict[str, str]], int | None, str]:
    """As a client sees the stream: names with their default, the last event id carried along."""
    last_id, retry, found = "", None, []
    for frame in [*body.frames, body.tail]:
        last_id = frame.id if frame.id is not None else last_id
        retry = int(frame.retry) if frame.retry is not None else retry
        if isinstance(frame, Frame):
            found.append({"event": frame.event or "message", "data": frame.data, "id": last_id})
    return found, retry, last_id


def test_every_case_of_the_standard_gives_its_events_at_every_cut() -> None:
    cases = json.loads((shared.folder("suites") / "sse" / "cases.json").read_bytes())
    for case in cases:
        found = events_of(at_every_cut(base64.b64decode(case["input_base64"])))
        assert found == (case["events"], case["retry"], case["last_event_id"]), f"{case['name']}: {case['rule']}"
    assert len(cases) >= 50, "the data are there, but hardly any case was read"


def case_bodies() -> list[Path]:
    return sorted((shared.folder("cases") / "sse").glob("*.sse"))


def test_every_body_of_the_cases_gives_its_payloads_at_every_cut() -> None:
    for path in case_bodies():
        expected = json.loads(path.with_suffix(".expected.json").read_bytes())["payloads"]
        found = collect(at_every_cut(path.read_bytes()).frames, lambda frame: frame)
        assert len(found.items) == len(expected), path.name
        for item, payload in zip(found.items, expected, strict=True):
            if not isinstance(payload, str):
                assert isinstance(item, Frame)
                assert json.loads(item.data) == payload, path.name
        assert [item == "[DONE]" for item in found.items] == [payload == "[DONE]" for payload in expected], path.name
    assert len(case_bodies()) >= 40, "the data are there, but hardly any case was read"

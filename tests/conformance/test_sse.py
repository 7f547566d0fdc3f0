"""The server-sent events data: every body at every cut gives the events, payloads and report that the data demand."""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from support import shared
from support.later import built

from replay.corpus.pins import without_messages
from replay.families import array
from replay.validator import Allowance, Envelope, Limits, envelope_from, judge, strict_json
from replay.wire.framing import Frame, Tail
from replay.wire.sse import EventStream, collect


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
    parts = [part for holder in (*body.frames, body.tail) for part in (*holder.blocks, holder)]
    for frame in parts:
        if not isinstance(frame, Tail):  # whose block is not whole: an id in it does not count
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
    return built(sorted((shared.folder("cases") / "sse").glob("*.sse")))


def strictly(text: str, max_nesting: int) -> strict_json.Parsed:
    return strict_json.parse(text, max_nesting=max_nesting)


def payload_of(frame: Frame) -> object:
    """The payload as it stands in the array: a string where it could not stand in a fixture file (section 6).

    A file may nest 512 levels, and the fixture and its array are two of them.
    """
    parsed = strictly(frame.data, 510)
    return parsed.value if frame.utf8 and parsed.code is None else frame.data


def test_every_body_of_the_cases_gives_its_payloads_and_report_at_every_cut() -> None:
    for path in case_bodies():
        expected = strictly(path.with_suffix(".expected.json").read_text("utf-8"), 1000).value
        assert isinstance(expected, dict)
        found = collect(at_every_cut(path.read_bytes()).frames, payload_of)
        assert len(found.items) == len(expected["payloads"]), path.name
        for item, payload in zip(found.items, expected["payloads"], strict=True):
            if isinstance(payload, str) and payload != "[DONE]":
                assert isinstance(item, str), path.name  # what it says is the redactor's choice
                assert item != "[DONE]", path.name
            else:
                assert item == payload, path.name
        profile = expected["profile"]
        envelope = envelope_from(
            {"profile": profile, "tool_schemas": expected["tool_schemas"], array(profile): found.items}
        )
        assert isinstance(envelope, Envelope), path.name
        limits = Limits(**expected.get("limits", {}))
        report = judge(envelope, accept=[Allowance(name) for name in expected.get("accept", [])], limits=limits)
        conditions = {"payloads", "tool_schemas", "accept", "limits"}
        assert without_messages(report) == {
            name: value for name, value in expected.items() if name not in conditions
        }, path.name
    assert len(case_bodies()) >= 40, "the data are there, but hardly any case was read"

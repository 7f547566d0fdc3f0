"""A fixture to frames: what `transport` says, and what providers do where it says nothing."""

import json

import pytest

from replay.body.forms import HALF_EVENT
from replay.body.rendering import Rendered, render
from replay.corpus.loading import load
from replay.wire.framing import LineEnd
from replay.wire.sse import EventStream, collect

CHUNKS = [{"id": "a", "choices": []}, {"id": "a", "choices": [{"index": 0, "delta": {"content": "ü\n"}}]}]


def rendered(
    *, profile: str = "openai", payloads: object = CHUNKS, indent: int | None = None, **members: object
) -> Rendered:
    array = "events" if profile == "anthropic" else "chunks"
    fixture = {"profile": profile, "tool_schemas": {}, **members, array: payloads}
    return render(load(json.dumps(fixture, ensure_ascii=False, indent=indent).encode()))


def body(**members: object) -> bytes:
    return b"".join(rendered(**members).frames)  # type: ignore[arg-type]


def test_without_transport_a_turn_is_sent_as_its_provider_does() -> None:
    found = rendered()
    assert (found.status, found.content_type, found.coding) == (200, "text/event-stream", "identity")
    assert found.frames == (
        b'data: {"id": "a", "choices": []}\n\n',
        'data: {"id": "a", "choices": [{"index": 0, "delta": {"content": "ü\\n"}}]}\n\n'.encode(),
        b"data: [DONE]\n\n",
    )


def test_the_events_of_anthropic_are_named_and_have_no_end_marker() -> None:
    assert body(profile="anthropic", payloads=[{"type": "ping"}]) == b'event: ping\ndata: {"type": "ping"}\n\n'


def test_the_layout_of_the_file_does_not_reach_the_wire() -> None:
    lines = body(indent=1).splitlines()
    assert len(lines) == 6
    assert json.loads(lines[2].removeprefix(b"data: ")) == CHUNKS[1]


@pytest.mark.parametrize("told", [{"status": 429, "content_type": None}, {"status": 201, "content_type": "other"}])
def test_status_and_content_type_are_as_recorded(told: dict[str, object]) -> None:
    found = rendered(transport=told)
    assert found.status == told["status"]
    assert found.content_type == (None if told["content_type"] is None else "application/octet-stream")


def test_marks_stand_where_they_were_recorded() -> None:
    told = {"comments": [[1, 2]], "ids": [0], "retries": [1], "event_names": ["", "message"], "done": 0}
    first, second = body(transport=told).split(b"\n\n")[:2]
    assert first.splitlines()[0] == b"id: 0"
    assert second.splitlines()[:4] == [b":", b":", b"event: message", b"retry: 3000"]


@pytest.mark.parametrize("end", list(LineEnd))
def test_line_ends_are_as_recorded(end: LineEnd) -> None:
    stream = EventStream()
    stream.feed(body(transport={"line_ends": [end.value]}))
    assert stream.close().line_ends == {end}


def test_several_line_ends_all_stand_in_the_body() -> None:
    stream = EventStream()
    frames = stream.feed(body(transport={"line_ends": ["cr", "crlf", "lf"]}))
    assert stream.close().line_ends == set(LineEnd)
    assert len(frames) == 3


def test_a_byte_order_mark_comes_first_and_a_half_event_last() -> None:
    found = rendered(transport={"byte_order_mark": True, "unterminated_event": True, "done": 2})
    assert found.frames[0].startswith(b"\xef\xbb\xbfdata: ")
    assert found.frames[-3:] == (b"data: [DONE]\n\n", b"data: [DONE]\n\n", HALF_EVENT)
    stream = EventStream()
    assert len(stream.feed(b"".join(found.frames))) == 4
    assert stream.close().pending


def test_a_cut_stream_has_no_end_marker_unless_one_was_recorded() -> None:
    capture = {"stream_end": "upstream_disconnected"}
    assert b"[DONE]" not in body(capture=capture)
    assert b"[DONE]" in body(capture=capture, transport={"done": 1})


def test_a_payload_that_is_no_json_value_is_sent_as_it_is_and_an_end_marker_in_the_middle_too() -> None:
    stream = EventStream()
    frames = stream.feed(body(payloads=['{"x":', "[DONE]", {"id": "b"}]))
    assert [frame.data for frame in frames] == ['{"x":', "[DONE]", '{"id": "b"}', "[DONE]"]
    assert collect(frames, lambda frame: frame.data).done == 1


@pytest.mark.parametrize(
    "told",
    [
        {
            "content_coding": "x",
            "status": 99,
            "line_ends": "lf",
            "done": -1,
            "event_names": "x",
            "comments": [3],
            "ids": [-1],
            "retries": 7,
        },
        {
            "content_coding": 7,
            "status": "200",
            "line_ends": ["x"],
            "done": True,
            "event_names": [1, 2],
            "comments": [[9, 9]],
            "ids": {},
        },
    ],
)
def test_what_transport_cannot_mean_is_as_if_it_said_nothing(told: dict[str, object]) -> None:
    assert rendered(transport=told) == rendered()


def test_events_that_had_no_names_are_sent_without_them() -> None:
    events = [{"type": "message_start", "message": {}}, {"type": "message_stop"}]
    fixture = {"profile": "anthropic", "tool_schemas": {}, "events": events}

    def sent(**members: object) -> bytes:
        return b"".join(render(load(json.dumps({**fixture, **members}).encode())).frames)

    assert sent(transport={"event_names": "type", "done": 0}).count(b"event: ") == 2
    assert b"event: " not in sent(transport={"done": 0})
    assert sent().count(b"event: ") == 2  # nothing of it is recorded: as its provider sends it


def test_a_name_of_words_with_hyphens_is_sent_too() -> None:
    """As each event of Cohere's API has it, whether recorded or not."""
    events = [{"type": "message-start"}, {"type": "tool-plan-delta"}, {"type": "a b"}]
    fixture = {"profile": "cohere-v2", "tool_schemas": {}, "events": events}
    for told in ({}, {"transport": {"event_names": "type", "done": 0}}):
        frames = b"".join(render(load(json.dumps({**fixture, **told}).encode())).frames)
        assert [line for line in frames.splitlines() if line.startswith(b"event:")] == [
            b"event: message-start",
            b"event: tool-plan-delta",
        ]

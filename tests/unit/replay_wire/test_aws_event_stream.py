"""AWS event streams alone: there and back, within the bound, and beside the parser of the AWS SDK."""

import base64
import json
import struct
from zlib import crc32

import pytest
from botocore.eventstream import EventStreamBuffer
from hypothesis import given
from hypothesis import strategies as st

from replay.wire.aws_event_stream import AWS_EVENT_STREAM, AwsEventStream, chunk, render
from replay.wire.framing import EventTooLongError, Frame, RenderError

STOP = Frame(kind="event", event="messageStop", data='{"stopReason":"tool_use"}', levels=1)


def read(body: bytes, *cuts: int, limit: int = 1 << 20) -> list[Frame]:
    stream = AwsEventStream(limit=limit)
    found: list[Frame] = []
    for start, end in zip((0, *cuts), (*cuts, len(body)), strict=True):
        found += stream.feed(body[start:end])
    return found


def loads(frame: Frame) -> object:
    """As a strict reader would: the value, or a text for what is none."""
    try:
        return frame.data if frame.broken else json.loads(frame.data)
    except ValueError:
        return frame.data


def header(name: bytes, kind: int, value: bytes) -> bytes:
    return bytes([len(name)]) + name + bytes([kind]) + value


def text(name: bytes, value: bytes) -> bytes:
    return header(name, 7, struct.pack(">H", len(value)) + value)


def sealed(headers: bytes, payload: bytes = b"{}") -> bytes:
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    whole = prelude + struct.pack(">I", crc32(prelude)) + headers + payload
    return whole + struct.pack(">I", crc32(whole))


TYPES = text(b":message-type", b"event") + text(b":event-type", b"messageStop")

names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)
payloads = st.text(st.characters(codec="utf-8"), max_size=40)
events = st.builds(lambda name, data: Frame(kind="event", event=name, data=data), names, payloads)


@given(st.lists(events, max_size=5), st.data())
def test_what_is_written_reads_back_at_any_cut(written: list[Frame], data: st.DataObject) -> None:
    body = b"".join(map(render, written))
    cuts = sorted(data.draw(st.sets(st.integers(0, len(body)), max_size=6)))
    found = read(body, *cuts)
    assert [(one.kind, one.event, one.data) for one in found] == [(one.kind, one.event, one.data) for one in written]
    assert found == read(body)


@given(st.binary(max_size=200), st.data())
def test_any_bytes_give_the_same_frames_at_any_cut(body: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(body)), max_size=6)))
    assert read(body, *cuts) == read(body)


@given(st.lists(events, min_size=1, max_size=4), st.data())
def test_damaged_frames_are_read_as_far_as_the_sdk_reads_them(written: list[Frame], data: st.DataObject) -> None:
    body = bytearray(b"".join(map(render, written)))
    for at in data.draw(st.sets(st.integers(0, len(body) - 1), max_size=2)):
        body[at] ^= data.draw(st.integers(1, 255))
    del body[data.draw(st.integers(0, len(body))) :]
    theirs, sound = [], True
    buffer = EventStreamBuffer()
    buffer.add_data(bytes(body))
    try:
        for message in buffer:
            theirs.append(message.to_response_dict())
    except Exception:
        sound = False
    ours = read(bytes(body))
    assert [one.broken for one in ours] == [False] * len(theirs) + [True] * (not sound)
    for one, message in zip(ours, theirs, strict=False):
        assert (one.event, one.data.encode()) == (message["headers"][":event-type"], message["body"])


def test_the_sdk_reads_what_is_written() -> None:
    buffer = EventStreamBuffer()
    buffer.add_data(render(STOP) + render(Frame(kind="exception", event="throttlingException", data="")))
    event, exception = buffer
    assert event.to_response_dict() == {
        "status_code": 200,
        "headers": {":event-type": "messageStop", ":content-type": "application/json", ":message-type": "event"},
        "body": b'{"stopReason":"tool_use"}',
    }
    assert exception.to_response_dict()["headers"][":exception-type"] == "throttlingException"
    assert exception.to_response_dict()["status_code"] == 400


def test_an_event_stands_under_its_type_and_a_chunk_for_what_it_holds() -> None:
    inner = '{"type":"message_stop"}'
    found = AWS_EVENT_STREAM.collect(read(render(STOP) + render(chunk(inner))), loads)
    assert found.items == [{"messageStop": {"stopReason": "tool_use"}}, {"type": "message_stop"}]


@pytest.mark.parametrize(
    "bytes_member",
    ["e30", "e30=\n", "é30=", "!!!!", 3, None, base64.b64encode(b"\xff{}").decode()],
)
def test_a_chunk_that_holds_no_base64_is_broken(bytes_member: object) -> None:
    frame = Frame(kind="event", event="chunk", data=json.dumps({"bytes": bytes_member}))
    [found] = AWS_EVENT_STREAM.collect(read(render(frame)), loads).items
    assert isinstance(found, str)


def test_the_message_of_an_exception_is_not_kept() -> None:
    headers = text(b":message-type", b"exception") + text(b":exception-type", b"validationException")
    body = sealed(headers, b'{"message":"the prompt of mara.lindqvist is too long"}')
    found = AWS_EVENT_STREAM.collect(read(body), loads)
    assert found.items == [{"error": {"type": "validationException"}}]
    assert "lindqvist" not in "".join(frame.data for frame in found.frames)


@pytest.mark.parametrize(
    "extra",
    [
        header(b"a", 0, b"") + header(b"b", 1, b"") + header(b"c", 2, b"x") + header(b"d", 3, b"xx"),
        header(b"a", 4, b"xxxx") + header(b"b", 5, b"x" * 8) + header(b"c", 8, b"x" * 8) + header(b"d", 9, b"x" * 16),
        header(b"a", 6, b"\0\3abc") + text(b"b", b""),
    ],
)
def test_other_headers_are_read_over(extra: bytes) -> None:
    assert read(sealed(extra + TYPES)) == [Frame(kind="event", event="messageStop", data="{}", levels=1)]


@pytest.mark.parametrize(
    "headers",
    [
        header(b"a", 10, b""),
        header(b"a", 9, b"x" * 15),
        header(b"a", 7, b"\0"),
        header(b"a", 7, b"\0\5abcd"),
        b"\5abc",
        b"\1",
        TYPES + text(b":event-type", b"again"),
        text(b"a", b"\xff"),
        text(b"\xff", b"a"),
    ],
    ids=["type", "short", "no-length", "over", "name-over", "no-type", "twice", "value-utf8", "name-utf8"],
)
def test_headers_that_are_not_sound_end_the_reading(headers: bytes) -> None:
    [found] = read(sealed(headers) + sealed(TYPES))
    assert found.broken


def test_a_frame_over_the_bound_is_refused_as_soon_as_its_head_is_there() -> None:
    body = sealed(TYPES, b'{"a":"' + b"x" * 100 + b'"}')
    assert len(read(body, limit=len(body))) == 1
    stream = AwsEventStream(limit=len(body) - 1)
    assert stream.feed(body[:11]) == []
    for piece in (body[11:12], b""):
        with pytest.raises(EventTooLongError):
            stream.feed(piece)
    with pytest.raises(EventTooLongError):
        stream.close()


@pytest.mark.parametrize(
    "frame",
    [
        Frame(data="{}"),
        Frame(data="{}", kind="event"),
        Frame(data="{}", kind="notice", event="a"),
        Frame(data="\ud800", kind="event", event="a"),
        Frame(data="{}", kind="event", event="a" * (1 << 15)),
        Frame(data="", broken=True),
    ],
)
def test_what_has_no_form_is_not_written(frame: Frame) -> None:
    with pytest.raises(RenderError):
        render(frame)

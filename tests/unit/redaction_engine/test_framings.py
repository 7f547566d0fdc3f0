"""Which framing a body has: that of its family which its start says, and a refusal where it is of another."""

import pytest

from redaction.captured.exchange import Exchange, Reason, Refused
from redaction.captured.judged_capture import understood
from redaction.captured.payloads import Body, read_body
from replay.wire.aws_event_stream import AWS_EVENT_STREAM, chunk
from replay.wire.framing import Framing
from replay.wire.json_array import JSON_ARRAY
from replay.wire.ndjson import NDJSON
from replay.wire.sse import SSE

EVENT = b'data: {"a":1}\n\n'
ARRAY = b'[{"a":1},\n{"a":2}]'
MESSAGE = AWS_EVENT_STREAM.render(chunk('{"a":1}'))


def body_of(data: bytes, *framings: Framing) -> Body:
    found = read_body(data, None, *framings, limit=10_000)
    assert isinstance(found, Body)
    return found


@pytest.mark.parametrize(
    ("data", "framing", "payloads"),
    [
        (EVENT, SSE, 1),
        (b"\r\n \t" + EVENT[:-1] + b"\n", SSE, 0),  # an indented field is another one
        (ARRAY, JSON_ARRAY, 2),
        (b" \n " * 300 + ARRAY, JSON_ARRAY, 2),
        (b'{"error":{}}', JSON_ARRAY, 1),
        (MESSAGE, AWS_EVENT_STREAM, 1),
        (b"", SSE, 0),
        (b" \n", SSE, 0),
        (b"hello", SSE, 0),
    ],
)
def test_the_first_byte_says_the_framing(data: bytes, framing: Framing, payloads: int) -> None:
    found = body_of(data, SSE, JSON_ARRAY, AWS_EVENT_STREAM)
    assert found.framing is framing
    assert len(found.payloads) == payloads


def test_a_family_of_one_framing_reads_everything_in_it() -> None:
    assert len(body_of(ARRAY + b"\n", NDJSON).payloads) == 2
    assert body_of(b" \n" + EVENT, SSE).framing is SSE


@pytest.mark.parametrize("data", [ARRAY, MESSAGE, b'{"error":{"code":400}}', b'\n{"a":1}\n{"b":2}\n'])
def test_a_body_of_another_framing_is_refused_as_such(data: bytes) -> None:
    refused = understood(Exchange(profile="openai", provider="openai", body=data), limit=10_000)
    assert refused == Refused(reason=Reason.FRAMING)


def test_what_has_events_all_the_same_is_read() -> None:
    data = b'{"a":1}\n\n' + EVENT
    assert not isinstance(understood(Exchange(profile="openai", provider="openai", body=data), limit=10_000), Refused)

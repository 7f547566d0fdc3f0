"""When the parts of a body came, as HAR files tell it: used where it fits the body, and else not at all."""

import base64
import json
from typing import Any

import pytest

from proxy_addon.importing import bodies
from proxy_addon.importing.readers import har, har_times, other_tools
from redaction.captured.exchange import Arrivals, Came

BODY = b'data: {"a":1}\n\n: ping\n\nid: 7\r\ndata: {"b":2}\r\n\r\ndata: [DONE]\n\n'
ENDS = tuple(BODY.index(mark) + len(mark) for mark in (b"1}\n\n", b"2}\r\n\r\n", b"DONE]\n\n"))


def entry(**members: Any) -> dict[str, Any]:
    content = {"text": BODY.decode()}
    request = {"method": "POST", "url": "https://api.openai.com/v1/chat/completions", "headers": []}
    return {"request": request, "response": {"status": 200, "headers": [], "content": content}, **members}


def messages(*times: object) -> list[dict[str, object]]:
    return [{"time": time, "data": "{}"} for time in times]


@pytest.mark.parametrize(
    "times", [(1_700_000_000.0, 1_700_000_000.25, 1_700_000_001.5), (1.7e12, 1.7e12 + 250, 1.7e12 + 1500)]
)
def test_messages_of_chrome_are_the_times_of_events(times: tuple[float, ...]) -> None:
    found = har.entry(entry(_eventSourceMessages=messages(*times)))
    assert found.arrivals == Arrivals(ends=ENDS, times=(0, 250, 1500), of=Came.EVENT)


def test_chunks_are_reads_with_times() -> None:
    chunks = [{"ts": 20.5, "bytes": 10}, {"ts": 121, "bytes": len(BODY) - 10}]
    assert har.entry(entry(_chunks=chunks)).arrivals == Arrivals(ends=(10, len(BODY)), times=(0, 100))


def test_pieces_of_polly_are_reads_without_times() -> None:
    text = json.dumps([base64.b64encode(part).decode() for part in (BODY[:9], BODY[9:])])
    found = entry()
    found["response"]["content"] = {"text": text}
    assert har.entry(found).arrivals == Arrivals(ends=(9, len(BODY)))


def test_pieces_of_nock_are_reads_without_times() -> None:
    call = {"scope": "https://api.openai.com:443", "method": "POST", "path": "/v1/chat/completions", "status": 200}
    found = other_tools.nock({**call, "response": [BODY[:9].hex(), BODY[9:].hex()]})
    assert found.arrivals == Arrivals(ends=(9, len(BODY)))


@pytest.mark.parametrize(
    "members",
    [
        {"_eventSourceMessages": messages(1, 2)},
        {"_eventSourceMessages": messages(1, 3, 2)},
        {"_eventSourceMessages": messages(1, 2, "x")},
        {"_eventSourceMessages": messages(1, 2, float("nan"))},
        {"_eventSourceMessages": [1, 2, 3]},
        {"_eventSourceMessages": {}},
        {"_chunks": [{"ts": 1, "bytes": 10}]},
        {"_chunks": [{"ts": 1, "bytes": True}, {"ts": 1, "bytes": len(BODY) - 1}]},
        {"_chunks": [{"ts": 2, "bytes": 1}, {"ts": 1, "bytes": len(BODY) - 1}]},
        {"_chunks": [{"bytes": len(BODY)}]},
        {},
    ],
)
def test_what_does_not_fit_the_body_is_not_used(members: dict[str, Any]) -> None:
    assert har.entry(entry(**members)).arrivals is None
    assert har_times.arrivals([], BODY) is None


def test_a_body_whose_coding_is_put_on_again_keeps_its_pieces() -> None:
    found = har.entry(entry(_chunks=[{"ts": 0, "bytes": 20}, {"ts": 5, "bytes": len(BODY) - 20}]))
    _, packed = bodies.agreeing((("content-encoding", "gzip"),), BODY)
    pieces = bodies.as_it_came(found, packed)
    assert len(pieces) == 2
    undo = bodies.decoder("gzip", limit=1000)
    assert [undo.feed(piece) for piece in pieces] == [BODY[:20], BODY[20:]]
    assert bodies.as_it_came(found, BODY) == (BODY[:20], BODY[20:])

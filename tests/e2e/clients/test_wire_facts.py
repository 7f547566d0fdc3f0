"""What clients read of the wire beside the payloads: the decoders of real SDKs, on a raw body and on what is served."""

import base64
import json
import subprocess
from itertools import product
from pathlib import Path

import pytest
from support.processes import clients
from support.streamed.answers import answer

from redaction.captured.exchange import Exchange, Pieces, Proved
from redaction.proof.scan import scan_fixture
from redaction.redactor import redact
from replay.body.rendering import render
from replay.corpus.loading import load

pytestmark = pytest.mark.clients

DRIVER = """
import base64, json, sys
from importlib import import_module

def kind(data):
    try:
        return type(json.loads(data)).__name__
    except ValueError:
        return data[:1] and "broken"

def read(decoder, body):
    for one in decoder.iter_bytes(iter([body])):
        yield [one.event, one.id and "an id", one.retry is not None, kind(one.data)]

asked = json.load(sys.stdin)
found = [
    list(read(import_module(f"{sdk}._streaming").SSEDecoder(), base64.b64decode(body))) for sdk, body in asked
]
json.dump(found, sys.stdout)
"""

CHUNK = b'data: {"id":"c","choices":[{"index":0,"delta":{"content":"word"}}]}\n\n'
LAST = b'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
DONE = b"data: [DONE]\n\n"
IN_LINES = b'data: {"id":"c",\ndata: "choices":[{"index":0,\ndata:\ndata: "delta":{"content":"word"}}]}\n\n'
WITH_ID = b"id: 7\n" + CHUNK

BODIES = {
    "a keep-alive": b": waiting\n\n" * 3 + CHUNK + b": waiting\n\n" + LAST + DONE,
    "a keep-alive behind an id": WITH_ID + b": waiting\n\n" + WITH_ID + b": waiting\n\n: waiting\n\n" + LAST + DONE,
    "a comment behind an id": WITH_ID + b": waiting\n" + WITH_ID + LAST + DONE,
    "a keep-alive before the end marker": WITH_ID + LAST + b": waiting\n\n" + DONE,
    "a keep-alive behind all": WITH_ID + LAST + DONE + b": waiting\n\n\n",
    "a blank line more": CHUNK + b"\n" + WITH_ID + b"\n\n" + LAST + DONE,
    "an id alone": CHUNK + b"id: 7\n\n" + CHUNK + b"id: 7\nretry: 9\n\n" + LAST + DONE,
    "a name alone": CHUNK + b"event: ping\n\n" + CHUNK + b"event: message\n: split\n\n" + LAST + DONE,
    "a retry time alone": b"retry: 100\n\n" + CHUNK + LAST + DONE,
    "several lines": CHUNK + IN_LINES + LAST + DONE,
    "several lines, broken": CHUNK + b'data: {"id":"c"\ndata: "x"\n\n' + b"data: {}\ndata: {}\n\n" + LAST + DONE,
    "lines of nothing": CHUNK + b"data:\ndata\n\n" + LAST + DONE,
    "carriage returns": (WITH_ID + b": waiting\n\n\n" + IN_LINES + LAST + DONE).replace(b"\n", b"\r"),
    "both": (WITH_ID + b": waiting\n\n\n" + IN_LINES + LAST + DONE).replace(b"\n", b"\r\n"),
}


def served(found: Exchange) -> bytes:
    proved = redact(found, pieces=Pieces.EXACT)
    assert isinstance(proved, Proved), proved
    assert not list(scan_fixture(proved.fixture.data))
    return b"".join(render(load(proved.fixture.data)).frames)


def read(asked: list[tuple[str, bytes]], interpreter: Path) -> list[list[object]]:
    given = json.dumps([[sdk, base64.b64encode(body).decode()] for sdk, body in asked])
    ran = subprocess.run([interpreter, "-c", DRIVER], input=given, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    found: list[list[object]] = json.loads(ran.stdout)
    return found


def test_sdks_read_the_same_events_of_the_raw_stream_and_of_what_is_served() -> None:
    interpreter = clients.python()
    turn = answer("openai", ["x"])
    exchanges = {
        name: Exchange(profile="openai", provider="openai", request_body=turn.request_body, body=body)
        for name, body in BODIES.items()
    }
    asked = list(product(("openai", "anthropic"), BODIES))
    raw = read([(sdk, BODIES[name]) for sdk, name in asked], interpreter)
    masked = read([(sdk, served(exchanges[name])) for sdk, name in asked], interpreter)
    for (sdk, name), one, other in zip(asked, raw, masked, strict=True):
        assert one == other, f"{sdk}: {name}"
    # By the standard a keep-alive is no event. To an SDK that has seen an id it is an empty one.
    by_name = dict(zip(asked, raw, strict=True))
    assert [event[3] for event in by_name["openai", "a keep-alive behind an id"]].count("") == 3
    assert [event[3] for event in by_name["openai", "a keep-alive"]].count("") == 0


def test_a_served_body_is_recorded_as_the_same_shape() -> None:
    turn = answer("openai", ["x"])
    for name, body in BODIES.items():
        found = Exchange(profile="openai", provider="openai", request_body=turn.request_body, body=body)
        once = redact(found, pieces=Pieces.EXACT)
        again = redact(
            Exchange(profile="openai", provider="openai", request_body=turn.request_body, body=served(found)),
            pieces=Pieces.EXACT,
        )
        assert isinstance(once, Proved)
        assert isinstance(again, Proved)
        assert once.fixture.data == again.fixture.data, name

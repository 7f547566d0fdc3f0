"""A turn that came in a carrier is answered in it where it is asked for, and else as its own API streams it."""

import json
from typing import Any

import pytest

from replay.body.rendering import render
from replay.corpus.loading import load
from replay.serve.answers import NO_FIXTURE, Answers
from replay.serve.http1 import Request
from replay.serve.matching import FixtureMatcher, ServedFixture
from replay.wire.aws_event_stream import AWS_EVENT_STREAM

STOP = {"type": "message_stop"}
INVOKE = "/model/anthropic.claude%3A0/invoke-with-response-stream"
CARRIED = {"framing": "eventstream-chunks", "content_type": "application/vnd.amazon.eventstream", "done": 0}


def fixture(name: str, profile: str, payload: Any, **transport: Any) -> ServedFixture:
    value = {"profile": profile, "tool_schemas": {}, "events": [payload], "transport": transport}
    return ServedFixture(name=name, profile=profile, upstream="bedrock", loaded=load(json.dumps(value).encode()))


FIXTURES = [
    fixture("carried", "anthropic", STOP, **CARRIED),
    fixture("plain", "anthropic", STOP, framing="sse", event_names="type"),
    fixture("nova", "bedrock-converse", {"messageStop": {}}, **CARRIED),
    fixture("converse", "bedrock-converse", {"messageStop": {}}, framing="eventstream"),
]


def asked(target: str) -> tuple[int, str | None, dict[str, str], bytes]:
    request = Request(method="POST", target=target, headers=(), body=b'{"stream": true}')
    found = Answers(FixtureMatcher(FIXTURES)).answer(request)
    return found.status, found.fixture, dict(found.headers), b"".join(piece.data for piece in found.pieces)


@pytest.mark.parametrize(
    ("target", "name", "form"),
    [
        (f"/case/carried{INVOKE}", "carried", "eventstream-chunks"),
        (f"/case/plain{INVOKE}", "plain", "eventstream-chunks"),
        (f"/case/nova{INVOKE}", "nova", "eventstream-chunks"),
        (f"/case/converse{INVOKE}", "converse", "eventstream-chunks"),
        ("/case/nova/model/x/converse-stream", "nova", "eventstream"),
        ("/case/converse/model/x/converse-stream", "converse", "eventstream"),
        (f"/bedrock{INVOKE}", "carried", "eventstream-chunks"),
    ],
)
def test_the_path_says_whether_a_carrier_is_asked_for(target: str, name: str, form: str) -> None:
    status, served, headers, body = asked(target)
    assert (status, served, headers["Content-Type"]) == (200, name, "application/vnd.amazon.eventstream")
    stream = AWS_EVENT_STREAM.open()
    assert AWS_EVENT_STREAM.form(stream.feed(body)) == form
    assert not stream.close().pending


@pytest.mark.parametrize("name", ["carried", "plain"])
def test_the_own_path_of_an_api_has_its_own_framing(name: str) -> None:
    status, served, headers, body = asked(f"/case/{name}/v1/messages")
    assert (status, served, headers["Content-Type"]) == (200, name, "text/event-stream")
    assert body == b'event: message_stop\ndata: {"type": "message_stop"}\n\n'


def test_a_family_that_no_carrier_has_is_not_there() -> None:
    mistral = {"profile": "mistral", "tool_schemas": {}, "chunks": []}
    one = ServedFixture(name="a", profile="mistral", upstream="mistral", loaded=load(json.dumps(mistral).encode()))
    request = Request(method="POST", target=f"/case/a{INVOKE}", headers=(), body=b"{}")
    assert Answers(FixtureMatcher([one])).answer(request).status == NO_FIXTURE


def test_a_form_that_was_recorded_is_rendered_as_it_was() -> None:
    assert render(FIXTURES[0].loaded) == render(FIXTURES[0].loaded, "eventstream-chunks")

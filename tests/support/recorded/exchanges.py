"""Exchanges for redaction tests: fixtures turned back into the traffic they stand for."""

import json
from collections.abc import Mapping, Sequence

from support.builders.asking import Wanted
from support.families import FAMILIES
from support.recorded.event_messages import event_body

from redaction.captured.exchange import Ending, Exchange
from replay.families import FAMILIES as WIRE
from replay.families import array
from replay.wire.aws_event_stream import AWS_EVENT_STREAM
from replay.wire.ndjson import NDJSON

ENDINGS = {
    "complete": Ending.MESSAGE_END,
    "client_disconnected": Ending.CLIENT,
    "upstream_disconnected": Ending.UPSTREAM,
    "proxy_stopped": Ending.PROXY,
}
FRAMED = {profile: family.framing for profile, family in WIRE.items()}
PROMPT = "CANARY-prompt-7f3a: the patient has stage two lymphoma"


def request_body(
    profile: str, tool_schemas: Mapping[str, object], tool_choice: str | None = None, *, parallel: bool | None = None
) -> bytes:
    """A request that declares these tools, with text that no fixture may hold."""
    wanted = Wanted(schemas=tool_schemas, say=lambda: PROMPT, choice=tool_choice, parallel=parallel)
    return json.dumps({"stream": True, "model": "gpt-4o", **FAMILIES[profile].ask(wanted)}).encode()


def sse_body(payloads: Sequence[object], *, done: bool) -> bytes:
    """The payloads as an event stream; a payload that is a string is sent as the text it is."""
    lines = []
    for payload in payloads:
        # A string that holds a payload was a bare JSON string on the wire; any other is what could not be read.
        bare = isinstance(payload, str) and not payload.startswith("{")
        text = str(payload) if bare else json.dumps(payload)
        lines.append("".join(f"data: {line}\n" for line in text.split("\n")) + "\n")
    return ("".join(lines) + ("data: [DONE]\n\n" if done else "")).encode("utf-8", "surrogatepass")


def line_body(payloads: Sequence[object]) -> bytes:
    """The payloads as lines; a payload that is a string is sent as the text it is, where it can be a line."""
    lines = []
    for payload in payloads:
        bare = isinstance(payload, str) and not payload.startswith("{") and "\n" not in payload and payload.strip()
        lines.append((str(payload) if bare else json.dumps(payload)) + "\n")
    return "".join(lines).encode("utf-8", "surrogatepass")


def content_type(profile: str) -> str:
    """The content type of a stream of this profile."""
    return FRAMED[profile].content_type


def body_of(profile: str, payloads: Sequence[object], *, done: bool = False) -> bytes:
    """The payloads as this profile puts them into a body."""
    if FRAMED[profile] is AWS_EVENT_STREAM:
        return event_body(payloads)
    if FRAMED[profile] is NDJSON:
        return line_body(payloads)
    return sse_body(payloads, done=done)


def exchange_of(fixture: Mapping[str, object]) -> Exchange:
    """The exchange that a fixture could have been recorded from."""
    profile = str(fixture["profile"])
    capture = fixture.get("capture", {})
    assert isinstance(capture, dict)
    end = capture.get("stream_end", "complete")
    payloads = fixture[array(profile)]
    assert isinstance(payloads, list)
    schemas = fixture["tool_schemas"]
    assert isinstance(schemas, dict)
    allow = fixture.get("allow", [])
    assert isinstance(allow, list)
    return Exchange(
        profile=profile,
        provider=profile,
        request_body=request_body(
            profile, schemas, capture.get("tool_choice"), parallel=capture.get("parallel_tool_calls")
        ),
        content_type=content_type(profile),
        body=body_of(profile, payloads),
        ending=ENDINGS.get(end, Ending.UPSTREAM),
        allow=tuple(allow),
    )

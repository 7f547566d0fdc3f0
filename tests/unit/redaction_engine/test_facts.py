"""`capture` and `transport`: closed words only, and who ended the stream."""

import json

import pytest

from redaction.captured.exchange import Ending, Exchange
from redaction.captured.facts import capture_facts, stream_end, transport_facts
from redaction.captured.payloads import read_body
from redaction.captured.request import read_request
from replay.wire.sse import SSE

CHUNK = b'data: {"choices":[]}\n\n'
DONE = b"data: [DONE]\n\n"
STOP = b'data: {"type":"message_stop"}\n\n'
HALF = b'data: {"choi'


@pytest.mark.parametrize(
    ("profile", "raw", "ending", "end"),
    [
        ("openai", CHUNK + DONE, Ending.MESSAGE_END, "complete"),
        ("openai", CHUNK + DONE, Ending.CLOSE, "complete"),
        ("openai", CHUNK + DONE, Ending.CLIENT, "complete"),
        ("openai", CHUNK + DONE, Ending.UPSTREAM, "complete"),
        ("openai", CHUNK + DONE, Ending.PROXY, "complete"),
        ("openai", CHUNK, Ending.MESSAGE_END, "complete"),
        ("openai", CHUNK, Ending.CLOSE, "upstream_disconnected"),
        ("openai", CHUNK, Ending.CLIENT, "client_disconnected"),
        ("openai", CHUNK, Ending.UPSTREAM, "upstream_disconnected"),
        ("openai", CHUNK, Ending.PROXY, "proxy_stopped"),
        ("openai", CHUNK + HALF, Ending.MESSAGE_END, "upstream_disconnected"),
        ("openai", CHUNK + HALF, Ending.CLIENT, "client_disconnected"),
        ("openai", CHUNK + HALF, Ending.PROXY, "proxy_stopped"),
        ("openai", DONE + CHUNK, Ending.CLIENT, "client_disconnected"),
        ("openai", STOP, Ending.CLOSE, "upstream_disconnected"),
        ("anthropic", STOP, Ending.CLOSE, "complete"),
        ("anthropic", STOP, Ending.CLIENT, "complete"),
        ("anthropic", CHUNK, Ending.MESSAGE_END, "complete"),
        ("anthropic", CHUNK, Ending.CLOSE, "upstream_disconnected"),
    ],
)
def test_a_stream_is_complete_by_its_marker_or_its_message(profile: str, raw: bytes, ending: Ending, end: str) -> None:
    assert stream_end(profile, read_body(raw, None, SSE, limit=10_000), ending) == end


SECRET = "lymphoma"


def exchange(**changed: object) -> Exchange:
    facts: dict[str, object] = {"profile": "openai", "provider": "openai", "body": CHUNK, **changed}
    return Exchange(**facts)  # type: ignore[arg-type]


def capture_of(found: Exchange, request: bytes | None = None) -> dict[str, object]:
    body = read_body(found.body, None, SSE, limit=10_000)
    return capture_facts(found, read_request("openai", request), body, stream_end="complete", rung="canonical")


@pytest.mark.parametrize(
    ("user_agent", "adapter"),
    [
        ("OpenAI/Python 1.109.1", {"name": "openai-python", "version": "1.109.1"}),
        ("AsyncOpenAI/Python 2.0.0", {"name": "openai-python", "version": "2.0.0"}),
        ("Boto3/1.44.8 md/Botocore#1.44.8 ua/2.1 os/linux", {"name": "boto3-python", "version": "1.44.8"}),
        ("Botocore/1.44.8 ua/2.1 os/linux md/arch#x86_64", {"name": "botocore-python", "version": "1.44.8"}),
        ("cohere/7.3.1", {"name": "cohere-python", "version": "7.3.1"}),
        (f"cohere/7.3.1 {SECRET}", None),
        ("OpenAI/JS 4.1.0", {"name": "openai-node", "version": "4.1.0"}),
        ("AsyncAnthropic/Python 0.84.0", {"name": "anthropic-python", "version": "0.84.0"}),
        ("curl/8.5.0", {"name": "curl", "version": "8.5.0"}),
        (f"curl/8.5.0 {SECRET}", None),
        (f"{SECRET} OpenAI/Python 1.0.0", None),
        ("OpenAI/Python 41111111.1", None),
        (None, None),
    ],
)
def test_an_adapter_is_a_known_name_with_a_plain_version(user_agent: str | None, adapter: object) -> None:
    facts = capture_of(exchange(user_agent=user_agent))
    assert facts.get("adapter") == adapter


def test_a_provider_that_is_no_plain_name_is_custom() -> None:
    facts = capture_of(exchange(provider="Lymphoma Inc."))
    assert facts["provider"] == "custom"


def test_of_the_transport_only_closed_words_stay() -> None:
    raw = (
        f"\ufeffevent: {SECRET}\nid: {SECRET}\nretry: 4111111111111111\n: {SECRET}\n: two\ndata: {{}}\r\n\r\n"
        f"event: ping\ndata: {{}}\n\n{SECRET}"
    ).encode()
    facts = transport_facts(
        exchange(content_type=f"text/{SECRET}", content_coding=f"x-{SECRET}"), read_body(raw, None, SSE, limit=10_000)
    )
    assert facts == {
        "status": 200,
        "content_type": "other",
        "content_coding": "identity",
        "framing": "sse",
        "line_ends": ["crlf", "lf"],
        "done": 0,
        "byte_order_mark": True,
        "event_names": ["x", "ping"],
        "comments": [[0, 2]],
        "ids": [0],
        "retries": [0],
        "unterminated_event": True,
    }
    assert SECRET not in json.dumps(facts)


def test_event_names_that_repeat_the_type_are_said_once() -> None:
    raw = b'event: ping\ndata: {"type":"ping"}\n\n' * 3
    assert transport_facts(exchange(), read_body(raw, None, SSE, limit=10_000))["event_names"] == "type"


@pytest.mark.parametrize(
    ("asked", "answered", "model"),
    [
        ("gpt-4o-mini", "gpt-4", "gpt-4o-mini"),
        ("", "gpt-4o", "gpt-4o"),
        ("ft:gpt-4o:acme:lymphoma:Ab1", "", "gpt-4o"),
        ("acme-prod-deployment", "", "unknown-model"),
        ("", "", "unknown-model"),
    ],
)
def test_a_model_is_a_public_name_or_a_family(asked: str, answered: str, model: str) -> None:
    body = b"data: %b\n\n" % json.dumps({"model": answered, "choices": []}).encode()
    assert capture_of(exchange(body=body), json.dumps({"model": asked}).encode())["model"] == model


@pytest.mark.parametrize(
    ("version", "kept"),
    [
        ("1.109.1", "1.109.1"),
        ("8.5", "8.5"),
        ("1.109.10", "1.109"),
        ("41.111.1111", "41.111"),
        ("4111.1111.1111", None),
        ("4111111111111111", None),
        ("1.2.3.4", None),
        ("41.11111111", None),
    ],
)
def test_a_version_has_fewer_characters_than_a_raw_value_may_have(version: str, kept: str | None) -> None:
    found = capture_of(exchange(user_agent=f"curl/{version}")).get("adapter")
    assert found == (kept and {"name": "curl", "version": kept})
    assert kept is None or len(kept) < 8

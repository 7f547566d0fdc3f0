"""The digest of a file that is there already: the same, however the file reads."""

import gzip
import json
from dataclasses import replace
from typing import Any

import pytest
from support.builders.turns import DONE, call, request

from redaction.captured.exchange import Ending, Exchange, Proved
from redaction.fixture import digest_of
from redaction.redactor import redact


def proved(*arguments: str) -> Proved:
    found = redact(TURN if not arguments else replace(TURN, body=b"".join([*call(*arguments), DONE])))
    assert isinstance(found, Proved)
    return found


TURN = Exchange(
    profile="openai",
    provider="openai",
    request_body=request(),
    content_type="text/event-stream",
    body=b"".join([*call('{"ci', 'ty": "Oslo"}'), DONE]),
)


def test_the_digest_of_a_file_is_that_of_its_fixture() -> None:
    fixture = proved().fixture
    assert digest_of(fixture.data) == fixture.digest
    assert digest_of(json.dumps(json.loads(fixture.data), indent=4).encode()) == fixture.digest


def test_where_it_was_recorded_is_no_part_of_the_shape_and_how_it_ended_is() -> None:
    fixture = proved().fixture
    elsewhere = redact(replace(TURN, provider="gateway"))
    cut = redact(replace(TURN, body=b"".join(call('{"ci')[:2]), ending=Ending.CLIENT))
    dropped = redact(replace(TURN, body=b"".join(call('{"ci')[:2]), ending=Ending.UPSTREAM))
    assert isinstance(elsewhere, Proved)
    assert isinstance(cut, Proved)
    assert isinstance(dropped, Proved)
    assert digest_of(elsewhere.fixture.data) == fixture.digest
    assert len({fixture.digest, digest_of(cut.fixture.data), digest_of(dropped.fixture.data)}) == 3


@pytest.mark.parametrize(
    "other",
    [
        {"body": TURN.body.replace(b"\n", b"\r\n")},
        {"body": TURN.body + DONE},
        {"body": b": ping\n" + TURN.body},
        {"body": b": ping\n\n" + TURN.body},
        {"body": b"id: 7\n\n" + TURN.body},
        {"body": TURN.body.replace(b"{", b"{\ndata: ", 1)},
        {"body": b"event: message\n" + TURN.body},
        {"body": b"id: 7\n" + TURN.body},
        {"body": TURN.body.removesuffix(b"\n")},
        {"body": gzip.compress(TURN.body), "content_coding": "gzip"},
        {"content_type": None},
    ],
    ids=[
        "line ends",
        "end markers",
        "comments",
        "a keep-alive",
        "an id alone",
        "lines",
        "names",
        "ids",
        "a blank line",
        "coding",
        "content type",
    ],
)
def test_what_a_client_can_tell_of_the_wire_is_part_of_the_shape(other: dict[str, Any]) -> None:
    found = redact(replace(TURN, **other))
    assert isinstance(found, Proved)
    assert found.fixture.digest != proved().fixture.digest
    assert digest_of(found.fixture.data) == found.fixture.digest


def test_numbers_and_keys_that_a_fast_reader_loses_count() -> None:
    """2**64 and 2**64 + 1 are one float; of two equal keys a lenient reader keeps one."""
    found = json.loads(proved().fixture.data)

    def with_number(number: int) -> str | None:
        found["tool_schemas"]["get_weather"]["properties"]["city"] = {"maximum": number}
        return digest_of(json.dumps(found).encode())

    assert len({with_number(2**64), with_number(2**64 + 1), with_number(-(2**70))}) == 3
    twice = proved().fixture.data.replace(b'"profile": "openai",', b'"profile": "openai", "profile": "openai",')
    assert digest_of(twice) is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b"null",
        b'{"chunks": []}',
        b'{"profile": "openai", "tool_schemas": {}, "capture": {}, "transport": {}, "chunks": []}',
        b'{"profile": "openai", "tool_schemas": {}, "capture": 1, "transport": {}, "chunks": []}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_fixture_has_none(data: bytes) -> None:
    assert digest_of(data) is None

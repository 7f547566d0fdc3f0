import json
from decimal import Decimal

import pytest

from replay.validator import Allowance, Envelope, InvalidFixture, Status, envelope_from, read_envelope, validate

GOOD = {"profile": "openai", "tool_schemas": {}, "chunks": []}


def test_a_fixture_becomes_an_envelope() -> None:
    fixture = GOOD | {
        "allow": ["message_mirror"],
        "capture": {"stream_end": "complete", "tool_choice": "auto"},
        "transport": {},
        "fixture_version": 1,
        "more": [],
    }
    assert read_envelope(json.dumps(fixture).encode()) == Envelope(
        profile="openai",
        tool_schemas={},
        payloads=[],
        allow=(Allowance.MESSAGE_MIRROR,),
        stream_end="complete",
        tool_choice="auto",
    )


@pytest.mark.parametrize(
    "members",
    [
        {"profile": None},
        {"profile": "OpenAI"},
        {"chunks": None},
        {"chunks": {}},
        {"events": []},
        {"events": None},
        {"tool_schemas": []},
        {"allow": "message_mirror"},
        {"allow": None},
        {"allow": ["unknown"]},
        {"allow": [["message_mirror"]]},
        {"capture": None},
        {"capture": []},
        {"transport": None},
        {"transport": "x"},
        {"fixture_version": 2},
        {"fixture_version": True},
        {"fixture_version": Decimal("1.0")},
        {"fixture_version": None},
        {"capture": {"stream_end": None}},
        {"capture": {"tool_choice": 1}},
    ],
    ids=str,
)
def test_what_is_no_envelope_is_refused_with_the_files_own_profile(members: dict[str, object]) -> None:
    found = envelope_from(GOOD | members)
    assert isinstance(found, InvalidFixture)
    profile = (GOOD | members)["profile"]
    assert found.profile == (profile if isinstance(profile, str) else None)
    assert found.message


@pytest.mark.parametrize("missing", ["profile", "tool_schemas", "chunks"])
def test_what_is_required_is_required(missing: str) -> None:
    assert isinstance(envelope_from({name: value for name, value in GOOD.items() if name != missing}), InvalidFixture)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"\xef\xbb\xbf" + json.dumps(GOOD).encode(),
        json.dumps(GOOD).encode("utf-16"),
        json.dumps(GOOD).encode() + b"{}",
        json.dumps(GOOD | {"x": float("nan")}).encode(),
        json.dumps(GOOD | {"x": "\ud800"}).encode(),
        json.dumps(GOOD)[:-1].encode() + b',"profile":"openai"}',
        json.dumps(GOOD)[:-1].encode() + b',"x":' + b"[" * 512 + b"]" * 512 + b"}",
    ],
    ids=lambda data: repr(data[:12]),
)
def test_a_file_that_is_no_strict_json_object_has_no_profile(data: bytes) -> None:
    found = read_envelope(data)
    assert isinstance(found, InvalidFixture)
    assert found.profile is None
    report = validate(data)
    assert (report.status, report.calls, report.exit_code) == (Status.INVALID, (), 2)
    assert [finding.code.value for finding in report.findings] == ["invalid_fixture"]


def test_512_levels_are_allowed() -> None:
    data = json.dumps(GOOD)[:-1].encode() + b',"x":' + b"[" * 511 + b"]" * 511 + b"}"
    assert isinstance(read_envelope(data), Envelope)

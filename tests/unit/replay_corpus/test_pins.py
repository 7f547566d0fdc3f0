"""What a pin holds, how it is written, and what is no pin."""

import json

import pytest

from replay.corpus import pins
from replay.validator import Allowance, Call, Code, Finding, Report, State, Status, Use

REPORT = Report(
    status=Status.BLOCKED,
    profile="openai",
    calls=[
        Call(choice=0, slot=0, id="call_1", name="say", arguments='{"":"\x1b\x7f"}', state=State.BLOCKED),
        Call(choice=1, slot=2, id=None, name=None, arguments="", state=State.BLOCKED),
    ],
    findings=[
        Finding(code=Code.STREAM_ERROR, message="SECRET", event=3),
        Finding(code=Code.SCHEMA_VIOLATION, message="SECRET", choice=0, slot=0, path="/a~1b"),
    ],
    allowances=[Use(name=Allowance.REPEATED_TERMINAL, choice=0, slot=None, event=4)],
)
PIN = pins.Pin(
    report=pins.bare(REPORT),
    accept=frozenset({Allowance.REPEATED_TERMINAL, Allowance.MESSAGE_MIRROR}),
    limits={"max_slots": 1, "max_events": 0},
)

WRITTEN = rb"""{
 "status": "blocked",
 "applicable": true,
 "executable": false,
 "profile": "openai",
 "calls": [
  {"choice": 0, "slot": 0, "id": "call_1", "name": "say", "arguments": "{\"\":\"\u001b\u007f\"}", "state": "blocked"},
  {"choice": 1, "slot": 2, "id": null, "name": null, "arguments": "", "state": "blocked"}
 ],
 "findings": [
  {"code": "stream_error", "choice": null, "slot": null, "event": 3},
  {"code": "schema_violation", "choice": 0, "slot": 0, "event": null, "path": "/a~1b"}
 ],
 "allowances": [
  {"name": "repeated_terminal", "choice": 0, "slot": null, "event": 4}
 ],
 "rules": 2,
 "accept": ["message_mirror", "repeated_terminal"],
 "limits": {"max_events": 0, "max_slots": 1}
}
"""


def test_a_pin_is_written_in_one_form_without_messages() -> None:
    assert pins.write(PIN) == WRITTEN


def test_what_was_written_is_read_back_equal() -> None:
    assert pins.read(WRITTEN) == PIN


def test_a_pin_made_with_the_defaults_says_nothing_of_them() -> None:
    written = pins.write(pins.Pin(report=Report(status=Status.NOT_APPLICABLE, profile=None)))
    assert list(json.loads(written)) == [
        "status", "applicable", "executable", "profile", "calls", "findings", "allowances", "rules",
    ]  # fmt: skip
    assert pins.read(written) == pins.Pin(report=Report(status=Status.NOT_APPLICABLE, profile=None))


def test_reports_that_differ_in_messages_alone_have_the_same_pin() -> None:
    other = Report(
        status=REPORT.status,
        profile=REPORT.profile,
        calls=tuple(REPORT.calls),
        findings=[
            Finding(code=one.code, message="reworded", choice=one.choice, slot=one.slot, event=one.event, path=one.path)
            for one in REPORT.findings
        ],
        allowances=tuple(REPORT.allowances),
    )
    assert pins.bare(other) == pins.bare(REPORT)


def edited(**changes: object) -> bytes:
    members = json.loads(WRITTEN)
    for name, value in changes.items():
        if value is ...:
            del members[name]
        else:
            members[name] = value
    return json.dumps(members).encode()


FINDING = {"code": "stream_error", "choice": None, "slot": None, "event": 3}
CALL = {"choice": 0, "slot": 0, "id": None, "name": None, "arguments": "", "state": "blocked"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is not JSON (at character 0)"),
        (b'{"rules": 1', "the file is not JSON (at character 11)"),
        (b'{"rules": 1, "rules": 1}', "an object in the file repeats a member name (at character 13)"),
        (b"\xff\xfe", "the file is not UTF-8: a wrong byte at offset 0"),
        (b"[]", "the file must be an object"),
        (b"[" * 100, "the file nests deeper than 8 levels (at character 8)"),
        (edited(rules=...), "the file lacks rules"),
        (edited(rules=True), "rules must be an integer of 0 or more"),
        (edited(rules=3), "made by version 3 of the rules, and this toolreel judges by version 2"),
        (edited(rules=1, status="of old"), "made by version 1 of the rules, and this toolreel judges by version 2"),
        (edited(calls=...), "the file lacks calls"),
        (edited(extra=1), "the file has the unknown member 'extra'"),
        (edited(status="fine"), "status must be a known status, and 'fine' is none"),
        (edited(status=1), "status must be a known status"),
        (edited(status="pass"), "executable must be true where status is pass"),
        (edited(status="invalid"), "applicable must be false where status is invalid"),
        (edited(executable=True), "executable must be false where status is blocked"),
        (edited(applicable=1), "applicable must be true where status is blocked"),
        (edited(profile=1), "profile must be a string or null"),
        (edited(calls={}), "calls must be an array"),
        (edited(calls=[1]), "calls[0] must be an object"),
        (edited(calls=[CALL, {**CALL, "slot": 1.0}]), "calls[1].slot must be an integer of 0 or more"),
        (edited(calls=[{**CALL, "slot": True}]), "calls[0].slot must be an integer of 0 or more"),
        (edited(calls=[{**CALL, "slot": None}]), "calls[0].slot must be an integer of 0 or more"),
        (edited(calls=[{**CALL, "arguments": None}]), "calls[0].arguments must be a string"),
        (edited(calls=[{**CALL, "state": "done"}]), "calls[0].state must be a known state, and 'done' is none"),
        (
            edited(findings=[{**FINDING, "code": "new_code"}]),
            "findings[0].code must be a known code, and 'new_code' is none",
        ),
        (edited(findings=[{**FINDING, "code": "x" * 65}]), "findings[0].code must be a known code"),
        (edited(findings=[{**FINDING, "event": -1}]), "findings[0].event must be an integer of 0 or more"),
        (edited(findings=[{**FINDING, "message": ""}]), "findings[0] has the unknown member 'message'"),
        (
            edited(findings=[{**FINDING, "path": ""}]),
            "findings[0] must have a path where its code is schema_violation, and nowhere else",
        ),
        (
            edited(findings=[{**FINDING, "code": "schema_violation"}]),
            "findings[0] must have a path where its code is schema_violation, and nowhere else",
        ),
        (edited(allowances=[{**FINDING}]), "allowances[0] lacks name"),
        (edited(accept=["any"]), "accept[0] must be a known allowance, and 'any' is none"),
        (edited(accept="any"), "accept must be an array"),
        (edited(limits=[]), "limits must be an object"),
        (edited(limits={"max_time": 1}), "limits has the unknown member 'max_time'"),
        (edited(limits={"max_slots": "1"}), "limits.max_slots must be an integer of 0 or more"),
    ],
)
def test_what_is_no_pin_says_which_member_and_what_was_expected(data: bytes, message: str) -> None:
    with pytest.raises(pins.PinError) as error:
        pins.read(data)
    assert str(error.value) == message

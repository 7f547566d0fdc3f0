"""A verdict as lines, and two verdicts as the lines that differ."""

from dataclasses import replace

import pytest

from replay.reports import verdict_lines
from replay.validator import Allowance, Call, Code, Finding, Report, State, Status, Use

CALL = Call(choice=0, slot=1, id="call_1", name="say", arguments='{"text":"hi"}', state=State.VALIDATED)
REPORT = Report(
    status=Status.BLOCKED,
    profile="openai",
    calls=[CALL, replace(CALL, slot=2, id=None, name=None, arguments="", state=State.BLOCKED)],
    findings=[
        Finding(code=Code.STREAM_ERROR, message="m", event=0),
        Finding(code=Code.WRONG_TERMINAL, message="m", choice=1, event=7),
        Finding(code=Code.SCHEMA_VIOLATION, message="m", choice=0, slot=2, path="/a~1b"),
    ],
    allowances=[Use(name=Allowance.REPEATED_TERMINAL, choice=0, slot=None, event=9)],
)


def test_a_verdict_is_one_line_a_thing_in_the_reports_order() -> None:
    assert verdict_lines.verdict(REPORT) == [
        'blocked, not executable, profile "openai"',
        "finding stream_error, turn, event 0",
        "finding wrong_terminal, choice 1, event 7",
        'finding schema_violation, choice 0, slot 2, at the end, path "/a~1b"',
        'call "say", id "call_1", choice 0, slot 1, validated, arguments {"text":"hi"}',
        'call without name, without id, choice 0, slot 2, blocked, arguments ""',
        "allowance repeated_terminal, choice 0, event 9",
    ]


def test_the_difference_has_the_lines_that_one_of_them_has() -> None:
    found = replace(REPORT, findings=REPORT.findings[:2], allowances=())
    assert list(verdict_lines.difference(REPORT, found)) == [
        '- finding schema_violation, choice 0, slot 2, at the end, path "/a~1b"',
        "- allowance repeated_terminal, choice 0, event 9",
    ]
    assert list(verdict_lines.difference(found, REPORT)) == [
        '+ finding schema_violation, choice 0, slot 2, at the end, path "/a~1b"',
        "+ allowance repeated_terminal, choice 0, event 9",
    ]
    assert list(verdict_lines.difference(REPORT, REPORT)) == []


LONG = "x" * 1000


@pytest.mark.parametrize(
    "other",
    [
        replace(REPORT, status=Status.INVALID),
        replace(REPORT, profile=None),
        replace(REPORT, profile="-"),
        replace(REPORT, findings=REPORT.findings[::-1]),
        replace(REPORT, findings=[replace(REPORT.findings[0], event=None), *REPORT.findings[1:]]),
        replace(REPORT, findings=[*REPORT.findings[:2], replace(REPORT.findings[2], path="")]),
        replace(REPORT, calls=[CALL]),
        replace(REPORT, calls=[replace(CALL, name=None), REPORT.calls[1]]),
        replace(REPORT, calls=[replace(CALL, id=""), REPORT.calls[1]]),
        replace(REPORT, calls=[replace(CALL, arguments='"{\\"text\\":\\"hi\\"}"'), REPORT.calls[1]]),
        replace(REPORT, calls=[CALL, replace(REPORT.calls[1], arguments='""')]),
        replace(REPORT, calls=[replace(CALL, arguments=LONG), REPORT.calls[1]]),
        replace(REPORT, calls=[replace(CALL, arguments=LONG + "y"), REPORT.calls[1]]),
        replace(REPORT, calls=[replace(CALL, arguments=LONG[:-1] + "y"), REPORT.calls[1]]),
        replace(REPORT, allowances=[replace(REPORT.allowances[0], slot=0)]),
    ],
)
def test_reports_that_differ_anywhere_have_lines_that_differ(other: Report) -> None:
    assert list(verdict_lines.difference(REPORT, other)) != []
    longer = replace(REPORT, calls=[replace(CALL, arguments=LONG), REPORT.calls[1]])
    assert (list(verdict_lines.difference(longer, other)) == []) is (other == longer)


def test_a_long_text_is_shown_by_its_beginning_length_and_digest() -> None:
    # The digest is that of `printf 'x%.0s' $(seq 1000) | sha256sum`.
    line = verdict_lines.verdict(replace(REPORT, calls=[replace(CALL, arguments=LONG)], findings=(), allowances=()))[1]
    assert line.endswith('arguments "' + "x" * 160 + '"... (1,000 characters, sha256 44f8354494a5)')


def test_no_text_of_a_fixture_can_drive_a_terminal() -> None:
    hostile = "\x1b[2J\u202e\n\x9b"
    report = Report(
        status=Status.BLOCKED,
        profile=hostile,
        calls=[replace(CALL, id=hostile, name=hostile, arguments=hostile * 100)],
        findings=[Finding(code=Code.SCHEMA_VIOLATION, message=hostile, choice=0, slot=1, path=f"/{hostile}")],
    )
    assert all(line.isprintable() for line in verdict_lines.verdict(report))


def test_arguments_that_are_too_long_to_be_shown_are_shown_where_they_differ() -> None:
    old, new = ("".join(["x" * 500, end, "y" * 500]) for end in ("old", "new"))
    [gone, come] = verdict_lines.difference(
        replace(REPORT, calls=[replace(CALL, arguments=old)]), replace(REPORT, calls=[replace(CALL, arguments=new)])
    )
    part = '"' + "x" * 80 + "old" + "y" * 77 + '"'
    head = 'call "say", id "call_1", choice 0, slot 1, validated, arguments'
    assert gone.startswith(f"- {head} ...{part}... (1,003 characters, sha256 ")
    assert come.startswith(f"+ {head} ...{part.replace('old', 'new')}... (1,003 characters, sha256 ")

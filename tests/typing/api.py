"""The types of the public names, as a user's type checker sees them. Never run: mypy reads it in a test."""

from pathlib import Path
from typing import Literal, assert_type

import toolreel
from toolreel import Allowance, Call, Code, Envelope, Feedback, Finding, Limits, Report, State, Status, Turn, Use

assert_type(toolreel.__version__, str)

# a fixture, from its bytes
assert_type(toolreel.validate(b"{}"), Report)
assert_type(toolreel.validate(b"{}", accept=[Allowance.EMPTY_ARGUMENTS], limits=Limits(max_slots=16)), Report)

# an envelope
envelope = toolreel.read_envelope(b"{}")
assert_type(envelope, Envelope | toolreel.InvalidFixture)
assert_type(toolreel.envelope_from({}), Envelope | toolreel.InvalidFixture)
if isinstance(envelope, Envelope):
    assert_type(toolreel.judge(envelope), Report)
else:
    assert_type(toolreel.invalid_report(envelope), Report)

# a stream while it runs
turn = Turn(profile="openai", tool_schemas={})
turn.feed({})
assert_type(turn.snapshot(), toolreel.Snapshot)
report = turn.close()

# a report
assert_type(report, Report)
assert_type(report.status, Status)
assert_type(report.executable, bool)
assert_type(list(report.calls), list[Call])
assert_type(list(report.findings), list[Finding])
assert_type(list(report.allowances), list[Use])
for call in report.calls:
    assert_type((call.choice, call.slot, call.id, call.name), tuple[int, int, str | None, str | None])
    assert_type((call.arguments, call.state), tuple[str, State])
for finding in report.findings:
    assert_type((finding.code, finding.message), tuple[Code, str])
    assert_type((finding.choice, finding.slot, finding.event), tuple[int | None, int | None, int | None])

# what to tell the model
assert_type(toolreel.feedback_on(report), Feedback)

# fixtures replayed and served, an exchange redacted
assert_type(toolreel.replay("reels", accept=[Allowance.EMPTY_ARGUMENTS])[0].advice, str)
with toolreel.serve(Path("reels")) as server:
    assert_type(server.url, str)
assert_type(
    toolreel.redact(toolreel.Exchange(profile="openai", provider="openai", body=b"")),
    toolreel.Proved | toolreel.Refused,
)

# an error of a command
error: Exception = toolreel.ToolreelError("one line")
assert_type(Status.PASS, Literal[Status.PASS])

toolreel.nothing  # type: ignore[attr-defined]  # noqa: B018 - a name that there is not is seen

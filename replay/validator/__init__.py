"""The validator: payloads of one assistant turn to a verdict on its tool calls. Standard library only.

`docs/conformance.md` says what is decided. `validate` judges a fixture's bytes, `judge` an envelope, and `Turn` a
stream while it runs.
"""

from replay.validator._feedback import RETRY, Answer, Feedback, Retry, feedback_on
from replay.validator._machine.turn import Progress, Snapshot, Turn, invalid_report, judge, turn_of, validate
from replay.validator.codes import RULES, Allowance, Code, State, Status
from replay.validator.envelope import Envelope, InvalidFixture, envelope_from, read_envelope
from replay.validator.findings import Call, Finding, Report, Use
from replay.validator.limits import Limits

__all__ = [
    "RETRY",
    "RULES",
    "Allowance",
    "Answer",
    "Call",
    "Code",
    "Envelope",
    "Feedback",
    "Finding",
    "InvalidFixture",
    "Limits",
    "Progress",
    "Report",
    "Retry",
    "Snapshot",
    "State",
    "Status",
    "Turn",
    "Use",
    "envelope_from",
    "feedback_on",
    "invalid_report",
    "judge",
    "read_envelope",
    "turn_of",
    "validate",
]

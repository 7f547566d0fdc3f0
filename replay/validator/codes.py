"""The public names of a verdict: finding codes, allowances, statuses, states. Knows nothing else.

A name here is permanent: it is never renamed or reused, and a new meaning is a new name.
`docs/conformance.md` lists them, and a test keeps the lists equal.
"""

from enum import Enum, unique
from typing import Final

__all__ = [
    "RULES",
    "Allowance",
    "Code",
    "State",
    "Status",
]

# The version of the rules that a report was made by.
RULES: Final = 2


@unique
class Code(str, Enum):
    """What a finding reports."""

    # the file is no envelope (section 1)
    INVALID_FIXTURE = "invalid_fixture"
    # identity (section 3)
    IDENTITY_COLLISION = "identity_collision"
    DUPLICATE_START = "duplicate_start"
    DUPLICATE_ID = "duplicate_id"
    MISSING_SLOT = "missing_slot"
    MISSING_ID = "missing_id"
    MISSING_NAME = "missing_name"
    # terminal (section 3)
    MISSING_TERMINAL = "missing_terminal"
    WRONG_TERMINAL = "wrong_terminal"
    DUPLICATE_TERMINAL = "duplicate_terminal"
    DELTA_AFTER_TERMINAL = "delta_after_terminal"
    TERMINAL_WITHOUT_CALL = "terminal_without_call"
    ORPHAN_EVENT = "orphan_event"
    # events (section 3)
    MALFORMED_EVENT = "malformed_event"
    UNSUPPORTED_EVENT = "unsupported_event"
    STREAM_ERROR = "stream_error"
    TURN_COLLISION = "turn_collision"
    LIMIT_EXCEEDED = "limit_exceeded"
    UNREQUESTED_CALL = "unrequested_call"
    # events of one response (section 8)
    COPY_MISMATCH = "copy_mismatch"
    SEQUENCE_BREAK = "sequence_break"
    # arguments (section 4)
    UNKNOWN_TOOL = "unknown_tool"
    UNSUPPORTED_SCHEMA = "unsupported_schema"
    EMPTY_ARGUMENTS = "empty_arguments"
    MALFORMED_ARGUMENTS = "malformed_arguments"
    TRAILING_DATA = "trailing_data"
    NON_FINITE_NUMBER = "non_finite_number"
    DUPLICATE_KEY = "duplicate_key"
    INVALID_UNICODE = "invalid_unicode"
    NON_OBJECT_ARGUMENTS = "non_object_arguments"
    SCHEMA_VIOLATION = "schema_violation"


@unique
class Allowance(str, Enum):
    """A reviewed deviation of a real gateway: off until the fixture names it and the caller accepts it (section 7)."""

    REPEATED_TERMINAL = "repeated_terminal"
    NAMED_CHOICE_STOP = "named_choice_stop"
    UNINDEXED_WHOLE_CALL = "unindexed_whole_call"
    WHOLE_CALL_STOP = "whole_call_stop"
    EMPTY_ARGUMENTS = "empty_arguments"
    MESSAGE_MIRROR = "message_mirror"
    ROTATING_IDS = "rotating_ids"
    # of openai-responses
    BUILTIN_CALLS = "builtin_calls"
    UNCHECKED_GRAMMAR = "unchecked_grammar"
    SEQUENCE_GAPS = "sequence_gaps"


@unique
class Status(str, Enum):
    """The verdict on a turn (section 2)."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    BLOCKED = "blocked"
    NOT_APPLICABLE = "not_applicable"
    INVALID = "invalid"


@unique
class State(str, Enum):
    """Where a call stands; the first two only while the stream still runs."""

    ACCUMULATING = "accumulating"
    TERMINAL = "terminal"
    VALIDATED = "validated"
    BLOCKED = "blocked"

"""What a verdict is made of: findings, calls, allowance uses, the report. Values only; nothing is decided here."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from replay.validator.codes import RULES, Allowance, Code, State, Status

__all__ = [
    "Call",
    "Finding",
    "Place",
    "Report",
    "Use",
]

EXIT_CODES: Final = {
    Status.PASS: 0,
    Status.BLOCKED: 1,
    Status.NOT_APPLICABLE: 2,
    Status.INVALID: 2,
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a turn something arose (section 2, "Place"); what is None is not known, or is no one in particular."""

    choice: int | None = None
    slot: int | None = None
    event: int | None = None  # None at the end of the stream and in validation


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What the validator found in a stream: a code and a message, at the narrowest place known.

    `message` names the field, the constraint and a legal value. It never holds captured text.
    """

    code: Code
    message: str
    choice: int | None = None
    slot: int | None = None
    event: int | None = None  # None at the end of the stream and in validation
    path: str | None = None  # JSON Pointer into the arguments; schema_violation only

    def as_dict(self) -> dict[str, object]:
        """The finding as JSON members; `path` only where the code has one."""
        members: dict[str, object] = {
            "code": self.code.value,
            "message": self.message,
            "choice": self.choice,
            "slot": self.slot,
            "event": self.event,
        }
        if self.code is Code.SCHEMA_VIOLATION:
            members["path"] = self.path
        return members


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call of the turn, as it was sent. Captured text, so `repr` shows none of it."""

    choice: int
    slot: int
    id: str | None = field(repr=False)
    name: str | None = field(repr=False)
    arguments: str = field(repr=False)
    state: State

    def as_dict(self) -> dict[str, object]:
        """The call as JSON members."""
        return {
            "choice": self.choice,
            "slot": self.slot,
            "id": self.id,
            "name": self.name,
            "arguments": self.arguments,
            "state": self.state.value,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One use of an allowance, at the place that the finding it replaced would have had."""

    name: Allowance
    choice: int | None
    slot: int | None
    event: int | None

    def as_dict(self) -> dict[str, object]:
        """The use as JSON members."""
        return {"name": self.name.value, "choice": self.choice, "slot": self.slot, "event": self.event}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The verdict on one turn (section 2). Read `executable`; it is eligibility, never authorization."""

    status: Status
    profile: str | None
    calls: Sequence[Call] = ()
    findings: Sequence[Finding] = ()
    allowances: Sequence[Use] = ()

    @property
    def applicable(self) -> bool:
        """Whether the turn was one about tool calls at all."""
        return self.status in (Status.PASS, Status.BLOCKED)

    @property
    def executable(self) -> bool:
        """Whether every call of the turn may be considered for execution."""
        return self.status is Status.PASS

    @property
    def exit_code(self) -> int:
        """The exit code of the command that shows this report alone."""
        return EXIT_CODES[self.status]

    def as_dict(self) -> dict[str, object]:
        """The report as JSON members, in the documented order."""
        return {
            "status": self.status.value,
            "applicable": self.applicable,
            "executable": self.executable,
            "profile": self.profile,
            "calls": [call.as_dict() for call in self.calls],
            "findings": [finding.as_dict() for finding in self.findings],
            "allowances": [use.as_dict() for use in self.allowances],
            "rules": RULES,
        }

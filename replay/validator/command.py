"""What the commands around the validator share: paths and option texts in, lines and an exit code out.

No terminal and no option parser is known here; `scripts/validate_tool_stream.py` and `toolreel validate` add theirs.
"""

import json
import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum, unique
from typing import Final, TextIO

from replay.validator._allowed import hint
from replay.validator._machine.turn import invalid_report, judge
from replay.validator.codes import Allowance, Status
from replay.validator.envelope import InvalidFixture, read_envelope
from replay.validator.findings import Call, Finding, Report, Use
from replay.validator.limits import MAX_FIXTURE_BYTES, Limits

__all__ = [
    "LIMIT_NAMES",
    "Outcome",
    "Style",
    "UsageError",
    "allowances",
    "deliver",
    "give_up",
    "hint",
    "limits",
    "run",
]

# Of several reports, the exit code is that of the gravest.
NOTHING_TO_EXECUTE: Final = 2
# Characters of arguments in a text report; the JSON reports have them whole.
MAX_SHOWN: Final = 160

LIMIT_NAMES: Final = tuple(field.name for field in fields(Limits))


class UsageError(ValueError):
    """An error in a path or an option of the caller's: says which one, and what to do."""


@unique
class Style(str, Enum):
    """How reports are written."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What to print, and the exit code."""

    lines: tuple[str, ...]
    exit_code: int


def allowances(names: Iterable[str]) -> frozenset[Allowance]:
    """The allowances that the caller accepts, by name."""
    found = set()
    for name in names:
        if name not in {allowance.value for allowance in Allowance}:
            known = ", ".join(allowance.value for allowance in Allowance)
            raise UsageError(f"unknown allowance {printable(name)!r}; known are {known}")
        found.add(Allowance(name))
    return frozenset(found)


def limits(settings: Iterable[str]) -> Limits:
    """The limits that `NAME=N` texts set, the others at their defaults; the last of one name counts."""
    chosen: dict[str, int] = {}
    for setting in settings:
        name, equals, number = setting.partition("=")
        if name not in LIMIT_NAMES or not equals:
            raise UsageError(f"a limit is NAME=N, not {printable(setting)!r}; names are {', '.join(LIMIT_NAMES)}")
        if not (number.isascii() and number.isdigit() and len(number) <= len(str(2**63))):
            raise UsageError(f"the limit {name} must be an integer of 0 or more, for example {name}=100")
        chosen[name] = int(number)
    return Limits(**chosen)


def read(path: str) -> bytes:
    """The bytes of a fixture file, or of a pipe that is written to; UsageError where they cannot be had."""
    try:
        reason, data = _read(path)
    except (OSError, ValueError) as error:
        reason, data = getattr(error, "strerror", None) or "it is no path of a file", b""
    if reason:
        raise UsageError(f"cannot read {printable(path) or 'an empty path'}: {reason}; give the path of a fixture file")
    return data


def _read(path: str) -> tuple[str, bytes]:
    """Why the bytes are not to be had, empty where they are; and the bytes."""
    with open(path, "rb", opener=_without_waiting) as file:
        os.set_blocking(file.fileno(), True)  # who writes to a pipe may take its time
        data = file.read(MAX_FIXTURE_BYTES + 1)
        if len(data) > MAX_FIXTURE_BYTES:
            return f"it is larger than {MAX_FIXTURE_BYTES} bytes", b""
        if not data and stat.S_ISFIFO(os.fstat(file.fileno()).st_mode):
            return "it is a pipe that nobody writes to", b""
        return "", data


def _without_waiting(path: str, flags: int) -> int:
    """Opens a pipe that nobody writes to at once, where opening it would else wait for ever."""
    return os.open(path, flags | os.O_NONBLOCK)


def run(paths: Sequence[str], *, style: Style, accept: frozenset[Allowance] = frozenset(), limits: Limits) -> Outcome:
    """Judge fixture files. An unreadable one is a UsageError, and then there is no report of any."""
    reports = [_judged(path, accept, limits) for path in paths]
    return Outcome(
        lines=tuple(LINES[style](reports)),
        exit_code=exit_code([one.report for one in reports]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """One fixture file: its report, and what a reader is told of allowances that it names and nobody accepted."""

    path: str
    report: Report
    hint: str = ""


def _judged(path: str, accept: frozenset[Allowance], limits: Limits) -> _Judged:
    envelope = read_envelope(read(path))
    if isinstance(envelope, InvalidFixture):
        return _Judged(path=path, report=invalid_report(envelope))
    report = judge(envelope, accept=accept, limits=limits)
    return _Judged(path=path, report=report, hint=hint(envelope, report, accept=accept, limits=limits))


def deliver(outcome: Outcome, output: TextIO | None) -> int:
    """Write the lines; the exit code. UsageError where they cannot be written, for then there is no report.

    A reader that has left, or an output that was closed from the start, wants no more than the exit code.
    """
    if output is None:
        return outcome.exit_code
    reason = None
    try:
        for line in outcome.lines:
            output.write(f"{line}\n")
        output.flush()
    except OSError as error:
        reason = "" if isinstance(error, BrokenPipeError) else error.strerror or "it is not writable"
    if reason is not None:
        give_up(output)
    if reason:
        raise UsageError(f"cannot write the report: {reason}; see where the output goes")
    return outcome.exit_code


def give_up(output: TextIO) -> None:
    """What is buffered goes nowhere, or the interpreter would stumble over it once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())


def exit_code(reports: Sequence[Report]) -> int:
    """1 if any turn is blocked, else 2 if any is invalid or not applicable, else 0."""
    if any(report.status is Status.BLOCKED for report in reports):
        return 1
    return NOTHING_TO_EXECUTE if any(report.status is not Status.PASS for report in reports) else 0


_Reports = Sequence[_Judged]


def _json_lines(reports: _Reports) -> list[str]:
    """One object, as it is, for one fixture; an array of objects that name theirs for several."""
    if len(reports) == 1:
        return _json(reports[0].report.as_dict(), indent=2).splitlines()
    return _json([_named(one) for one in reports], indent=2).splitlines()


def _jsonl_lines(reports: _Reports) -> list[str]:
    return [_json(_named(one), indent=None) for one in reports]


def _named(one: _Judged) -> dict[str, object]:
    return {"fixture": one.path, **one.report.as_dict()}


def _json(value: object, *, indent: int | None) -> str:
    """ASCII only, so that no character of a fixture reaches a terminal as itself."""
    return json.dumps(value, ensure_ascii=True, indent=indent).replace("\x7f", "\\u007f")


def _text_lines(reports: _Reports) -> list[str]:
    lines: list[str] = []
    for one in reports:
        report = one.report
        verdict = report.status.value.replace("_", " ")
        executable = "executable" if report.executable else "not executable"
        calls = f"{len(report.calls)} call{'' if len(report.calls) == 1 else 's'}"
        lines.append(f"{printable(one.path)}: {verdict}" + (f", {calls}, {executable}" if report.calls else ""))
        lines.extend("  " + _call_line(call) for call in report.calls)
        lines.extend("  " + _finding_line(finding) for finding in report.findings)
        lines.extend("  " + _use_line(use) for use in report.allowances)
        codes = dict.fromkeys(finding.code.value for finding in report.findings)
        lines.extend([f"  {one.hint}"] if one.hint else [])
        lines.extend([f"  explained by: toolreel rules {' '.join(codes)}"] if codes else [])
    return lines


def _call_line(call: Call) -> str:
    name = "without a name" if call.name is None else printable(call.name)
    identity = "without an id" if call.id is None else printable(call.id)
    shown = printable(call.arguments[:MAX_SHOWN]) + ("…" if len(call.arguments) > MAX_SHOWN else "")
    return f"call {name} ({identity}, choice {call.choice}, slot {call.slot}): {call.state.value}  {shown}".rstrip()


def _finding_line(finding: Finding) -> str:
    path = "" if finding.path is None else f", path {printable(finding.path) or 'the arguments'}"
    return f"{finding.code.value} ({_place(finding)}{path}): {printable(finding.message)}"


def _use_line(use: Use) -> str:
    return f"allowed: {use.name.value} ({_place(use)})"


def _place(where: Finding | Use) -> str:
    parts = [
        f"{name} {value}"
        for name, value in (("choice", where.choice), ("slot", where.slot), ("event", where.event))
        if value is not None
    ]
    return ", ".join(parts) or "the turn"


def printable(text: str) -> str:
    """Text on one line that cannot drive a terminal: what it would act on, or not show, stands as an escape."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


LINES: Final[Mapping[Style, Callable[[_Reports], list[str]]]] = {
    Style.TEXT: _text_lines,
    Style.JSON: _json_lines,
    Style.JSONL: _jsonl_lines,
}

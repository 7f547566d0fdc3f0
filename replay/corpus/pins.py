"""Pins: the verdict that a fixture must give, in `NAME.expected.json` beside `NAME.json`.

A pin holds codes and places, never messages, so that messages may be reworded; and what the fixture was judged with,
where that was not the default. Knows the shape of a pin; knows no folders and no commands.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Final, TypeVar

from replay.errors import translated
from replay.terminal import printable_json
from replay.validator import RULES, Allowance, Call, Code, Finding, Report, State, Status, Use, strict_json
from replay.validator.command import LIMIT_NAMES
from replay.validator.envelope import FILE_MESSAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

# A pin is nested three deep; more is no pin.
_MAX_NESTING: Final = 8
_FLAGS: Final = {True: "true", False: "false"}
_LISTS: Final = ("findings", "calls", "allowances")

_Word = TypeVar("_Word", bound=Enum)


class PinError(Exception):
    """The bytes are no pin that this version can compare. It names the member, and what was expected there."""


class NewerPinError(PinError):
    """The pin was made by a later toolreel: by later rules, or with a word that this one does not know."""


class OlderPinError(PinError):
    """The pin was made by earlier rules. `pin` is what it says; None where its members are not those of today."""

    def __init__(self, message: str, pin: Pin | None) -> None:
        super().__init__(message)
        self.pin = pin


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """The client that the fixture was recorded from, where its user agent said so."""

    name: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A verdict without messages, and the options it was made with: `limits` names only those that were set."""

    report: Report
    adapter: Adapter | None = None
    accept: frozenset[Allowance] = frozenset()
    limits: Mapping[str, int] = field(default_factory=dict)


def bare(report: Report) -> Report:
    """The report as a pin holds it: without messages, its lists as tuples."""
    lists: tuple[object, ...] = (report.calls, report.findings, report.allowances)
    if not report.findings and all(isinstance(items, tuple) for items in lists):
        return report  # of most turns, and already so
    return replace(
        report,
        calls=tuple(report.calls),
        findings=tuple(replace(finding, message="") for finding in report.findings),
        allowances=tuple(report.allowances),
    )


def write(pin: Pin) -> bytes:
    """The bytes of the file: one key order, one finding or call a line, ASCII, a final newline."""
    report = pin.report
    # Spelled out, as `_call_line` is: this is done for every fixture of a run.
    members = (
        f' "status": "{report.status.value}",\n'
        f' "applicable": {_FLAGS[report.applicable]},\n'
        f' "executable": {_FLAGS[report.executable]},\n'
        f' "profile": {printable_json(report.profile)},\n'
        f' "calls": {_list(map(_call_line, report.calls))},\n'
        f' "findings": {_list(map(_finding_line, report.findings))},\n'
        f' "allowances": {_list(map(_use_line, report.allowances))},\n'
        f' "rules": {RULES}'
    )
    if pin.adapter is not None:
        members += f',\n "adapter": {printable_json({"name": pin.adapter.name, "version": pin.adapter.version})}'
    if pin.accept:
        members += f',\n "accept": {printable_json(sorted(name.value for name in pin.accept))}'
    if pin.limits:
        limits = {name: pin.limits[name] for name in LIMIT_NAMES if name in pin.limits}
        members += f',\n "limits": {printable_json(limits)}'
    return f"{{\n{members}\n}}\n".encode("ascii")


def without_messages(report: Report) -> dict[str, object]:
    """The report as JSON members, as a pin has them."""
    members = report.as_dict()
    members["findings"] = [_without_message(finding) for finding in report.findings]
    return members


def _without_message(finding: Finding) -> dict[str, object]:
    return {name: value for name, value in finding.as_dict().items() if name != "message"}


def _list(lines: Iterable[str]) -> str:
    joined = ",\n  ".join(lines)
    return f"[\n  {joined}\n ]" if joined else "[]"


def _call_line(call: Call) -> str:
    return (
        f'{{"choice": {call.choice}, "slot": {call.slot}, "id": {printable_json(call.id)}, '
        f'"name": {printable_json(call.name)}, "arguments": {printable_json(call.arguments)}, '
        f'"state": "{call.state.value}"}}'
    )


def _finding_line(finding: Finding) -> str:
    return printable_json(_without_message(finding))


def _use_line(use: Use) -> str:
    return printable_json(use.as_dict())


def read(data: bytes) -> Pin:
    """The pin in `data`; `PinError` where there is none."""
    pinned = _object(document(data, PinError), "the file")
    # First of all: what another version of the rules means by its members is not known here.
    if "rules" not in pinned:
        raise PinError("the file lacks rules")
    rules = _count(pinned, "rules")
    made = f"made by version {rules} of the rules, and this toolreel judges by version {RULES}"
    if rules > RULES:
        raise NewerPinError(made)
    if rules < RULES:
        raise OlderPinError(made, _if_readable(pinned))
    return _pin(pinned)


def _if_readable(pinned: Mapping[str, object]) -> Pin | None:
    try:
        return _pin(pinned)
    except PinError:
        return None


def _pin(pinned: Mapping[str, object]) -> Pin:
    _only(
        pinned,
        {"status", "applicable", "executable", "profile", *_LISTS, "rules"},
        {"adapter", "accept", "limits"},
        "the file",
    )
    report = Report(
        status=_word(Status, pinned["status"], "status"),
        profile=_text(pinned, "profile"),
        calls=tuple(_call(item, where) for item, where in _objects(pinned, "calls")),
        findings=tuple(_finding(item, where) for item, where in _objects(pinned, "findings")),
        allowances=tuple(_use(item, where) for item, where in _objects(pinned, "allowances")),
    )
    for name, value in (("applicable", report.applicable), ("executable", report.executable)):
        if pinned[name] is not value:
            raise PinError(f"{name} must be {json.dumps(value)} where status is {report.status.value}")
    names = [_word(Allowance, item, where) for item, where in _items(pinned, "accept")] if "accept" in pinned else []
    limits = _object(pinned.get("limits", {}), "limits")
    _only(limits, set(), set(LIMIT_NAMES), "limits")
    return Pin(
        report=report,
        adapter=_adapter(pinned["adapter"]) if "adapter" in pinned else None,
        accept=frozenset(names),
        limits={name: _count(limits, name, "limits") for name in limits},
    )


def _adapter(value: object) -> Adapter:
    members = _object(value, "adapter")
    _only(members, {"name", "version"}, set(), "adapter")
    name, version = _text(members, "name", "adapter"), _text(members, "version", "adapter")
    if name is None or version is None:
        raise PinError("adapter.name and adapter.version must be strings")
    return Adapter(name=name, version=version)


def document(data: bytes, error: Callable[[str], Exception]) -> object:
    """The JSON value of a pin of whatever kind, read strictly; where it is none, what `error` makes of the reason."""
    with translated(UnicodeDecodeError, lambda at: error(f"the file is not UTF-8: a wrong byte at offset {at.start}")):
        text = data.decode("utf-8")
    parsed = strict_json.parse(text, max_nesting=_MAX_NESTING)
    if parsed.code is Code.LIMIT_EXCEEDED:
        raise error(f"the file nests deeper than {_MAX_NESTING} levels (at character {parsed.offset})")
    if parsed.code is not None:
        raise error(f"{FILE_MESSAGES[parsed.code]} (at character {parsed.offset})")
    return parsed.value


def _call(item: Mapping[str, object], where: str) -> Call:
    _only(item, {"choice", "slot", "id", "name", "arguments", "state"}, set(), where)
    arguments = _text(item, "arguments", where)
    if arguments is None:
        raise PinError(f"{where}.arguments must be a string")
    return Call(
        choice=_count(item, "choice", where),
        slot=_count(item, "slot", where),
        id=_text(item, "id", where),
        name=_text(item, "name", where),
        arguments=arguments,
        state=_word(State, item["state"], f"{where}.state"),
    )


def _finding(item: Mapping[str, object], where: str) -> Finding:
    _only(item, {"code", "choice", "slot", "event"}, {"path"}, where)
    code = _word(Code, item["code"], f"{where}.code")
    if ("path" in item) is not (code is Code.SCHEMA_VIOLATION):
        raise PinError(f"{where} must have a path where its code is schema_violation, and nowhere else")
    return Finding(
        code=code,
        message="",
        choice=_place(item, "choice", where),
        slot=_place(item, "slot", where),
        event=_place(item, "event", where),
        path=_text(item, "path", where) if "path" in item else None,
    )


def _use(item: Mapping[str, object], where: str) -> Use:
    _only(item, {"name", "choice", "slot", "event"}, set(), where)
    return Use(
        name=_word(Allowance, item["name"], f"{where}.name"),
        choice=_place(item, "choice", where),
        slot=_place(item, "slot", where),
        event=_place(item, "event", where),
    )


def _object(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise PinError(f"{where} must be an object")
    return value


def _only(members: Mapping[str, object], required: set[str], optional: set[str], where: str) -> None:
    """A `PinError` where a member is missing or not known: a word that is not understood must not be passed over."""
    missing = sorted(required - members.keys())
    if missing:
        raise PinError(f"{where} lacks {missing[0]}")
    unknown = sorted(members.keys() - required - optional)
    if unknown:
        raise PinError(f"{where} has the unknown member {unknown[0]!r}")


def _items(members: Mapping[str, object], name: str) -> list[tuple[object, str]]:
    value = members[name]
    if not isinstance(value, list):
        raise PinError(f"{name} must be an array")
    return [(item, f"{name}[{index}]") for index, item in enumerate(value)]


def _objects(members: Mapping[str, object], name: str) -> list[tuple[Mapping[str, object], str]]:
    return [(_object(item, where), where) for item, where in _items(members, name)]


def _text(members: Mapping[str, object], name: str, where: str = "") -> str | None:
    value = members[name]
    if value is not None and not isinstance(value, str):
        raise PinError(f"{_at(where, name)} must be a string or null")
    return value


def _count(members: Mapping[str, object], name: str, where: str = "") -> int:
    value = members.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise PinError(f"{_at(where, name)} must be an integer of 0 or more")
    return value


def _place(members: Mapping[str, object], name: str, where: str) -> int | None:
    return None if members[name] is None else _count(members, name, where)


def _at(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _word(words: type[_Word], value: object, where: str) -> _Word:
    for word in words:
        if word.value == value:
            return word
    kind = words.__name__.lower()
    shown = f", and {value!r} is none" if isinstance(value, str) and len(value) <= 64 else ""
    error = NewerPinError if isinstance(value, str) else PinError
    raise error(f"{where} must be a known {kind}{shown}")

"""The closed form of a pin (`NAME.expected.json`): codes, places and words of the rules, and what its fixture may say.

In: the bytes of the pin, the vocabulary of its fixture and how many events that has. Out: the classes of the places
that hold anything else. Whether the verdict is the right one is no question here; `replay` compares it.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from enum import Enum
from typing import Final

from redaction.proof.words.known_facts import known_adapter, whole
from redaction.proof.words.vocabulary import Vocabulary
from replay.validator.codes import RULES, Allowance, Code, State, Status
from replay.validator.command import LIMIT_NAMES
from replay.validator.findings import Report
from replay.validator.limits import MAX_FIXTURE_BYTES, MAX_FIXTURE_NESTING
from replay.validator.profiles import PROFILES
from replay.validator.schema import NOWHERE, follow, pointer_of, tokens_of
from replay.validator.strict_json import parse

# A pin nests its calls and findings two levels deep; more than a few is no pin.
_NESTING: Final = 8

_VERDICT: Final = frozenset(
    ("status", "applicable", "executable", "profile", "calls", "findings", "allowances", "rules")
)
_LISTS: Final = ("calls", "findings", "allowances")
_OPTIONS: Final = frozenset(("adapter", "accept", "limits"))
_PLACE: Final = ("choice", "slot", "event")
_FINDING: Final = ("code", *_PLACE)
_CALL: Final = ("choice", "slot", "id", "name", "arguments", "state")
_USE: Final = ("name", *_PLACE)
_APPLICABLE: Final = (Status.PASS.value, Status.BLOCKED.value)
# The most that any limit can be: no fixture is longer.
_LIMITS: Final = range(MAX_FIXTURE_BYTES + 1)


def leaks(data: bytes, vocabulary: Vocabulary, events: int, texts: Collection[str]) -> Iterator[str]:
    """The class of each place that holds what no pin of this fixture says; `texts` are its argument texts."""
    try:
        parsed = parse(data.decode("utf-8"), max_nesting=_NESTING)
    except UnicodeDecodeError:
        yield "file"
        return
    pin = parsed.value
    if parsed.code is not None or not isinstance(pin, dict):
        yield "file"
        return
    if pin.keys() - _VERDICT - _OPTIONS:
        yield "top-level key"
    if _VERDICT - pin.keys():
        yield "member that is missing"
        return
    yield from (name for name, holds in _MEMBERS.items() if name in pin and not holds(pin))
    form = _Form(vocabulary, events, texts)
    calls = pin["calls"] if isinstance(pin["calls"], list) else []
    yield from form.calls(calls)
    for finding in pin["findings"] if isinstance(pin["findings"], list) else ():
        yield from form.finding(finding, calls)
    for use in pin["allowances"] if isinstance(pin["allowances"], list) else ():
        yield from form.use(use)


def is_stale(data: bytes, report: Report, events: int) -> bool:
    """Whether a pin is surely not of the fixture with this report: it was made of another one, or of this as it was.

    Sure are another wire family, calls at other places or of other tools, and an event that the fixture does not have.
    Other arguments alone are no sign: what was put into a pin by hand looks the same.
    """
    pin = parse(data.decode("utf-8", "replace"), max_nesting=_NESTING).value
    if not isinstance(pin, dict):
        return False
    calls = [call for call in _items(pin, "calls") if tuple(call) == _CALL]
    places = [(call["choice"], call["slot"], call["name"]) for call in calls]
    numbers = [one.get("event") for name in ("findings", "allowances") for one in _items(pin, name)]
    return (
        pin.get("profile") != report.profile
        or places != [(call.choice, call.slot, call.name) for call in report.calls]
        or any(type(number) is int and number >= events for number in numbers)
    )


def _items(pin: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    listed = pin.get(name)
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def laid_out(data: bytes) -> bytes:
    """The bytes that `replay` writes for the pin in `data`, which is of the form: one finding or call a line, ASCII."""
    members = (f" {_text(name)}: {_lines(name, value)}" for name, value in json.loads(data).items())
    return ("{\n" + ",\n".join(members) + "\n}\n").encode("ascii")


def _lines(name: str, value: object) -> str:
    if name not in _LISTS or not isinstance(value, list) or not value:
        return _text(value)
    return "[\n  " + ",\n  ".join(map(_text, value)) + "\n ]"


def _text(value: object) -> str:
    return json.dumps(value).replace("\x7f", "\\u007f")


def _is(words: type[Enum], value: object) -> bool:
    return isinstance(value, str) and value in {word.value for word in words}


def _are_allowances(pin: Mapping[str, object]) -> bool:
    names = pin["accept"]
    return isinstance(names, list) and all(_is(Allowance, name) for name in names) and len({*names}) == len(names)


def _are_limits(pin: Mapping[str, object]) -> bool:
    limits = pin["limits"]
    return isinstance(limits, dict) and all(
        name in LIMIT_NAMES and whole(limit, _LIMITS) for name, limit in limits.items()
    )


# What each member by itself must be; the items of the lists are looked at one by one.
_MEMBERS: Final[Mapping[str, Callable[[Mapping[str, object]], bool]]] = {
    "status": lambda pin: _is(Status, pin["status"]),
    "applicable": lambda pin: pin["applicable"] is (pin["status"] in _APPLICABLE),
    "executable": lambda pin: pin["executable"] is (pin["status"] == Status.PASS.value),
    "profile": lambda pin: pin["profile"] is None or (isinstance(pin["profile"], str) and pin["profile"] in PROFILES),
    "calls": lambda pin: isinstance(pin["calls"], list),
    "findings": lambda pin: isinstance(pin["findings"], list),
    "allowances": lambda pin: isinstance(pin["allowances"], list),
    "rules": lambda pin: whole(pin["rules"], range(1, RULES + 1)),
    "adapter": lambda pin: known_adapter(pin["adapter"]),
    "accept": _are_allowances,
    "limits": _are_limits,
}


# The classes of places whose question does not depend on the fixture.
OF_ANY: Final = frozenset(
    {
        *("file", "top-level key", "member that is missing", *_MEMBERS),
        *("call", "state of a call", "arguments of a call", "finding", "code of a finding"),
        *("allowance", "name of an allowance"),
    }
)


class _Form:
    """The questions that depend on the fixture."""

    def __init__(self, vocabulary: Vocabulary, events: int, texts: Collection[str]) -> None:
        self._vocabulary = vocabulary
        self._texts = texts
        self._places: Mapping[str, Collection[int]] = {
            "choice": vocabulary.indices,
            "slot": vocabulary.indices,
            "event": range(events),
        }

    def calls(self, calls: list[object]) -> Iterator[str]:
        """The leaks in the calls, their arguments included."""
        for call in calls:
            if not isinstance(call, dict) or tuple(call) != _CALL:
                yield "call"
                continue
            for name in ("choice", "slot"):
                if not self._is_at(name, call[name]):
                    yield f"{name} of a call"
            for name in ("id", "name"):
                text = call[name]
                if text is not None and not (isinstance(text, str) and self._vocabulary.may_say_of_a_call(name, text)):
                    yield f"{name} of a call"
            if not _is(State, call["state"]):
                yield "state of a call"
            if isinstance(call["arguments"], str):
                # What the fixture has is judged there: pieces that clients join otherwise read otherwise here.
                tool = call["name"] if isinstance(call["name"], str) else ""
                if call["arguments"] not in self._texts:
                    yield from (found.place for found in self._vocabulary.leaks_in_arguments([call["arguments"]], tool))
            else:
                yield "arguments of a call"

    def finding(self, finding: object, calls: list[object]) -> Iterator[str]:
        """The leaks in a finding; a path leads into the arguments of the call that it is about."""
        if not isinstance(finding, dict) or tuple(finding) not in (_FINDING, (*_FINDING, "path")):
            yield "finding"
            return
        if not _is(Code, finding["code"]) or ("path" in finding) is not (
            finding["code"] == Code.SCHEMA_VIOLATION.value
        ):
            yield "code of a finding"
        yield from (f"{name} of a finding" for name in _PLACE if not self._is_place(name, finding[name]))
        path = finding.get("path")
        if path is not None and not (isinstance(path, str) and _leads(path, _arguments(calls, finding))):
            yield "path of a finding"

    def use(self, use: object) -> Iterator[str]:
        """The leaks in one use of an allowance."""
        if not isinstance(use, dict) or tuple(use) != _USE:
            yield "allowance"
            return
        if not _is(Allowance, use["name"]):
            yield "name of an allowance"
        yield from (f"{name} of an allowance" for name in _PLACE if not self._is_place(name, use[name]))

    def _is_place(self, name: str, value: object) -> bool:
        return value is None or self._is_at(name, value)

    def _is_at(self, name: str, value: object) -> bool:
        return type(value) is int and value in self._places[name]


def _arguments(calls: list[object], finding: Mapping[str, object]) -> Iterator[object]:
    """The arguments that a finding can be about, as values; `{}` is what stands for none."""
    yield {}
    for call in calls:
        if isinstance(call, dict) and all(call.get(name) == finding[name] for name in ("choice", "slot")):
            text = call.get("arguments")
            yield parse(text, max_nesting=MAX_FIXTURE_NESTING).value if isinstance(text, str) else None


def _leads(path: str, values: Iterator[object]) -> bool:
    """Whether the JSON Pointer `path` leads to a place in one of the values, spelled as pointers are."""
    tokens = tokens_of(path)
    return path == pointer_of(tokens) and any(follow(value, tokens) is not NOWHERE for value in values)

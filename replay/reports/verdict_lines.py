"""The lines that tell a verdict, and those that differ between two of them, for people and for published reports.

Every line is printable.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from replay.judging.comparison.timeline import same_until
from replay.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from replay.validator import Call, Finding, Report, Use

_Place = tuple[int, int]  # choice and slot

# Long enough for the arguments of most calls; longer ones are told apart by their length and digest.
SHOWN: Final = 160


def verdict(report: Report, starts: Mapping[_Place, int] | None = None) -> list[str]:
    """One line for the status, then one for each finding, call and allowance used, in the report's order.

    `starts` says from which character on arguments are shown that are too long to be shown whole.
    """
    executable = "executable" if report.executable else "not executable"
    profile = "-" if report.profile is None else quoted(report.profile)
    return [
        f"{report.status.value}, {executable}, profile {profile}",
        *map(_finding, report.findings),
        *(_call(call, (starts or {}).get((call.choice, call.slot), 0)) for call in report.calls),
        *map(_use, report.allowances),
    ]


def difference(pinned: Report, found: Report) -> Iterator[str]:
    """The lines that only one of them has, pinned ones as `- line`, found ones as `+ line`."""
    from difflib import SequenceMatcher  # only a run in which something differs pays for it

    starts = _starts(pinned, found)
    old, new = verdict(pinned, starts), verdict(found, starts)
    for kind, start, end, other_start, other_end in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield from (f"- {line}" for line in old[start:end])
            yield from (f"+ {line}" for line in new[other_start:other_end])


def published(pinned: Report | None, found: Report) -> Iterator[str]:
    """The lines of a difference, or of a verdict without a pin, for a report that strangers may read.

    They have codes and places, and no id, name, argument or path of the turn: `call, choice 0, slot 1: another name`.
    """
    if pinned is None:
        yield f"the verdict is {found.status.value}"
        yield from map(_finding_published, found.findings)
        return
    if pinned.status is not found.status or pinned.profile != found.profile:
        yield f"{found.status.value}, {pinned.status.value} was pinned"
    yield from _told_apart("finding", map(_finding_published, pinned.findings), map(_finding_published, found.findings))
    before = {(call.choice, call.slot): call for call in pinned.calls}
    after = {(call.choice, call.slot): call for call in found.calls}
    for at in sorted(before.keys() | after.keys()):
        yield from _call_published(at, before.get(at), after.get(at))
    yield from _told_apart("allowance", map(_use, pinned.allowances), map(_use, found.allowances))


def _told_apart(kind: str, pinned: Iterable[str], found: Iterable[str]) -> Iterator[str]:
    old, new = list(pinned), list(found)
    yield from (f"- {line}" for line in old if line not in new)
    yield from (f"+ {line}" for line in new if line not in old)
    if old != new and sorted(old) == sorted(new):
        yield f"each {kind} as pinned, in another order or at another path"


def _finding_published(finding: Finding) -> str:
    return f"finding {finding.code.value}, {place(finding)}"


def _call_published(at: _Place, pinned: Call | None, found: Call | None) -> Iterator[str]:
    where = f"call, choice {at[0]}, slot {at[1]}"
    if pinned is None or found is None:
        yield f"{'+' if pinned is None else '-'} {where}"
        return
    parts = {
        "name": pinned.name != found.name,
        "id": pinned.id != found.id,
        "arguments": pinned.arguments != found.arguments,
        "state": pinned.state is not found.state,
    }
    if any(parts.values()):
        yield f"{where}: another {', '.join(part for part, differs in parts.items() if differs)}"


def _starts(pinned: Report, found: Report) -> dict[_Place, int]:
    """Where to begin to show the arguments of a call that both have: shortly before the first difference."""
    others = {(call.choice, call.slot): call.arguments for call in pinned.calls}
    return {
        place: max(0, same_until(call.arguments, others[place]) - SHOWN // 2)
        for call in found.calls
        if (place := (call.choice, call.slot)) in others
    }


def _finding(finding: Finding) -> str:
    path = "" if finding.path is None else f", path {quoted(finding.path)}"
    return f"finding {finding.code.value}, {place(finding)}{path}"


def _call(call: Call, start: int) -> str:
    name = "without name" if call.name is None else quoted(call.name)
    identity = "without id" if call.id is None else f"id {quoted(call.id)}"
    place = f"choice {call.choice}, slot {call.slot}"
    return f"call {name}, {identity}, {place}, {call.state.value}, arguments {_plain(call.arguments, start)}"


def _use(use: Use) -> str:
    return f"allowance {use.name.value}, {place(use)}"


def place(thing: Finding | Use) -> str:
    """The place of a finding or a use, in words: `choice 0, slot 1, event 4`."""
    event = "at the end" if thing.event is None else f"event {thing.event}"
    if thing.choice is None:
        return f"turn, {event}"
    slot = "" if thing.slot is None else f", slot {thing.slot}"
    return f"choice {thing.choice}{slot}, {event}"


def _plain(text: str, start: int) -> str:
    """The text as it is where nobody can take it for a quoted one, since JSON is hard to read with escaped quotes."""
    plain = text and len(text) <= SHOWN and text.isprintable() and not text.startswith('"')
    return text if plain else quoted(text, start=start)


def quoted(text: str, *, shown: int = SHOWN, start: int = 0) -> str:
    """The text as a JSON string, so that equal lines mean equal texts; of a long one a part, its length and digest."""
    if len(text) <= shown:
        return printable(json.dumps(text, ensure_ascii=False))
    import hashlib  # loads a library of the system: only a long text pays for it

    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    part = printable(json.dumps(text[start : start + shown], ensure_ascii=False))
    around = f"...{part}" if start else part
    return f"{around}... ({len(text):,} characters, sha256 {digest})"

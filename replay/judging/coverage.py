"""What kinds of unusual and broken streams a corpus holds, for each profile: what an adapter can be tested on with it.

Looks at a turn through the validator's public API, before and after each payload, so it knows no provider's payloads.
Only an empty fragment is looked for in the payload itself: it counts also in a payload that is a finding as a whole, of
which the listener of a turn hears nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import TYPE_CHECKING, Final

from replay.corpus import files
from replay.corpus.loading import load
from replay.validator import Code, InvalidFixture, Status, invalid_report, turn_of
from replay.validator.limits import DEFAULT_LIMITS
from replay.validator.profiles import PROFILES, Identity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from replay.validator import Allowance, Envelope, Limits, Report, Snapshot


@unique
class Kind(StrEnum):
    """A kind of stream that adapters get wrong. The value is its name in a report."""

    FRAGMENTED = "fragmented JSON"
    INTERLEAVED = "interleaved calls"
    PARALLEL = "parallel calls"
    LATE_ID = "delayed id"
    LATE_NAME = "delayed name"
    EMPTY_DELTA = "empty delta"
    UNICODE = "Unicode in arguments"
    REUSED_INDEX = "reused index"
    MALFORMED = "malformed JSON"
    INVALID_FINAL = "schema-invalid final"
    DUPLICATE_TERMINAL = "duplicate terminal"
    TRUNCATED = "truncation"
    NO_CALL = "no call at all"
    LEGAL = "legal call"


# Kinds that are seen by their findings.
_BY_CODE: Final = {
    Kind.REUSED_INDEX: {Code.IDENTITY_COLLISION, Code.DUPLICATE_START},
    Kind.MALFORMED: {
        Code.MALFORMED_ARGUMENTS,
        Code.TRAILING_DATA,
        Code.NON_FINITE_NUMBER,
        Code.DUPLICATE_KEY,
        Code.INVALID_UNICODE,
    },
    Kind.INVALID_FINAL: {Code.SCHEMA_VIOLATION, Code.NON_OBJECT_ARGUMENTS},
    Kind.DUPLICATE_TERMINAL: {Code.DUPLICATE_TERMINAL},
    Kind.TRUNCATED: {Code.MISSING_TERMINAL},
}
_BY_STATUS: Final = {Status.NOT_APPLICABLE: Kind.NO_CALL, Status.PASS: Kind.LEGAL}
_ESCAPED: Final = re.compile(r"\\u[0-9a-fA-F]{4}")
# Members that carry a fragment, in every family.
_FRAGMENTS: Final = ("arguments", "partial_json", "delta", "input", "stringValue")
# Members that hold what is no fragment: an item as it begins or ends, the response as it stands.
_WHOLE: Final = frozenset({"item", "response"})
# Kinds that need a wire on which id and name may come after the start of their call.
_LATE: Final = frozenset({Kind.LATE_ID, Kind.LATE_NAME})
# Kinds that need a call in several payloads.
_IN_PIECES: Final = frozenset({Kind.FRAGMENTED, Kind.INTERLEAVED, Kind.EMPTY_DELTA})
# The column of files that name no known profile.
NO_PROFILE: Final = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """How many fixtures of each profile have each kind and each finding code."""

    fixtures: Counter[str] = field(default_factory=Counter)
    kinds: Counter[tuple[str, Kind]] = field(default_factory=Counter)
    codes: Counter[tuple[str, Code]] = field(default_factory=Counter)


def survey(paths: Iterable[str], *, accept: Collection[Allowance] = (), limits: Limits = DEFAULT_LIMITS) -> Survey:
    """Count over fixture files; `ToolreelError` for one that cannot be read."""
    return survey_of(map(files.read, paths), accept=accept, limits=limits)


def survey_of(
    fixtures: Iterable[bytes], *, accept: Collection[Allowance] = (), limits: Limits = DEFAULT_LIMITS
) -> Survey:
    """Count over the bytes of fixtures."""
    found = Survey()
    for data in fixtures:
        envelope = load(data).envelope
        if isinstance(envelope, InvalidFixture):
            report, kinds = invalid_report(envelope), set[Kind]()
        else:
            report, kinds = _judged(envelope, accept, limits)
        profile = report.profile if report.profile in PROFILES else NO_PROFILE
        assert profile is not None, "None is no profile"
        found.fixtures[profile] += 1
        found.kinds.update((profile, kind) for kind in kinds)
        found.codes.update((profile, code) for code in {finding.code for finding in report.findings})
    return found


def possible(profile: str, what: Kind | Code) -> bool:
    """Whether a stream of the profile can be of this kind, or have a finding of this code, at all."""
    if profile == NO_PROFILE or what is Code.INVALID_FIXTURE:
        return profile == NO_PROFILE and what is Code.INVALID_FIXTURE  # it is found in a file, and in no stream
    never = PROFILES[profile].never
    if isinstance(what, Code):
        return what not in never
    if what in _LATE and PROFILES[profile].identity is Identity.AT_THE_START:
        return False
    if what is Kind.LATE_NAME and Code.MISSING_NAME in never:  # a name begins a call
        return False
    if what in _IN_PIECES and Code.MALFORMED_ARGUMENTS in never:  # every call comes whole
        return False
    return what not in _BY_CODE or not _BY_CODE[what] <= never


def _judged(envelope: Envelope, accept: Collection[Allowance], limits: Limits) -> tuple[Report, set[Kind]]:
    turn = turn_of(envelope, accept=accept, limits=limits)
    kinds: set[Kind] = set()
    fed: list[tuple[int, int]] = []  # the slots in the order in which they received bytes, without repetition
    before = turn.snapshot()
    for payload in envelope.payloads:
        turn.feed(payload)
        after = turn.snapshot()
        kinds.update(_progress(before, after, fed))
        if before.calls and any(_empty_fragments(payload)):
            kinds.add(Kind.EMPTY_DELTA)
        before = after
    report = turn.close()
    if len(fed) > len(set(fed)):
        kinds.add(Kind.INTERLEAVED)
    if len(report.calls) > 1:
        kinds.add(Kind.PARALLEL)
    if any(not call.arguments.isascii() or _ESCAPED.search(call.arguments) for call in report.calls):
        kinds.add(Kind.UNICODE)
    codes = {finding.code for finding in report.findings}
    kinds.update(kind for kind, those in _BY_CODE.items() if codes & those)
    if report.status in _BY_STATUS:
        kinds.add(_BY_STATUS[report.status])
    return report, kinds


def _progress(before: Snapshot, after: Snapshot, fed: list[tuple[int, int]]) -> Iterator[Kind]:
    """The kinds that one payload shows."""
    old = {(call.choice, call.slot): call for call in before.calls}
    for call in after.calls:
        place = (call.choice, call.slot)
        was = old.get(place)
        if call.size > (was.size if was else 0):
            if was is not None and was.size:
                yield Kind.FRAGMENTED
            if not fed or fed[-1] != place:
                fed.append(place)
        if was is not None and was.id is None and call.id is not None:
            yield Kind.LATE_ID
        if was is not None and was.name is None and call.name is not None:
            yield Kind.LATE_NAME


def _empty_fragments(payload: object) -> Iterator[bool]:
    """True for each member that carries a fragment and carries none."""
    waiting = [payload]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield from (True for name in _FRAGMENTS if item.get(name) == "")
            waiting += (member for name, member in item.items() if name not in _WHOLE)
        elif isinstance(item, list):
            waiting += item

"""Fixtures and pins on disk: judged, compared, written. One result a fixture, in the order of their names.

Knows files, the validator and pins; prints nothing. A result says what was found and what to do about it.
"""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay.corpus import files, pins
from replay.corpus.discovery import fixture_path, pin_path
from replay.corpus.loading import line_of, load
from replay.errors import ToolreelError
from replay.validator import Allowance, InvalidFixture, Limits, Status, invalid_report, judge
from replay.validator.envelope import FIXTURE_VERSION
from replay.validator.limits import DEFAULT_LIMITS

from .timeline import around, parting

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from replay.corpus.discovery import Plan
    from replay.corpus.loading import Loaded
    from replay.validator import Finding, Report

    from . import recut
    from .timeline import Moment

UPGRADE: Final = "pip install --upgrade toolreel"
# Findings of one fixture that are placed, and told with what happened around them. One that is judged in a wholly
# different way has many, and the first say why.
MAX_CHANGES: Final = 100
MAX_TIMELINES: Final = 3


class Mode(Enum):
    """What a verdict that is not the pinned one leads to."""

    CHECK = "report it"
    UPDATE = "report it, and write the pin"


class Orphans(Enum):
    """What becomes of pins without their fixtures."""

    KEEP = "report them"
    PRUNE = "remove them"


class Outcome(Enum):
    """How a fixture compares with its pin; the value is its name in a report."""

    AS_PINNED = "as_pinned"
    CHANGED = "changed"  # the verdict is not the pinned one
    UNPINNED = "unpinned"  # no pin beside the fixture
    OUTDATED = "outdated"  # the pin was made by older rules
    ORPHAN = "orphan"  # a pin without its fixture
    NOT_INVARIANT = "not_invariant"  # cut elsewhere, the same bytes gave another verdict
    REPINNED = "repinned"  # changed, and written
    PINNED = "pinned"  # unpinned, and written
    PRUNED = "pruned"  # orphan, and removed
    ERROR = "error"  # the fixture or its pin could not be read, or the pin not be written


# 1: something differs. 2: something could not be read, so that nothing is known of it. The highest one counts.
EXIT_CODES: Final[Mapping[Outcome, int]] = {
    Outcome.AS_PINNED: 0,
    Outcome.CHANGED: 1,
    Outcome.UNPINNED: 1,
    Outcome.OUTDATED: 1,
    Outcome.ORPHAN: 1,
    Outcome.NOT_INVARIANT: 1,
    Outcome.REPINNED: 0,
    Outcome.PINNED: 0,
    Outcome.PRUNED: 0,
    Outcome.ERROR: 2,
}
# What an outcome becomes when the pin is written.
WRITTEN: Final[Mapping[Outcome, Outcome]] = {
    Outcome.CHANGED: Outcome.REPINNED,
    Outcome.OUTDATED: Outcome.REPINNED,
    Outcome.UNPINNED: Outcome.PINNED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One part of `of`, from 1. Which part a fixture is in depends on its content alone: not on its name or order."""

    number: int
    of: int

    def has(self, data: bytes) -> bool:
        """Whether a fixture of these bytes is in this part."""
        import hashlib  # loads a library of the system: only a run in parts pays for it

        return int.from_bytes(hashlib.sha256(data).digest()[:8], "big") % self.of == self.number - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What every fixture is judged with, beside what its own pin says; of two limits, the one here counts."""

    accept: frozenset[Allowance] = frozenset()
    limits: Mapping[str, int] = field(default_factory=dict)
    mode: Mode = Mode.CHECK
    orphans: Orphans = Orphans.KEEP
    shard: Shard | None = None
    recut: recut.Cuts | None = None

    def update_command(self, path: str) -> str:
        """The command that writes the pin of `path`, judged as now."""
        words = ["toolreel", "replay", "--update"]
        for name in sorted(self.accept):
            words += ["--accept", name.value]
        for limit, value in self.limits.items():
            words += ["--limit", f"{limit}={value}"]
        return f"{' '.join(words)} {quoted(path)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A finding that only one of the two verdicts has, and what happened around it."""

    finding: Finding  # one of the found verdict has its message
    line: int  # of the fixture file, from 1
    moments: tuple[Moment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallChange:
    """A call that both verdicts have and that is not the same, and what happened where they part."""

    choice: int
    slot: int
    line: int  # of the fixture file, from 1
    moments: tuple[Moment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of one fixture; of an orphan, the fixture is the one that is not there. Reports without messages."""

    fixture: str
    outcome: Outcome
    pinned: Report | None = None
    found: Report | None = None
    advice: str = ""  # one line: what is wrong and the next step; empty where nothing is to be done
    line: int = 1  # of the fixture file: where to look first
    new: tuple[Change, ...] = ()  # findings that the pin does not have
    gone: tuple[Change, ...] = ()  # findings that only the pin has
    calls: tuple[CallChange, ...] = ()  # the first few that differ, where no such finding names the slot
    adapters: tuple[pins.Adapter | None, pins.Adapter | None] = (None, None)  # pinned and found

    @property
    def pin(self) -> str:
        """Where the pin of the fixture stands, or would."""
        return pin_path(self.fixture)


def replay(plan: Plan, options: Options) -> Iterator[Result]:
    """Judge every fixture of the plan and compare it with its pin; each result as soon as it is there."""
    yield from fixtures(plan.fixtures, options)
    yield from orphans(plan.orphans, options)


def fixtures(paths: Iterable[str], options: Options) -> Iterator[Result]:
    """One result for each fixture that is in the shard."""
    for path in paths:
        trouble = ""
        result = None
        data: bytes | None = None
        try:
            data = files.read(path)
            if options.shard is None or options.shard.has(data):
                result = _replay_one(path, data, options)
        except ToolreelError as error:
            trouble = str(error)
        if result is not None:
            yield result
        elif trouble and (data is not None or _is_first(options)):
            # Of a file that cannot be read no content is known: one shard reports it, so that none is passed over.
            yield Result(fixture=path, outcome=Outcome.ERROR, advice=trouble)


def _is_first(options: Options) -> bool:
    return options.shard is None or options.shard.number == 1


def orphans(paths: Iterable[str], options: Options) -> Iterator[Result]:
    """One result for each pin without its fixture; it is removed where the options say so. The first shard has them."""
    for orphan in paths if _is_first(options) else ():
        missing = fixture_path(orphan)
        if options.orphans is Orphans.KEEP:
            prune = f"toolreel replay --prune {quoted(orphan)}"
            advice = f"{Path(missing).name} is not beside it; bring it back, or remove the pin: {prune}"
            yield Result(fixture=missing, outcome=Outcome.ORPHAN, advice=advice)
            continue
        trouble = ""
        try:
            files.remove(orphan)
        except ToolreelError as error:
            trouble = str(error)
        outcome = Outcome.ERROR if trouble else Outcome.PRUNED
        yield Result(fixture=missing, outcome=outcome, advice=trouble)


def pinned(fixture: str) -> pins.Pin:
    """The pin of a fixture, for whoever does not judge; a `ToolreelError` with the next step where it is of no use."""
    update = Options().update_command(fixture)
    pin_file = pin_path(fixture)
    data = files.read_if_there(pin_file)
    pin, made_by = _pin(pin_file, data, update)
    if pin is None or made_by:
        raise ToolreelError(f"{fixture}: {_outdated(made_by, update) if made_by else _unpinned(update)}")
    return pin


def _replay_one(fixture: str, data: bytes, options: Options) -> Result:
    result = _compared(fixture, data, options)
    if options.recut is not None and result.outcome is not Outcome.ERROR:
        from . import recut  # only a run that cuts pays for it

        fault = recut.fault(load(data), options.recut, seed=data)
        if fault is not None:
            return replace(result, outcome=Outcome.NOT_INVARIANT, advice=fault)
    return result


def _compared(fixture: str, data: bytes, options: Options) -> Result:
    pin_file = pin_path(fixture)
    loaded = load(data)
    pinned_data = files.read_if_there(pin_file)
    whole, found = _judged(loaded, None, options)
    if pinned_data is not None and pins.write(found) == pinned_data:
        # What is written in the one form says the same, and need not be read.
        return Result(fixture=fixture, outcome=Outcome.AS_PINNED, pinned=found.report, found=found.report)
    update = options.update_command(fixture)
    pin, made_by = _pin(pin_file, pinned_data, update)
    if pin is not None and (pin.accept or pin.limits):
        whole, found = _judged(loaded, pin, options)
    if loaded.newer is not None and (pin is None or pin.report != found.report):
        raise ToolreelError(
            f"{fixture}: written in version {loaded.newer} of the fixture format, and this toolreel reads version "
            f"{FIXTURE_VERSION}; upgrade it: {UPGRADE}"
        )
    outcome, advice = _outcome(pin, found, pinned_data, made_by, update)
    if advice and whole.status is Status.INVALID:
        # Half a file is pinned by nobody who knows that it is one.
        advice = f"{whole.findings[0].message}: mend the file or leave it out; {advice}"
    if options.mode is Mode.UPDATE and outcome is not Outcome.AS_PINNED:
        files.write(pin_file, pins.write(found))
        outcome, advice = WRITTEN[outcome], ""
    elif options.mode is Mode.UPDATE and pin is not None and pin.adapter != found.adapter:
        files.write(pin_file, pins.write(found))
        outcome = Outcome.REPINNED
    if outcome is Outcome.AS_PINNED:
        return Result(fixture=fixture, outcome=outcome, pinned=found.report, found=found.report)
    old = pin.report if pin else None
    new = _changes(loaded, whole.findings, old.findings if old else (), found)
    gone = _changes(loaded, old.findings if old else (), found.report.findings, found)
    calls = _changed_calls(loaded, old, found, {(change.finding.choice, change.finding.slot) for change in new + gone})
    return Result(
        fixture=fixture,
        outcome=outcome,
        pinned=old,
        found=found.report,
        advice=advice,
        line=min([change.line for change in new + gone] + [call.line for call in calls], default=1),
        new=new,
        gone=gone,
        calls=calls,
        adapters=(pin.adapter if pin else None, found.adapter),
    )


def _outcome(
    pin: pins.Pin | None, found: pins.Pin, data: bytes | None, made_by: str, update: str
) -> tuple[Outcome, str]:
    """How the verdict compares, and what to do about it."""
    if made_by:
        return Outcome.OUTDATED, _outdated(made_by, update)
    if data is None:
        return Outcome.UNPINNED, _unpinned(update)
    if pin is None or pin.report != found.report:
        return Outcome.CHANGED, f"to accept the new verdict: {update}"
    return Outcome.AS_PINNED, ""


def _outdated(made_by: str, update: str) -> str:
    return f"the pin was {made_by}; to judge anew, and to see what moves: {update}"


def _unpinned(update: str) -> str:
    return f"no pin beside it; to pin this verdict: {update}"


def _pin(path: str, data: bytes | None, update: str) -> tuple[pins.Pin | None, str]:
    """The pin, and by which rules it was made where those are older ones; then it may be unreadable, and None."""
    if data is None:
        return None, ""
    problem, step = "", f"mend it, or delete it and run: {update}"
    try:
        return pins.read(data), ""
    except pins.OlderPinError as error:
        return error.pin, str(error)
    except pins.NewerPinError as error:
        problem = str(error)
        step = f"upgrade toolreel ({UPGRADE}), or {step}"
    except pins.PinError as error:
        problem = str(error)
    raise ToolreelError(f"{path}: {problem}; {step}")


def _judged(loaded: Loaded, pin: pins.Pin | None, options: Options) -> tuple[Report, pins.Pin]:
    """The report, and the verdict as a pin.

    Of what was accepted the pin names what the old one named or what was used: the rest is idle.
    """
    accept = options.accept | (pin.accept if pin else frozenset())
    limits = {**(pin.limits if pin else {}), **options.limits}
    envelope = loaded.envelope
    if isinstance(envelope, InvalidFixture):
        whole = invalid_report(envelope)
    else:
        whole = judge(envelope, accept=accept, limits=Limits(**limits) if limits else DEFAULT_LIMITS)
    used = {use.name for use in whole.allowances}
    return whole, pins.Pin(
        report=pins.bare(whole),
        adapter=loaded.adapter,
        accept=(pin.accept if pin else frozenset()) | used,
        limits=limits,
    )


def _changes(
    loaded: Loaded, those: Iterable[Finding], others: Iterable[Finding], judged: pins.Pin
) -> tuple[Change, ...]:
    """The findings of `those` that `others` lack, with what happened around the first few."""
    known = {replace(finding, message="") for finding in others}
    changed = [finding for finding in those if replace(finding, message="") not in known]
    found = []
    for at, finding in enumerate(changed[:MAX_CHANGES]):
        moments: tuple[Moment, ...] = ()
        if at < MAX_TIMELINES and not isinstance(loaded.envelope, InvalidFixture):
            moments = around(loaded.envelope, finding, accept=judged.accept, limits=Limits(**judged.limits))
        found.append(Change(finding=finding, line=line_of(loaded, finding.event), moments=moments))
    return tuple(found)


def _changed_calls(
    loaded: Loaded, old: Report | None, judged: pins.Pin, explained: Collection[tuple[int | None, int | None]]
) -> tuple[CallChange, ...]:
    if old is None or isinstance(loaded.envelope, InvalidFixture):
        return ()
    pinned = {(call.choice, call.slot): call for call in old.calls}
    found: list[CallChange] = []
    for call in judged.report.calls:
        place = (call.choice, call.slot)
        other = pinned.get(place, call)
        if call != other and place not in explained and len(found) < MAX_TIMELINES:
            event, moments = parting(loaded.envelope, other, call, accept=judged.accept, limits=Limits(**judged.limits))
            found.append(CallChange(choice=call.choice, slot=call.slot, line=line_of(loaded, event), moments=moments))
    return tuple(found)


def quoted(path: str) -> str:
    """The path as one word of a shell command, all of it printable."""
    text = shlex.quote(path) if path.isprintable() else f"$'{''.join(map(_escaped, path))}'"
    return f"-- {text}" if text.startswith("-") else text


def _escaped(character: str) -> str:
    """A character within `$'...'`, as bash, zsh and ksh read it."""
    if character in "'\\":
        return f"\\{character}"
    return character if character.isprintable() else "".join(f"\\x{byte:02x}" for byte in os.fsencode(character))

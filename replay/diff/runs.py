"""Fixtures through adapters: one result for each pair that speak the same API, adapter by adapter.

An adapter has a process of its own for as long as it lives; a crash or a hang costs one fixture, and the next one gets
a new process. Prints nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay.corpus import files, pins
from replay.corpus.discovery import pin_path
from replay.errors import ToolreelError, translated
from replay.judging.comparison import pinning
from replay.judging.comparison import unneeded as accepting
from replay.judging.run_options import Options as ReplayOptions
from replay.serve.cutting import Cuts
from replay.serve.cutting import Mode as Cut
from replay.shell import quoted
from replay.validator import InvalidFixture, Limits, judge
from replay.validator.limits import DEFAULT_LIMITS

from . import contested, outcome_pins, splits, unneeded
from .crew import Crew
from .outcomes import Outcome
from .trials import RUNS, tried
from .turns import Telling, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from replay.serve.matching import ServedFixture
    from replay.serve.served_fixtures import ServedFixtures
    from replay.validator import Allowance, Report

    from .outcomes import Heard
    from .processes.adapter_command import Adapter
    from .processes.adapter_process import Ready
    from .trials import Trial
    from .turns import Driver

# A turn from this machine takes a tenth of a second; this is for a busy one.
TIME_LIMIT: Final = 20.0
# A day: more than any turn takes, and less than what the system can wait for at once.
MAX_SECONDS: Final = 86_400.0


class Mode(Enum):
    """What an outcome is compared with."""

    CHECK = "the pinned one; report what differs"
    UPDATE = "the pinned one; report what differs, and write it"
    DEMAND = "what is demanded; pins are not read"


class Standing(Enum):
    """How an outcome compares with what is pinned or demanded; the value is its name in a report."""

    AS_PINNED = "as_pinned"
    CHANGED = "changed"
    UNPINNED = "unpinned"
    REPINNED = "repinned"
    PINNED = "pinned"
    AS_DEMANDED = "as_demanded"
    REFUSED = "not_as_demanded"
    NO_CONTROL = "no_control"
    UNNEEDED = "unneeded"  # an outcome is pinned that no run is compared with
    REMOVED = "removed"  # unneeded, and removed
    ERROR = "error"


EXIT_CODES: Final[Mapping[Standing, int]] = {
    Standing.AS_PINNED: 0,
    Standing.CHANGED: 1,
    Standing.UNPINNED: 1,
    Standing.REPINNED: 0,
    Standing.PINNED: 0,
    Standing.AS_DEMANDED: 0,
    Standing.REFUSED: 1,
    Standing.NO_CONTROL: 1,
    Standing.UNNEEDED: 0,
    Standing.REMOVED: 0,
    Standing.ERROR: 2,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How adapters are run. `never` are the outcomes that `Mode.DEMAND` does not allow."""

    mode: Mode = Mode.CHECK
    never: frozenset[Outcome] = frozenset()
    accept: frozenset[Allowance] = frozenset()
    seconds: float = TIME_LIMIT
    cuts: Cuts = field(default_factory=Cuts)
    python: tuple[str, ...] = ()  # as `--python` has them, for the command that `update_command` says
    node_folder: Path = Path()
    jobs: int = 1
    telling: Telling = field(default_factory=Telling)

    def update_command(self, adapter: Adapter, fixture: str) -> str:
        """The command that writes the outcome of this adapter and fixture, run as now."""
        given = [(adapter.option, adapter.name)]
        given += [("--python", one) for one in self.python if one.rpartition("=")[0] in ("", adapter.name)]
        if self.node_folder != Path():
            given.append(("--node-folder", str(self.node_folder)))
        given += [("--accept", name.value) for name in sorted(self.accept)]
        if self.seconds != TIME_LIMIT:
            given.append(("--timeout", f"{self.seconds:g}"))
        if self.cuts != Cuts():
            given.append(("--cuts", self.cuts.option))
        # A value follows its option, so it may begin as an option does.
        words = [word for name, value in given for word in (name, quoted(value).removeprefix("-- "))]
        return f"toolreel diff --update {' '.join(words)} {quoted(fixture)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one adapter made of one fixture. The report in it has no messages."""

    fixture: str
    adapter: str
    version: str
    standing: Standing
    outcome: Outcome | None = None
    observed: Outcome | None = None  # what it was, whether it counts or not
    runs: Mapping[Outcome, int] = field(default_factory=dict)  # how often the turn was run, by what it ended in
    pinned: Outcome | None = None
    pinned_version: str | None = None
    report: Report | None = field(default=None, repr=False)
    heard: Heard | None = field(default=None, repr=False)
    unfaithful: tuple[str, ...] = ()  # in what the fixture says that clients may do otherwise with the stream
    contested: tuple[str, ...] = ()  # what of the turn is read in more than one way
    split: str = ""  # the smallest cut that makes a difference, in words
    derived: str = ""  # the kind that the fixture was derived as
    advice: str = ""


def run(served: ServedFixtures, adapters: Sequence[Adapter], options: Options) -> Iterator[Result]:
    """Every adapter over every fixture of the profiles that it speaks, adapter by adapter, fixtures in order.

    The results of an adapter come once it has driven all of its fixtures.
    """
    turns = [_turn(path, fixture, options) for path, fixture in zip(served.paths, served.fixtures, strict=True)]
    for adapter in adapters:
        yield from _Run(turns, adapter, options).results()


def _turn(path: str, fixture: ServedFixture, options: Options) -> Turn:
    """A fixture, its verdict, and what of it is contested."""
    report = _judged(path, fixture, options)
    envelope = fixture.loaded.envelope
    assert not isinstance(envelope, InvalidFixture), "only fixtures are served"
    return Turn(path=path, fixture=fixture, report=report, contested=contested.marks(envelope, report))


def _judged(path: str, fixture: ServedFixture, options: Options) -> Report:
    """The verdict, judged with what the pin beside the fixture says it was judged with."""
    envelope = fixture.loaded.envelope
    assert not isinstance(envelope, InvalidFixture), "only fixtures are served"
    accept, limits, pin = options.accept, DEFAULT_LIMITS, None
    if files.exists(pin_path(path)):
        pin = pinning.pinned(path)
        accept = accept | pin.accept
        limits = Limits(**pin.limits) if pin.limits else limits
    report = judge(envelope, accept=accept, limits=limits)
    unused = accepting.of_pin(pin, report, ReplayOptions().update_command(path)) if pin else ""
    if unused:
        options.telling.say(f"{path}: {unused}")
    return pins.bare(report)


class _Run:
    """One adapter over its fixtures."""

    def __init__(self, turns: Sequence[Turn], adapter: Adapter, options: Options) -> None:
        self._turns = turns
        self._adapter = adapter
        self._options = options
        self._crew: Final = self._asked_with(options.cuts)

    def _asked_with(self, cuts: Cuts) -> Crew:
        asked = self._options
        return Crew(self._adapter, cuts=cuts, seconds=asked.seconds, telling=asked.telling, jobs=asked.jobs)

    def results(self) -> Iterator[Result]:
        """All of them at the end: until the adapter's last process has ended, a call may come late for any fixture."""
        try:
            ready = self._crew.driver.ready()
            spoken = [turn for turn in self._turns if turn.fixture.profile in ready.profiles]
            asked = [replace(turn, number=number) for number, turn in enumerate(spoken)]
            unspoken = list(self._unspoken(ready))
            yield from unspoken
            if not asked and not any(one.standing is Standing.REMOVED for one in unspoken):
                raise ToolreelError(
                    f"{self._adapter.called}: it speaks {', '.join(ready.profiles)}, and no fixture does; "
                    "name other fixtures or another adapter"
                )
            for trial in self._trials(asked) if asked else ():
                yield self._result(trial, ready)
        finally:
            self._crew.end()

    def _trials(self, asked: Sequence[Turn]) -> Sequence[Trial]:
        """What the adapter makes of each turn; where the bytes are to be cut elsewhere, compared with whole events."""
        found = tried(self._crew, asked)
        if self._options.cuts.mode is Cut.FRAMES:
            return found
        crew = self._asked_with(Cuts())
        try:
            whole = tried(crew, asked)
            first = RUNS * 4 * len(asked)
            return [
                self._split(crew.driver, replace(cut, lacking=one.lacking), first + at * splits.RUNS)
                if splits.differ(one, cut)
                else cut
                for at, (one, cut) in enumerate(zip(whole, found, strict=True))
            ]
        finally:
            crew.end()

    def _split(self, driver: Driver, cut: Trial, first: int) -> Trial:
        words = splits.smallest(driver, cut, self._options.cuts, first)
        return replace(cut, observed=Outcome.SPLIT, runs={Outcome.SPLIT: 1}, split=words)

    def _unspoken(self, ready: Ready) -> Iterator[Result]:
        """One result for each fixture of an API that the adapter does not speak and that has an outcome of it."""
        for turn in self._turns if self._options.mode is not Mode.DEMAND else ():
            profile = turn.fixture.profile
            if profile not in ready.profiles:
                bare = Result(
                    fixture=turn.path, adapter=self._adapter.name, version=ready.version, standing=Standing.UNNEEDED
                )
                try:
                    yield from self._unneeded(bare, profile)
                except ToolreelError as error:
                    yield replace(bare, standing=Standing.ERROR, advice=str(error))

    def _unneeded(self, bare: Result, profile: str) -> Iterator[Result]:
        file = outcome_pins.path_of(bare.fixture)
        update = self._options.update_command(self._adapter, bare.fixture)
        pinned = _read(file, update)
        if pinned.pop(bare.adapter, None) is None:
            return
        if self._options.mode is not Mode.UPDATE:
            yield replace(bare, advice=unneeded.of_profile(profile, update))
            return
        if pinned:
            files.write(file, outcome_pins.write(pinned))
        else:
            files.remove(file)
        yield replace(bare, standing=Standing.REMOVED)

    def _result(self, trial: Trial, ready: Ready) -> Result:
        bare = Result(
            fixture=trial.turn.path,
            adapter=self._adapter.name,
            version=ready.version,
            standing=Standing.AS_DEMANDED,
            outcome=trial.outcome,
            observed=trial.observed,
            runs=trial.runs,
            report=trial.turn.report,
            heard=trial.heard,
            unfaithful=trial.turn.unfaithful,
            contested=trial.turn.contested,
            split=trial.split,
            derived=trial.turn.derived,
        )
        if trial.outcome is Outcome.NO_CONTROL:
            return replace(bare, standing=Standing.NO_CONTROL, advice=trial.advice)
        if self._options.mode is Mode.DEMAND:
            return replace(bare, standing=Standing.REFUSED) if trial.outcome in self._options.never else bare
        try:
            return self._compared_with_pin(bare, trial.outcome)
        except ToolreelError as error:
            return replace(bare, standing=Standing.ERROR, advice=str(error))

    def _compared_with_pin(self, bare: Result, outcome: Outcome) -> Result:
        file = outcome_pins.path_of(bare.fixture)
        update = self._options.update_command(self._adapter, bare.fixture)
        pinned = _read(file, update)
        versions = pinned.get(bare.adapter, {})
        twice = unneeded.versions(versions) if versions else ()
        old = outcome_pins.compared_with(versions, bare.version)
        if old is None:
            standing, advice = Standing.UNPINNED, f"no outcome is pinned for this adapter; to pin it: {update}"
        elif old[1] is outcome:
            standing, advice = Standing.AS_PINNED, unneeded.of_versions(twice, update)
        else:
            standing, advice = Standing.CHANGED, f"to accept the new outcome: {update}"
        if self._options.mode is Mode.UPDATE and (old != (bare.version, outcome) or twice):
            gone = (*twice, *((old[0],) if old else ()))
            kept = {version: one for version, one in versions.items() if version not in gone}
            pinned[bare.adapter] = {**kept, bare.version: outcome}
            files.write(file, outcome_pins.write(pinned))
            standing, advice = (Standing.PINNED if old is None else Standing.REPINNED), ""
        return replace(
            bare,
            standing=standing,
            pinned=old[1] if old else None,
            pinned_version=old[0] if old else None,
            advice=advice,
        )


def _read(file: str, update: str) -> outcome_pins.Pinned:
    if not files.exists(file):
        return {}
    data = files.read(file)
    with translated(
        outcome_pins.OutcomePinError,
        lambda error: ToolreelError(f"{file}: {error}; mend it, or delete it and run: {update}"),
    ):
        return outcome_pins.read(data)

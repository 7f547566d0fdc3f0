"""A replay: each fixture is judged and compared with its pin. One result a fixture, in the order of their names.

`replay_one` is the whole of it for one fixture. The steps that it names stand in modules of their own: `verdicts`
judges, `pinning` reads and writes the pin, `comparing` compares, `explaining` says what differs. Nothing is printed
here: a result says what was found and what to do about it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay.corpus import files
from replay.corpus.discovery import OUTCOMES_SUFFIX, fixture_path
from replay.corpus.loading import load
from replay.errors import ToolreelError
from replay.shell import quoted
from replay.validator import InvalidFixture

from .comparison.comparing import compare, write
from .comparison.explaining import as_pinned, explain
from .comparison.pinning import PinFile
from .results import Outcome, Result
from .run_options import Detail, Mode, Orphans
from .verdicts import judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replay.corpus.discovery import Plan
    from replay.corpus.loading import Loaded

    from .run_options import Options


# What is to be done about a fixture without an event.
EMPTY: Final = (
    "there is no event in it, so it proves nothing: record the turn again, or delete the file; if the client left "
    "before the first event, capture.stream_end says client_disconnected"
)
# The end of a stream that may have no event: whoever asked did not wait for one.
_CLIENT_LEFT: Final = "client_disconnected"


def replay(plan: Plan, options: Options) -> Iterator[Result]:
    """Judge every fixture of the plan and compare it with its pin; each result as soon as it is there."""
    yield from fixtures(plan.fixtures, options)
    yield from orphans(plan.alone, options)


def fixtures(paths: Iterable[str], options: Options) -> Iterator[Result]:
    """One result for each fixture that is in the shard."""
    for path in paths:
        result = _fixture(path, options)
        if result is not None:
            yield result


def _fixture(path: str, options: Options) -> Result | None:
    """The result of one fixture, an error included; None where it is in another shard."""
    data: bytes | None = None
    try:
        data = files.read(path)
        if options.shard is not None and not options.shard.has(data):
            return None
        result = _recut(path, data, options) if options.recut is not None else replay_one(path, data, options)
        if options.detail is Detail.ROWS:
            from .told import told  # only a table has it

            result = replace(result, told=told(data))
    except ToolreelError as error:
        # Of a file that cannot be read no content is known: one shard reports it, so that none is passed over.
        if data is None and not options.in_first_shard:
            return None
        return Result(fixture=path, outcome=Outcome.ERROR, advice=str(error))
    return result


def replay_one(fixture: str, data: bytes, options: Options) -> Result:
    """The result of one fixture: judge it, compare the verdict with its pin, write the pin if asked to, explain.

    Most fixtures end early: the pin file holds the very bytes that the verdict would be pinned as, so there is nothing
    to compare. Else the pin is read. It may name allowances and limits, and then the fixture is judged with those, too.
    """
    loaded = load(data)
    file = PinFile.beside(fixture)
    verdict = judge(loaded, options)
    if holds_nothing(loaded):
        return Result(fixture=fixture, outcome=Outcome.EMPTY, found=verdict.pin.report, advice=EMPTY)
    if file.says(verdict.pin):
        return as_pinned(fixture, verdict.pin)
    update = options.update_command(fixture)
    pinned = file.read(update)
    if pinned.pin is not None and (pinned.pin.accept or pinned.pin.limits):
        verdict = judge(loaded, options, pinned.pin)
    comparison = compare(fixture, loaded, verdict, pinned, update)
    if options.mode is Mode.UPDATE:
        comparison = write(file, comparison)
    return explain(fixture, loaded, comparison)


def holds_nothing(loaded: Loaded) -> bool:
    """Whether a fixture has no event, and no client that left before the first one."""
    envelope = loaded.envelope
    return not isinstance(envelope, InvalidFixture) and not envelope.payloads and envelope.stream_end != _CLIENT_LEFT


def _recut(path: str, data: bytes, options: Options) -> Result:
    """The result of one fixture, whose body was also cut in other places and judged again."""
    from . import recut  # only a run that cuts pays for it

    result = replay_one(path, data, options)
    assert options.recut is not None
    bug = recut.bug(load(data), options.recut, seed=data)
    return result if bug is None else replace(result, outcome=Outcome.NOT_INVARIANT, advice=bug)


def orphans(paths: Iterable[str], options: Options) -> Iterator[Result]:
    """One result for each pin without its fixture, and each file of outcomes; it is removed where the options say so.

    The first shard has them.
    """
    for orphan in paths if options.in_first_shard else ():
        missing = fixture_path(orphan)
        if options.orphans is Orphans.PRUNE:
            yield _pruned(orphan, missing)
            continue
        prune = f"toolreel replay --prune {quoted(orphan)}"
        advice = f"{Path(missing).name} is not beside it; bring it back, or remove {_called(orphan)}: {prune}"
        yield Result(fixture=missing, outcome=Outcome.ORPHAN, advice=advice, orphan=orphan)


def _called(orphan: str) -> str:
    return "the outcomes" if orphan.endswith(OUTCOMES_SUFFIX) else "the pin"


def _pruned(orphan: str, missing: str) -> Result:
    try:
        files.remove(orphan)
    except ToolreelError as error:
        return Result(fixture=missing, outcome=Outcome.ERROR, advice=str(error), orphan=orphan)
    return Result(fixture=missing, outcome=Outcome.PRUNED, orphan=orphan)

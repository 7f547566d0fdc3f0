"""Pairs of turns, raw and masked, and whether a real client does the same with both.

    made = pair("openai-call", exchange)            two fixtures: the raw payloads, and what redaction made of them
    driven([made], adapter, folder)                 what the adapter did with each of the two, compared

What a client did is its outcome, how it came out of the turn, and the calls that it handed over. Ids and names of
the calls are compared under the renaming of the masks, arguments by their shape: a masked value is another value.
The raw fixtures are data of the tests, and stand in a folder of the test alone.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from redaction.captured.exchange import Exchange, Proved
from redaction.captured.judged_capture import Captured, capture
from redaction.captured.payloads import Broken
from redaction.families import FAMILIES
from redaction.fixture import Draft, canonical
from redaction.redactor import MAX_BODY_BYTES, redact
from replay.diff.outcomes import End, Handed, Heard, Outcome, compare
from replay.diff.processes.adapter_command import Adapter
from replay.diff.processes.adapter_process import Ready
from replay.diff.turns import Driver, Telling, Turn
from replay.families import array
from replay.serve import served_fixtures
from replay.serve.cutting import Cuts
from replay.validator import InvalidFixture, judge
from replay.validator.strict_json import parse
from replay.wire.coding import decoder

RAW: Final = "raw"
MASKED: Final = "masked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Renaming:
    """One word for each id and name that the masks renamed, by its raw form and by its masked one."""

    raw: Mapping[str, str] = field(repr=False)
    masked: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One turn, raw and masked, as files. `renamed` has what stands for each raw id and name."""

    name: str
    profile: str
    raw: bytes = field(repr=False)
    masked: bytes = field(repr=False)
    renamed: "Renaming" = field(repr=False)
    unfaithful: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()


def pair(name: str, exchange: Exchange) -> Pair | None:
    """The pair of an exchange; None where it is refused, or where no file can hold the raw turn."""
    proved = redact(exchange)
    captured = capture(exchange, limit=MAX_BODY_BYTES, undo=decoder)
    if not isinstance(proved, Proved) or not isinstance(captured, Captured):
        return None
    fixture = parse(proved.fixture.data.decode(), max_nesting=512).value
    assert isinstance(fixture, dict)
    masked = fixture[array(exchange.profile)]
    payloads = [item.text if isinstance(item, Broken) else item for item in captured.body.payloads]
    draft = Draft(
        profile=exchange.profile,
        tool_schemas=captured.schemas,
        allow=tuple(exchange.allow),
        capture=fixture["capture"],
        transport=fixture["transport"],
        payloads=payloads,  # type: ignore[arg-type]  # raw on purpose
    )
    try:
        raw = canonical(draft)
    except (TypeError, ValueError):
        return None
    return Pair(
        name=name,
        profile=exchange.profile,
        raw=raw,
        masked=proved.fixture.data,
        renamed=_renaming(exchange.profile, payloads, masked),
        unfaithful=tuple(fixture["capture"].get("unfaithful", ())),
        codes=tuple(finding.code.value for finding in captured.reports[0].findings),
    )


def _renaming(profile: str, raw: Sequence[object], masked: Sequence[object]) -> Renaming:
    """What stands for each id and name, read from both turns side by side. One id may have a form for each site."""
    spoken = FAMILIES[profile].spoken
    keys = spoken.identifier_keys | spoken.names
    found: dict[str, str] = {}
    alike: dict[str, str] = {}
    waiting: list[tuple[object, object, str]] = [(one, other, "") for one, other in zip(raw, masked, strict=False)]
    while waiting:
        one, other, key = waiting.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            waiting += [
                (inner, beside, name) for (name, inner), beside in zip(one.items(), other.values(), strict=False)
            ]
        elif isinstance(one, list) and isinstance(other, list):
            waiting += [(inner, beside, key) for inner, beside in zip(one, other, strict=False)]
        elif isinstance(one, str) and isinstance(other, str) and key in keys:
            alike[other] = found.setdefault(one, other)
    return Renaming(raw=found, masked=alike)


@dataclass(frozen=True, slots=True, kw_only=True)
class Did:
    """What a client did with a turn, as far as both forms of it must agree."""

    outcome: Outcome
    end: End
    calls: tuple[tuple[object, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One pair through one adapter."""

    pair: Pair
    adapter: str
    raw: Did
    masked: Did
    error: tuple[str | None, str | None]

    @property
    def changed(self) -> bool:
        """Whether the client did something else with the masked turn."""
        return self.raw != self.masked


def ready(adapter: Adapter) -> Ready:
    """What the adapter says of itself."""
    driver = Driver(adapter, cuts=Cuts(), seconds=1, telling=Telling(say=lambda _: None))
    try:
        return driver.ready()
    finally:
        driver.end()


def driven(pairs: Sequence[Pair], adapter: Adapter, folder: Path, *, seconds: float = 8) -> list[Compared]:
    """Every pair of the adapter's profiles. What differs is driven once more, by itself, and must differ again."""
    found = _driven(pairs, adapter, folder, seconds)
    doubtful = [one.pair for one in found if one.changed]
    again = {one.pair.name: one for one in _driven(doubtful, adapter, folder, seconds * 2)} if doubtful else {}
    return [again.get(one.pair.name, one) for one in found]


def _driven(pairs: Sequence[Pair], adapter: Adapter, folder: Path, seconds: float) -> list[Compared]:
    by_file: dict[str, tuple[Pair, str]] = {}
    for one in pairs:
        for form, data in ((RAW, one.raw), (MASKED, one.masked)):
            file = folder / form / f"{one.name}.json"
            file.parent.mkdir(exist_ok=True, parents=True)
            file.write_bytes(data)
            by_file[str(file)] = (one, form)
    served = served_fixtures.fill(by_file)
    assert not served.left_out, served.left_out
    driver = Driver(adapter, cuts=Cuts(), seconds=seconds, telling=Telling(say=lambda _: None))
    try:
        profiles = driver.ready().profiles
        turns = [
            Turn(path=path, fixture=fixture, report=judge(envelope), number=number)
            for number, (path, fixture) in enumerate(zip(served.paths, served.fixtures, strict=True))
            if fixture.profile in profiles and not isinstance(envelope := fixture.loaded.envelope, InvalidFixture)
        ]
        heard = driver.heard(turns) if turns else []
    finally:
        driver.end()
    here: dict[str, dict[str, tuple[Turn, Heard]]] = {}
    for turn, one_heard in zip(turns, heard, strict=True):
        pair, form = by_file[turn.path]
        here.setdefault(pair.name, {})[form] = (turn, one_heard)
    return [_compared(one, adapter.name, here[one.name]) for one in pairs if one.name in here]


def _compared(one: Pair, adapter: str, results: Mapping[str, tuple[Turn, Heard]]) -> Compared:
    raw, masked = results[RAW], results[MASKED]
    return Compared(
        pair=one,
        adapter=adapter,
        raw=_did(*raw, one.renamed.raw),
        masked=_did(*masked, one.renamed.masked),
        error=(raw[1].error, masked[1].error),
    )


def _did(turn: Turn, heard: Heard, renamed: Mapping[str, str]) -> Did:
    calls = tuple(_call(call, renamed, turn.tools) for call in heard.handed)
    return Did(outcome=compare(turn.report, heard, texts=turn.texts), end=heard.end, calls=calls)


def _call(call: Handed, renamed: Mapping[str, str], tools: Collection[str]) -> tuple[object, ...]:
    """Name, id and shape of a call. A name or id that no payload has was made by the client, of pieces or by chance."""
    name, identity = (one if isinstance(one, str) else repr(one) for one in (call.name, call.id))
    name = renamed.get(name, name if name in tools else "another")
    return (name, renamed.get(identity, "another"), shape(call.arguments))


def shape(arguments: object) -> object:
    """What is left of arguments once their values are others: types, members and items, and whether text is JSON."""
    if isinstance(arguments, str):
        try:
            value = json.loads(arguments, strict=False)
        except ValueError:
            return ("text", bool(arguments.strip()))
        return ("json", _shape(value))
    return ("value", _shape(arguments))


def _shape(value: object) -> object:
    if isinstance(value, dict):
        return ("object", tuple(sorted(map(_shape, value.values()), key=repr)))
    if isinstance(value, list):
        return ("array", tuple(_shape(inner) for inner in value))
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool) or value is None:
        return value
    return "number"


def told(compared: Iterable[Compared]) -> Iterator[str]:
    """One line for each pair that changed."""
    for one in compared:
        if one.changed:
            yield (
                f"{one.pair.name} [{','.join(one.pair.codes)}] {one.adapter}: {_words(one.raw)} -> {_words(one.masked)}"
                f" {one.error} {' '.join(one.pair.unfaithful)}"
            )


def _words(did: Did) -> str:
    return f"{did.outcome.value}/{did.end.value}/{len(did.calls)} {list(did.calls)}"

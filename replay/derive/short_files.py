"""The bytes of a fixture to those of a shorter one, which says in `capture.derived` what it was made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from redaction.fixture import canonical_of
from redaction.proof.scan import scan_fixture
from replay.corpus.loading import load
from replay.derived import REDUCED, UNDONE
from replay.errors import ToolreelError
from replay.families import array
from replay.validator import Envelope, InvalidFixture, Report, judge

from .calls import digest
from .reducing import reduced, same_codes

if TYPE_CHECKING:
    from .reducing import FixtureValue, Keeps


@dataclass(frozen=True, slots=True, kw_only=True)
class Short:
    """A shorter fixture, the report on it, and how many events there were and are."""

    data: bytes = field(repr=False)
    report: Report = field(repr=False)
    before: int
    after: int


def of_file(data: bytes, place: str, also: Keeps | None = None) -> Short:
    """The shortest fixture with the codes of this one, of which `also` holds; `ToolreelError` where it is none."""
    loaded = load(data)
    if isinstance(loaded.envelope, InvalidFixture):
        raise ToolreelError(f"{place} is no fixture; see: toolreel validate {place}")
    codes = same_codes(dict(loaded.value))
    keeps = codes if also is None else lambda value: codes(value) and also(value)
    return shortest(dict(loaded.value), data, keeps, REDUCED)


def shortest(value: FixtureValue, data: bytes, keeps: Keeps, kind: str) -> Short:
    """The shortest fixture of which `keeps` holds. What is data only stays so. `data` is the source, which it names."""
    clean = not any(scan_fixture(data))

    def stays(one: FixtureValue) -> bool:
        return keeps(one) and not (clean and any(scan_fixture(_written(one))))

    named = {**value, "capture": _capture(value, data, kind)}
    found = reduced(named, stays)
    short = _written(found)
    envelope = load(short).envelope
    assert isinstance(envelope, Envelope), "of a fixture comes a fixture"
    member = array(envelope.profile)
    return Short(data=short, report=judge(envelope), before=len(value[member]), after=len(found[member]))


def _capture(value: FixtureValue, data: bytes, kind: str) -> dict[str, object]:
    """What the source says of itself, and of which kind this is: a kind that is known by its text stays that."""
    told = value.get("capture")
    told = told if isinstance(told, dict) else {}
    before = told.get("derived")
    name = before.get("kind") if isinstance(before, dict) else None
    if isinstance(name, str) and name.partition("+")[0] in UNDONE:
        return told
    return {**told, "derived": {"kind": kind, "source": digest(data)}}


def _written(value: FixtureValue) -> bytes:
    """The canonical file."""
    found = canonical_of({"capture": {}, "transport": {}, **value})
    assert found is not None, "what has less than a fixture is one"
    return found

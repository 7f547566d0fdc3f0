"""Runs of text and reasoning deltas, cut down to a number that many turns have: 1, 2, 4, 8 and so on.

    370 deltas of text, a ping behind the 200th   ->   one delta, the ping, 255 deltas

The number of deltas is nearly that of tokens. Of a thousand ordinary answers it tells each third one from all others,
and nothing depends on it where a turn calls nothing and has no finding. So of each run only the largest power of two
that is not over its number is kept, the first deltas of it. Of pings and their like one is kept, behind the first delta
of the run, for how many came and when would tell something of the answer too. All that is no delta keeps its place
among the runs. What a delta looks like, and whether two of them look alike, is asked of its form, never
of its text. Knows payloads by the table of their family; masks nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final, TypeAlias, TypeVar

from redaction.captured.facts import event_name
from redaction.captured.payloads import Body
from redaction.families import FAMILIES
from redaction.families.models import model
from redaction.families.tables.treatments import COUNTER, TEXT, ByType, Formed, Rule, Table, Treatment, Unlisted
from redaction.masks.mask import MAX_INDEX
from replay.wire.framing import Block, Frame

# What a value looks like: equal ones are masked alike, but for ids and the numbers of a sequence.
Form: TypeAlias = object
Steps: TypeAlias = tuple[str, ...]
_Marked = TypeVar("_Marked", Frame, Block)


class _Looks:
    """What a prose payload looks like: to which lane it belongs (choice, block, part), and in which voice it speaks.

    The voice is where its text stands and of which type that is; there is none where there is no text.
    """

    def __init__(self, verbatim: frozenset[str]) -> None:
        self._verbatim = verbatim  # ids that are kept
        self._lane: list[object] = []
        self._spoken: set[object] = set()
        self._kinds: set[object] = set()

    @property
    def lane(self) -> tuple[object, ...]:
        return tuple(self._lane)

    @property
    def voice(self) -> frozenset[object] | None:
        return frozenset(self._spoken | self._kinds) if self._spoken else None

    def form(self, value: object, table: Table, path: Steps = ()) -> Form:
        """The form of a value, with its lane and voice noted on the way."""
        if isinstance(table, Rule):
            return self._leaf(value, table, path)
        if isinstance(table, (ByType, Formed)):
            return self.form(value, _chosen(table, value), path)
        if isinstance(table, list):
            if not isinstance(value, list):
                return self._leaf(value, TEXT, path)
            return tuple(self.form(item, table[0], path) for item in value)
        named = table.table if isinstance(table, Unlisted) else table
        if not isinstance(value, dict):
            return (list, bool(value)) if isinstance(value, list) else _emptied(value)
        return tuple(
            (key, self.form(inner, named[key], (*path, key)) if key in named else _emptied(inner))
            for key, inner in value.items()
        )

    def _leaf(self, value: object, rule: Rule, path: Steps) -> Form:
        form = _FORMS.get(rule.treatment, _emptied)(value)
        if rule.treatment is Treatment.INDEX:
            self._lane.append((path, form))
        elif rule.treatment is Treatment.TEXT and isinstance(value, str) and value:
            self._spoken.add(path)
        elif rule.treatment is Treatment.FLAG or (rule.treatment is Treatment.WORD and path[-1:] == ("type",)):
            self._kinds.add((path, form))
        elif rule.treatment is Treatment.IDENTIFIER and value in self._verbatim:
            return value
        return form


def _emptied(value: object) -> Form:
    """The JSON type of a value, and whether a text is empty."""
    if isinstance(value, str):
        return (str, bool(value))
    return int if isinstance(value, Decimal) else type(value)


def _shown(value: object) -> Form:
    """A value that a fixture shows, or of which it shows to which others it is equal."""
    return value if isinstance(value, (str, bool)) else _emptied(value)


def _index(value: object) -> Form:
    """An index, and of what is none in which way it is none."""
    if not isinstance(value, int) or isinstance(value, bool):
        return _emptied(value) if not isinstance(value, Decimal) else Decimal
    return value if 0 <= value <= MAX_INDEX else "negative" if value < 0 else "too large"


def _model(value: object) -> Form:
    return model(value) if isinstance(value, str) else _emptied(value)


_FORMS: Final[Mapping[Treatment, Callable[[object], Form]]] = {
    Treatment.WORD: _shown,
    Treatment.TOOL_NAME: _shown,
    Treatment.FLAG: _shown,
    Treatment.REASON: lambda value: _shown(value) if isinstance(value, str) else _index(value),
    Treatment.INDEX: _index,
    Treatment.MODEL: _model,
}


def _chosen(table: ByType | Formed, value: object) -> Table:
    if isinstance(table, Formed):
        return table.table if isinstance(value, dict) else table.other
    kind = value.get("type") if isinstance(value, dict) else None
    return table.tables.get(kind, table.other) if isinstance(kind, str) else table.other


@dataclass(slots=True)
class _Run:
    """Prose payloads, one behind the other, by their form: the numbers of those that look alike."""

    voices: dict[object, object] = field(default_factory=dict)
    alike: dict[Form, list[int]] = field(default_factory=dict)
    spoken: set[Form] = field(default_factory=set)  # the forms that have text

    def fits(self, looks: _Looks) -> bool:
        """Whether a payload speaks as its lane did so far in this run; one without text always fits."""
        return looks.voice is None or self.voices.setdefault(looks.lane, looks.voice) == looks.voice

    def take(self, at: int, form: Form, looks: _Looks) -> None:
        """Count the payload with this number."""
        self.alike.setdefault(form, []).append(at)
        if looks.voice is not None:
            self.spoken.add(form)

    def kept(self) -> Iterator[int]:
        """The numbers of those that are kept, in their new order: the first of each form, then the rest."""
        yield from (numbers[0] for numbers in self.alike.values())
        for form, numbers in self.alike.items():
            if form in self.spoken:
                yield from numbers[1 : rounded(len(numbers))]


def rounded(count: int) -> int:
    """The largest power of two that is not over `count`, a number from 1."""
    return 1 << (count.bit_length() - 1)


def with_rounded_runs(profile: str, body: Body) -> Body:
    """The body with as many deltas of each run as its class says; of a turn without a call and without a finding."""
    order = list(_order(profile, body))
    payloads = _numbered_anew([body.payloads[at] for at in order], _counters(FAMILIES[profile].table))
    return replace(body, payloads=payloads, frames=[body.frames[at] for at in order])


def _order(profile: str, body: Body) -> Iterator[int]:
    """The numbers of the payloads that are kept, in their new order."""
    family = FAMILIES[profile]
    run = _Run()
    for at, (payload, frame) in enumerate(zip(body.payloads, body.frames, strict=True)):
        if not isinstance(payload, dict) or not family.is_prose(payload):
            yield from run.kept()
            run = _Run()
            yield at
            continue
        looks = _Looks(family.verbatim_ids)
        form = (looks.form(payload, family.table), _beside(profile, frame))
        if not run.fits(looks):
            yield from run.kept()
            run = _Run()
            run.fits(looks)
        run.take(at, form, looks)
    yield from run.kept()


def _beside(profile: str, frame: Frame) -> Frame:
    """What stands beside the data of an event, as far as a fixture shows it."""
    blocks = tuple(_shown_beside(profile, block) for block in frame.blocks)
    return replace(_shown_beside(profile, frame), data="\n" * frame.data.count("\n"), blocks=blocks)


def _shown_beside(profile: str, one: _Marked) -> _Marked:
    marked = replace(one, id=None if one.id is None else "", retry=None if one.retry is None else "")
    return replace(marked, event=event_name(profile, one))


def _counters(table: Table) -> frozenset[str]:
    """The members of a payload that number it."""
    named = table.other if isinstance(table, ByType) else table
    named = named.table if isinstance(named, Unlisted) else named
    if not isinstance(named, dict):
        return frozenset()
    return frozenset(key for key, rule in named.items() if rule == COUNTER)


def _numbered_anew(payloads: Sequence[object], counters: frozenset[str]) -> list[object]:
    """The payloads, in which the numbers of a sequence go on from the first one by steps of 1, as they did."""
    following: dict[str, int] = {}
    found = list(payloads)
    for at, payload in enumerate(payloads):
        for name in counters:
            number = payload.get(name) if isinstance(payload, dict) else None
            if not isinstance(payload, dict) or not isinstance(number, int) or isinstance(number, bool):
                continue
            following[name] = following[name] + 1 if name in following else number
            found[at] = {**payload, name: following[name]}
    return found

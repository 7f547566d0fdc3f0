"""One masked value for one raw value: it answers every assertion that speaks of it as the raw one did.

How it works. The schema of a value makes assertions, and each one gives an answer: yes or no. The grammar of
placeholders lists texts, the shortest and plainest first, and the first text that gives the same answers is taken. Take
this schema:

    {"minLength": 3, "pattern": "^[A-Z]+$"}

    raw     answers    what is tried                         masked
    "Ann"   yes, no    x X - 0 … xx XX xX … xxx              "xxx"
    "ANN"   yes, yes   x X - 0 … xx XX xX … xxx XXX          "XXX"
    "A"     no, yes    x X                                   "X"

So the choice depends on the schema and the answers, and on nothing else of the value. Every verdict on the value stays
what it was, whatever `anyOf`, `not` or `if` make of the answers, since they are made of these answers alone.

Two things can ask for more. A cut inside the value needs a character on each side of it, so the text has at least that
many (`StringLayout.needed`). And where values are compared with one another, as the keys of one object and unique items
are, different ones must stay different: a `Distinct` keeps what each raw value was given. After "ANN" became "XXX",
"BOB" in the same list becomes "XXXX", and a second "ANN" becomes "XXX" again.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from itertools import chain, islice
from typing import Final

from redaction.masks.conversions import READS_AS, WORDS, Question, converts
from redaction.masks.layout import StringLayout
from redaction.placeholders import (
    bounds_of,
    distinct_numbers,
    distinct_texts,
    factors_of,
    number_samples,
    plain_number,
    sized_number,
    text_samples,
    with_fractions,
)
from redaction.witnesses import number_search
from redaction.witnesses import text_search as search
from replay.validator.strict_json import exact_number

OVERFLOW: Final = "1e999"


@dataclass(slots=True)
class NoSampleError(Exception):
    """No sample answers as the raw value did: the next rung must try. Names what was asked, and no value.

    `keywords` are those of the assertions that speak of the value, `pointer` leads to it in the arguments, and `tool`
    is the name that was called.
    """

    keywords: tuple[str, ...]
    pointer: str = ""
    tool: str = ""


@dataclass(slots=True)
class Later:
    """What a later place needs of a value that was given a placeholder before.

    Equal values must get one placeholder. A later place may need a longer one, or another character, since a cut is
    there; so that is noted here, and the whole text is masked again.
    """

    widths: dict[tuple[str, object], int] = field(default_factory=dict, repr=False)
    fillers: dict[tuple[str, object], str] = field(default_factory=dict, repr=False)  # characters that must fit too
    unkept: bool = False  # some value does not read as the raw one did to a client that converts values

    @property
    def size(self) -> int:
        """A number that grows with everything that is noted."""
        return len(self.fillers) + sum(self.widths.values())


@dataclass(slots=True)
class Distinct:
    """The values of one comparison site: equal raw ones share a masked one, different ones never do."""

    chosen: dict[tuple[str, object], str] = field(default_factory=dict, repr=False)
    later: Later = field(default_factory=Later, repr=False)
    _used: set[object] = field(default_factory=set, repr=False)
    searches: dict[tuple[object, ...], Iterator[str]] = field(default_factory=dict, repr=False)

    def width(self, kind: str, raw: object, size: int) -> int:
        """The length to give a value that needs `size` here and more, perhaps, elsewhere."""
        return max(size, self.later.widths.get((kind, raw), 0))

    def known(self, kind: str, raw: object, needed: int) -> str | None:
        """The text that this raw value was given before, if it has the length that is needed here.

        Where it is too short, that is noted for the next time that the whole text is masked.
        """
        before = self.chosen.get((kind, raw))
        if before is None or len(before) >= needed:
            return before
        self.later.widths[kind, raw] = self.width(kind, raw, needed)
        return None

    def taken(self, value: object) -> bool:
        """Whether a different raw value has this masked one, however it is written."""
        return value in self._used

    def keep(self, kind: str, raw: object, text: str, value: object) -> None:
        """Notes what a raw value is given: how it is written, and the value that this is."""
        self.chosen[kind, raw] = text
        self._used.add(value)


def answers(value: object, assertions: Sequence[Question]) -> tuple[bool, ...]:
    """Which of the assertions hold for `value`."""
    return tuple(assertion.holds(value) for assertion in assertions)


def answers_as(value: object, assertions: Sequence[Question], wanted: Sequence[bool]) -> bool:
    """Whether `value` gives the wanted answers; asks no more than it must."""
    return all(assertion.holds(value) is held for assertion, held in zip(assertions, wanted, strict=True))


def declared(value: object, assertions: Sequence[Question]) -> bool:
    """Whether `value` equals a value that the application declared for this place."""
    return any(assertion.holds(value) for assertion in assertions if assertion.keyword in ("enum", "const"))


def text_like(
    raw: str,
    assertions: Sequence[Question],
    layout: StringLayout,
    *,
    plain: str = "x",
    avoid: "Mapping[str, object] | frozenset[str]" = frozenset(),
    site: Distinct | None = None,
    least: int = 0,
    samples: dict[tuple[object, ...], str] | None = None,
) -> str:
    """A placeholder for the string `raw`; raises `NoSampleError`.

    It fits `layout`, has at least `least` characters, is none of `avoid`, and none that `site` gave to another value.
    `samples` remembers the choices that depend on nothing but the assertions, their answers and the size.
    """
    plain = "x" if layout.demanding else plain
    size = max(layout.needed, least)
    if site is not None:
        plain = site.later.fillers.get(("text", raw), plain)
        known = _known_text(site, raw, layout)
        if known is not None:
            return known
        size = site.width("text", raw, size)
    free = all(assertion.keyword == "type" for assertion in assertions)
    wanted = () if free else answers(raw, assertions)
    key = ("text", id(assertions), wanted, size)
    if site is not None or avoid or layout.demanding:
        samples = None
    if samples is not None and key in samples:
        return samples[key]
    for text in _texts(size, assertions, wanted, layout, plain, site):
        if text in avoid or (site is not None and site.taken(text)):
            continue
        if free or answers_as(text, assertions, wanted):
            if site is not None:
                site.keep("text", raw, text, text)
            elif samples is not None:
                samples[key] = text
            return text
    raise NoSampleError(_keywords(assertions))


def _texts(
    size: int,
    assertions: Sequence[Question],
    wanted: Sequence[bool],
    layout: StringLayout,
    plain: str,
    site: Distinct | None,
) -> Iterator[str]:
    """What the grammar lists for a string, at a site as many more as it may need, and what a search finds."""
    pairs = _pairs(assertions)
    held = [pair for pair, holds in zip(pairs, wanted, strict=False) if holds]
    listed = text_samples(size, pairs, held=held, plain=plain)
    if converts(assertions):
        listed = chain(listed, _converted(size, pairs, site))
    if site is not None:
        further = distinct_texts(size, pairs, held=held, plain=plain, start=len(site.chosen))
        listed = chain(listed, further)
    if layout.demanding:
        # A run of `x` with what is demanded depends on no schema; other texts may be known to none with it in them.
        listed = iter(sorted(listed, key=lambda text: text.strip(f"x{layout.demanded}") != ""))
    yield from map(layout.fit, listed)
    if converts(assertions):
        return  # a search knows the assertions of schemas alone
    asked = [(*pair, holds) for pair, holds in zip(pairs, wanted, strict=False)]
    if layout.demanding:
        for ahead in _AHEAD:
            yield from search.texts(asked, max(size, layout.needed + ahead), partial(layout.demands, ahead=ahead))
    elif site is None:
        yield from search.texts(asked, size)
    else:
        # One search serves all values of the site, each of which goes on where the last one stopped. (`islice` keeps it
        # open: a generator that is left early closes the one that it yields from.)
        key = (id(assertions), tuple(wanted), size)
        yield from site.searches.setdefault(key, islice(search.texts(asked, size), None))


def _converted(size: int, pairs: Sequence[tuple[str, object]], site: Distinct | None) -> Iterator[str]:
    """What reads as a number or a boolean."""
    about_numbers = [(keyword.removeprefix(f"{READS_AS} "), argument) for keyword, argument in pairs]
    yield from (word for word in WORDS if len(word) >= size)
    for _, declared_values in about_numbers:
        listed = declared_values if isinstance(declared_values, list) else [declared_values]
        numbers = (one for one in listed if isinstance(one, (int, Decimal)) and not isinstance(one, bool))
        yield from (text for text in map(plain_number, map(Decimal, numbers)) if len(text) >= size)
    yield from with_fractions(number_samples(size, about_numbers), size)
    if site is not None:
        yield from distinct_numbers(size, about_numbers, start=len(site.chosen))


def _known_text(site: Distinct, raw: str, layout: StringLayout) -> str | None:
    """The text that the site gave to this string before, laid out for this place; None if it does not fit."""
    before = site.chosen.get(("text", raw))
    if before is not None and layout.demanded and layout.demanded * len(before) != before:
        site.later.fillers["text", raw] = layout.demanded
    known = site.known("text", raw, layout.needed)
    return None if known is None else layout.fit(known)


def number_like(
    raw: str,
    assertions: Sequence[Question],
    size: int,
    *,
    site: Distinct | None = None,
    least: int = 0,
    samples: dict[tuple[object, ...], str] | None = None,
) -> str:
    """A number text of at least `size` characters for the number text `raw`; raises `NoSampleError`.

    `samples` is that of `text_like`.
    """
    value = exact_number(raw)
    if value is None:
        return OVERFLOW if size <= len(OVERFLOW) else "1" + "0" * (size - len(OVERFLOW)) + "e999"
    if site is not None:
        known = site.known("number", value, size)
        if known is not None:
            return _spelled_as(known, value, assertions, size)
        size = site.width("number", value, size)
        samples = None
    wanted = answers(value, assertions)
    key = ("number", id(assertions), wanted, size, least)
    if samples is not None and key in samples:
        return samples[key]
    free = _free_numbers(max(size, least), assertions, wanted, site)
    text = _safest((one for one, sample in free if answers_as(sample, assertions, wanted)), assertions)
    if text is not None and exact_number(text) == value and brings_back(text, assertions):
        text, samples = _another(value, _free_numbers(size, assertions, wanted, site), assertions, wanted), None
    if text is None:
        raise NoSampleError(_keywords(assertions))
    if site is not None:
        site.keep("number", value, text, exact_number(text))
    elif samples is not None:
        samples[key] = text
    return text


# So many characters are tried ahead of those that a cut demands, for a text that must begin otherwise.
_AHEAD: Final = (*range(9), 12, 16, 24, 36, 48, 64)
# As many characters of a raw value as no file may have.
_TELLING: Final = 8
_ROUND: Final = re.compile(r"-?(?:0|10*)(?:\.[05]?0*)?")


def brings_back(text: str, assertions: Sequence[Question]) -> bool:
    """Whether a number would tell what was said if it were the raw one: a long one that nobody declared.

    Where two bounds are neighbours, such as `maximum` 73511233 that was broken and `minimum` 73511235 that was too, the
    raw number may be the only one between them.
    """
    value = Decimal(text)
    if _ROUND.fullmatch(text) or len(plain_number(value)) < _TELLING:
        return False
    return value not in {*bounds_of(_pairs(assertions)), *factors_of(_pairs(assertions))}


def stands_for_itself(value: object, assertions: Sequence[Question], size: int) -> bool:
    """Whether the number that its answers give is `value` itself, and would tell what was said: so another is taken."""
    wanted = answers(value, assertions)
    free = _free_numbers(size, assertions, wanted, None)
    text = _safest((one for one, sample in free if answers_as(sample, assertions, wanted)), assertions)
    return text is not None and exact_number(text) == value and brings_back(text, assertions)


# Numbers that are looked at for one that tells nothing.
_LOOKED_AT: Final = 64


def _safest(fitting: Iterator[str], assertions: Sequence[Question]) -> str | None:
    """The first number that is short, round or declared; else the longest of the first few, for it is the oddest."""
    first = [*islice(fitting, 1)]
    if first and not brings_back(first[0], assertions):
        return first[0]
    found = [*first, *islice(fitting, _LOOKED_AT)]
    return next((text for text in found if not brings_back(text, assertions)), max(found, key=len, default=None))


def _another(
    value: object, free: Iterator[tuple[str, object]], assertions: Sequence[Question], wanted: Sequence[bool]
) -> str | None:
    """The number other than `value` that gives the most of its answers. Whether it will do, the verdict has to show."""
    best, most = None, -1
    for text, sample in islice(free, 2 * _LOOKED_AT):
        same = sum(one is held for one, held in zip(answers(sample, assertions), wanted, strict=True))
        if same > most and sample != value and not brings_back(text, assertions):
            best, most = text, same
    return best


def _free_numbers(
    size: int, assertions: Sequence[Question], wanted: Sequence[bool], site: Distinct | None
) -> Iterator[tuple[str, object]]:
    """Numbers of at least `size` characters, as text and value, that `site` has given to no other one."""
    for text in _numbers(size, assertions, wanted, site):
        sample = exact_number(text)
        if sample is not None and len(text) >= size and (site is None or not site.taken(sample)):
            yield text, sample


def _numbers(size: int, assertions: Sequence[Question], wanted: Sequence[bool], site: Distinct | None) -> Iterator[str]:
    """What the grammar lists for a number, at a site as many more as it may need, and what a search finds."""
    pairs = _pairs(assertions)
    listed = number_samples(size, pairs)
    yield from with_fractions(listed, size) if converts(assertions) else listed
    if site is not None:
        yield from distinct_numbers(size, pairs, start=len(site.chosen))
    asked = [(*pair, holds) for pair, holds in zip(pairs, wanted, strict=True) if pair[0] != READS_AS]
    for found in number_search.numbers(asked):
        yield sized_number(plain_number(found), size)


def _keywords(assertions: Sequence[Question]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(assertion.keyword for assertion in assertions if not converts([assertion])))


def _spelled_as(known: str, value: object, assertions: Sequence[Question], size: int) -> str:
    """What an equal number was given before, with a fraction where this one has one: `1` and `1.0` are equal."""
    if converts(assertions):
        for text in (known, f"{known}.0", known.removesuffix(".0")):
            if len(text) >= size and answers(exact_number(text), assertions) == answers(value, assertions):
                return text
    return known


def _pairs(assertions: Sequence[Question]) -> list[tuple[str, object]]:
    return [(assertion.keyword, assertion.argument) for assertion in assertions]


def unquoted(token: str) -> str:
    """The text of a complete JSON string token."""
    return token[1:-1] if "\\" not in token else str(json.loads(token, strict=False))

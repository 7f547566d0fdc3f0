"""One masked value for one raw value: it answers every assertion that speaks of it as the raw one did.

The first sample that does is taken, so the choice depends on the schema and the answers alone, not on the value.
Where values are compared with one another (keys of one object, unique items), `taken` keeps different ones apart.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from redaction.masks.applicable import Assertion
from redaction.masks.layout import StringLayout
from redaction.placeholders import distinct_numbers, distinct_texts, number_samples, text_samples
from replay.validator.strict_json import exact_number

OVERFLOW: Final = "1e999"


class NoSampleError(Exception):
    """No sample answers as the raw value did: the next rung must try. Has no text."""


@dataclass(slots=True)
class Later:
    """What later occurrences of a value need; what one pass over a text finds, the next one keeps."""

    widths: dict[tuple[str, object], int] = field(default_factory=dict, repr=False)
    fillers: dict[tuple[str, object], str] = field(default_factory=dict, repr=False)  # characters that must fit too

    @property
    def size(self) -> int:
        """Grows with all that is found."""
        return len(self.fillers) + sum(self.widths.values())


@dataclass(slots=True)
class Distinct:
    """Values at one comparison site: equal raw ones share a masked one, different ones never do."""

    chosen: dict[tuple[str, object], str] = field(default_factory=dict, repr=False)
    later: Later = field(default_factory=Later, repr=False)
    _used: set[object] = field(default_factory=set, repr=False)

    def width(self, kind: str, raw: object, size: int) -> int:
        """The length to give a value that needs `size` here and more, perhaps, elsewhere."""
        return max(size, self.later.widths.get((kind, raw), 0))

    def known(self, kind: str, raw: object) -> str | None:
        """What this raw value was given before."""
        return self.chosen.get((kind, raw))

    def taken(self, value: object) -> bool:
        """Whether a different raw value has this masked one, however it is written."""
        return value in self._used

    def keep(self, kind: str, raw: object, text: str, value: object) -> None:
        """Remember the choice: how it is written, and the value that this is."""
        self.chosen[kind, raw] = text
        self._used.add(value)


def answers(value: object, assertions: Sequence[Assertion]) -> tuple[bool, ...]:
    """Which of the assertions hold for `value`."""
    return tuple(assertion.holds(value) for assertion in assertions)


def declared(value: object, assertions: Sequence[Assertion]) -> bool:
    """Whether `value` equals a value that the application declared for this place."""
    return any(assertion.holds(value) for assertion in assertions if assertion.keyword in ("enum", "const"))


def text_like(
    raw: str,
    assertions: Sequence[Assertion],
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
    if layout.demanding:
        plain = "x"
    if site is not None:
        plain = site.later.fillers.get(("text", raw), plain)
        before = site.known("text", raw)
        if before is not None and layout.demanded and layout.demanded * len(before) != before:
            site.later.fillers["text", raw] = layout.demanded
        if before is not None and len(before) >= layout.needed:
            return layout.fit(before)
        if before is not None:
            site.later.widths["text", raw] = site.width("text", raw, layout.needed)
    size = max(layout.needed, least)
    if site is not None:
        size = site.width("text", raw, size)
    wanted = None if all(assertion.keyword == "type" for assertion in assertions) else answers(raw, assertions)
    key = ("text", id(assertions), wanted, size)
    free = samples is not None and site is None and not avoid and not layout.demanding
    if samples is not None and free and key in samples:
        return samples[key]
    pairs = _pairs(assertions)
    further = () if site is None else distinct_texts(size, pairs, plain=plain, start=len(site.chosen))
    for sample in chain(text_samples(size, pairs, plain=plain), further):
        text = layout.fit(sample)
        if text in avoid or (site is not None and site.taken(text)):
            continue
        if wanted is None or answers(text, assertions) == wanted:
            if site is not None:
                site.keep("text", raw, text, text)
            if samples is not None and free:
                samples[key] = text
            return text
    raise NoSampleError


def number_like(
    raw: str,
    assertions: Sequence[Assertion],
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
        before = site.known("number", value)
        if before is not None and len(before) >= size:
            return before
        if before is not None:
            site.later.widths["number", value] = site.width("number", value, size)
        size = site.width("number", value, size)
    wanted = answers(value, assertions)
    key = ("number", id(assertions), wanted, size, least)
    if samples is not None and site is None and key in samples:
        return samples[key]
    pairs = _pairs(assertions)
    further = () if site is None else distinct_numbers(size, pairs, start=len(site.chosen))
    for text in chain(number_samples(max(size, least), pairs), further):
        sample = exact_number(text)
        if sample is None or len(text) < size or (site is not None and site.taken(sample)):
            continue
        if answers(sample, assertions) == wanted:
            if site is not None:
                site.keep("number", value, text, sample)
            elif samples is not None:
                samples[key] = text
            return text
    raise NoSampleError


def _pairs(assertions: Sequence[Assertion]) -> list[tuple[str, object]]:
    return [(assertion.keyword, assertion.argument) for assertion in assertions]


def unquoted(token: str) -> str:
    """The text of a complete JSON string token."""
    return token[1:-1] if "\\" not in token else str(json.loads(token, strict=False))

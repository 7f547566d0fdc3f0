"""One masked value for one raw value: it answers every assertion that speaks of it as the raw one did.

The first sample that does is taken, so the choice depends on the schema and the answers alone, not on the value.
Where values are compared with one another (keys of one object, unique items), `taken` keeps different ones apart.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain
from typing import Final

from .applicable import Assertion
from .layout import StringLayout
from .samples import number_samples, text_samples

# Digits past this are no number that could be compared; such a number overflows a double anyway.
_LONGEST_NUMBER: Final = 400
OVERFLOW: Final = "1e999"


class NoSampleError(Exception):
    """No sample answers as the raw value did: the next rung must try. Has no text."""


@dataclass(slots=True)
class Distinct:
    """Values at one comparison site: equal raw ones share a masked one, different ones never do."""

    chosen: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)

    def known(self, kind: str, raw: str) -> str | None:
        """What this raw value was given before."""
        return self.chosen.get((kind, raw))

    def taken(self, text: str) -> bool:
        """Whether a different raw value has this masked one."""
        return text in self.chosen.values()

    def keep(self, kind: str, raw: str, text: str) -> None:
        """Remember the choice."""
        self.chosen[kind, raw] = text


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
) -> str:
    """A placeholder for the string `raw`; raises `NoSampleError`.

    It fits `layout`, has at least `least` characters, is none of `avoid`, and none that `site` gave to another value.
    """
    if layout.demanding:
        plain = "x"
    if site is not None:
        before = site.known("text", raw)
        if before is not None and len(before) >= layout.needed:
            return layout.fit(before)
    size = max(layout.needed, least)
    wanted = None if all(assertion.keyword == "type" for assertion in assertions) else answers(raw, assertions)
    for sample in chain(text_samples(size, _pairs(assertions), plain=plain), _longer(size, plain) if site else ()):
        text = layout.fit(sample)
        if text in avoid or (site is not None and site.taken(text)):
            continue
        if wanted is None or answers(text, assertions) == wanted:
            if site is not None:
                site.keep("text", raw, text)
            return text
    raise NoSampleError


# How many different values one comparison site can tell apart before the capture is refused.
_SITE_LIMIT: Final = 512


def _longer(size: int, plain: str) -> Iterator[str]:
    return (plain + "x" * (extra + max(0, size - len(plain))) for extra in range(1, _SITE_LIMIT))


def number_like(
    raw: str, assertions: Sequence[Assertion], size: int, *, site: Distinct | None = None, least: int = 0
) -> str:
    """A number text of at least `size` characters for the number text `raw`; raises `NoSampleError`."""
    value = number(raw)
    if value is None:
        return OVERFLOW if size <= len(OVERFLOW) else "1" + "0" * (size - len(OVERFLOW)) + "e999"
    if site is not None:
        before = site.known("number", str(value.normalize()))
        if before is not None and len(before) >= size:
            return before
    wanted = answers(_plain(value), assertions)
    powers = ("1" + "0" * power for power in range(_SITE_LIMIT)) if site is not None else ()
    for text in chain(number_samples(max(size, least), _pairs(assertions)), powers):
        sample = number(text)
        if sample is None or len(text) < size or (site is not None and site.taken(text)):
            continue
        if answers(_plain(sample), assertions) == wanted:
            if site is not None:
                site.keep("number", str(value.normalize()), text)
            return text
    raise NoSampleError


def number(text: str) -> Decimal | None:
    """The exact value of a JSON number; None where it overflows a double."""
    if len(text) > _LONGEST_NUMBER:
        digits = text.lstrip("-").partition(".")[0]
        if len(digits) > _LONGEST_NUMBER:
            return None
    if float(text) in (float("inf"), float("-inf")):
        return None
    return Decimal(text)


def _pairs(assertions: Sequence[Assertion]) -> list[tuple[str, object]]:
    return [(assertion.keyword, assertion.argument) for assertion in assertions]


def _plain(value: Decimal) -> object:
    return int(value) if value == value.to_integral_value() and value.adjusted() < _LONGEST_NUMBER else value


def unquoted(token: str) -> str:
    """The text of a complete JSON string token."""
    return token[1:-1] if "\\" not in token else str(json.loads(token, strict=False))

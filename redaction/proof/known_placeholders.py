"""Whether a text or a number in a finished file is a placeholder that the file's own schemas give.

In: the value as the file has it, and the assertions of its schemas. Out: whether it stands in the grammar of
placeholders, which is asked by the value: `x17@example.com` is looked for under the number 17 of the format `email`,
not by going through all the numbers. Knows no mask and no capture.
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Final

from redaction.placeholders import (
    EXACT,
    SITE_LIMIT,
    Pairs,
    bounds_of,
    factors_of,
    format_samples,
    numbered_format,
    numbered_pattern,
    numbers_near,
    pattern_samples,
)
from replay.validator.schema import patterns
from replay.validator.schema.patterns import PatternError


def schema_texts(value: str, assertions: Pairs, *, distinct: bool) -> bool:
    """Whether formats and patterns give `value` as a placeholder; `distinct` where values may have to differ."""
    size = len(value)
    for keyword, argument in assertions:
        if not isinstance(argument, str):
            continue
        if keyword == "format":
            if value in format_samples(argument, size) or _is_numbered(argument, value):
                return True
        elif keyword == "pattern" and (
            value in pattern_samples(argument, size)
            or (distinct and _matches(argument, value) and value in _numbered_patterns(argument, size))
        ):
            return True
    return False


# Longer texts that must differ are not looked for: all of them are held in memory at once.
_LONGEST_NUMBERED: Final = 1024


def _matches(expression: str, value: str) -> bool:
    """Spares the search where the expression cannot have given the value."""
    try:
        return patterns.compile_pattern(expression).found_in(value)
    except PatternError:
        return False


@lru_cache(maxsize=256)
def _numbered_patterns(expression: str, size: int) -> frozenset[str]:
    if size > _LONGEST_NUMBERED:
        return frozenset()
    return frozenset(text for number in range(SITE_LIMIT) for text in numbered_pattern(expression, number, size))


def _is_numbered(name: str, value: str) -> bool:
    digits = re.findall(r"[0-9]+", value)
    numbers = {int(run) for run in digits if len(run) <= len("000000000512")}
    if name == "ipv4" and value.startswith("192.0."):
        numbers = {(int(digits[-2]) << 8) + int(digits[-1])} if len(digits) == len("1234") else set()
    if name == "date" and digits:
        numbers.add(int(digits[0][1:] or 0))
    return any(value in numbered_format(name, number, 0) for number in numbers if number < SITE_LIMIT)


class SchemaNumbers:
    """The numbers that the bounds and factors of a schema give as placeholders, for the gate."""

    def __init__(self, assertions: Iterable[tuple[str, object]], *, distinct: bool) -> None:
        """`distinct` where values may have to differ."""
        pairs = list(assertions)
        self._bounds = {*bounds_of(pairs)}
        factors = factors_of(pairs)
        self._steps = [*factors, Decimal(1)]
        self._bases = frozenset(numbers_near(self._bounds, factors))
        self._sizes = sorted({len(base) for base in self._bases})
        self._distinct = distinct

    def hold(self, text: str) -> bool:
        """Whether the number `text` is one of them, perhaps with zeros behind it."""
        if any(text[:size] in self._bases and _ZEROS.fullmatch(text, size) for size in self._sizes):
            return True
        value = Decimal(text) if _WRITTEN_OUT.fullmatch(text) else None
        if value is None or len(value.as_tuple().digits) > EXACT.prec:
            return False
        twice = EXACT.add(value, value)
        if any(EXACT.subtract(twice, bound) in self._bounds for bound in self._bounds):
            return True
        if not self._distinct:
            return False
        for step in self._steps:
            turns = EXACT.divide_int(value, step)
            if EXACT.multiply(turns, step) == value:
                starts = (EXACT.divide_int(bound, step) for bound in (Decimal(0), *self._bounds))
                if any(abs(EXACT.subtract(turns, start)) < SITE_LIMIT for start in starts):
                    return True
        return False


_ZEROS: Final = re.compile(r"(?:\.?0+)?")
_WRITTEN_OUT: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")

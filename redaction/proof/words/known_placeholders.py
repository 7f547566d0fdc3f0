"""The placeholders that the schemas of one fixture give, asked for by the value that stands in the file.

In: a text or a number, and what the schemas assert. Out: whether the grammar of placeholders has it. The grammar is not
gone through: `x017@example.com` is looked for under the number 17 of the format `email`. Knows no mask and no capture.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from enum import Enum
from functools import cached_property, lru_cache
from typing import Final

from redaction.placeholders import (
    EXACT,
    SITE_LIMIT,
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


class Compared(Enum):
    """Whether a schema compares values or keys with one another; if so, one placeholder is not enough."""

    NOWHERE = "one placeholder will do for all values at a place"
    SOMEWHERE = "different values need different placeholders, which are numbered"


class SchemaPlaceholders:
    """The texts and numbers that stand for values because the schemas of a fixture give them.

    `assertions` are the keywords of the schemas with their arguments: `("format", "email")`, `("minimum", 18)`.
    """

    def __init__(self, assertions: Sequence[tuple[str, object]], compared: Compared) -> None:
        self._texts = [(keyword, argument) for keyword, argument in assertions if isinstance(argument, str)]
        self._compared = compared
        self._bounds = {*bounds_of(assertions)}
        self._factors = factors_of(assertions)

    def has_text(self, value: str) -> bool:
        """Whether a format or a pattern gives `value`."""
        return any(
            (keyword == "format" and _format_gives(argument, value))
            or (keyword == "pattern" and self._pattern_gives(argument, value))
            for keyword, argument in self._texts
        )

    def _pattern_gives(self, expression: str, value: str) -> bool:
        # The masks take a text from an expression only where it is to match.
        if not _matches(expression, value):
            return False
        size = len(value)
        if value in pattern_samples(expression, size):
            return True
        return self._compared is Compared.SOMEWHERE and value in _numbered_patterns(expression, size)

    @cached_property
    def _bases(self) -> frozenset[str]:
        """The numbers to which zeros may be added. There can be thousands, and few files need them."""
        return frozenset(numbers_near(self._bounds, self._factors))

    @cached_property
    def _sizes(self) -> list[int]:
        return sorted({len(base) for base in self._bases})

    def has_number(self, text: str) -> bool:
        """Whether a bound or a factor gives the number `text`, perhaps with zeros behind it."""
        if any(text[:size] in self._bases and _ZEROS.fullmatch(text, size) for size in self._sizes):
            return True
        value = Decimal(text) if _WRITTEN_OUT.fullmatch(text) else None
        if value is None or len(value.as_tuple().digits) > EXACT.prec:
            return False
        return self._is_between(value) or (self._compared is Compared.SOMEWHERE and self._is_numbered(value))

    def _is_between(self, value: Decimal) -> bool:
        """Whether `value` is half way between two bounds."""
        twice = EXACT.add(value, value)
        return any(EXACT.subtract(twice, bound) in self._bounds for bound in self._bounds)

    def _is_numbered(self, value: Decimal) -> bool:
        """Whether `value` lies a few steps from 0 or from a bound, as numbers do that must differ."""
        for step in (*self._factors, Decimal(1)):
            turns = EXACT.divide_int(value, step)
            if EXACT.multiply(turns, step) == value:
                starts = (EXACT.divide_int(bound, step) for bound in (Decimal(0), *self._bounds))
                if any(abs(EXACT.subtract(turns, start)) < SITE_LIMIT for start in starts):
                    return True
        return False


_ZEROS: Final = re.compile(r"(?:\.?0+)?")
_WRITTEN_OUT: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


def _format_gives(name: str, value: str) -> bool:
    """Whether `value` is a sample of the format, or one with a number in it."""
    if value in format_samples(name, len(value)):
        return True
    digits = re.findall(r"[0-9]+", value)
    numbers = {int(run) for run in digits if len(run) <= len("000000000512")}
    if name == "ipv4" and value.startswith("192.0."):
        numbers = {(int(digits[-2]) << 8) + int(digits[-1])} if len(digits) == len("1234") else set()
    if name == "date" and digits:
        numbers.add(int(digits[0][1:] or 0))
    return any(value in numbered_format(name, number, 0) for number in numbers if number < SITE_LIMIT)


def _matches(expression: str, value: str) -> bool:
    """Whether the expression could have given `value`: spares the search below where it could not."""
    try:
        return patterns.compile_pattern(expression).found_in(value)
    except PatternError:
        return False


# Longer texts that must differ are not looked for: all of them are held in memory at once.
_LONGEST_NUMBERED: Final = 1024


@lru_cache(maxsize=256)
def _numbered_patterns(expression: str, size: int) -> frozenset[str]:
    """All texts of this size that the expression gives for a number."""
    if size > _LONGEST_NUMBERED:
        return frozenset()
    return frozenset(text for number in range(SITE_LIMIT) for text in numbered_pattern(expression, number, size))

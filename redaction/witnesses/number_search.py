"""Numbers that give wanted answers to several assertions at once: bounds make a range, factors make a grid in it.

    minimum 1 yes, multipleOf 6 yes, multipleOf 10 yes        30, 60, 90, …
    exclusiveMinimum 3 yes, maximum 4 yes, type integer no    3.5, 3.1, …

The numbers nearest to 0 come first. They depend on the question alone. What makes no range and no grid (`enum`, a
factor of which it is to be no multiple) is for the caller to ask. Knows the keywords of schemas; knows no capture.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from math import ceil, floor, lcm
from typing import Final

from redaction.placeholders import EXACT
from redaction.witnesses.text_search import Wanted

# Numbers that are looked at.
_NUMBERS: Final = 2_048
# Of each grid that no factor asks for.
_OF_A_GRID: Final = 24
# Digits behind the point of the finest such grid.
_FINEST: Final = 40
# Bounds and factors beyond this are not counted with.
_LARGEST_EXPONENT: Final = 60


@dataclass(slots=True)
class _Range:
    """What bounds leave; None where a side has none."""

    low: Fraction | None = None
    high: Fraction | None = None

    def raise_low(self, bound: Fraction) -> None:
        """Nothing below `bound`."""
        self.low = bound if self.low is None else max(self.low, bound)

    def lower_high(self, bound: Fraction) -> None:
        """Nothing above `bound`."""
        self.high = bound if self.high is None else min(self.high, bound)


# The side of a bound that a keyword leaves where it holds; where it does not hold, the other side is left.
_LEAVES_ABOVE: Final = {"minimum": True, "exclusiveMinimum": True, "maximum": False, "exclusiveMaximum": False}


def numbers(wanted: Sequence[Wanted]) -> Iterator[Decimal]:
    """Numbers that should answer as wanted, those nearest to 0 first; bounds themselves may be among them."""
    left = _Range()
    factors: list[Fraction] = []
    for keyword, argument, holds in wanted:
        number = _fraction(argument)
        if number is None:
            if keyword == "type" and holds and _only_whole(argument):
                factors.append(Fraction(1))
        elif keyword == "multipleOf" and holds:
            factors.append(number)
        elif keyword in _LEAVES_ABOVE:
            move = left.raise_low if _LEAVES_ABOVE[keyword] is holds else left.lower_high
            move(number)
    if factors:
        return islice(_written_out(_on_grid(left, _common(factors))), _NUMBERS)
    return islice(_written_out(_anywhere(left)), _NUMBERS)


def _common(factors: Sequence[Fraction]) -> Fraction:
    """The least number that is a multiple of each of the factors."""
    below = lcm(*(one.denominator for one in factors))
    return Fraction(lcm(*(int(one * below) for one in factors)), below)


def _only_whole(argument: object) -> bool:
    names = argument if isinstance(argument, list) else [argument]
    return "integer" in names and "number" not in names


def _fraction(argument: object) -> Fraction | None:
    if isinstance(argument, bool) or not isinstance(argument, (int, float, Decimal)):
        return None
    number = Decimal(str(argument))
    return Fraction(number) if number.is_finite() and abs(number.adjusted()) <= _LARGEST_EXPONENT else None


def _on_grid(left: _Range, step: Fraction) -> Iterator[Fraction]:
    """The multiples of `step` in the range, from the one nearest to 0."""
    low = None if left.low is None else ceil(left.low / step)
    high = None if left.high is None else floor(left.high / step)
    if low is not None and high is not None and low > high:
        return
    nearest = max(0, low) if low is not None else 0
    nearest = min(nearest, high) if high is not None else nearest
    yield nearest * step
    up, down = nearest + 1, nearest - 1
    while (high is None or up <= high) or (low is None or down >= low):
        if high is None or up <= high:
            yield up * step
        if low is None or down >= low:
            yield down * step
        up, down = up + 1, down - 1


def _anywhere(left: _Range) -> Iterator[Fraction]:
    """Numbers of the range on finer and finer grids, a few of each."""
    yield from islice(_on_grid(left, Fraction(1)), _OF_A_GRID)
    yield from islice(_on_grid(left, Fraction(1, 2)), _OF_A_GRID)
    for digits in range(1, _FINEST):
        yield from islice(_on_grid(left, Fraction(1, 10**digits)), _OF_A_GRID)
    yield from _on_grid(left, Fraction(1))


def _written_out(found: Iterator[Fraction]) -> Iterator[Decimal]:
    """The numbers that end when they are written in decimal, each once."""
    seen: set[Fraction] = set()
    for number in found:
        digits = _digits(number.denominator)
        if number not in seen and digits is not None:
            seen.add(number)
            yield EXACT.scaleb(Decimal(int(number * 10**digits)), -digits)


def _digits(denominator: int) -> int | None:
    """How many digits behind the point a fraction with this denominator needs; None where they never end."""
    twos = fives = 0
    while denominator % 2 == 0:
        denominator //= 2
        twos += 1
    while denominator % 5 == 0:
        denominator //= 5
        fives += 1
    return max(twos, fives) if denominator == 1 else None

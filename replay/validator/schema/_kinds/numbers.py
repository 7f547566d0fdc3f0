"""Keywords that speak of numbers. Numbers compare exactly: 19.99 is a multiple of 0.01, which no double would say."""

from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from typing import Final

from replay.validator._values import as_number
from replay.validator.schema._kinds.words import quote, type_names
from replay.validator.schema._nodes import Assertion, Schema
from replay.validator.schema._places import Place

BOUNDS: Final = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})

# Rounds nothing that fits in memory.
EXACT: Final = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)


def exact(value: object) -> int | Decimal:
    """The number that a keyword has as its value."""
    number = as_number(value)
    assert number is not None, "the subset lets numbers through only"
    return number


def _number(place: Place) -> int | Decimal:
    assert isinstance(place.value, (int, Decimal)), "the place is a number"
    return place.value


def minimum(bound: object) -> Assertion:
    """`minimum`."""
    least = exact(bound)
    return lambda place: _number(place) >= least


def maximum(bound: object) -> Assertion:
    """`maximum`."""
    most = exact(bound)
    return lambda place: _number(place) <= most


def exclusive_minimum(bound: object) -> Assertion:
    """`exclusiveMinimum`."""
    limit = exact(bound)
    return lambda place: _number(place) > limit


def exclusive_maximum(bound: object) -> Assertion:
    """`exclusiveMaximum`."""
    limit = exact(bound)
    return lambda place: _number(place) < limit


def range_words(schema: Schema, _: Place) -> str:
    """`must be an integer from 1 to 20`, `must be a number above 0`: all bounds at once, whichever rejects."""
    wanted = schema.get("type")
    kind = type_names(wanted) if wanted in ("integer", "number") else "a number"
    least, most = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    words: list[str] = []
    if least is not None and most is not None:
        words.append(f"from {quote(least)} to {quote(most)}")
    elif least is not None:
        words.append(f"of {quote(least)} or more")
    elif most is not None:
        words.append(f"of {quote(most)} or less")
    if above is not None:
        words.append(f"above {quote(above)}")
    if below is not None:
        words.append(f"below {quote(below)}")
    return f"must be {kind} {' and '.join(words)}".rstrip()


def multiple_of(factor: object) -> Assertion:
    """`multipleOf`."""
    step = exact(factor)
    if isinstance(step, Decimal) and step == step.to_integral_value():
        step = int(step)

    def holds(place: Place) -> bool:
        number = _number(place)
        if isinstance(number, int) and isinstance(step, int):
            return number % step == 0
        return _is_multiple(Decimal(number), Decimal(step))

    return holds


def _is_multiple(number: Decimal, step: Decimal) -> bool:
    """Whether a number is a multiple of a step, in integers: 19.99 and 0.05 are 1999 and 5 units of 0.01."""
    _, digits, exponent = EXACT.normalize(step).as_tuple()
    assert isinstance(exponent, int), "a step is finite"
    unit = int("".join(map(str, digits)))
    scaled = EXACT.scaleb(number, -exponent)
    whole = scaled.to_integral_value()
    # A digit to the right of every digit that a multiple can have, or else integers of a bounded size.
    return whole == scaled and int(whole) % unit == 0


def multiple_of_words(schema: Schema, _: Place) -> str:
    """`must be a multiple of 5`."""
    return f"must be a multiple of {quote(schema.get('multipleOf'))}"

"""Keywords that speak of any value: `type`, `enum`, `const`."""

from decimal import Decimal

from replay.validator._values import Numbering
from replay.validator.schema._kinds.numbers import BOUNDS, range_words
from replay.validator.schema._kinds.words import quote, type_names, values
from replay.validator.schema._nodes import Assertion, Schema
from replay.validator.schema._places import Place


def type_is(names: object) -> Assertion:
    """`type`: an integer is a number without a fraction, however it is written."""
    wanted = frozenset(names if isinstance(names, list) else [names])

    def holds(place: Place) -> bool:
        return place.kind in wanted or ("integer" in wanted and place.kind == "number" and is_integer(place.value))

    return holds


def is_integer(value: object) -> bool:
    """Whether a number has no fraction."""
    return isinstance(value, int) or (isinstance(value, Decimal) and value == value.to_integral_value())


def type_words(schema: Schema, place: Place) -> str:
    """`must be an integer from 1 to 20`: the bounds belong to the type of a number."""
    wanted = schema.get("type")
    if wanted in ("integer", "number") and not BOUNDS.isdisjoint(schema):
        return range_words(schema, place)
    return f"must be {type_names(wanted)}"


def one_of_values(listed: object) -> Assertion:
    """`enum`: equal to one of the values."""
    numbering = Numbering()
    wanted = frozenset(numbering.of(value) for value in listed) if isinstance(listed, list) else frozenset()
    kinds = frozenset(Place(value, "").kind for value in listed) if isinstance(listed, list) else frozenset()
    return lambda place: place.kind in kinds and numbering.seek(place.value) in wanted


def one_of_values_words(schema: Schema, _: Place) -> str:
    """`must be one of "a", "b"`."""
    return f"must be one of {values(schema.get('enum'))}"


def exactly(value: object) -> Assertion:
    """`const`: equal to the value."""
    return one_of_values([value])


def exactly_words(schema: Schema, _: Place) -> str:
    """`must be "a"`."""
    return f"must be {quote(schema.get('const'))}"

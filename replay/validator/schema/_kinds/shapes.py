"""The shapes that the value of a keyword may have. Each function says why a value is unsupported, None if it is not."""

from decimal import Decimal
from typing import Final

from replay.validator._values import as_number

TYPES: Final = ("object", "array", "string", "number", "integer", "boolean", "null")

# Digits and exponent of a number in a schema: more than a double has, and little enough for exact arithmetic.
MAX_NUMBER_DIGITS: Final = 400
MAX_NUMBER_EXPONENT: Final = 1_000


def anything(_: object) -> str | None:
    """Any value, as of `const`."""
    return None


def an_array(value: object) -> str | None:
    """An array of any values, as of `enum`."""
    return None if isinstance(value, list) else "must be an array"


def a_boolean(value: object) -> str | None:
    """True or false."""
    return None if isinstance(value, bool) else "must be true or false"


def type_names(value: object) -> str | None:
    """The name of a type, or a list of different ones."""
    names = value if isinstance(value, list) else [value]
    if not names or any(not isinstance(name, str) or name not in TYPES for name in names):
        return "must be one of the seven type names, or a list of them"
    return None if len(set(names)) == len(names) else "must not name a type twice"


def a_count(value: object) -> str | None:
    """An integer of 0 or more, however it is written."""
    number = as_number(value)
    if number is None or number < 0:
        return "must be an integer of 0 or more"
    why = _bounded(number)
    # Not by a remainder, which Decimal does not find for a large number.
    is_whole = isinstance(number, int) or number == number.to_integral_value()
    return "must be an integer of 0 or more" if why is None and not is_whole else why


def a_number(value: object) -> str | None:
    """A number."""
    number = as_number(value)
    return "must be a number" if number is None else _bounded(number)


def a_positive_number(value: object) -> str | None:
    """A number above 0."""
    number = as_number(value)
    return "must be a number above 0" if number is None or number <= 0 else _bounded(number)


def _bounded(number: int | Decimal) -> str | None:
    # An integer is one that a double could hold, so it is small enough.
    if isinstance(number, Decimal):
        _, digits, exponent = number.as_tuple()
        assert isinstance(exponent, int), "as_number lets finite numbers through only"
        if len(digits) > MAX_NUMBER_DIGITS or abs(exponent) > MAX_NUMBER_EXPONENT:
            return f"must not have more than {MAX_NUMBER_DIGITS} digits or so large an exponent"
    return None


def property_names(value: object) -> str | None:
    """A list of different property names."""
    if not isinstance(value, list) or any(not isinstance(name, str) for name in value):
        return "must be an array of property names"
    return None if len(set(value)) == len(value) else "must not name a property twice"


def named_property_names(value: object) -> str | None:
    """Lists of property names, by name."""
    if not isinstance(value, dict):
        return "must be an object of arrays of property names"
    return next(filter(None, map(property_names, value.values())), None)


def a_schema(value: object) -> str | None:
    """A schema. What it holds is looked at when the walk reaches it."""
    return None if isinstance(value, (dict, bool)) else "must be a schema: an object, true or false"


def schemas(value: object) -> str | None:
    """A list of schemas."""
    if not isinstance(value, list) or not value:
        return "must be an array of one schema or more"
    return next(filter(None, map(a_schema, value)), None)


def named_schemas(value: object) -> str | None:
    """Schemas by name."""
    if not isinstance(value, dict):
        return "must be an object of schemas"
    return next(filter(None, map(a_schema, value.values())), None)

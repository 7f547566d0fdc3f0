"""Keywords that bound a length: that of a string in code points, of an array in items, of an object in members."""

from replay.validator.schema._keyword import Words
from replay.validator.schema._kinds.numbers import exact
from replay.validator.schema._kinds.words import quote
from replay.validator.schema._nodes import Assertion, Schema
from replay.validator.schema._places import Place


def _length(place: Place) -> int:
    assert isinstance(place.value, (str, list, dict)), "the place has a length"
    return len(place.value)


def at_least(bound: object) -> Assertion:
    """`minLength`, `minItems`, `minProperties`."""
    least = exact(bound)
    return lambda place: _length(place) >= least


def at_most(bound: object) -> Assertion:
    """`maxLength`, `maxItems`, `maxProperties`."""
    most = exact(bound)
    return lambda place: _length(place) <= most


def length_words(one: str, many: str, least: str, most: str) -> Words:
    """`must have 1 to 5 items`: both bounds at once, whichever rejects. `least` and `most` are their keywords."""

    def words(schema: Schema, _: Place) -> str:
        low, high = schema.get(least), schema.get(most)
        if low is not None and high is not None:
            return f"must have {quote(low)} to {quote(high)} {many}"
        if low is not None:
            return f"must have {quote(low)} {one if low == 1 else many} or more"
        return f"must have at most {quote(high)} {one if high == 1 else many}"

    return words

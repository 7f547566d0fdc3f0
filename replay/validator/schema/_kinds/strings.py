"""Keywords that speak of strings, beside those that bound their length: `pattern` and `format`."""

from replay.validator.schema._formats import FORMATS
from replay.validator.schema._kinds.words import quote
from replay.validator.schema._nodes import Assertion, Schema
from replay.validator.schema._places import Place
from replay.validator.schema.patterns import PatternError, compile_pattern


def a_pattern(value: object) -> str | None:
    """Why the value of `pattern` is unsupported."""
    if not isinstance(value, str):
        return "must be a string"
    try:
        compile_pattern(value)
    except PatternError as error:
        return f"is outside the subset of regular expressions: {error}"
    return None


def matches(source: object) -> Assertion:
    """`pattern`: found anywhere in the string."""
    assert isinstance(source, str), "the subset lets strings through only"
    pattern = compile_pattern(source)
    return lambda place: isinstance(place.value, str) and pattern.found_in(place.value)


def matches_words(schema: Schema, _: Place) -> str:
    """`must match the pattern "^[a-z]+$"`."""
    return f"must match the pattern {quote(schema.get('pattern'))}"


def a_format(value: object) -> str | None:
    """Why the value of `format` is unsupported."""
    known = isinstance(value, str) and value in FORMATS
    return None if known else "must be a documented format"


def has_format(name: object) -> Assertion:
    """`format`, asserted."""
    assert isinstance(name, str), "the subset lets known names through only"
    is_of_it = FORMATS[name]
    return lambda place: isinstance(place.value, str) and is_of_it(place.value)


def has_format_words(schema: Schema, _: Place) -> str:
    """`must be of the format "date"`."""
    return f"must be of the format {quote(schema.get('format'))}"

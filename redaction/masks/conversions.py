"""What clients that convert values look at: whether a text reads as a number, a boolean or JSON where one is wanted.

Models often write `{"days":"1"}` where a number is wanted. The verdict is a finding, whatever the text says. But many
clients convert: `"1"` is 1 to them, and the call runs; `"soon"` is nothing, and it does not. So a masked value answers
the questions of this module as the raw one did, beside the assertions of its schema:

    {"type": "integer"}    "1"       reads as a number, without a fraction               becomes  "0"
    {"type": "integer"}    "soon"    reads as none                                       becomes  "x"
    {"type": "boolean"}    "yes"     reads as a word for true                            becomes  "yes"
    {"type": "integer"}    1.0       is written with a fraction, which is none           becomes  0.0

They are asked only where the schema wants another type than the value has: a text where a text is wanted is not
converted by anyone. Knows the parts of schemas that speak of a value; knows no client.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Final, Protocol, TypeAlias

from redaction.applicable import NUMBER_ASSERTIONS, STRING_ASSERTIONS, Assertion, Schemas

READS_AS: Final = "reads as"


class Question(Protocol):
    """An assertion of a schema, or a question of this module: a value answers it with yes or no."""

    @property
    def keyword(self) -> str:
        """The keyword, or `READS_AS`."""
        ...

    @property
    def argument(self) -> object:
        """What the keyword is given."""
        ...

    def holds(self, value: object) -> bool:
        """The answer of `value`."""
        ...


Test: TypeAlias = Callable[[object], bool]


@dataclass(frozen=True, slots=True)
class Conversion:
    """One question of this module."""

    argument: str
    _test: Test = field(repr=False)
    keyword: str = READS_AS

    def holds(self, value: object) -> bool:
        """The answer of `value`."""
        return self._test(value)


_NUMBER: Final = re.compile(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?\s*")
_WHOLE: Final = re.compile(r"\s*[+-]?[0-9]+\s*")
_NOT_FINITE: Final = frozenset("nan inf +inf -inf infinity +infinity -infinity".split())


def number_in(text: object) -> Decimal | None:
    """The number that a text reads as; None where it reads as none, or as one that no double holds."""
    if not isinstance(text, str) or not _NUMBER.fullmatch(text):
        return None
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return number if abs(number.adjusted()) < _LARGEST_EXPONENT else None


_LARGEST_EXPONENT: Final = 300


def is_held(value: int | Decimal) -> bool:
    """Whether a double holds a number as it is written; a client that reads numbers as doubles has another one else."""
    nearest = float(value)
    return Decimal(nearest) == value or Decimal(repr(nearest)) == value


def _one_of(*words: str) -> Test:
    return lambda value: isinstance(value, str) and value.strip().lower() in words


def _bracket(char: str) -> Test:
    return lambda value: isinstance(value, str) and value.lstrip()[:1] == char


# The words that common libraries take for a boolean, by how many of them do.
_WORDS: Final = (
    Conversion("true", _one_of("true")),
    Conversion("false", _one_of("false")),
    Conversion("a word for true", _one_of("yes", "on", "y", "t")),
    Conversion("a word for false", _one_of("no", "off", "n", "f")),
    Conversion("1", _one_of("1")),
    Conversion("0", _one_of("0")),
)
_NUMBERS: Final = (
    Conversion("a number", lambda value: number_in(value) is not None),
    Conversion("digits", lambda value: isinstance(value, str) and _WHOLE.fullmatch(value) is not None),
    Conversion("a whole number", lambda value: _is_whole(number_in(value))),
    Conversion("no finite number", lambda value: isinstance(value, str) and value.strip().lower() in _NOT_FINITE),
)
_OBJECTS: Final = (Conversion("an object", _bracket("{")),)
_ARRAYS: Final = (Conversion("an array", _bracket("[")),)
_OF_TEXTS: Final = {
    "boolean": _WORDS,
    "integer": _NUMBERS,
    "number": _NUMBERS,
    "object": _OBJECTS,
    "array": _ARRAYS,
}
_IS_WRITTEN_OUT: Final = Conversion("a number written with a fraction", lambda value: isinstance(value, Decimal))
_IS_0: Final = Conversion("the number 0", lambda value: value == 0)
_IS_1: Final = Conversion("the number 1", lambda value: value == 1)
_OF_NUMBERS: Final = {"integer": (_IS_WRITTEN_OUT,), "boolean": (_IS_0, _IS_1)}
# What is offered for a text, beside the numbers that the schema gives.
WORDS: Final = ("true", "false", "yes", "no", "NaN")

BY_ARGUMENT: Final = {one.argument: one for group in (*_OF_TEXTS.values(), *_OF_NUMBERS.values()) for one in group}


def _is_whole(number: Decimal | None) -> bool:
    return number is not None and number == number.to_integral_value()


def wanted(schemas: Schemas) -> frozenset[str]:
    """The types that the schemas want for a value, by `type`, and by what `enum` and `const` list."""
    found: set[str] = set()
    for part in schemas.parts:
        named = part.get("type")
        found.update([named] if isinstance(named, str) else named if isinstance(named, list) else [])
        listed = part.get("enum")
        values = listed if isinstance(listed, list) else []
        found.update(_type_of(value) for value in [*values, *([part["const"]] if "const" in part else [])])
    return frozenset(found)


def _type_of(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float, Decimal)):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "null" if value is None else "object"


def questions_of_text(schemas: Schemas) -> tuple[Question, ...]:
    """What a masked text at this place answers as the raw one did."""
    return _asked(schemas, "string")


def questions_of_number(schemas: Schemas) -> tuple[Question, ...]:
    """What a masked number at this place answers as the raw one did."""
    return _asked(schemas, "number")


def _asked(schemas: Schemas, kind: str) -> tuple[Question, ...]:
    """The same tuple each time: choices are remembered by it."""
    known: dict[tuple[int, str], tuple[Question, ...]] = schemas.document.questions
    key = (id(schemas), kind)
    if key not in known:
        asserted = schemas.assertions(STRING_ASSERTIONS if kind == "string" else NUMBER_ASSERTIONS)
        more = _of_text(schemas) if kind == "string" else _of_number(schemas)
        found = tuple(more)
        known[key] = (*asserted, *found) if found else asserted
    return known[key]


def _of_text(schemas: Schemas) -> Iterator[Question]:
    types = wanted(schemas)
    if not types or "string" in types:
        return
    yield from dict.fromkeys(one for name in sorted(types) for one in _OF_TEXTS.get(name, ()))
    if types & {"integer", "number"}:
        for assertion in schemas.assertions(NUMBER_ASSERTIONS):
            if assertion.keyword != "type":
                yield _Converted(assertion)


def _of_number(schemas: Schemas) -> Iterator[Question]:
    types = wanted(schemas)
    if "integer" in types:
        yield from _OF_NUMBERS["integer"]
    elif "boolean" in types and "number" not in types:
        yield from _OF_NUMBERS["boolean"]


@dataclass(frozen=True, slots=True)
class _Converted:
    """An assertion about numbers, asked of the number that a text reads as."""

    assertion: Assertion

    @property
    def keyword(self) -> str:
        """As of the assertion, so that its bounds give samples."""
        return f"{READS_AS} {self.assertion.keyword}"

    @property
    def argument(self) -> object:
        """As of the assertion."""
        return self.assertion.argument

    def holds(self, value: object) -> bool:
        """Whether the number in the text satisfies the assertion; none does not."""
        number = number_in(value)
        if number is None:
            return False
        return self.assertion.holds(int(number) if _is_whole(number) else number)


def of_schema(questions: Sequence[Question]) -> tuple[Question, ...]:
    """The assertions of the schema alone."""
    return tuple(question for question in questions if not question.keyword.startswith(READS_AS))


def converts(questions: Sequence[Question]) -> bool:
    """Whether some of the questions are of this module."""
    return any(question.keyword.startswith(READS_AS) for question in questions)

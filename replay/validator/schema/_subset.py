"""Is all of a schema supported? One table of keywords; a schema is walked whole before anything is judged by it.

A keyword is implemented, or a documented annotation, or it condemns the schema (section 5). So does a value that the
keyword cannot have, a reference that leaves the document or names no schema of it, and a loop of schemas that would
apply to one value for ever.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, unique
from typing import Final
from urllib.parse import unquote_to_bytes

from replay.validator._values import as_number
from replay.validator.schema._formats import FORMATS
from replay.validator.schema._pattern import PatternError, compile_pattern

# Keywords that say nothing about what is valid, whatever their value.
ANNOTATIONS: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "strict"}
)
ANNOTATION_PREFIX: Final = "x-"

DRAFTS: Final = frozenset(
    {
        f"{scheme}://json-schema.org/{draft}schema{mark}"
        for scheme in ("http", "https")
        for draft in ("draft-04/", "draft-06/", "draft-07/", "draft/2019-09/", "draft/2020-12/")
        for mark in ("", "#")
    }
)
TYPES: Final = ("object", "array", "string", "number", "integer", "boolean", "null")

# Digits and exponent of a number in a schema: more than a double has, and little enough for exact arithmetic.
MAX_NUMBER_DIGITS: Final = 400
MAX_NUMBER_EXPONENT: Final = 1_000


@unique
class Holds(Enum):
    """What schemas stand in a keyword's value."""

    NOTHING = 0
    ONE = 1
    LIST = 2
    NAMED = 3


@unique
class Applies(Enum):
    """What a keyword's schemas apply to: the value itself, or something inside it (or nothing at all)."""

    HERE = 0
    INSIDE = 1


@dataclass(frozen=True, slots=True)
class Keyword:
    """How a keyword is read: what its value must be (the answer is the fault), and the schemas in it."""

    fault: Callable[[object], str | None]
    holds: Holds = Holds.NOTHING
    applies: Applies = Applies.INSIDE


def _type_fault(value: object) -> str | None:
    names = value if isinstance(value, list) else [value]
    if not names or any(not isinstance(name, str) or name not in TYPES for name in names):
        return "must be one of the seven type names, or a list of them"
    return None if len(set(names)) == len(names) else "must not name a type twice"


def _array_fault(value: object) -> str | None:
    return None if isinstance(value, list) else "must be an array"


def _any_fault(_: object) -> str | None:
    return None


def _count_fault(value: object) -> str | None:
    number = as_number(value)
    if number is None or number < 0:
        return "must be an integer of 0 or more"
    fault = _range_fault(number)
    return "must be an integer of 0 or more" if fault is None and number % 1 != 0 else fault


def _number_fault(value: object) -> str | None:
    number = as_number(value)
    return "must be a number" if number is None else _range_fault(number)


def _positive_fault(value: object) -> str | None:
    number = as_number(value)
    return "must be a number above 0" if number is None or number <= 0 else _range_fault(number)


def _range_fault(number: int | Decimal) -> str | None:
    if isinstance(number, int):
        small = number.bit_length() < MAX_NUMBER_DIGITS * 3
    else:
        _, digits, exponent = number.as_tuple()
        assert isinstance(exponent, int), "as_number lets finite numbers through only"
        small = len(digits) <= MAX_NUMBER_DIGITS and abs(exponent) <= MAX_NUMBER_EXPONENT
    return None if small else f"must not have more than {MAX_NUMBER_DIGITS} digits or so large an exponent"


def _boolean_fault(value: object) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _names_fault(value: object) -> str | None:
    if not isinstance(value, list) or any(not isinstance(name, str) for name in value):
        return "must be an array of property names"
    return None if len(set(value)) == len(value) else "must not name a property twice"


def _named_names_fault(value: object) -> str | None:
    if not isinstance(value, dict):
        return "must be an object of arrays of property names"
    return next(filter(None, map(_names_fault, value.values())), None)


def _pattern_fault(value: object) -> str | None:
    if not isinstance(value, str):
        return "must be a string"
    try:
        compile_pattern(value)
    except PatternError as error:
        why = str(error)
    else:
        return None
    return f"is outside the subset of regular expressions: {why}"


def _format_fault(value: object) -> str | None:
    known = isinstance(value, str) and value in FORMATS
    return None if known else "must be a documented format"


def _draft_fault(value: object) -> str | None:
    return None if isinstance(value, str) and value in DRAFTS else "must name a known draft"


def _reference_fault(value: object) -> str | None:
    local = isinstance(value, str) and (value == "#" or value.startswith("#/"))
    return None if local else "must be `#` or begin with `#/`: a reference never leaves the document"


def _schema_fault(value: object) -> str | None:
    return None if isinstance(value, (dict, bool)) else "must be a schema: an object, true or false"


def _schemas_fault(value: object) -> str | None:
    if not isinstance(value, list) or not value:
        return "must be an array of one schema or more"
    return next(filter(None, map(_schema_fault, value)), None)


def _named_schemas_fault(value: object) -> str | None:
    if not isinstance(value, dict):
        return "must be an object of schemas"
    return next(filter(None, map(_schema_fault, value.values())), None)


def _pattern_schemas_fault(value: object) -> str | None:
    fault = _named_schemas_fault(value)
    if fault is None and isinstance(value, dict):
        fault = next(filter(None, map(_pattern_fault, value)), None)
    return fault


KEYWORDS: Final[Mapping[str, Keyword]] = {
    "$schema": Keyword(_draft_fault),
    "$ref": Keyword(_reference_fault),  # its target is followed on its own
    "$defs": Keyword(_named_schemas_fault, Holds.NAMED),
    "definitions": Keyword(_named_schemas_fault, Holds.NAMED),
    "type": Keyword(_type_fault),
    "enum": Keyword(_array_fault),
    "const": Keyword(_any_fault),
    "minimum": Keyword(_number_fault),
    "maximum": Keyword(_number_fault),
    "exclusiveMinimum": Keyword(_number_fault),
    "exclusiveMaximum": Keyword(_number_fault),
    "multipleOf": Keyword(_positive_fault),
    "minLength": Keyword(_count_fault),
    "maxLength": Keyword(_count_fault),
    "pattern": Keyword(_pattern_fault),
    "format": Keyword(_format_fault),
    "minItems": Keyword(_count_fault),
    "maxItems": Keyword(_count_fault),
    "uniqueItems": Keyword(_boolean_fault),
    "prefixItems": Keyword(_schemas_fault, Holds.LIST),
    "items": Keyword(_schema_fault, Holds.ONE),
    "contains": Keyword(_schema_fault, Holds.ONE),
    "minContains": Keyword(_count_fault),
    "maxContains": Keyword(_count_fault),
    "required": Keyword(_names_fault),
    "minProperties": Keyword(_count_fault),
    "maxProperties": Keyword(_count_fault),
    "dependentRequired": Keyword(_named_names_fault),
    "properties": Keyword(_named_schemas_fault, Holds.NAMED),
    "patternProperties": Keyword(_pattern_schemas_fault, Holds.NAMED),
    "additionalProperties": Keyword(_schema_fault, Holds.ONE),
    "propertyNames": Keyword(_schema_fault, Holds.ONE),
    "dependentSchemas": Keyword(_named_schemas_fault, Holds.NAMED, Applies.HERE),
    "allOf": Keyword(_schemas_fault, Holds.LIST, Applies.HERE),
    "anyOf": Keyword(_schemas_fault, Holds.LIST, Applies.HERE),
    "oneOf": Keyword(_schemas_fault, Holds.LIST, Applies.HERE),
    "not": Keyword(_schema_fault, Holds.ONE, Applies.HERE),
    "if": Keyword(_schema_fault, Holds.ONE, Applies.HERE),
    "then": Keyword(_schema_fault, Holds.ONE, Applies.HERE),
    "else": Keyword(_schema_fault, Holds.ONE, Applies.HERE),
}


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The first place, in reading order, that is outside the subset, and why."""

    pointer: str
    why: str

    def __str__(self) -> str:
        """Place and reason in one line."""
        return f"{self.pointer or 'the schema'} {self.why}"


@dataclass(frozen=True, slots=True)
class Supported:
    """Every schema object of a document that is supported whole, and what each reference in it names."""

    schemas: tuple[dict[str, object], ...]
    targets: Mapping[int, object]  # id of a schema object with `$ref` -> the schema it names


# A place in the schema: the place around it, and the last token. Spelled out only when it is reported.
_Place = tuple["_Place | None", str]


def examine(schema: object) -> Supported | Unsupported:
    """Whether all of a schema is supported. Linear in it."""
    fault = _schema_fault(schema)
    if fault is not None:
        return Unsupported("", fault)
    found: dict[int, dict[str, object]] = {}
    places: dict[int, _Place | None] = {}
    targets: dict[int, object] = {}
    waiting: list[tuple[object, _Place | None]] = [(schema, None)]
    while waiting:
        current, place = waiting.pop()
        if not isinstance(current, dict) or id(current) in found:
            continue
        found[id(current)] = current
        places[id(current)] = place
        inner: list[tuple[object, _Place | None]] = []
        for word, value in current.items():
            keyword = KEYWORDS.get(word)
            here: _Place = (place, word)
            if keyword is None:
                if word in ANNOTATIONS or word.startswith(ANNOTATION_PREFIX):
                    continue
                return Unsupported(_pointer(here), "is a keyword outside the subset")
            fault = keyword.fault(value)
            if fault is not None:
                return Unsupported(_pointer(here), fault)
            if word == "$ref":
                assert isinstance(value, str), "checked just above"
                target = _resolve(schema, value)
                if target is None:
                    return Unsupported(_pointer(here), "names no schema of this document")
                targets[id(current)] = target
            inner.extend((child, (here, token) if token else here) for token, child in _children(keyword, value))
        waiting.extend(reversed(inner))
    loop = _loop(found, targets)
    if loop is not None:
        return Unsupported(_pointer(places[loop]), "applies itself to the same value again, without end")
    return Supported(tuple(found.values()), targets)


def _children(keyword: Keyword, value: object) -> Iterator[tuple[str, object]]:
    """The schemas in a keyword's value that has no fault, each with its token there."""
    if keyword.holds is Holds.ONE:
        yield "", value
    elif keyword.holds is Holds.LIST and isinstance(value, list):
        for index, child in enumerate(value):
            yield str(index), child
    elif keyword.holds is Holds.NAMED and isinstance(value, dict):
        yield from value.items()


def escape_token(token: str) -> str:
    """A member name as one token of a JSON Pointer (RFC 6901)."""
    return token.replace("~", "~0").replace("/", "~1")


def unescape_token(token: str) -> str:
    """The member name that a token of a JSON Pointer stands for."""
    return token.replace("~1", "/").replace("~0", "~")


def _pointer(place: _Place | None) -> str:
    tokens: list[str] = []
    while place is not None:
        place, token = place
        tokens.append(escape_token(token))
    return "".join("/" + token for token in reversed(tokens))


def _resolve(root: object, reference: str) -> object | None:
    """The schema that a local reference names, None where no schema stands there."""
    try:
        pointer = unquote_to_bytes(reference[1:]).decode()
    except UnicodeError:
        return None
    tokens = [unescape_token(token) for token in pointer.split("/")[1:]]
    current = root
    waiting = iter(tokens)
    for word in waiting:
        keyword = KEYWORDS.get(word)
        if not isinstance(current, dict) or word not in current or keyword is None:
            return None
        value = current[word]
        if keyword.holds is Holds.ONE:
            current = value
            continue
        token = next(waiting, None)
        if keyword.holds is Holds.NAMED and isinstance(value, dict) and token is not None and token in value:
            current = value[token]
        elif keyword.holds is Holds.LIST and isinstance(value, list) and token is not None and _is_index(token, value):
            current = value[int(token)]
        else:
            return None
    return current if isinstance(current, (dict, bool)) else None


def _is_index(text: str, values: list[object]) -> bool:
    plain = text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")
    return plain and len(text) <= len(str(len(values))) and int(text) < len(values)


def _loop(schemas: Mapping[int, dict[str, object]], targets: Mapping[int, object]) -> int | None:
    """The id of a schema that leads back to itself without going into the value, None where there is none."""
    done: set[int] = set()
    for start in schemas:
        open_now: set[int] = set()
        # A schema is met twice: on the way in, and when all it leads to is done.
        waiting: list[tuple[int, bool]] = [(start, False)]
        while waiting:
            current, leaving = waiting.pop()
            if leaving:
                open_now.discard(current)
                done.add(current)
                continue
            if current in open_now:
                return current
            if current in done:
                continue
            open_now.add(current)
            waiting.append((current, True))
            waiting.extend((following, False) for following in _applied_here(schemas[current], targets))
    return None


def _applied_here(schema: dict[str, object], targets: Mapping[int, object]) -> Iterator[int]:
    if id(schema) in targets and isinstance(targets[id(schema)], dict):
        yield id(targets[id(schema)])
    for word, value in schema.items():
        keyword = KEYWORDS.get(word)
        if keyword is not None and keyword.applies is Applies.HERE:
            yield from (id(child) for _, child in _children(keyword, value) if isinstance(child, dict))

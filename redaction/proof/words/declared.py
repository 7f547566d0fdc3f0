"""What a fixture's own tool schemas declare, read back: names, values and bounds, in their places and nowhere else.

In: a schema as the finished file holds it. Out: the classes of its places that hold what no schema of a fixture holds;
what it declares is gathered in `Declared`. A keyword has one kind of value, and any other kind is a leak: the text in
`{"maxLength": "ask for Ms Miller"}` declares nothing. This is a reading of its own, on purpose: the masks have another
one (`masks.tool_schemas`), which takes the prose out of a schema.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final
from urllib.parse import quote, unquote

from redaction.proof.words.known_placeholders import Compared
from replay.validator.schema import FORMATS, unescape_token

_SCHEMA: Final = frozenset("items additionalProperties contains propertyNames not if then else".split())
_SCHEMA_LISTS: Final = frozenset("allOf anyOf oneOf prefixItems".split())
_NAMED: Final = frozenset("properties patternProperties dependentSchemas".split())
_DEFINITIONS: Final = frozenset("$defs definitions".split())
_BOUNDS: Final = frozenset(
    (
        "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems "
        "minContains maxContains minProperties maxProperties"
    ).split()
)
_TYPE_NAMES: Final = frozenset("null boolean object array number string integer".split())
# Keywords for which it matters whether values or keys are equal.
_COMPARING: Final = frozenset("uniqueItems patternProperties propertyNames".split())
# The format of text that a grammar binds, of which nothing is kept.
_GRAMMAR: Final = "grammar"
_RESERVED: Final = "unknown_keyword"
_DEFINITION: Final = re.compile(r"def_[0-9]{1,6}")
_INDEX: Final = re.compile(r"[0-9]{1,9}")
# What stands as itself in the reference of a fixture; all else is percent-coded.
_PLAIN_IN_REFERENCES: Final = "/~$-_.!*'(),:@&=+;?"


@dataclass(slots=True)
class Declared:
    """What the tool schemas of one fixture declare."""

    tools: set[str] = field(default_factory=set)
    parts: set[str] = field(default_factory=set)  # of the names of tools, between dots
    names: set[str] = field(default_factory=set)  # of properties
    texts: set[str] = field(default_factory=set)  # of enum and const values
    numbers: set[Decimal] = field(default_factory=set)  # of enum and const values
    assertions: list[tuple[str, object]] = field(default_factory=list)  # all others, by keyword
    compared: Compared = Compared.NOWHERE
    words: set[str] = field(default_factory=set)  # every word of the schemas, each of which may stand there


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _are_types(value: object) -> bool:
    names = value if isinstance(value, list) else [value]
    return bool(names) and all(isinstance(name, str) and name in _TYPE_NAMES for name in names)


# The kind of value that each keyword has, where that is no schema.
_KINDS: Final[Mapping[str, Callable[[object], bool]]] = {
    **dict.fromkeys(_BOUNDS, _is_number),
    "type": _are_types,
    "enum": lambda value: isinstance(value, list),
    "const": lambda _: True,
    "pattern": _is_text,
    "format": lambda value: isinstance(value, str) and (value in FORMATS or value == _GRAMMAR),
    "required": _are_texts,
    "uniqueItems": lambda value: isinstance(value, bool),
    "dependentRequired": lambda value: isinstance(value, dict) and all(map(_are_texts, value.values())),
    "$ref": _is_text,
}
SCHEMA_WORDS: Final = frozenset({*_SCHEMA, *_SCHEMA_LISTS, *_NAMED, *_DEFINITIONS, *_KINDS, _RESERVED})


def read_schema(root: object, declared: Declared) -> Iterator[str]:
    """The class of each place of one tool's schema that holds what may not stand there; fills in what it declares."""
    waiting = [root]
    references: list[str] = []
    while waiting:
        here = waiting.pop()
        if isinstance(here, bool):
            continue
        if not isinstance(here, dict):
            yield "schema"
            continue
        for keyword, value in here.items():
            if keyword in _COMPARING:
                declared.compared = Compared.SOMEWHERE
            if keyword in _SCHEMA:
                waiting.append(value)
            elif keyword in _SCHEMA_LISTS and isinstance(value, list):
                waiting += value
            elif (keyword in _NAMED or keyword in _DEFINITIONS) and isinstance(value, dict):
                waiting += value.values()
                yield from _names(keyword, value, declared)
            elif keyword in _KINDS:
                if not _KINDS[keyword](value):
                    yield f"schema {keyword}"
                elif keyword == "$ref":
                    references.append(str(value))
                else:
                    declared.words.update(_words(value))
                    _declare(keyword, value, declared)
            elif keyword != _RESERVED or value is not True:
                yield f"schema {keyword}" if keyword in SCHEMA_WORDS else "schema keyword"
    for reference in references:
        if _resolves(root, reference, declared.words):
            declared.words.add(reference)
        else:
            yield "schema $ref"


def declared_words(fixture: object) -> Iterator[tuple[str, str]]:
    """Every word that the tools of a fixture declare, with what it is: all that their application says in the file."""
    tools = fixture.get("tool_schemas") if isinstance(fixture, dict) else None
    declared = Declared()
    for name, schema in tools.items() if isinstance(tools, dict) else ():
        declared.tools.add(name)
        for _ in read_schema(schema, declared):
            pass  # what is none of a schema's words is a leak, and named as one
    patterns = {str(argument) for keyword, argument in declared.assertions if keyword == "pattern"}
    values = declared.texts | {str(number) for number in declared.numbers}
    for kind, words in (
        ("tool", declared.tools),
        ("property", declared.names),
        ("value", values),
        ("pattern", patterns),
    ):
        yield from ((kind, word) for word in words)


def _names(keyword: str, members: Mapping[str, object], declared: Declared) -> Iterator[str]:
    """The names of a map of schemas: those of definitions are ordinals, all others are the application's."""
    if keyword in _DEFINITIONS:
        names = [name for name in members if _DEFINITION.fullmatch(name)]
        declared.words.update(names)
        if len(names) != len(members):
            yield "schema definition"
        return
    declared.words.update(members)
    if keyword == "patternProperties":
        declared.assertions += [("pattern", pattern) for pattern in members]
    else:
        declared.names.update(members)


def _resolves(root: object, reference: str, words: Collection[str]) -> bool:
    """Whether a reference leads to a place in its document, by `words` that it has, and is written in the one way."""
    way = unquote(reference.removeprefix("#"))
    if reference != "#" + quote(way, safe=_PLAIN_IN_REFERENCES) or (way and not way.startswith("/")):
        return False
    here = root
    for token in way.split("/")[1:]:
        name = unescape_token(token)
        if isinstance(here, dict) and name in here and (name in SCHEMA_WORDS or name in words):
            here = here[name]
        elif isinstance(here, list) and _INDEX.fullmatch(name) and int(name) < len(here):
            here = here[int(name)]
        else:
            return False
    return True


def _declare(keyword: str, value: object, declared: Declared) -> None:
    if keyword in ("enum", "const"):
        _declare_values(value, declared)
    elif keyword in ("required", "dependentRequired"):
        declared.names.update(_words(value))
    else:
        declared.assertions.append((keyword, value))


def _declare_values(start: object, declared: Declared) -> None:
    """The texts, member names and numbers of values that the application lists."""
    waiting = [start]
    while waiting:
        here = waiting.pop()
        if isinstance(here, str):
            declared.texts.add(here)
        elif isinstance(here, dict):
            declared.texts.update(here)
            waiting += here.values()
        elif isinstance(here, list):
            waiting += here
        elif isinstance(here, (int, Decimal)) and not isinstance(here, bool):
            declared.numbers.add(Decimal(here))


def _words(start: object) -> Iterator[str]:
    """Every string, key and number of a value, as text."""
    waiting = [start]
    while waiting:
        here = waiting.pop()
        if isinstance(here, str):
            yield here
        elif isinstance(here, dict):
            yield from here
            waiting += here.values()
        elif isinstance(here, list):
            waiting += here
        elif here is not None:
            yield str(here)

"""Tool schemas without their prose: what decides stays, what explains goes.

    {"type": "object", "description": "Ann's contacts", "$ref": "#/$defs/Contact", "$defs": {"Contact": {…}}}
    {"type": "object",                                  "$ref": "#/$defs/def_1",   "$defs": {"def_1": {…}}}

Assertions, property names, enum and const values stay as the application declared them. Titles, descriptions,
defaults, examples and comments are dropped; definitions are renamed by ordinals; what the validator does not support
becomes one reserved unknown keyword, so that the schema stays unsupported. Other words become ordinals where they shall
not be told (`masks.contract.words`). Knows JSON Schema; knows no capture.
"""

from collections.abc import Mapping
from enum import Enum, unique
from typing import Final
from urllib.parse import quote, unquote

from redaction.masks.contract.words import AS_DECLARED, ToolWords
from replay.validator.envelope import GRAMMAR
from replay.validator.schema import (
    KEYWORDS,
    NOWHERE,
    Applies,
    Holds,
    Keyword,
    pointer_of,
    step,
    tokens_of,
    unsupported,
)
from replay.validator.strict_json import same

# Stands for anything in a schema that the validator does not support.
RESERVED: Final = "unknown_keyword"
UNSUPPORTED: Final[Mapping[str, object]] = {RESERVED: True}

# The keyword whose names are expressions.
_PATTERNS: Final = "patternProperties"
# What stands as itself in a masked reference; all else is percent-coded.
_PLAIN_IN_REFERENCES: Final = "/~$-_.!*'(),:@&=+;?"


def mask_schema(schema: object, words: ToolWords = AS_DECLARED) -> object:
    """The schema without prose, supported if and only if `schema` is; that of a grammar as it stands.

    `words` says what stands for names, values and patterns.
    """
    if same(schema, GRAMMAR):
        return dict(GRAMMAR)
    supported = unsupported(schema) is None
    masked = _Masker(schema, words).schema(schema)
    return masked if (unsupported(masked) is None) is supported else UNSUPPORTED


@unique
class _Instead(Enum):
    """What becomes of a keyword that does not stay."""

    NOTHING = 0
    RESERVED = 1


class _Masker:
    """One document; definitions are numbered as they stand in it."""

    def __init__(self, root: object, words: ToolWords) -> None:
        self._root = root
        self._words = words
        self._ordinals: dict[str, str] = {}

    def schema(self, schema: object) -> object:
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, Mapping):
            return UNSUPPORTED
        masked: dict[str, object] = {}
        for word, value in self._words.told(schema).items():
            kept = self._keyword(word, value)
            if kept is _Instead.RESERVED:
                masked[RESERVED] = True
            elif kept is not _Instead.NOTHING:
                masked[word] = kept
        return masked

    def _keyword(self, word: str, value: object) -> object:
        """The value that a keyword has in the masked schema, or what takes the place of both."""
        keyword = KEYWORDS.get(word)
        if keyword is not None and keyword.holds is Holds.ONE:
            return self.schema(value)
        if keyword is not None and keyword.holds is Holds.LIST and isinstance(value, list):
            return [self.schema(inner) for inner in value]
        if keyword is not None and keyword.holds is Holds.NAMED and isinstance(value, dict):
            return {self._name(keyword, name): self.schema(inner) for name, inner in value.items()}
        if word == "$ref" and isinstance(value, str):
            return self._reference(value)
        # Looked at by itself: an unknown keyword, a type that is none, a pattern or format outside the subset.
        if unsupported({word: value}) is not None:
            return _Instead.RESERVED
        return self._words.argument(word, value) if keyword is not None and keyword.decides else _Instead.NOTHING

    def _name(self, keyword: Keyword, name: str) -> str:
        """A name in the value of a keyword: of a definition its ordinal, any other is one that decides."""
        if keyword.applies is Applies.NOWHERE:
            return self._ordinal(name)
        return self._words.pattern(name) if keyword.name == _PATTERNS else self._words.name(name)

    def _ordinal(self, name: str) -> str:
        return self._ordinals.setdefault(name, f"def_{len(self._ordinals) + 1}")

    def _reference(self, reference: str) -> object:
        """The reference to the same place in the masked document, if the way to it leads through schemas alone."""
        if reference != "#" and not reference.startswith("#/"):
            return _Instead.RESERVED
        masked: list[str] = []
        here = self._root
        around: Keyword | None = None  # the keyword whose list or names we are in; None in a schema
        for token in tokens_of(unquote(reference[1:])):
            here = step(here, token)
            if here is NOWHERE or here is None:
                return _Instead.RESERVED
            if around is not None:
                masked.append(self._name(around, token))
                around = None
                continue
            keyword = KEYWORDS.get(token)
            if keyword is None or keyword.holds is Holds.NOTHING:
                return _Instead.RESERVED
            masked.append(token)
            around = None if keyword.holds is Holds.ONE else keyword
        return "#" + quote(pointer_of(masked), safe=_PLAIN_IN_REFERENCES)


def property_names(schema: object) -> frozenset[str]:
    """Every property name that a masked schema declares, at any depth."""
    found: set[str] = set()
    waiting = [schema]
    while waiting:
        here = waiting.pop()
        if not isinstance(here, dict):
            continue
        for word, value in here.items():
            keyword = KEYWORDS.get(word)
            if keyword is not None:
                waiting += (inner for _, inner in keyword.schemas_in(value))
            if word in ("properties", "dependentSchemas", "dependentRequired", "required"):
                found.update(value)
            if word == "dependentRequired":
                found.update(name for names in value.values() for name in names)
    return frozenset(found)

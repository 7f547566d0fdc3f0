"""Which parts of a tool's schema speak about which value: every branch, taken or not.

    {"properties": {"to": {"anyOf": [{"format": "email"}, {"pattern": "^@"}], "$ref": "#/$defs/name"}},
     "$defs": {"name": {"maxLength": 80}}}

Of the member `to` speak `maxLength`, `format` and `pattern`: three assertions, each of which it satisfies or not. A
masked value that answers each of them as the raw one did leaves the verdict as it is, whatever `anyOf`, `not` or `if`
make of the answers. Which keyword leads where is read in the validator's table of keywords; it judges each assertion.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from replay.validator.schema import KEYWORDS, Applies, Compiled, compile_schema, resolve
from replay.validator.schema.patterns import Pattern, compile_pattern


def _assertions_of(kind: str) -> tuple[str, ...]:
    """The keywords that a value of one kind can fail by itself: those of this kind, and those of any."""
    return tuple(name for name, keyword in KEYWORDS.items() if keyword.kind in (None, kind) and keyword.asserts)


STRING_ASSERTIONS: Final = _assertions_of("string")
NUMBER_ASSERTIONS: Final = _assertions_of("number")
# Keywords that hold further schemas for the same value.
_SAME_VALUE: Final = tuple(keyword for keyword in KEYWORDS.values() if keyword.applies is Applies.HERE)


@dataclass(frozen=True, slots=True)
class Assertion:
    """One keyword and its argument, which a value satisfies or not."""

    keyword: str
    argument: object = field(repr=False)
    _compiled: Compiled = field(repr=False)

    _expression: Pattern | None = field(default=None, repr=False)  # asked at once: keys are asked about hundreds

    def holds(self, value: object) -> bool:
        """Whether `value` satisfies it, by the validator's own checker."""
        if self._expression is not None and isinstance(value, str):
            return self._expression.found_in(value)
        return self._compiled.accepts(value)


class Document:
    """One tool's schema, with the assertions of it that were needed so far.

    `root` is a schema that the validator supports, or None, which says nothing.
    """

    def __init__(self, root: object) -> None:
        self.root = root
        self._assertions: dict[tuple[str, int], Assertion] = {}
        self._schemas: dict[tuple[int, ...], Schemas] = {}
        self._lists: dict[tuple[int, Sequence[str]], tuple[Assertion, ...]] = {}
        self.questions: dict[tuple[int, str], tuple[Any, ...]] = {}  # see `conversions`
        self.samples: dict[tuple[object, ...], str] = {}  # chosen before, by all that a choice depends on

    def whole(self) -> "Schemas":
        """The schemas of the arguments themselves."""
        return self.schemas([self.root])

    def assertion(self, keyword: str, argument: object) -> Assertion:
        """The assertion; `argument` is a part of the document, so its identity is its name."""
        key = (keyword, id(argument))
        if key not in self._assertions:
            compiled = compile_schema({keyword: argument})
            assert isinstance(compiled, Compiled), "a part of a supported schema is supported"
            expression = compile_pattern(argument) if keyword == "pattern" and isinstance(argument, str) else None
            self._assertions[key] = Assertion(keyword, argument, compiled, expression)
        return self._assertions[key]

    def listed(self, schemas: "Schemas", keywords: Sequence[str]) -> tuple[Assertion, ...]:
        """The assertions of `schemas` with these keywords; the same tuple each time it is asked for."""
        key = (id(schemas), keywords)  # it is one of ours, so it lives as long as we do
        if key not in self._lists:
            self._lists[key] = tuple(
                self.assertion(keyword, part[keyword])
                for part in schemas.parts
                for keyword in keywords
                if keyword in part
            )
        return self._lists[key]

    def schemas(self, starts: Sequence[object]) -> "Schemas":
        """All that `starts`, parts of the document, say about one value."""
        key = tuple(map(id, starts))
        if key not in self._schemas:
            self._schemas[key] = self._followed(starts)
        return self._schemas[key]

    def _followed(self, starts: Sequence[object]) -> "Schemas":
        parts: list[Mapping[str, object]] = []
        seen: set[int] = set()
        waiting = list(reversed(starts))
        while waiting:
            schema = waiting.pop()
            if not isinstance(schema, Mapping) or id(schema) in seen:
                continue
            seen.add(id(schema))
            parts.append(schema)
            inner: list[object] = []
            reference = schema.get("$ref")
            if reference is not None:
                inner.append(resolve(self.root, reference))  # the order of the table: `$ref` is its first
            for keyword in _SAME_VALUE:
                if keyword.name in schema:
                    inner += (branch for _, branch in keyword.schemas_in(schema[keyword.name]))
            waiting += reversed(inner)
        return Schemas(document=self, parts=tuple(parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Schemas:
    """The schemas of one value, with those that `$ref` and branches such as `anyOf` lead to.

    Boolean schemas are none of them: they say nothing of what a value is.
    """

    document: Document = field(repr=False)
    parts: tuple[Mapping[str, object], ...] = field(repr=False)

    def assertions(self, keywords: Sequence[str]) -> tuple[Assertion, ...]:
        """Each assertion with one of these keywords, in document order."""
        return self.document.listed(self, keywords)

    def key_patterns(self) -> tuple[Assertion, ...]:
        """The expressions that decide which `patternProperties` apply."""
        return tuple(
            self.document.assertion("pattern", pattern)
            for part in self.parts
            for pattern in _mapping(part.get("patternProperties"))
        )

    def names_it(self, key: str) -> bool:
        """Whether one of them has a property of this name."""
        return any(key in _mapping(part.get("properties")) for part in self.parts)

    def names(self) -> "Schemas":
        """The schemas of the member names themselves."""
        return self.document.schemas([part["propertyNames"] for part in self.parts if "propertyNames" in part])

    def member(self, key: str) -> "Schemas":
        """The schemas of a member's value."""
        matching = {str(pattern.argument) for pattern in self.key_patterns() if pattern.holds(key)}
        found: list[object] = []
        for part in self.parts:
            properties = _mapping(part.get("properties"))
            patterns = _mapping(part.get("patternProperties"))
            speaking = [schema for pattern, schema in patterns.items() if pattern in matching]
            if key in properties:
                speaking.append(properties[key])
            if not speaking and "additionalProperties" in part:
                speaking.append(part["additionalProperties"])
            found += speaking
        return self.document.schemas(found)

    def item(self, index: int) -> "Schemas":
        """The schemas of an array's item."""
        found: list[object] = []
        for part in self.parts:
            first = part.get("prefixItems")
            prefix = first if isinstance(first, list) else []
            if index < len(prefix):
                found.append(prefix[index])
            elif "items" in part:
                found.append(part["items"])
            if "contains" in part:
                found.append(part["contains"])
        return self.document.schemas(found)

    def unique(self) -> bool:
        """Whether any of them compares an array's items."""
        return any(part.get("uniqueItems") is True for part in self.parts)


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}

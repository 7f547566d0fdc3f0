"""The containers that are open while the tokens of an argument text are walked, and what the schema says in them.

Of `{"to":"x","tags":["a","b"]}` and the token `"b"`, two containers are open: the object, at its member `tags`, and the
array, at its item 1. So the value is spoken of by `properties.tags.items`, and what it may be compared with are the
items of that array, if the schema says `uniqueItems`. Knows tokens and schemas; masks nothing.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from redaction.applicable import STRING_ASSERTIONS, Assertion, Document, Schemas
from redaction.captured.json_tokens import Kind, Reading
from redaction.masks.scalars import Distinct, Later, declared
from replay.validator.schema import pointer_of
from replay.validator.strict_json import parse

_CLOSER: Final = {"{": "}", "[": "]"}
# A schema nests no deeper, so a container that does is none that it declares.
_NESTING: Final = 512


@dataclass(slots=True)
class _Container:
    """One open container, and where in it the walk is."""

    closes: str
    schemas: Schemas = field(repr=False)
    site: Distinct | None  # where the values in it are compared, as unique items are
    keys: Distinct  # where its keys are compared
    verbatim: bool  # whether the application declared the whole of it
    index: int = 0
    member: Schemas | None = field(default=None, repr=False)
    key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Beside:
    """Where the values and keys of several texts are compared with one another."""

    values: Distinct
    keys: Distinct


class Containers:
    """The open containers of one reading of an argument text, the innermost one last."""

    def __init__(
        self,
        document: Document,
        reading: Reading,
        later: Later,
        names: Collection[str],
        *,
        beside: Beside | None = None,
        start: Schemas | None = None,
    ) -> None:
        self._names = names
        self._start = start  # what speaks of the whole text, where that is not the document
        self._document = document
        self._reading = reading
        self._later = later
        self._beside = beside
        self._open: list[_Container] = []

    @property
    def schemas(self) -> Schemas:
        """What speaks of the value that begins here."""
        if not self._open:
            return self._start or self._document.whole()
        inner = self._open[-1]
        if inner.closes == "}":
            return inner.member if inner.member is not None else self._document.schemas([])
        return inner.schemas.item(inner.index)

    @property
    def site(self) -> Distinct | None:
        """Where the value that begins here is compared with others; None where it is not."""
        if self._open:
            return self._open[-1].site
        return None if self._beside is None else self._beside.values

    @property
    def verbatim(self) -> bool:
        """Whether all that stands here was declared by the application, as a part of an `enum` or `const` value."""
        return bool(self._open) and self._open[-1].verbatim

    @property
    def keys(self) -> Distinct:
        """Where the keys of the innermost object are compared."""
        return self._open[-1].keys

    @property
    def around(self) -> Schemas:
        """What speaks of the innermost object."""
        return self._open[-1].schemas

    def key(self, key: str) -> tuple[tuple[Assertion, ...], tuple[Assertion, ...]]:
        """Enters a member of the innermost object. Gives what speaks of its key: as a name, and as one of a pattern."""
        inner = self._open[-1]
        inner.key = key
        inner.member = inner.schemas.member(key)
        return inner.schemas.names().assertions(STRING_ASSERTIONS), inner.schemas.key_patterns()

    def pointer(self) -> str:
        """The JSON Pointer to the value or key that begins here; a key that the application did not declare is `*`."""
        return pointer_of(
            str(one.index) if one.closes == "]" else one.key if one.key in self._names else "*" for one in self._open
        )

    def punctuation(self, at: int) -> None:
        """Takes the token number `at`, which is punctuation."""
        char = self._reading.text[self._reading.tokens[at].start]
        if char in _CLOSER:
            self._open.append(self._opened(char, at))
        elif char in "}]":
            self._open.pop()
        elif char == "," and self._open[-1].closes == "]":
            self._open[-1].index += 1

    def _opened(self, char: str, at: int) -> _Container:
        here, site = self.schemas, self.site
        # Keys are compared within one object; where items are compared, so are the keys of all of them.
        keys = Distinct(later=self._later)
        if site is not None:
            keys = self._open[-1].keys if self._open else self._beside.keys if self._beside is not None else keys
        if char == "[" and site is None and here.unique():
            site = Distinct(later=self._later)
        return _Container(_CLOSER[char], here, site, keys, verbatim=self.verbatim or self._is_declared(here, at))

    def _is_declared(self, here: Schemas, at: int) -> bool:
        """Whether the container that starts here equals one that the schema declares."""
        declarations = [
            assertion
            for assertion in here.assertions(("enum", "const"))
            if any(isinstance(member, (dict, list)) for member in _members(assertion))
        ]
        if not declarations:
            return False
        parsed = parse(self._text_from(at), max_nesting=_NESTING)
        return parsed.code is None and declared(parsed.value, declarations)

    def _text_from(self, at: int) -> str:
        """The text of the container that starts with the token number `at`; the rest of the text if it does not end."""
        text, tokens = self._reading.text, self._reading.tokens
        depth = 0
        for token in tokens[at:]:
            if token.kind is Kind.PUNCTUATION:
                depth += (text[token.start] in _CLOSER) - (text[token.start] in "}]")
                if depth == 0:
                    return text[tokens[at].start : token.end]
        return text[tokens[at].start :]


def _members(assertion: Assertion) -> list[object]:
    """The values that an `enum` or `const` declares."""
    argument = assertion.argument
    return argument if assertion.keyword == "enum" and isinstance(argument, list) else [argument]

"""The words of one tool's schema as a fixture has them: as declared, as ordinals, or by shape alone.

    declared    {"properties": {"to": {"enum": ["ann@x.org", "bob@x.org"]}, "priority": {"maximum": 5}}}
    ordinals    {"properties": {"field_1": {"enum": ["value_1", "value_2"]}, "field_2": {"maximum": 5}}}
    by shape    {"properties": {"field_1": {"enum": ["value_1", "value_2"]}, "field_2": {"maximum": 1}}}

An ordinal counts the words of the schema in their order, so one declaration has the same words in every fixture, and
two that differ in nothing but their words have one form. Equal words get one ordinal: a name may have to be one of the
values that `propertyNames` lists. A name of which a pattern speaks (`patternProperties`, `propertyNames`) becomes one
that answers the pattern alike. Knows schemas; knows no capture.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Final, Protocol

from redaction.applicable import STRING_ASSERTIONS, Assertion, Document
from redaction.captured.exchange import Words
from redaction.masks.layout import string_layout
from redaction.masks.scalars import Distinct, NoSampleError, text_like
from replay.validator.schema import KEYWORDS, compile_schema, unsupported
from replay.validator.schema import Compiled as CompiledSchema


class ToolWords(Protocol):
    """What stands in a masked schema for what the application declared."""

    def name(self, raw: str) -> str:
        """The name of a property."""
        ...

    def pattern(self, raw: str) -> str:
        """An expression that names of properties match."""
        ...

    def argument(self, keyword: str, raw: object) -> object:
        """What an assertion is given."""
        ...

    def told(self, schema: Mapping[str, object]) -> Mapping[str, object]:
        """The keywords of a schema that are told at all."""
        ...


class AsDeclared:
    """Every word as it was declared."""

    def name(self, raw: str) -> str:
        """The name itself."""
        return raw

    def pattern(self, raw: str) -> str:
        """The expression itself."""
        return raw

    def argument(self, keyword: str, raw: object) -> object:  # noqa: ARG002
        """The argument itself."""
        return raw

    def told(self, schema: Mapping[str, object]) -> Mapping[str, object]:
        """All of the schema."""
        return schema


AS_DECLARED: Final = AsDeclared()

# What judges a text or number by itself. Beside a list of values it does no more than leave some of them out.
_OF_SCALARS: Final = frozenset(
    "pattern format minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split()
)
_LISTS: Final = ("enum", "const")
_PLAIN_LAYOUT: Final = string_layout('""', (), closed=True)


class Renamed:
    """Names and values as ordinals, or values alone. `root` is the schema without prose, each word as declared."""

    def __init__(self, root: object, words: Words) -> None:
        self.root: Final = root if unsupported(root) is None else None
        self._kept = words is Words.NO_VALUES
        self.names: Final = frozenset(_all_names(root))
        self._questions = _questions_of_names(self.root) if not self._kept else {}
        self._words: dict[str, str] = {}
        self._counts: Counter[str] = Counter()
        self._numbers: dict[Decimal, int | Decimal] = {}
        self._site = Distinct()

    def name(self, raw: str) -> str:
        """The ordinal of a name, or one that answers the patterns about names as it does."""
        return raw if self._kept else self._word(raw, "field")

    def pattern(self, raw: str) -> str:
        """The expression itself: it says which values are good, and placeholders must answer it."""
        return raw

    def argument(self, keyword: str, raw: object) -> object:
        """Values and names as ordinals; all other arguments as declared."""
        if keyword == "enum" and isinstance(raw, list):
            return [self.value(one) for one in raw]
        if keyword == "const":
            return self.value(raw)
        if keyword == "required" and isinstance(raw, list):
            return [self.name(str(one)) for one in raw]
        if keyword == "dependentRequired" and isinstance(raw, Mapping):
            return {self.name(name): [self.name(str(one)) for one in more] for name, more in raw.items()}
        return raw

    def told(self, schema: Mapping[str, object]) -> Mapping[str, object]:
        """The schema, its listed values cut down to those that its other keywords let through, and these left out.

        `{"enum": ["a", "bbb"], "maxLength": 2}` takes what `{"enum": ["a"]}` takes, and an ordinal would be too long.
        """
        listed = [word for word in _LISTS if word in schema]
        others = {word: value for word, value in schema.items() if word in _OF_SCALARS}
        judge = compile_schema(others) if listed and others else None
        if not isinstance(judge, CompiledSchema):
            return schema
        told = {word: value for word, value in schema.items() if word not in others}
        enum = schema.get("enum")
        if isinstance(enum, list):
            told["enum"] = [one for one in enum if judge.accepts(one)]
        if "const" in schema and not judge.accepts(schema["const"]):
            told["enum"] = []
        return told

    def value(self, raw: object) -> object:
        """What stands for a value that the application listed; its shape and its truth values stay."""
        if isinstance(raw, str):
            return raw if self._kept and raw in self.names else self._word(raw, "value")
        if isinstance(raw, list):
            return [self.value(one) for one in raw]
        if isinstance(raw, Mapping):
            return {self.name(name): self.value(one) for name, one in raw.items()}
        if isinstance(raw, (int, Decimal)) and not isinstance(raw, bool):
            return self.number(Decimal(raw))
        return raw

    def number(self, raw: Decimal) -> int | Decimal:
        """The ordinal of a listed number: whole if the number is."""
        if raw not in self._numbers:
            ordinal = len(self._numbers) + 1
            self._numbers[raw] = ordinal if raw == raw.to_integral_value() else Decimal(f"{ordinal}.5")
        return self._numbers[raw]

    def known(self, raw: str) -> str | None:
        """What stands for a declared text or name; None where none was declared."""
        return raw if self._kept and raw in self.names else self._words.get(raw)

    def known_number(self, raw: Decimal) -> int | Decimal | None:
        """What stands for a listed number; None where none was listed."""
        return self._numbers.get(raw)

    @property
    def taken(self) -> frozenset[str]:
        """Everything that stands for a declared text or name."""
        return frozenset(self._words.values()) | (self.names if self._kept else frozenset())

    def other(self, raw: str) -> str:
        """A text that nobody declared, so written that it is none that stands for a declared one."""
        while raw in self.taken:
            raw += "_"
        return raw

    def _word(self, raw: str, kind: str) -> str:
        if raw not in self._words:
            self._counts[kind] += 1
            plain = f"{kind}_{self._counts[kind]}"
            while plain in self.taken:
                plain += "_"
            self._words[raw] = self._answering(raw, plain)
        return self._words[raw]

    def _answering(self, raw: str, plain: str) -> str:
        """`plain`, or a text that answers what is asked of this name alike. The verdict shows whether it will do."""
        asked = self._questions.get(raw, ())
        if not asked:
            return plain
        try:
            return text_like(raw, asked, _PLAIN_LAYOUT, plain=plain, avoid=self.taken, site=self._site)
        except NoSampleError:
            return plain


class ByShape(Renamed):
    """Nothing of the tool's own: ordinals for patterns too, and one number for all bounds."""

    def __init__(self) -> None:
        super().__init__(None, Words.NONE)
        self._patterns: dict[str, str] = {}

    def pattern(self, raw: str) -> str:
        """The ordinal of an expression."""
        return self._patterns.setdefault(raw, f"pattern_{len(self._patterns) + 1}")

    def argument(self, keyword: str, raw: object) -> object:
        """Values, names and expressions as ordinals, and every bound as 1."""
        if keyword == "pattern":
            return self.pattern(str(raw))
        if isinstance(raw, (int, Decimal)) and not isinstance(raw, bool) and keyword != "const":
            return 1
        return super().argument(keyword, raw)

    def told(self, schema: Mapping[str, object]) -> Mapping[str, object]:
        """All of the schema: nothing is judged by it."""
        return schema


def _all_schemas(root: object) -> Iterator[Mapping[str, object]]:
    """Every schema in a schema, the outer ones first."""
    waiting = [root]
    while waiting:
        here = waiting.pop()
        if isinstance(here, Mapping):
            yield here
            for word, value in here.items():
                keyword = KEYWORDS.get(word)
                if keyword is not None:
                    waiting += (inner for _, inner in keyword.schemas_in(value))


def _all_names(root: object) -> Iterator[str]:
    for schema in _all_schemas(root):
        yield from _names_in(schema)


def _names_in(schema: Mapping[str, object]) -> Iterable[str]:
    """The names of properties that one schema has, those in it aside."""
    for word in ("properties", "dependentSchemas", "dependentRequired", "required"):
        named = schema.get(word)
        if isinstance(named, (list, Mapping)):
            yield from map(str, named)
    dependent = schema.get("dependentRequired")
    for names in dependent.values() if isinstance(dependent, Mapping) else ():
        yield from map(str, names)


def _questions_of_names(root: object) -> Mapping[str, tuple[Assertion, ...]]:
    """What the schema asserts of the text of each declared name; a list of values aside, which is renamed as well."""
    document = Document(root)
    found: dict[str, tuple[Assertion, ...]] = {}
    for schema in _all_schemas(root):
        here = document.schemas([schema])
        about = here.names().assertions(STRING_ASSERTIONS)
        asked = (*here.key_patterns(), *(one for one in about if one.keyword not in _LISTS))
        for name in _names_in(schema) if asked else ():
            found[name] = (*found.get(name, ()), *asked)
    return found

"""What a keyword of JSON Schema is: the shape of one row of the table in `_keywords`. Knows no keyword by name."""

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from enum import Enum, unique
from typing import TypeAlias

from replay.validator.schema._nodes import Assertion, Nodes, Question, Schema, Step
from replay.validator.schema._places import Place


@unique
class Holds(Enum):
    """What schemas stand in the value of a keyword."""

    NOTHING = 0
    ONE = 1  # the value is a schema
    LIST = 2
    NAMED = 3


@unique
class Applies(Enum):
    """What the schemas in the value of a keyword apply to."""

    NOWHERE = 0  # to nothing, until a `$ref` names them
    HERE = 1  # to the value itself
    NAMES = 2  # to the names of its members
    MEMBERS = 3
    ITEMS = 4


@dataclass(frozen=True, slots=True)
class Asserts:
    """A keyword that judges a value by itself: `make` takes the value of the keyword."""

    make: Callable[[object], Assertion]


@dataclass(frozen=True, slots=True)
class Asks:
    """A keyword that asks other schemas and rejects the value itself, as `not` does.

    `make` takes the whole schema, since `contains` reads `minContains` too; None if it finds nothing to ask.
    """

    keyword: str  # the one that is said to reject the value
    make: Callable[[Schema, Nodes], Question | None]


@dataclass(frozen=True, slots=True)
class Passes:
    """A keyword that asks other schemas and rejects what they reject, as `properties` does; `make` as in `Asks`."""

    make: Callable[[Schema, Nodes], Step | None]


Judge: TypeAlias = Asserts | Asks | Passes
# The constraint as a sentence without its subject, from the schema that the keyword stands in and the place it rejects.
Words: TypeAlias = Callable[[Schema, Place], str]


@dataclass(frozen=True, slots=True)
class Keyword:
    """One row: all that there is to say of a keyword.

    Keywords that are read together, such as `if`, `then` and `else`, have the same `judge`.
    """

    name: str
    shape: Callable[[object], str | None]  # why a value of the keyword is unsupported, None if it is not
    kind: str | None = None  # the one kind of value that it speaks of; None where it speaks of any
    _: KW_ONLY
    judge: Judge | None = None
    words: Words | None = None  # of a keyword that rejects a place itself
    holds: Holds = Holds.NOTHING
    applies: Applies = Applies.NOWHERE

    @property
    def decides(self) -> bool:
        """Whether it says anything about what is valid. One that does not is prose, as `description` is."""
        return self.judge is not None or self.holds is not Holds.NOTHING

    @property
    def asserts(self) -> bool:
        """Whether it judges a value by itself, without other schemas."""
        return isinstance(self.judge, Asserts)

    def schemas_in(self, value: object) -> Iterable[tuple[str, object]]:
        """The schemas in a value of the keyword, each with its token there; the token of a single one is empty."""
        if self.holds is Holds.ONE:
            return (("", value),)
        if self.holds is Holds.LIST and isinstance(value, list):
            return ((str(index), schema) for index, schema in enumerate(value))
        if self.holds is Holds.NAMED and isinstance(value, dict):
            return value.items()
        return ()

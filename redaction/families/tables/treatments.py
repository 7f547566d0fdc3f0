"""What happens to a value at a position that a table names, and how a table is written.

A table is nested like the payload: a mapping for an object, a one-element list for "array of", a `Rule` at a leaf,
`ByType` where the `type` of an object says which table is meant, and `Formed` where an object is one of several
things. Keys that a table does not name become `unknown_N`,
and their values are emptied to their JSON type. Knows no family, no masks, no bytes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias


class Treatment(Enum):
    """What happens to a value at a position that a table names. A value of another JSON type is emptied to its type."""

    WORD = "kept if it is one of the rule's words, else `other_N`"
    INDEX = "kept if small, else renumbered in order"
    COUNTER = "kept, so that its steps stay; a large one renumbered with its steps of one"
    IDENTIFIER = "an ordinal in the provider's own shape"
    TOOL_NAME = "kept if the request declares the tool, else `undeclared_N`"
    FRAGMENT = "a piece of streamed arguments: masked as a whole, laid back over the same pieces"
    WHOLE = "an argument object that arrives whole: masked as one JSON text"
    TEXT = "one placeholder where there was any"
    ENCODED = "bytes in base64: emptied to a text that is base64 if it was"
    MODEL = "the public id, or the family, or `unknown-model`"
    EMPTY = "emptied to its JSON type"
    FLAG = "a boolean that decides: kept"
    PATH = "the path of a piece of an argument object: its names as those of the object, its indices kept"
    PIECE = "a string or number of an argument object that arrives by paths: masked as a whole, laid back"
    NULL = "what says null in words: kept if it is one of the rule's words, null or 0"
    REASON = "kept if it is one of the rule's words, else `other_N`; a number as an index"


@dataclass(frozen=True, slots=True)
class Rule:
    """A treatment, with the closed words of a `WORD` or the site of an `IDENTIFIER`; one names free text."""

    treatment: Treatment
    words: frozenset[str] = frozenset()
    site: str = ""


@dataclass(frozen=True, slots=True)
class ByType:
    """Several tables for one position: the `type` of the object there decides, `other` serves what is none of them."""

    tables: Mapping[str, "Table"]
    other: "Table"


@dataclass(frozen=True, slots=True)
class Formed:
    """A table for the object at a position that may as well hold a text or a list: they go by `other`.

    Clients read such a position by what stands there. An object whose members were emptied to `{}` is a form that no
    client has ever seen, and one that decides by its `type` refuses it.
    """

    table: "Mapping[str, Table]"
    other: Rule = Rule(Treatment.EMPTY)


@dataclass(frozen=True, slots=True)
class Unlisted:
    """A table of an object some of whose unlisted members decide by their name: `shape` says what such a key becomes.

    Example: every member whose name ends in `call`, in any case, is `unknown_1_call`. A group of `name` that has a name
    stands in the shape by it, and is kept.
    """

    table: Mapping[str, "Table"]
    name: re.Pattern[str]
    shape: str  # an ordinal takes the place of `{}`


Table: TypeAlias = "Rule | ByType | Formed | Unlisted | Mapping[str, Table] | list[Table]"


def words(*allowed: str) -> Rule:
    """A position that keeps these words."""
    return Rule(Treatment.WORD, frozenset(allowed))


INDEX: Final = Rule(Treatment.INDEX)
COUNTER: Final = Rule(Treatment.COUNTER)
TOOL_NAME: Final = Rule(Treatment.TOOL_NAME)
FRAGMENT: Final = Rule(Treatment.FRAGMENT)
FREE_TEXT: Final = Rule(Treatment.FRAGMENT, site="free text")  # one string, and no JSON
WHOLE: Final = Rule(Treatment.WHOLE)
TEXT: Final = Rule(Treatment.TEXT)
ENCODED: Final = Rule(Treatment.ENCODED)
MODEL: Final = Rule(Treatment.MODEL)
EMPTY: Final = Rule(Treatment.EMPTY)
FLAG: Final = Rule(Treatment.FLAG)
PATH: Final = Rule(Treatment.PATH)
PIECE: Final = Rule(Treatment.PIECE)
COMPLETION_ID: Final = Rule(Treatment.IDENTIFIER, site="completion")
CALL_ID: Final = Rule(Treatment.IDENTIFIER, site="call")
ITEM_ID: Final = Rule(Treatment.IDENTIFIER, site="item")

"""The JSON Schema subset: whether a schema is supported, and the first place of a value that it rejects.

`compile_schema` and `violation` judge. `KEYWORDS` is the table of what is supported; whoever reads schemas reads it.
"""

from dataclasses import dataclass

from replay.validator.schema._check import Compiled, compile_schema
from replay.validator.schema._formats import EXAMPLES, FORMATS
from replay.validator.schema._keyword import Applies, Holds, Keyword
from replay.validator.schema._keywords import KEYWORDS
from replay.validator.schema._pointers import (
    NOWHERE,
    escape_token,
    follow,
    pointer_of,
    step,
    tokens_of,
    unescape_token,
)
from replay.validator.schema._rejections import explain
from replay.validator.schema._subset import Unsupported, examine, resolve

__all__ = [
    "EXAMPLES",
    "FORMATS",
    "KEYWORDS",
    "NOWHERE",
    "Applies",
    "Compiled",
    "Holds",
    "Keyword",
    "Unsupported",
    "Violation",
    "compile_schema",
    "escape_token",
    "follow",
    "pointer_of",
    "resolve",
    "step",
    "tokens_of",
    "unescape_token",
    "unsupported",
    "violation",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """The first place that is rejected: its JSON Pointer, the keyword that does, and a message without the value."""

    path: str
    keyword: str
    message: str


def unsupported(schema: object) -> str | None:
    """The place (a JSON Pointer) and reason of the first thing that is outside the subset; None if nothing is."""
    examined = examine(schema)
    return str(examined) if isinstance(examined, Unsupported) else None


def violation(schema: object, value: object) -> Violation | None:
    """What a schema, compiled or not, rejects of a value; None if it accepts it. ValueError if it is unsupported."""
    compiled = schema if isinstance(schema, Compiled) else compile_schema(schema)
    if isinstance(compiled, Unsupported):
        raise ValueError(str(compiled))
    rejection = compiled.rejection(value)
    if rejection is None:
        return None
    return Violation(path=rejection.path, keyword=rejection.keyword, message=explain(compiled, rejection))

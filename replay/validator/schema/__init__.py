"""The JSON Schema subset: whether a schema is supported, and what a value violates of it (section 5)."""

from dataclasses import dataclass

from replay.validator.schema._check import Compiled, compile_schema
from replay.validator.schema._messages import explain
from replay.validator.schema._subset import Unsupported, examine

__all__ = ["Compiled", "Unsupported", "Violation", "compile_schema", "unsupported", "violation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """The first failing place: its JSON Pointer, the keyword that rejects it, and a message without the value."""

    path: str
    keyword: str
    message: str


def unsupported(schema: object) -> str | None:
    """The place (a JSON Pointer) and reason of the first thing that is outside the subset; None if nothing is."""
    examined = examine(schema)
    return str(examined) if isinstance(examined, Unsupported) else None


def violation(schema: object, value: object) -> Violation | None:
    """What a value violates of a schema, compiled or not; None if it satisfies it. ValueError if it is unsupported."""
    compiled = schema if isinstance(schema, Compiled) else compile_schema(schema)
    if isinstance(compiled, Unsupported):
        raise ValueError(str(compiled))
    failure = compiled.failure(value)
    if failure is None:
        return None
    return Violation(path=failure.path, keyword=failure.keyword, message=explain(compiled, failure))

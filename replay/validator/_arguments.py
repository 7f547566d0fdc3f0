"""The arguments of one complete call: the tool, its schema, the text, the value, in this order (section 4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from replay.validator._values import same
from replay.validator.codes import Code
from replay.validator.envelope import GRAMMAR
from replay.validator.profiles import Empty
from replay.validator.schema import Compiled, Unsupported, compile_schema, violation
from replay.validator.strict_json import WHITE_SPACE, parse

NO_ARGUMENTS: Final = "{}"

FAULTS: Final[Mapping[Code, str]] = {
    Code.MALFORMED_ARGUMENTS: "the arguments must be one JSON object; the text stops being JSON",
    Code.TRAILING_DATA: "the arguments must be one JSON object and nothing else; more text begins",
    Code.NON_FINITE_NUMBER: "numbers must be finite, for example 1.5; one that is not stands",
    Code.DUPLICATE_KEY: "an object must not repeat a property name; one comes again",
    Code.INVALID_UNICODE: "the text must have no byte order mark and no half of a surrogate pair; one stands",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """What is wrong with a call's arguments."""

    code: Code
    message: str
    path: str | None = None


class Tools:
    """The declared tools, each schema compiled when it is first called, and once."""

    __slots__ = ("_compiled", "_schemas")

    def __init__(self, schemas: Mapping[str, object]) -> None:
        """`schemas`: tool names to JSON Schemas, as the application declares them."""
        self._schemas = schemas
        self._compiled: dict[str, Compiled | Unsupported] = {}

    def schema(self, name: str) -> Compiled | Wrong:
        """The compiled schema of a tool, or why there is none."""
        if name not in self._schemas:
            return Wrong(code=Code.UNKNOWN_TOOL, message="the tool is not declared; call one that is in `tool_schemas`")
        if name not in self._compiled:
            self._compiled[name] = compile_schema(self._schemas[name])
        compiled = self._compiled[name]
        if isinstance(compiled, Unsupported):
            return Wrong(
                code=Code.UNSUPPORTED_SCHEMA,
                message=f"the tool's schema cannot be checked whole: {compiled}",
            )
        return compiled

    def has_grammar(self, name: str) -> bool:
        """Whether the tool takes free text that a grammar binds."""
        return same(self._schemas.get(name), GRAMMAR)

    def declares_no_properties(self, name: str) -> bool:
        """Whether the tool's schema declares no `properties`: then no arguments are all it can take."""
        schema = self._schemas.get(name)
        return isinstance(schema, bool) or (isinstance(schema, dict) and not schema.get("properties"))


def is_empty(text: str, empty: Empty) -> bool:
    """Whether the text is "no arguments at all" in the profile's reading, which is a finding."""
    return empty is Empty.IS_A_FINDING and WHITE_SPACE.fullmatch(text) is not None


def check(text: str, schema: Compiled, *, max_nesting: int) -> Wrong | None:
    """What is wrong with the text of the arguments; None if they are good."""
    parsed = parse(text, max_nesting=max_nesting)
    if parsed.code is Code.LIMIT_EXCEEDED:
        return Wrong(
            code=parsed.code,
            message=f"arguments may nest {max_nesting} levels (max_nesting); one more at character {parsed.offset}",
        )
    if parsed.code is not None:
        return Wrong(code=parsed.code, message=f"{FAULTS[parsed.code]} at character {parsed.offset}")
    if not isinstance(parsed.value, dict):
        return Wrong(code=Code.NON_OBJECT_ARGUMENTS, message="the arguments must be a JSON object, for example {}")
    return check_value(parsed.value, schema)


def check_value(value: object, schema: Compiled) -> Wrong | None:
    """What is wrong with arguments that are no text any more, or with a text that is itself the value."""
    found = violation(schema, value)
    if found is None:
        return None
    return Wrong(code=Code.SCHEMA_VIOLATION, message=found.message, path=found.path)

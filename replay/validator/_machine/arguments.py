"""The arguments of one complete call: the tool, its schema, the text, the value, in this order (section 4).

Theory of operation
-------------------
Only a slot that is terminal and has no finding comes here, once, when its turn is closed. Each step needs the one
before it, and the first that ends with a finding is the last:

    call of `weather`, text {"city":"Oslo","days":40}
    1. is the tool declared?                  yes; else unknown_tool
    2. can its schema be checked whole?       yes; else unsupported_schema
    3. is there any text?                     yes; else empty_arguments (in some families none stands for {})
    4. is the text one strict JSON value?     yes; else malformed_arguments, trailing_data, duplicate_key, ...
    5. is the value an object?                yes; else non_object_arguments
    6. does the value satisfy the schema?     no: schema_violation at /days, "`days` must be an integer from 1 to 20"

The text of a custom tool is itself the value: for it steps 4 and 5 do not exist.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from replay.validator._messages import Reason
from replay.validator._values import same
from replay.validator.codes import Code
from replay.validator.envelope import GRAMMAR
from replay.validator.profiles import Empty
from replay.validator.schema import Compiled, Unsupported, compile_schema, violation
from replay.validator.strict_json import WHITE_SPACE, parse

NO_ARGUMENTS: Final = "{}"

# Of each code by which strict parsing ends, the reason that says it of arguments.
BY_PARSING: Final[Mapping[Code, Reason]] = {
    reason.code: reason
    for reason in (
        Reason.TOO_DEEP,
        Reason.MALFORMED_ARGUMENTS,
        Reason.TRAILING_DATA,
        Reason.NON_FINITE_NUMBER,
        Reason.DUPLICATE_KEY,
        Reason.INVALID_UNICODE,
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentFinding:
    """A finding on the arguments of a call, which alone knows its place in the turn."""

    code: Code
    message: str
    path: str | None = None


def found(reason: Reason, **values: object) -> ArgumentFinding:
    """The finding of a reason; `values` fill in what its message has in braces."""
    return ArgumentFinding(code=reason.code, message=reason.message.format(**values))


class Tools:
    """The declared tools, each schema compiled when it is first called, and once."""

    __slots__ = ("_compiled", "_schemas")

    def __init__(self, schemas: Mapping[str, object]) -> None:
        self._schemas = schemas  # tool names to JSON Schemas, as the application declares them
        self._compiled: dict[str, Compiled | Unsupported] = {}

    def schema(self, name: str) -> Compiled | ArgumentFinding:
        """The compiled schema of a tool, or the finding that says why there is none."""
        if name not in self._schemas:
            return found(Reason.UNKNOWN_TOOL)
        if name not in self._compiled:
            self._compiled[name] = compile_schema(self._schemas[name])
        compiled = self._compiled[name]
        if isinstance(compiled, Unsupported):
            return found(Reason.UNSUPPORTED_SCHEMA, why=compiled)
        return compiled

    def has_grammar(self, name: str) -> bool:
        """Whether the tool takes free text that a grammar binds."""
        return same(self._schemas.get(name), GRAMMAR)

    def declares_no_properties(self, name: str) -> bool:
        """Whether the tool's schema declares no `properties`: then no arguments are all it can take."""
        schema = self._schemas.get(name)
        return isinstance(schema, bool) or (isinstance(schema, dict) and not schema.get("properties"))


def is_empty(text: str, empty: Empty) -> bool:
    """Whether a text of nothing but white space is a finding in the profile, and this is one."""
    return empty is Empty.IS_A_FINDING and WHITE_SPACE.fullmatch(text) is not None


def check(text: str, schema: Compiled, *, max_nesting: int) -> ArgumentFinding | None:
    """The finding on the text of the arguments; None if they are good."""
    parsed = parse(text, max_nesting=max_nesting)
    if parsed.code is not None:
        return found(BY_PARSING[parsed.code], limit=max_nesting, offset=parsed.offset)
    if not isinstance(parsed.value, dict):
        return found(Reason.NON_OBJECT)
    return check_value(parsed.value, schema)


def check_value(value: object, schema: Compiled) -> ArgumentFinding | None:
    """The finding on arguments that are no text any more, or on a text that is itself the value."""
    rejected = violation(schema, value)
    if rejected is None:
        return None
    return ArgumentFinding(code=Code.SCHEMA_VIOLATION, message=rejected.message, path=rejected.path)

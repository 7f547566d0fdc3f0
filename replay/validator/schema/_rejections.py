"""The message of a rejection, which lets a model correct itself: the field, the constraint, a legal value.

Example: "`n` must be an integer from 1 to 20; for example 20". The words come from the schema, which the application
declared. The value that was rejected, and names that only the value has, are never quoted.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import islice, pairwise
from string import ascii_lowercase
from typing import Final

from replay.validator._values import as_number
from replay.validator.schema._check import Compiled
from replay.validator.schema._formats import EXAMPLES
from replay.validator.schema._keywords import KEYWORDS
from replay.validator.schema._kinds.words import MAX_LISTED, MAX_QUOTED, cut, names, quote
from replay.validator.schema._nodes import Rejection, run
from replay.validator.schema._places import Place, lay_out
from replay.validator.schema.patterns import Characters, Choice, Repeat, Sequence, Tree, compile_pattern

# Values that are tried in their place: each time the whole is judged.
MAX_TRIED: Final = 4


def explain(compiled: Compiled, rejection: Rejection) -> str:
    """The message of the rejection that a compiled schema gave."""
    field = _field(compiled, rejection.way)
    if rejection.schema is None:
        known = _siblings(compiled, rejection.way)
        return f"{field} is not allowed here{known}"
    words = KEYWORDS[rejection.keyword].words
    assert words is not None, "a keyword that rejects has words"
    return f"{field} {words(rejection.schema, rejection.place)}{_legal(compiled, rejection)}"


def _field(compiled: Compiled, way: tuple[Place, ...]) -> str:
    """The place, spelled with names that the schema declares and a star for each that it does not."""
    if len(way) == 1:
        return "the arguments"
    parts: list[str] = []
    for outer, inner in pairwise(way):
        if outer.kind == "array":
            parts.append(f"[{inner.token}]")
        else:
            parts.append("." + (inner.token if inner.token in compiled.declared else "*"))
    text = "".join(parts).removeprefix(".")
    return f"`{cut(text)}`"


def _siblings(compiled: Compiled, way: tuple[Place, ...]) -> str:
    """The names that could stand there, where the place is a property of the whole."""
    if len(way) != 2 or way[0].kind != "object" or not compiled.root_properties:
        return ""
    return f"; the declared properties are {names(list(compiled.root_properties))}"


def _legal(compiled: Compiled, rejection: Rejection) -> str:
    """`; for example 20`: a value that would be good at this place, tried before it is shown."""
    assert rejection.schema is not None, "the caller has looked"
    if rejection.keyword in ("const", "enum", "required", "dependentRequired"):
        return ""
    node = compiled.nodes[id(rejection.schema)]
    kind = KEYWORDS[rejection.keyword].kind
    accepted = (
        candidate
        for candidate, place in ((candidate, lay_out(candidate)) for candidate in _candidates(rejection.schema))
        if (kind is None or place.kind == kind) and run(node, place) is None
    )
    for candidate in islice(accepted, MAX_TRIED):
        if _is_good(compiled, rejection, candidate):
            return f"; for example {quote(candidate)}"
    return ""


def _is_good(compiled: Compiled, rejection: Rejection, candidate: object) -> bool:
    """Whether the value with the candidate in place of what was rejected is good up to there, and there."""
    value = candidate
    for outer, inner in reversed(list(pairwise(rejection.way))):
        if isinstance(outer.value, dict):
            value = {**outer.value, inner.token: value}
        elif isinstance(outer.value, list):
            at = int(inner.token)
            value = [*outer.value[:at], value, *outer.value[at + 1 :]]
    if not isinstance(value, dict):
        return False  # arguments are an object
    left = compiled.rejection(value)
    # What stands before the place is numbered as before, and what is in it comes after it.
    return left is None or (left.place.order > rejection.place.order and not left.path.startswith(f"{rejection.path}/"))


def _candidates(schema: Mapping[str, object]) -> Iterator[object]:
    """Values that could be legal: what the schema shows itself, then bounds, then the plainest of each type."""
    if "const" in schema:
        yield schema["const"]
    for word in ("enum", "examples"):
        shown = schema.get(word)
        yield from shown[:MAX_LISTED] if isinstance(shown, list) else ()
    if "default" in schema:
        yield schema["default"]
    for word in ("anyOf", "oneOf"):
        branches = schema.get(word)
        for branch in branches[:MAX_LISTED] if isinstance(branches, list) else ():
            if isinstance(branch, dict):
                yield from _shallow(branch)
    yield from _shallow(schema)
    least = as_number(schema.get("minItems"))
    for word in ("contains", "items"):
        inner = schema.get(word)
        if isinstance(inner, dict) and (least is None or least <= MAX_LISTED):
            yield from ([item] * int(least or 1) for item in _shallow(inner))


def _shallow(schema: Mapping[str, object]) -> Iterator[object]:
    if "const" in schema:
        yield schema["const"]
    values = schema.get("enum")
    yield from values[:MAX_LISTED] if isinstance(values, list) else ()
    for word, offset in (("maximum", 0), ("minimum", 0), ("exclusiveMinimum", 1), ("exclusiveMaximum", -1)):
        bound = as_number(schema.get(word))
        if bound is not None:
            yield bound + offset
            yield Decimal(int(bound))
    step = as_number(schema.get("multipleOf"))
    if step is not None:
        yield step
    name = schema.get("format")
    if isinstance(name, str) and name in EXAMPLES:
        yield EXAMPLES[name]
    source = schema.get("pattern")
    if isinstance(source, str):
        yield _sample(compile_pattern(source).tree)
    least = as_number(schema.get("minLength"))
    if least is not None and least <= MAX_QUOTED:
        yield "x" * int(least)
    members = as_number(schema.get("minProperties"))
    if members is not None and members <= MAX_LISTED:
        yield dict.fromkeys(ascii_lowercase[: int(members)], 1)
    yield from ("text", "a", "A", "1", "2024-05-17", 1, 0, True, [], {}, None)


def _sample(tree: Tree) -> str:
    """A short text that an expression could match. Anchors in odd places may say no, so it is tried like the others."""
    if isinstance(tree, Characters):
        return next((character for character in PLAIN if tree.holds(character)), "")
    if isinstance(tree, Choice):
        return _sample(tree.options[0])
    if isinstance(tree, Sequence):
        return "".join(map(_sample, tree.parts))[:MAX_QUOTED]
    if isinstance(tree, Repeat):
        return (_sample(tree.body) * tree.least)[:MAX_QUOTED]
    return ""


# Characters that a sample is made of, the plainest first.
PLAIN: Final = "a1A" + "".join(map(chr, range(0x20, 0x7F)))

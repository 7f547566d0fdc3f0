"""A failure in words that let a model correct itself: the field, the constraint, a legal value.

The words come from the schema, which the application declared. The value that failed, and names that only the value
has, are never quoted.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from itertools import islice, pairwise
from string import ascii_lowercase
from typing import Final

from replay.validator._values import as_number
from replay.validator.schema._check import KIND_KEYWORDS, Compiled, Failure, Place, lay_out, run
from replay.validator.schema._formats import EXAMPLES
from replay.validator.schema._pattern import Characters, Choice, Repeat, Sequence, Tree, compile_pattern

# A constraint that is longer than this is cut: a message is one readable line.
MAX_QUOTED: Final = 200
MAX_LISTED: Final = 12
# Values that are tried in their place: each time the whole is judged.
MAX_TRIED: Final = 4


def explain(compiled: Compiled, failure: Failure) -> str:
    """The message of one failure."""
    field = _field(compiled, failure.way)
    if failure.schema is None:
        known = _siblings(compiled, failure.way)
        return f"{field} is not allowed here{known}"
    constraint = CONSTRAINTS[failure.keyword](failure.schema, failure.place)
    legal = _legal(compiled, failure)
    return f"{field} {constraint}{legal}"


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
    return f"`{_cut(text)}`"


def _siblings(compiled: Compiled, way: tuple[Place, ...]) -> str:
    """The names that could stand there, where the place is a property of the whole."""
    if len(way) != 2 or way[0].kind != "object" or not compiled.root_properties:
        return ""
    return f"; the declared properties are {_names(list(compiled.root_properties))}"


def _cut(text: str) -> str:
    return text if len(text) <= MAX_QUOTED else text[:MAX_QUOTED] + "…"


def _quote(value: object) -> str:
    try:
        return _cut(json.dumps(_plain(value), ensure_ascii=False, default=str))
    except (ValueError, RecursionError):
        return "a value of the schema"  # too long or too deep to be written, let alone read


def _plain(value: object) -> object:
    """A value that `json` writes: whole decimals as integers, others as floats near enough to read."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value


def _names(names: object) -> str:
    listed = [f"`{_cut(str(name))}`" for name in names] if isinstance(names, list) else []
    more = f" and {len(listed) - MAX_LISTED} more" if len(listed) > MAX_LISTED else ""
    return ", ".join(listed[:MAX_LISTED]) + more


def _values(values: object) -> str:
    listed = [_quote(value) for value in values] if isinstance(values, list) else []
    more = f" and {len(listed) - MAX_LISTED} more" if len(listed) > MAX_LISTED else ""
    return ", ".join(listed[:MAX_LISTED]) + more


def _articled(name: str) -> str:
    return name if name == "null" else f"{'an' if name[0] in 'aio' else 'a'} {name}"


def _kind(schema: Mapping[str, object]) -> str:
    names = schema.get("type")
    listed = [str(name) for name in names] if isinstance(names, list) else [str(names)] if names else []
    return " or ".join(_articled(name) for name in listed)


def _range(schema: Mapping[str, object]) -> str:
    """`an integer from 1 to 20`, `a number above 0`."""
    kind = _kind(schema) if schema.get("type") in ("integer", "number") else "a number"
    least, most = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    words: list[str] = []
    if least is not None and most is not None:
        words.append(f"from {_quote(least)} to {_quote(most)}")
    elif least is not None:
        words.append(f"of {_quote(least)} or more")
    elif most is not None:
        words.append(f"of {_quote(most)} or less")
    if above is not None:
        words.append(f"above {_quote(above)}")
    if below is not None:
        words.append(f"below {_quote(below)}")
    return f"must be {kind} {' and '.join(words)}".rstrip()


def _type(schema: Mapping[str, object], _: Place) -> str:
    if schema.get("type") in ("integer", "number") and _has_bound(schema):
        return _range(schema)
    return f"must be {_kind(schema)}"


def _has_bound(schema: Mapping[str, object]) -> bool:
    return any(word in schema for word in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"))


def _bounded(schema: Mapping[str, object], _: Place) -> str:
    return _range(schema)


def _counted(one: str, many: str, least: str, most: str) -> Callable[[Mapping[str, object], Place], str]:
    def words(schema: Mapping[str, object], _: Place) -> str:
        low, high = schema.get(least), schema.get(most)
        if low is not None and high is not None:
            return f"must have {_quote(low)} to {_quote(high)} {many}"
        if low is not None:
            return f"must have {_quote(low)} {one if low == 1 else many} or more"
        return f"must have at most {_quote(high)} {one if high == 1 else many}"

    return words


def _required(schema: Mapping[str, object], place: Place) -> str:
    names = schema.get("required")
    missing = [name for name in names if name not in place.inner] if isinstance(names, list) else []
    return f"must have {_names(missing)}"


def _dependent_required(schema: Mapping[str, object], place: Place) -> str:
    table = schema.get("dependentRequired")
    for given, names in table.items() if isinstance(table, dict) else ():
        missing = [name for name in names if name not in place.inner]
        if given in place.inner and missing:
            return f"must have {_names(missing)} where it has {_names([given])}"
    return "must have the properties that others of its properties require"


def _contains(schema: Mapping[str, object], _: Place) -> str:
    least, most = schema.get("minContains", 1), schema.get("maxContains")
    upper = f" and at most {_quote(most)}" if most is not None else ""
    one = (least if most is None else most) == 1
    noun = "item that satisfies" if one else "items that satisfy"
    return f"must have at least {_quote(least)}{upper} {noun} `contains`"


def _said(text: str) -> Callable[[Mapping[str, object], Place], str]:
    return lambda _schema, _place: text


CONSTRAINTS: Final[Mapping[str, Callable[[Mapping[str, object], Place], str]]] = {
    "type": _type,
    "const": lambda schema, _: f"must be {_quote(schema.get('const'))}",
    "enum": lambda schema, _: f"must be one of {_values(schema.get('enum'))}",
    "minimum": _bounded,
    "maximum": _bounded,
    "exclusiveMinimum": _bounded,
    "exclusiveMaximum": _bounded,
    "multipleOf": lambda schema, _: f"must be a multiple of {_quote(schema.get('multipleOf'))}",
    "minLength": _counted("character", "characters", "minLength", "maxLength"),
    "maxLength": _counted("character", "characters", "minLength", "maxLength"),
    "pattern": lambda schema, _: f"must match the pattern {_quote(schema.get('pattern'))}",
    "format": lambda schema, _: f"must be of the format {_quote(schema.get('format'))}",
    "minItems": _counted("item", "items", "minItems", "maxItems"),
    "maxItems": _counted("item", "items", "minItems", "maxItems"),
    "uniqueItems": _said("must not have the same item twice"),
    "contains": _contains,
    "required": _required,
    "dependentRequired": _dependent_required,
    "minProperties": _counted("property", "properties", "minProperties", "maxProperties"),
    "maxProperties": _counted("property", "properties", "minProperties", "maxProperties"),
    "propertyNames": _said("must have only property names that satisfy `propertyNames`"),
    "anyOf": _said("must satisfy at least one of the `anyOf` schemas"),
    "oneOf": _said("must satisfy exactly one of the `oneOf` schemas"),
    "not": _said("must not satisfy the `not` schema"),
}


def _legal(compiled: Compiled, failure: Failure) -> str:
    """`; for example 20`: a value that would be good at this place, tried before it is shown."""
    assert failure.schema is not None, "the caller has looked"
    if failure.keyword in ("const", "enum", "required", "dependentRequired"):
        return ""
    node = compiled.nodes[id(failure.schema)]
    kind = KIND_KEYWORDS[failure.keyword][0] if failure.keyword in KIND_KEYWORDS else OTHER_KINDS.get(failure.keyword)
    accepted = (
        candidate
        for candidate, place in ((candidate, lay_out(candidate)) for candidate in _candidates(failure.schema))
        if (kind is None or place.kind == kind) and run(node, place) is None
    )
    for candidate in islice(accepted, MAX_TRIED):
        if _is_good(compiled, failure, candidate):
            return f"; for example {_quote(candidate)}"
    return ""


def _is_good(compiled: Compiled, failure: Failure, candidate: object) -> bool:
    """Whether the value with the candidate in place of what failed is good up to there, and there."""
    value = candidate
    for outer, inner in reversed(list(pairwise(failure.way))):
        if isinstance(outer.value, dict):
            value = {**outer.value, inner.token: value}
        elif isinstance(outer.value, list):
            at = int(inner.token)
            value = [*outer.value[:at], value, *outer.value[at + 1 :]]
    if not isinstance(value, dict):
        return False  # arguments are an object
    left = compiled.failure(value)
    # What stands before the place is numbered as before, and what is in it comes after it.
    return left is None or (left.place.order > failure.place.order and not left.path.startswith(f"{failure.path}/"))


# What kind of value a keyword is about that is no plain assertion.
OTHER_KINDS: Final = {"contains": "array", "propertyNames": "object"}


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

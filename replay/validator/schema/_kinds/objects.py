"""Keywords that speak of objects, beside those that bound their number of members."""

from replay.validator.schema._kinds.shapes import named_schemas
from replay.validator.schema._kinds.strings import a_pattern
from replay.validator.schema._kinds.words import names
from replay.validator.schema._nodes import (
    Asking,
    Assertion,
    Judging,
    Nodes,
    Question,
    Rejection,
    Schema,
    Step,
    ask,
    earlier,
)
from replay.validator.schema._places import Place
from replay.validator.schema.patterns import compile_pattern


def schemas_by_pattern(value: object) -> str | None:
    """Why the value of `patternProperties` is unsupported."""
    why = named_schemas(value)
    if why is None and isinstance(value, dict):
        why = next(filter(None, map(a_pattern, value)), None)
    return why


def required(listed: object) -> Assertion:
    """`required`."""
    wanted = listed if isinstance(listed, list) else []
    return lambda place: all(name in place.inner for name in wanted)


def required_words(schema: Schema, place: Place) -> str:
    """`must have `a`, `b``: those that are missing."""
    listed = schema.get("required")
    missing = [name for name in listed if name not in place.inner] if isinstance(listed, list) else []
    return f"must have {names(missing)}"


def dependent_required(table: object) -> Assertion:
    """`dependentRequired`."""
    wanted = table if isinstance(table, dict) else {}

    def holds(place: Place) -> bool:
        return all(name in place.inner for given, listed in wanted.items() if given in place.inner for name in listed)

    return holds


def dependent_required_words(schema: Schema, place: Place) -> str:
    """`must have `b` where it has `a``: those that are missing for the first that needs others."""
    table = schema.get("dependentRequired")
    for given, listed in table.items() if isinstance(table, dict) else ():
        missing = [name for name in listed if name not in place.inner]
        if given in place.inner and missing:
            return f"must have {names(missing)} where it has {names([given])}"
    return "must have the properties that others of its properties require"


def property_names(schema: Schema, nodes: Nodes) -> Question:
    """`propertyNames`."""
    node = nodes.of(schema["propertyNames"])

    def accepts(place: Place) -> Asking:
        for inner in place.inner.values() if place.kind == "object" else ():
            # The name stands before its value and is numbered by it, below zero: no value is.
            name = Place(inner.token, inner.token, -inner.order)
            if (yield from ask(node, name)) is not None:
                return False
        return True

    return accepts


def dependent_schemas(schema: Schema, nodes: Nodes) -> Step:
    """`dependentSchemas`: what stands under the name of a member that is there applies to the object itself."""
    by_name = nodes.of_named(schema["dependentSchemas"])

    def step(place: Place) -> Judging:
        first: Rejection | None = None
        if place.kind == "object":
            for name, node in by_name.items():
                if name in place.inner:
                    first = earlier(first, (yield from ask(node, place)))
        return first

    return step


def members(schema: Schema, nodes: Nodes) -> Step:
    """`properties` and `patternProperties`, and `additionalProperties` for a member that no other speaks of."""
    by_name = nodes.of_named(schema.get("properties"))
    by_pattern = [(compile_pattern(key), node) for key, node in nodes.of_named(schema.get("patternProperties")).items()]
    additional = nodes.of(schema["additionalProperties"]) if "additionalProperties" in schema else None

    def step(place: Place) -> Judging:
        for name, inner in place.inner.items() if place.kind == "object" else ():
            found = [by_name[name]] if name in by_name else []
            found.extend(node for pattern, node in by_pattern if pattern.found_in(name))
            if not found and additional is not None:
                found.append(additional)
            first: Rejection | None = None
            for node in found:
                first = earlier(first, (yield from ask(node, inner)))
            if first is not None:
                return first
        return None

    return step

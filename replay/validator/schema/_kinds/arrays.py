"""Keywords that speak of arrays, beside those that bound their length."""

from replay.validator._values import Numbering
from replay.validator.schema._kinds.numbers import exact
from replay.validator.schema._kinds.words import quote
from replay.validator.schema._nodes import Asking, Assertion, Judging, Nodes, Question, Schema, Step, ask
from replay.validator.schema._places import Place


def unique_items(wanted: object) -> Assertion:
    """`uniqueItems`: equal values get equal numbers, so there are as many numbers as items."""

    def holds(place: Place) -> bool:
        assert isinstance(place.value, list), "the place is an array"
        numbering = Numbering()
        return len({numbering.of(item) for item in place.value}) == len(place.value)

    return holds if wanted is True else lambda _: True


def contains(schema: Schema, nodes: Nodes) -> Question | None:
    """`contains`, with `minContains` and `maxContains`: so many items that the schema accepts."""
    if "contains" not in schema:
        return None
    node = nodes.of(schema["contains"])
    least = exact(schema.get("minContains", 1))
    most = exact(schema["maxContains"]) if "maxContains" in schema else None

    def accepts(place: Place) -> Asking:
        if place.kind != "array":
            return True
        found = 0
        for inner in place.inner.values():
            if (yield from ask(node, inner)) is None:
                found += 1
                if (most is not None and found > most) or (most is None and found >= least):
                    break
        return found >= least and (most is None or found <= most)

    return accepts


def contains_words(schema: Schema, _: Place) -> str:
    """`must have at least 1 and at most 3 items that satisfy `contains``."""
    least, most = schema.get("minContains", 1), schema.get("maxContains")
    upper = f" and at most {quote(most)}" if most is not None else ""
    one = (least if most is None else most) == 1
    noun = "item that satisfies" if one else "items that satisfy"
    return f"must have at least {quote(least)}{upper} {noun} `contains`"


def items(schema: Schema, nodes: Nodes) -> Step:
    """`prefixItems` for the first items, one by one, and `items` for the others."""
    prefix = nodes.of_list(schema.get("prefixItems"))
    rest = nodes.of(schema["items"]) if "items" in schema else None

    def step(place: Place) -> Judging:
        for index, inner in enumerate(place.inner.values() if place.kind == "array" else ()):
            node = prefix[index] if index < len(prefix) else rest
            found = (yield from ask(node, inner)) if node is not None else None
            if found is not None:
                return found
        return None

    return step

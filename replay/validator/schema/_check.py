"""One value against one supported schema: the first place that fails, and what failed there (section 4, "Path").

A schema is compiled once, to nodes; a value is laid out once, to places in document order. Judging a node at a place
asks its assertions first, since a container comes before its members, then whatever is inside. It runs on a stack of
its own, and a node that several schemas lead to is judged once a place: the work is bounded by nodes times places.
"""

import marshal
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from functools import lru_cache
from typing import Final, TypeAlias

from replay.validator._values import Numbering, as_number
from replay.validator.schema._formats import FORMATS
from replay.validator.schema._pattern import Pattern, compile_pattern
from replay.validator.schema._subset import Supported, Unsupported, escape_token, examine

# Rounds nothing that fits in memory.
EXACT: Final = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)


class Place:
    """A value where it stands: its number in document order, its members.

    It does not know the place around it, since that would make every value a cycle.
    """

    __slots__ = ("inner", "kind", "order", "token", "value")

    def __init__(self, value: object, token: str, order: int = 0) -> None:
        """A place without its members; `lay_out` adds them."""
        self.order = order
        self.token = token
        self.inner: dict[str, Place] = {}  # by member name or index as text, in document order
        self.value = value
        self.kind = "unknown"
        if isinstance(value, str):
            self.kind = "string"
        elif isinstance(value, bool):
            self.kind = "boolean"
        elif value is None:
            self.kind = "null"
        elif isinstance(value, dict):
            self.kind = "object"
        elif isinstance(value, list):
            self.kind = "array"
        else:
            number = as_number(value)
            if number is not None:
                self.kind, self.value = "number", number


def lay_out(value: object) -> Place:
    """The places of a value, numbered in document order."""
    root = Place(value, "")
    count = 0
    waiting = [root]
    while waiting:
        place = waiting.pop()
        place.order = count
        count += 1
        if isinstance(place.value, dict):
            members = place.value.items()
            place.inner = {name: Place(member, name) for name, member in members}
        elif isinstance(place.value, list):
            texts = ((str(index), member) for index, member in enumerate(place.value))
            place.inner = {index: Place(member, index) for index, member in texts}
        waiting.extend(reversed(place.inner.values()))
    return root


@dataclass(frozen=True, slots=True)
class Failure:
    """A place and the keyword that rejects it; `schema` is where the keyword stands, None for a false schema."""

    place: Place
    keyword: str
    schema: Mapping[str, object] | None
    way: tuple[Place, ...] = ()  # from the whole value down to the place; of the first failure alone

    @property
    def path(self) -> str:
        """The JSON Pointer to the place."""
        return "".join("/" + escape_token(place.token) for place in self.way[1:])


# Asks for a node at a place; the answer is sent back, and the last one returned.
_Judging: TypeAlias = "Generator[tuple[Node, Place], Failure | None, Failure | None]"
_Step: TypeAlias = "Callable[[Place], _Judging]"
_Assertion: TypeAlias = Callable[[object], bool]


class Node:
    """One compiled schema: what it asserts of each kind of value, and the steps that lead to other nodes."""

    __slots__ = ("anywhere", "asserted", "inside", "of_kind", "schema", "shared")

    def __init__(self, schema: Mapping[str, object] | None) -> None:
        """A node that accepts everything; None for a boolean schema."""
        self.schema = schema
        self.shared = False  # several ways lead here: answers are remembered
        self.anywhere: list[tuple[str, Callable[[Place], bool]]] = []
        self.of_kind: dict[str, list[tuple[str, _Assertion]]] = {}
        self.asserted: list[tuple[str, _Step]] = []  # fail at the place itself
        self.inside: list[_Step] = []  # fail wherever the inner failure is

    @property
    def plain(self) -> bool:
        """Whether no other node is needed."""
        return not self.asserted and not self.inside

    def assess(self, place: Place) -> Failure | None:
        """What the node's own assertions say."""
        for word, accepts in self.anywhere:
            if not accepts(place):
                return Failure(place, word, self.schema)
        for word, holds in self.of_kind.get(place.kind, ()):
            if not holds(place.value):
                return Failure(place, word, self.schema)
        return None

    def judge(self, place: Place) -> _Judging:
        """The first failure here and below."""
        first = self.assess(place)
        if first is not None:
            return first
        for word, step in self.asserted:
            if (yield from step(place)) is not None:
                return Failure(place, word, self.schema)
        for step in self.inside:
            found = yield from step(place)
            if found is not None and (first is None or found.place.order < first.place.order):
                first = found
        return first


def _ask(node: Node, place: Place) -> _Judging:
    """One node at one place: at once where that is possible."""
    if node.plain:
        return node.assess(place)
    return (yield node, place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A schema that can judge values."""

    root: Node
    nodes: Mapping[int, Node]  # by the id of their schema
    declared: frozenset[str]  # every property name the schema declares anywhere
    root_properties: tuple[str, ...]

    def failure(self, value: object) -> Failure | None:
        """The first failure of a value in document order, None where it satisfies the schema."""
        root = lay_out(value)
        found = run(self.root, root)
        return None if found is None else replace(found, way=_way(root, found.place))


def _way(root: Place, place: Place) -> tuple[Place, ...]:
    """From a value to a place in it: the place is in the last member, in document order, that it does not precede."""
    found = [root]
    while found[-1] is not place:
        found.append(max((one for one in found[-1].inner.values() if one.order <= place.order), key=_order))
    return tuple(found)


def _order(place: Place) -> int:
    return place.order


# Schemas come anew with each request, and most are the same as before. How many are kept, and how large one may be
# (bytes of its marshalled form): together some 40 MiB at most.
MAX_KEPT: Final = 64
MAX_KEPT_BYTES: Final = 8 * 1024


def compile_schema(schema: object) -> Compiled | Unsupported:
    """The compiled schema, or the first place that is outside the subset. Small ones are compiled once a process.

    What is kept is compiled from a copy, so that a caller who changes a schema afterwards gets the changed one judged.
    Its key is the marshalled form, which tells every two contents apart and is linear in whatever it is given; equal
    contents that are shared in other ways may be kept twice.
    """
    try:
        content = marshal.dumps(schema)  # type: ignore[arg-type]  # or the ValueError below
    except ValueError:  # a number with a fraction, a type of the caller's own, or nested very deep
        return _compile(schema)
    return _compiled(content) if len(content) <= MAX_KEPT_BYTES else _compile(schema)


@lru_cache(maxsize=MAX_KEPT)
def _compiled(content: bytes) -> Compiled | Unsupported:
    return _compile(marshal.loads(content))  # noqa: S302 - written just above


def _compile(schema: object) -> Compiled | Unsupported:
    examined = examine(schema)
    if isinstance(examined, Unsupported):
        return examined
    compiler = _Compiler(examined)
    tables = [table for inner in examined.schemas if isinstance(table := inner.get("properties"), dict)]
    own = schema.get("properties") if isinstance(schema, dict) else None
    return Compiled(
        root=compiler.node(schema),
        nodes=compiler.nodes,
        declared=frozenset(name for table in tables for name in table),
        root_properties=tuple(own) if isinstance(own, dict) else (),
    )


def run(root: Node, place: Place) -> Failure | None:
    """The first failure of a node at a place and below it. Runs on a stack of its own."""
    answers: dict[tuple[int, int], Failure | None] = {}
    running: list[tuple[_Judging, tuple[int, int] | None]] = [(root.judge(place), None)]
    answer: Failure | None = None
    while running:
        judging, key = running[-1]
        try:
            node, inner = judging.send(answer)
        except StopIteration as finished:
            answer = finished.value
            running.pop()
            if key is not None:
                answers[key] = answer
            continue
        answer = None
        inner_key = (id(node), inner.order) if node.shared else None
        if inner_key is not None and inner_key in answers:
            answer = answers[inner_key]
            # Send it at once: the generator on top waits for it.
            continue
        running.append((node.judge(inner), inner_key))
    return answer


# Keywords that ask other nodes, and fail at the place itself; and those that fail wherever the inner failure is.
ASSERTED: Final = frozenset({"propertyNames", "contains", "anyOf", "oneOf", "not"})
INSIDE: Final = frozenset(
    {
        *("$ref", "allOf", "if", "dependentSchemas"),
        *("properties", "patternProperties", "additionalProperties", "prefixItems", "items"),
    }
)


class _Compiler:
    """Schemas to nodes. Every schema object has one node, however many ways lead to it."""

    def __init__(self, examined: Supported) -> None:
        self.targets = examined.targets
        self.nodes = {id(schema): Node(schema) for schema in examined.schemas}
        self.always = Node(None)
        self.never = Node(None)
        self.never.anywhere.append(("false", lambda _: False))
        for schema in examined.schemas:
            self.fill(self.nodes[id(schema)], schema)
        for target in examined.targets.values():
            self.node(target).shared = True

    def node(self, schema: object) -> Node:
        if isinstance(schema, bool):
            return self.always if schema else self.never
        return self.nodes[id(schema)]

    def some(self, schemas: object) -> list[Node]:
        return [self.node(schema) for schema in schemas] if isinstance(schemas, list) else []

    def named(self, schemas: object) -> dict[str, Node]:
        return {name: self.node(schema) for name, schema in schemas.items()} if isinstance(schemas, dict) else {}

    def fill(self, node: Node, schema: dict[str, object]) -> None:
        for word, value in schema.items():
            if word in VALUE_KEYWORDS:
                node.anywhere.append((word, VALUE_KEYWORDS[word](value)))
            elif word in KIND_KEYWORDS:
                kind, assertion = KIND_KEYWORDS[word]
                node.of_kind.setdefault(kind, []).append((word, assertion(value)))
        if not ASSERTED.isdisjoint(schema):
            self.fill_asserted(node, schema)
        if not INSIDE.isdisjoint(schema):
            self.fill_inside(node, schema)

    def fill_asserted(self, node: Node, schema: dict[str, object]) -> None:
        if "propertyNames" in schema:
            node.asserted.append(("propertyNames", property_names(self.node(schema["propertyNames"]))))
        if "contains" in schema:
            node.asserted.extend(contains(self.node(schema["contains"]), schema))
        if "anyOf" in schema:
            node.asserted.append(("anyOf", any_of(self.some(schema["anyOf"]))))
        if "oneOf" in schema:
            node.asserted.append(("oneOf", one_of(self.some(schema["oneOf"]))))
        if "not" in schema:
            node.asserted.append(("not", negation(self.node(schema["not"]))))

    def fill_inside(self, node: Node, schema: dict[str, object]) -> None:
        if id(schema) in self.targets:
            node.inside.append(here(self.node(self.targets[id(schema)])))
        node.inside.extend(here(branch) for branch in self.some(schema.get("allOf")))
        if "if" in schema and ("then" in schema or "else" in schema):
            then, otherwise = self.node(schema.get("then", True)), self.node(schema.get("else", True))
            node.inside.append(conditional(self.node(schema["if"]), then, otherwise))
        if "dependentSchemas" in schema:
            node.inside.append(dependent(self.named(schema["dependentSchemas"])))
        if schema.keys() & {"properties", "patternProperties", "additionalProperties"}:
            patterns = [
                (compile_pattern(key), inner) for key, inner in self.named(schema.get("patternProperties")).items()
            ]
            additional = self.node(schema["additionalProperties"]) if "additionalProperties" in schema else None
            node.inside.append(members(self.named(schema.get("properties")), patterns, additional))
        if schema.keys() & {"prefixItems", "items"}:
            rest = self.node(schema["items"]) if "items" in schema else None
            node.inside.append(items(self.some(schema.get("prefixItems")), rest))


# Assertions about any value. They see the place, since equality needs the value whole.


def type_is(names: object) -> Callable[[Place], bool]:
    """`type`: an integer is a number without a fraction, however it is written."""
    wanted = frozenset(names if isinstance(names, list) else [names])

    def accepts(place: Place) -> bool:
        return place.kind in wanted or ("integer" in wanted and place.kind == "number" and is_integer(place.value))

    return accepts


def is_integer(value: object) -> bool:
    """Whether a number has no fraction."""
    return isinstance(value, int) or (isinstance(value, Decimal) and value == value.to_integral_value())


def one_value_of(values: object) -> Callable[[Place], bool]:
    """`enum`: equal to one of the values."""
    numbering = Numbering()
    wanted = frozenset(numbering.of(value) for value in values) if isinstance(values, list) else frozenset()
    kinds = frozenset(Place(value, "").kind for value in values) if isinstance(values, list) else frozenset()
    return lambda place: place.kind in kinds and numbering.seek(place.value) in wanted


def exactly(value: object) -> Callable[[Place], bool]:
    """`const`: equal to the value."""
    return one_value_of([value])


VALUE_KEYWORDS: Final[Mapping[str, Callable[[object], Callable[[Place], bool]]]] = {
    "type": type_is,
    "const": exactly,
    "enum": one_value_of,
}


# Assertions about one kind of value; the kind is checked before they are asked.


def _bound(value: object) -> int | Decimal:
    number = as_number(value)
    assert number is not None, "the subset lets numbers through only"
    return number


def _number(value: object) -> int | Decimal:
    assert isinstance(value, (int, Decimal)), "the place is a number"
    return value


def _length(value: object) -> int:
    assert isinstance(value, (str, list, dict)), "the place has a length"
    return len(value)


def minimum(bound: object) -> _Assertion:
    """`minimum`."""
    least = _bound(bound)
    return lambda value: _number(value) >= least


def maximum(bound: object) -> _Assertion:
    """`maximum`."""
    most = _bound(bound)
    return lambda value: _number(value) <= most


def exclusive_minimum(bound: object) -> _Assertion:
    """`exclusiveMinimum`."""
    limit = _bound(bound)
    return lambda value: _number(value) > limit


def exclusive_maximum(bound: object) -> _Assertion:
    """`exclusiveMaximum`."""
    limit = _bound(bound)
    return lambda value: _number(value) < limit


def multiple_of(bound: object) -> _Assertion:
    """`multipleOf`, exactly: 19.99 is a multiple of 0.01."""
    step = _bound(bound)
    if isinstance(step, Decimal) and is_integer(step):
        step = int(step)

    def holds(value: object) -> bool:
        number = _number(value)
        if isinstance(number, int) and isinstance(step, int):
            return number % step == 0
        return _is_multiple(Decimal(number), Decimal(step))

    return holds


def _is_multiple(number: Decimal, step: Decimal) -> bool:
    _, digits, exponent = EXACT.normalize(step).as_tuple()
    assert isinstance(exponent, int), "a step is finite"
    unit = int("".join(map(str, digits)))
    scaled = EXACT.scaleb(number, -exponent)
    whole = scaled.to_integral_value()
    # A digit to the right of every digit that a multiple can have, or else integers of a bounded size.
    return whole == scaled and int(whole) % unit == 0


def min_length(bound: object) -> _Assertion:
    """`minLength`, `minItems`, `minProperties`; a string's length counts code points."""
    least = _bound(bound)
    return lambda value: _length(value) >= least


def max_length(bound: object) -> _Assertion:
    """`maxLength`, `maxItems`, `maxProperties`."""
    most = _bound(bound)
    return lambda value: _length(value) <= most


def matches(source: object) -> _Assertion:
    """`pattern`: found anywhere in the string."""
    assert isinstance(source, str), "the subset lets strings through only"
    pattern = compile_pattern(source)
    return lambda value: isinstance(value, str) and pattern.found_in(value)


def has_format(name: object) -> _Assertion:
    """`format`, asserted."""
    assert isinstance(name, str), "the subset lets known names through only"
    is_of_it = FORMATS[name]
    return lambda value: isinstance(value, str) and is_of_it(value)


def unique_items(wanted: object) -> _Assertion:
    """`uniqueItems`."""

    def holds(value: object) -> bool:
        assert isinstance(value, list), "the place is an array"
        numbering = Numbering()
        return len({numbering.of(item) for item in value}) == len(value)

    return holds if wanted is True else lambda _: True


def required(names: object) -> _Assertion:
    """`required`."""
    wanted = names if isinstance(names, list) else []
    return lambda value: isinstance(value, dict) and all(name in value for name in wanted)


def dependent_required(table: object) -> _Assertion:
    """`dependentRequired`."""
    wanted = table if isinstance(table, dict) else {}

    def holds(value: object) -> bool:
        assert isinstance(value, dict), "the place is an object"
        return all(name in value for given, names in wanted.items() if given in value for name in names)

    return holds


KIND_KEYWORDS: Final[Mapping[str, tuple[str, Callable[[object], _Assertion]]]] = {
    "minimum": ("number", minimum),
    "exclusiveMinimum": ("number", exclusive_minimum),
    "maximum": ("number", maximum),
    "exclusiveMaximum": ("number", exclusive_maximum),
    "multipleOf": ("number", multiple_of),
    "minLength": ("string", min_length),
    "maxLength": ("string", max_length),
    "pattern": ("string", matches),
    "format": ("string", has_format),
    "minItems": ("array", min_length),
    "maxItems": ("array", max_length),
    "uniqueItems": ("array", unique_items),
    "required": ("object", required),
    "dependentRequired": ("object", dependent_required),
    "minProperties": ("object", min_length),
    "maxProperties": ("object", max_length),
}


# Steps to other nodes.


def here(node: Node) -> _Step:
    """`$ref` and each branch of `allOf`: the same place, the inner failure."""
    return lambda place: _ask(node, place)


def any_of(branches: list[Node]) -> _Step:
    """`anyOf`."""

    def step(place: Place) -> _Judging:
        found: Failure | None = None
        for branch in branches:
            found = yield from _ask(branch, place)
            if found is None:
                return None
        return found

    return step


def one_of(branches: list[Node]) -> _Step:
    """`oneOf`."""

    def step(place: Place) -> _Judging:
        satisfied = 0
        for branch in branches:
            if (yield from _ask(branch, place)) is None:
                satisfied += 1
                if satisfied == 2:
                    break
        return None if satisfied == 1 else Failure(place, "oneOf", None)

    return step


def negation(node: Node) -> _Step:
    """`not`."""

    def step(place: Place) -> _Judging:
        return Failure(place, "not", None) if (yield from _ask(node, place)) is None else None

    return step


def conditional(condition: Node, then: Node, otherwise: Node) -> _Step:
    """`if`, `then`, `else`."""

    def step(place: Place) -> _Judging:
        satisfied = (yield from _ask(condition, place)) is None
        return (yield from _ask(then if satisfied else otherwise, place))

    return step


def dependent(nodes: Mapping[str, Node]) -> _Step:
    """`dependentSchemas`."""

    def step(place: Place) -> _Judging:
        first: Failure | None = None
        if place.kind == "object":
            for name, node in nodes.items():
                found = (yield from _ask(node, place)) if name in place.inner else None
                if found is not None and (first is None or found.place.order < first.place.order):
                    first = found
        return first

    return step


def property_names(node: Node) -> _Step:
    """`propertyNames`."""

    def step(place: Place) -> _Judging:
        for inner in place.inner.values() if place.kind == "object" else ():
            # The name stands before its value and is numbered by it, below zero: no value is.
            name = Place(inner.token, inner.token, -inner.order)
            found = yield from _ask(node, name)
            if found is not None:
                return found
        return None

    return step


def contains(node: Node, schema: Mapping[str, object]) -> list[tuple[str, _Step]]:
    """`contains`, with `minContains` and `maxContains` beside it."""
    least = _bound(schema.get("minContains", 1))
    most = _bound(schema["maxContains"]) if "maxContains" in schema else None

    def step(place: Place) -> _Judging:
        if place.kind != "array":
            return None
        found = 0
        for inner in place.inner.values():
            if (yield from _ask(node, inner)) is None:
                found += 1
                if (most is not None and found > most) or (most is None and found >= least):
                    break
        good = found >= least and (most is None or found <= most)
        return None if good else Failure(place, "contains", schema)

    return [("contains", step)]


def members(properties: Mapping[str, Node], patterns: list[tuple[Pattern, Node]], additional: Node | None) -> _Step:
    """`properties`, `patternProperties` and `additionalProperties`: the first failing as written."""

    def step(place: Place) -> _Judging:
        for name, inner in place.inner.items() if place.kind == "object" else ():
            nodes = [properties[name]] if name in properties else []
            nodes.extend(node for pattern, node in patterns if pattern.found_in(name))
            if not nodes and additional is not None:
                nodes.append(additional)
            first: Failure | None = None
            for node in nodes:
                found = yield from _ask(node, inner)
                if found is not None and (first is None or found.place.order < first.place.order):
                    first = found
            if first is not None:
                return first
        return None

    return step


def items(prefix: list[Node], rest: Node | None) -> _Step:
    """`prefixItems` and `items`."""

    def step(place: Place) -> _Judging:
        for index, inner in enumerate(place.inner.values() if place.kind == "array" else ()):
            node = prefix[index] if index < len(prefix) else rest
            found = (yield from _ask(node, inner)) if node is not None else None
            if found is not None:
                return found
        return None

    return step

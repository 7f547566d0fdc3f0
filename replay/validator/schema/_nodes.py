"""Compiled schemas as nodes that ask each other, and the stack that they run on. Knows no keyword."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from replay.validator.schema._places import Place
from replay.validator.schema._pointers import pointer_of

Schema: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Rejection:
    """A place and the keyword that rejects it; `schema` is where the keyword stands, None for a false schema."""

    place: Place
    keyword: str
    schema: Schema | None
    way: tuple[Place, ...] = ()  # from the whole value down to the place; of the one that is reported alone

    @property
    def path(self) -> str:
        """The JSON Pointer to the place."""
        return pointer_of(place.token for place in self.way[1:])


Assertion: TypeAlias = Callable[[Place], bool]
# Generators that ask for a node at a place and are sent what it rejects first, None if it rejects nothing. They return
# the same of themselves, or whether they accept the place.
Judging: TypeAlias = Generator[tuple["Node", Place], Rejection | None, Rejection | None]
Asking: TypeAlias = Generator[tuple["Node", Place], Rejection | None, bool]
Step: TypeAlias = Callable[[Place], Judging]
Question: TypeAlias = Callable[[Place], Asking]


class Node:
    """One compiled schema: what it asserts by itself, and the steps that lead to other nodes."""

    __slots__ = ("asked", "inside", "of_any", "of_kind", "schema", "shared")

    def __init__(self, schema: Schema | None) -> None:
        self.schema = schema  # None for a boolean schema
        self.shared = False  # several ways lead here: answers are remembered
        # Each with the keyword that rejects the place itself.
        self.of_any: list[tuple[str, Assertion]] = []
        self.of_kind: dict[str, list[tuple[str, Assertion]]] = {}  # by the kind of value that it speaks of
        self.asked: list[tuple[str, Question]] = []
        self.inside: list[Step] = []  # these reject whatever the node that they ask rejects

    @property
    def plain(self) -> bool:
        """Whether no other node is needed."""
        return not self.asked and not self.inside

    def assess(self, place: Place) -> Rejection | None:
        """What the node's own assertions reject."""
        for word, holds in self.of_any:
            if not holds(place):
                return Rejection(place, word, self.schema)
        for word, holds in self.of_kind.get(place.kind, ()):
            if not holds(place):
                return Rejection(place, word, self.schema)
        return None

    def judge(self, place: Place) -> Judging:
        """The first rejection, here or below."""
        first = self.assess(place)
        if first is not None:
            return first
        for word, accepts in self.asked:
            if not (yield from accepts(place)):
                return Rejection(place, word, self.schema)
        for step in self.inside:
            first = earlier(first, (yield from step(place)))
        return first


def earlier(first: Rejection | None, found: Rejection | None) -> Rejection | None:
    """The one whose place comes first in the document; of two at one place the one that was found first."""
    if first is None or (found is not None and found.place.order < first.place.order):
        return found
    return first


def ask(node: Node, place: Place) -> Judging:
    """One node at one place: at once where that is possible."""
    if node.plain:
        return node.assess(place)
    return (yield node, place)


def run(root: Node, place: Place) -> Rejection | None:
    """The first rejection by a node, at a place and below it.

    Each generator that waits for an answer is an entry of `running`, so deep values cost memory and never the stack.
    """
    answers: dict[tuple[int, int], Rejection | None] = {}
    running: list[tuple[Judging, tuple[int, int] | None]] = [(root.judge(place), None)]
    answer: Rejection | None = None
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


class Nodes:
    """One node for every schema object of a document, however many ways lead to it."""

    def __init__(self, schemas: tuple[dict[str, object], ...], targets: Mapping[int, object]) -> None:
        self.by_id = {id(schema): Node(schema) for schema in schemas}
        self._targets = targets  # by the id of a schema object with `$ref`: the schema that it names
        self._always = Node(None)
        self._never = Node(None)
        self._never.of_any.append(("false", lambda _: False))
        for target in targets.values():
            self.of(target).shared = True

    def of(self, schema: object) -> Node:
        """The node of a schema of the document."""
        if isinstance(schema, bool):
            return self._always if schema else self._never
        return self.by_id[id(schema)]

    def of_list(self, schemas: object) -> list[Node]:
        """The nodes of a list of schemas; none where there is no list."""
        return [self.of(schema) for schema in schemas] if isinstance(schemas, list) else []

    def of_named(self, schemas: object) -> dict[str, Node]:
        """The nodes of schemas by name; none where there are no names."""
        return {name: self.of(schema) for name, schema in schemas.items()} if isinstance(schemas, dict) else {}

    def of_target(self, schema: Schema) -> Node:
        """The node of the schema that the `$ref` in `schema` names."""
        return self.of(self._targets[id(schema)])

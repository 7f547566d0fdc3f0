"""One value against one supported schema: the first place that is rejected, and the keyword that rejects it.

How it works. A schema is compiled once, to a node for each schema object in it. A value is laid out once, to a place
for each part of it, numbered in document order. Judging asks a node at a place. Take this schema and this value:

    {"required": ["to"],                                        node R
     "properties": {"to": {"$ref": "#/$defs/address"},          node T
                    "cc": {"items": {"$ref": "#/$defs/address"}}},  nodes C, I
     "$defs": {"address": {"type": "string", "minLength": 3}}}  node A, shared: two ways lead to it

    {"cc": ["ann@x", "b"], "to": 7}                             places 0; 1 `/cc`, 2 `/cc/0`, 3 `/cc/1`; 4 `/to`

1. R at 0: its own assertion `required` comes first, since a container is rejected before what is in it. It holds.
2. R goes on to its members as they are written: C at 1, which asks I at 2 and at 3, and I asks A.
3. A at 3: `type` holds, `minLength` does not. The rejection is (place 3, `minLength`), and it passes through I and C as
   it is. T at 4 is never asked: R took its members in order, and the first that is rejected is the answer.

Other steps do not go through the value in order: each branch of `allOf` may reject at any depth. There every branch is
asked, and the rejection whose place has the smallest number is the answer. Of two at one place the first found stays.
`anyOf`, `oneOf`, `not`, `contains` and `propertyNames` ask in the same way, but keep to themselves what was rejected
inside and reject the place itself.

Nodes are generators that yield what they ask for, and `run` keeps those that wait in a list of its own, so that a value
that nests deep costs memory and no stack. Of a node that several ways lead to, `run` remembers the answer at each
place: the work is bounded by nodes times places, whatever the schema.
"""

import marshal
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from replay.validator.schema._keyword import Asks, Asserts
from replay.validator.schema._keywords import KEYWORDS, RANK
from replay.validator.schema._nodes import Node, Nodes, Rejection, Schema, run
from replay.validator.schema._places import lay_out, way_to
from replay.validator.schema._quick import Quick, quick
from replay.validator.schema._subset import Unsupported, examine


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A schema that can judge values."""

    root: Node
    nodes: Mapping[int, Node]  # by the id of their schema
    declared: frozenset[str]  # every property name the schema declares anywhere
    root_properties: tuple[str, ...]
    surely_accepts: Quick

    def rejection(self, value: object) -> Rejection | None:
        """The first rejection in document order, None where the value satisfies the schema."""
        if self.surely_accepts(value):
            return None
        root = lay_out(value)
        found = run(self.root, root)
        return None if found is None else replace(found, way=way_to(root, found.place))

    def accepts(self, value: object) -> bool:
        """Whether the value satisfies the schema."""
        return self.surely_accepts(value) or run(self.root, lay_out(value)) is None


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
    nodes = Nodes(examined.schemas, examined.targets)
    for inner in examined.schemas:
        _fill(nodes.of(inner), inner, nodes)
    tables = [table for inner in examined.schemas if isinstance(table := inner.get("properties"), dict)]
    own = schema.get("properties") if isinstance(schema, dict) else None
    return Compiled(
        root=nodes.of(schema),
        nodes=nodes.by_id,
        declared=frozenset(name for table in tables for name in table),
        root_properties=tuple(own) if isinstance(own, dict) else (),
        surely_accepts=quick(schema),
    )


def _fill(node: Node, schema: Schema, nodes: Nodes) -> None:
    """Gives a node what the keywords of its schema judge by: assertions as they are written, the others by rank."""
    asking = set()
    for word, value in schema.items():
        keyword = KEYWORDS.get(word)
        if keyword is None or keyword.judge is None:
            continue
        if isinstance(keyword.judge, Asserts):
            assertions = node.of_any if keyword.kind is None else node.of_kind.setdefault(keyword.kind, [])
            assertions.append((word, keyword.judge.make(value)))
        else:
            asking.add(keyword.judge)
    for judge in sorted(asking, key=RANK.__getitem__):
        if isinstance(judge, Asks):
            question = judge.make(schema, nodes)
            if question is not None:
                node.asked.append((judge.keyword, question))
        else:
            step = judge.make(schema, nodes)
            if step is not None:
                node.inside.append(step)

"""Keywords that lead to other schemas for the same value: `$ref`, `allOf`, `anyOf`, `oneOf`, `not`, `if`."""

from replay.validator.schema._nodes import Asking, Judging, Nodes, Question, Schema, Step, ask, earlier
from replay.validator.schema._places import Place


def a_local_reference(value: object) -> str | None:
    """Why the value of `$ref` is unsupported; whether a schema stands there is a question to the document."""
    local = isinstance(value, str) and (value == "#" or value.startswith("#/"))
    return None if local else "must be `#` or begin with `#/`: a reference never leaves the document"


def reference(schema: Schema, nodes: Nodes) -> Step:
    """`$ref`."""
    node = nodes.of_target(schema)
    return lambda place: ask(node, place)


def all_of(schema: Schema, nodes: Nodes) -> Step:
    """`allOf`."""
    branches = nodes.of_list(schema["allOf"])

    def step(place: Place) -> Judging:
        first = None
        for branch in branches:
            first = earlier(first, (yield from ask(branch, place)))
        return first

    return step


def any_of(schema: Schema, nodes: Nodes) -> Question:
    """`anyOf`."""
    branches = nodes.of_list(schema["anyOf"])

    def accepts(place: Place) -> Asking:
        for branch in branches:
            if (yield from ask(branch, place)) is None:
                return True
        return False

    return accepts


def one_of(schema: Schema, nodes: Nodes) -> Question:
    """`oneOf`."""
    branches = nodes.of_list(schema["oneOf"])

    def accepts(place: Place) -> Asking:
        accepted = 0
        for branch in branches:
            if (yield from ask(branch, place)) is None:
                accepted += 1
                if accepted == 2:
                    break
        return accepted == 1

    return accepts


def negation(schema: Schema, nodes: Nodes) -> Question:
    """`not`."""
    node = nodes.of(schema["not"])

    def accepts(place: Place) -> Asking:
        return (yield from ask(node, place)) is not None

    return accepts


def conditional(schema: Schema, nodes: Nodes) -> Step | None:
    """`if`, with `then` and `else`; without both there is nothing to ask, and without an `if` they say nothing."""
    if "if" not in schema or ("then" not in schema and "else" not in schema):
        return None
    condition = nodes.of(schema["if"])
    then, otherwise = nodes.of(schema.get("then", True)), nodes.of(schema.get("else", True))

    def step(place: Place) -> Judging:
        accepted = (yield from ask(condition, place)) is None
        return (yield from ask(then if accepted else otherwise, place))

    return step

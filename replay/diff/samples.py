"""Arguments that a schema accepts, for the healthy call of a control. Each is judged before it is given out.

For example, `{"properties": {"city": {"type": "string"}}, "required": ["city"]}` gives `{"city": "a"}`. Where no value
that is tried is accepted, there is none; a schema that the rules do not know is taken by the parts that they do know.
"""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING, Final

from replay.validator.schema import EXAMPLES, Compiled, compile_schema, resolve
from replay.validator.schema.patterns import Characters, Choice, Repeat, Sequence, compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from replay.validator.schema.patterns import Tree

# Schemas within schemas: a control needs no deeper value, and a schema that refers to itself ends here.
DEPTH: Final = 8
# Values that are tried for one place, and ways to put those of several places together.
TRIED: Final = 32
# Characters of a text, and items of a list, that are worth making.
LONGEST: Final = 4096
# The plainest first; a client may take an empty text, a zero or a list without items for nothing at all.
PLAIN: Final[Mapping[str, tuple[object, ...]]] = {
    "string": ("a", "1", "A", "en", "text", "2024-05-17", "2024-05-17T12:00:00Z", "a@example.com", ""),
    "integer": (1, 0, 2, 10, 100, -1),
    "number": (1, 0.5, 0, 10, 100, -1),
    "boolean": (True, False),
    "null": (None,),
}
_CHARACTERS: Final = "a1A" + "".join(map(chr, range(0x20, 0x7F)))


class Absent:
    """Stands where no value was found that the schema accepts."""


ABSENT: Final = Absent()


def sample(schema: object) -> object:
    """A value that the schema accepts, or `ABSENT`."""
    return _Samples(schema).first(schema, DEPTH)


class _Samples:
    """The values for the places of one schema."""

    def __init__(self, root: object) -> None:
        self._root = root

    def first(self, schema: object, depth: int) -> object:
        return next(self.of(schema, depth), ABSENT)

    def of(self, schema: object, depth: int) -> Iterator[object]:
        """The values that are accepted there, the plainest first."""
        if not isinstance(schema, dict):
            if schema is not False:
                yield "a"
            return
        known = self._compiled(schema)
        for value in islice(self._tried(schema, depth), TRIED):
            if value is not ABSENT and (known is None or known.accepts(value)):
                yield value

    def _compiled(self, schema: Mapping[str, object]) -> Compiled | None:
        """What judges a value there, with the definitions that the whole schema has; None where the rules cannot."""
        shared = (
            {key: self._root[key] for key in ("$defs", "definitions") if key in self._root}
            if isinstance(self._root, dict)
            else {}
        )
        compiled = compile_schema({**shared, **schema})
        return compiled if isinstance(compiled, Compiled) else None

    def _tried(self, schema: Mapping[str, object], depth: int) -> Iterator[object]:
        if depth == 0:
            return
        if "const" in schema:
            yield schema["const"]
        for word in ("enum", "examples"):
            shown = schema.get(word)
            yield from shown if isinstance(shown, list) else ()
        if "default" in schema:
            yield schema["default"]
        yield from self._branches(schema, depth)
        kinds = schema.get("type")
        for kind in kinds if isinstance(kinds, list) else [kinds] if kinds else self._meant(schema):
            yield from self._of_kind(kind, schema, depth)

    @staticmethod
    def _meant(schema: Mapping[str, object]) -> tuple[str, ...]:
        """The kinds to try where the schema names none."""
        return ("object",) if "properties" in schema or "required" in schema else ("string", "integer", "object")

    def _branches(self, schema: Mapping[str, object], depth: int) -> Iterator[object]:
        """Values of what the schema refers to, of each alternative, and of all that must hold at once."""
        rest = {key: value for key, value in schema.items() if key not in ("$ref", "anyOf", "oneOf", "allOf")}
        if isinstance(schema.get("$ref"), str):
            target = resolve(self._root, schema["$ref"])
            if isinstance(target, dict):
                yield from self._tried(_both(rest, target), depth - 1)
        for word in ("anyOf", "oneOf"):
            options = schema.get(word)
            for option in options if isinstance(options, list) else ():
                if isinstance(option, dict):
                    yield from islice(self._tried(_both(rest, option), depth - 1), TRIED // 4)
        parts = schema.get("allOf")
        if isinstance(parts, list):
            whole = rest
            for part in parts:
                whole = _both(whole, part) if isinstance(part, dict) else whole
            yield from self._tried(whole, depth - 1)

    def _of_kind(self, kind: object, schema: Mapping[str, object], depth: int) -> Iterator[object]:
        if kind == "object":
            yield from self._objects(schema, depth)
        elif kind == "array":
            yield from self._arrays(schema, depth)
        elif kind == "string":
            yield from _texts(schema)
        elif isinstance(kind, str):
            yield from _bounds(schema)
            yield from PLAIN.get(kind, ("a",))

    def _objects(self, schema: Mapping[str, object], depth: int) -> Iterator[object]:
        """The required members; then with the optional ones beside them."""
        properties = schema.get("properties")
        properties = properties if isinstance(properties, dict) else {}
        required = schema.get("required")
        needed = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
        some = [name for name in properties if name not in needed]
        for names in (needed, [*needed, *some[:1]], [*needed, *some]):
            values = [list(islice(self.of(properties.get(name, {}), depth - 1), 3)) for name in names]
            for chosen in islice(product(*values), TRIED // 8):
                yield dict(zip(names, chosen, strict=True))

    def _arrays(self, schema: Mapping[str, object], depth: int) -> Iterator[object]:
        least = _number(schema.get("minItems"))
        count = min(max(1 if least is None else int(least), 1), LONGEST)
        inner = schema.get("items", {})
        items = list(islice(self.of(inner, depth - 1), TRIED))
        if items:
            yield items[:count] if count <= len(items) else [items[at % len(items)] for at in range(count)]
            yield [items[0]] * count
        yield []


def _both(first: Mapping[str, object], second: Mapping[str, object]) -> dict[str, object]:
    """One schema that asks for what both ask for, as far as members and required ones go."""
    merged = {**first, **second}
    for word in ("properties", "$defs"):
        one, other = first.get(word), second.get(word)
        if isinstance(one, dict) and isinstance(other, dict):
            merged[word] = {**one, **other}
    one, other = first.get("required"), second.get("required")
    if isinstance(one, list) and isinstance(other, list):
        merged["required"] = list(dict.fromkeys([*one, *other]))
    return merged


def _number(value: object) -> float | int | None:
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = float(value)  # type: ignore[arg-type]  # what is no number is none
    except (TypeError, ValueError, OverflowError):
        return None
    return int(number) if number == int(number) else number


def _bounds(schema: Mapping[str, object]) -> Iterator[object]:
    for word, offset in (("minimum", 0), ("exclusiveMinimum", 1), ("maximum", 0), ("exclusiveMaximum", -1)):
        bound = _number(schema.get(word))
        if bound is not None:
            yield bound + offset
            yield bound + offset / 2
    step = _number(schema.get("multipleOf"))
    if step is not None:
        yield step


def _texts(schema: Mapping[str, object]) -> Iterator[object]:
    least, most = _number(schema.get("minLength")), _number(schema.get("maxLength"))
    named, source = schema.get("format"), schema.get("pattern")
    shown = EXAMPLES.get(named) if isinstance(named, str) else None
    matching = _matching(source) if isinstance(source, str) else None
    for text in (shown, matching, *PLAIN["string"]):
        if isinstance(text, str):
            yield text
            if least is not None and len(text) < least <= LONGEST:
                yield text + text[-1:] * (int(least) - len(text)) if text else "a" * int(least)
            if most is not None and len(text) > most:
                yield text[: int(most)]


def _matching(source: str) -> str | None:
    """A text that the pattern could match."""
    try:
        return _drawn(compile_pattern(source).tree)
    except (ValueError, RecursionError):
        return None


def _drawn(tree: Tree) -> str:
    if isinstance(tree, Characters):
        return next((character for character in _CHARACTERS if tree.holds(character)), "")
    if isinstance(tree, Choice):
        return _drawn(tree.options[0])
    if isinstance(tree, Sequence):
        return "".join(map(_drawn, tree.parts))[:LONGEST]
    if isinstance(tree, Repeat):
        return (_drawn(tree.body) * tree.least)[:LONGEST]
    return ""

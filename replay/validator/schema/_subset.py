"""Whether all of a schema is supported. A schema is walked whole before anything is judged by it.

A keyword without a row in the table makes the whole schema unsupported, for nobody knows what it would have rejected.
So does a value that the keyword cannot have, a reference that leaves the document or names no schema of it, and a loop
of schemas that would apply to one value for ever.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from replay.validator.schema._keyword import Applies, Holds
from replay.validator.schema._keywords import ANNOTATION_PREFIX, KEYWORDS
from replay.validator.schema._kinds.shapes import a_schema
from replay.validator.schema._pointers import NOWHERE, pointer_of, step, tokens_of


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The first place, in reading order, that is outside the subset, and why."""

    pointer: str
    why: str

    def __str__(self) -> str:
        return f"{self.pointer or 'the schema'} {self.why}"


@dataclass(frozen=True, slots=True)
class Supported:
    """Every schema object of a document that is supported whole, and what each reference in it names."""

    schemas: tuple[dict[str, object], ...]
    targets: Mapping[int, object]  # id of a schema object with `$ref` -> the schema it names


# A place in the schema: the place around it, and the last token. Spelled out only when it is reported.
_Place = tuple["_Place | None", str]


def examine(schema: object) -> Supported | Unsupported:
    """The parts of a schema that is supported whole, or the first place that is not. Linear in it."""
    why = a_schema(schema)
    if why is not None:
        return Unsupported("", why)
    found: dict[int, dict[str, object]] = {}
    places: dict[int, _Place | None] = {}
    targets: dict[int, object] = {}
    waiting: list[tuple[object, _Place | None]] = [(schema, None)]
    while waiting:
        current, place = waiting.pop()
        if not isinstance(current, dict) or id(current) in found:
            continue
        found[id(current)] = current
        places[id(current)] = place
        inner: list[tuple[object, _Place | None]] = []
        for word, value in current.items():
            keyword = KEYWORDS.get(word)
            here: _Place = (place, word)
            if keyword is None:
                if word.startswith(ANNOTATION_PREFIX):
                    continue
                return _unsupported(here, "is a keyword outside the subset")
            why = keyword.shape(value)
            if why is not None:
                return _unsupported(here, why)
            if word == "$ref":
                target = resolve(schema, value)
                if target is None:
                    return _unsupported(here, "names no schema of this document")
                targets[id(current)] = target
            if keyword.holds is not Holds.NOTHING:
                inner.extend((child, (here, token) if token else here) for token, child in keyword.schemas_in(value))
        waiting.extend(reversed(inner))
    loop = _loop(found, targets)
    if loop is not None:
        return _unsupported(places[loop], "applies itself to the same value again, without end")
    return Supported(tuple(found.values()), targets)


def _unsupported(place: _Place | None, why: str) -> Unsupported:
    tokens: list[str] = []
    while place is not None:
        place, token = place
        tokens.append(token)
    return Unsupported(pointer_of(reversed(tokens)), why)


def resolve(root: object, reference: object) -> object | None:
    """The schema of a document that a local reference such as `#/$defs/a` names, None where no schema stands there.

    A schema stands where keywords hold one: at `#/properties/a`, and neither at `#/properties` nor at `#/default/a`.
    """
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    try:
        tokens = iter(tokens_of(unquote_to_bytes(reference[1:]).decode()))
    except UnicodeError:
        return None
    current = root
    for word in tokens:
        keyword = KEYWORDS.get(word)
        if keyword is None or keyword.holds is Holds.NOTHING or not isinstance(current, dict):
            return None
        current = step(current, word)
        if keyword.holds is not Holds.ONE:
            token = next(tokens, None)
            as_it_should_be = isinstance(current, list if keyword.holds is Holds.LIST else dict)
            current = step(current, token) if token is not None and as_it_should_be else NOWHERE
    return current if isinstance(current, (dict, bool)) else None


def _loop(schemas: Mapping[int, dict[str, object]], targets: Mapping[int, object]) -> int | None:
    """The id of a schema that leads back to itself without going into the value, None where there is none."""
    done: set[int] = set()
    for start in schemas:
        open_now: set[int] = set()
        # A schema is met twice: on the way in, and when all it leads to is done.
        waiting: list[tuple[int, bool]] = [(start, False)]
        while waiting:
            current, leaving = waiting.pop()
            if leaving:
                open_now.discard(current)
                done.add(current)
                continue
            if current in open_now:
                return current
            if current in done:
                continue
            open_now.add(current)
            waiting.append((current, True))
            waiting.extend((following, False) for following in _applied_here(schemas[current], targets))
    return None


def _applied_here(schema: dict[str, object], targets: Mapping[int, object]) -> Iterator[int]:
    """The ids of the schema objects that apply to whatever value this one applies to."""
    if isinstance(targets.get(id(schema)), dict):
        yield id(targets[id(schema)])
    for word, value in schema.items():
        keyword = KEYWORDS.get(word)
        if keyword is not None and keyword.applies is Applies.HERE:
            yield from (id(child) for _, child in keyword.schemas_in(value) if isinstance(child, dict))

"""What streamed turns are made of, whatever the family: tools, arguments that satisfy them, and text in fragments.

All of it comes from a seed. Knows no payload.
"""

import json
import random
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from redaction.captured.exchange import Ending

LETTERS: Final = string.ascii_letters + string.digits
WORDS: Final = (
    "the a my our patient account balance doctor Berlin Zürich café Łódź 東京 🙂 invoice is was has had and or but "
    'with please remind me tomorrow about Ann Bob\'s "quoted" C:\\Users /home/ann 100% stage two lymphoma '
    "password: secret"
).split()

Payload: TypeAlias = Any
Chance: TypeAlias = random.Random


def prose(chance: Chance) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(chance.randrange(1, 14)))


def word(chance: Chance, size: int = 8) -> str:
    return "".join(chance.choice(LETTERS) for _ in range(size))


@dataclass(frozen=True, slots=True)
class Kind:
    """A schema of one property, values that satisfy it, and values that do not."""

    schema: object
    good: Callable[[Chance], object]
    bad: Callable[[Chance], object] | None = None


def _digits(chance: Chance, size: int) -> str:
    return "".join(chance.choice(string.digits) for _ in range(size))


KINDS: Final[Mapping[str, Kind]] = {
    "city": Kind({"type": "string", "minLength": 1, "description": "where"}, prose, lambda _: ""),
    "unit": Kind(
        {"type": "string", "enum": ["celsius", "fahrenheit"]},
        lambda chance: chance.choice(("celsius", "fahrenheit")),
        lambda chance: prose(chance),
    ),
    "code": Kind(
        {"type": "string", "pattern": "^[A-Z]{3}[0-9]{2,4}$"},
        lambda chance: "".join(chance.choice("ABCXYZ") for _ in range(3)) + _digits(chance, chance.randrange(2, 5)),
        lambda chance: prose(chance),
    ),
    "phone": Kind(
        {"type": "string", "pattern": "^\\+?[1-9]\\d{1,14}$"},
        lambda chance: "+4" + _digits(chance, chance.randrange(6, 13)),
        lambda chance: "call " + word(chance),
    ),
    "day": Kind(
        {"type": "string", "format": "date"},
        lambda chance: f"20{_digits(chance, 2)}-0{chance.randrange(1, 10)}-1{chance.randrange(10)}",
        lambda chance: prose(chance),
    ),
    "mail": Kind(
        {"type": "string", "format": "email", "maxLength": 40},
        lambda chance: f"{word(chance)}@{word(chance).lower()}.example",
        lambda chance: word(chance),
    ),
    "key": Kind(
        {"type": "string", "format": "uuid"},
        lambda chance: "-".join("".join(chance.choice("0123456789abcdef") for _ in range(n)) for n in (8, 4, 4, 4, 12)),
        lambda chance: word(chance),
    ),
    "count": Kind(
        {"type": "integer", "minimum": 1, "maximum": 50},
        lambda chance: chance.randrange(1, 51),
        lambda chance: chance.choice((0, -3, 51 + chance.randrange(10**6), 2.5, "two")),
    ),
    "price": Kind(
        {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.01},
        lambda chance: chance.randrange(1, 10**6) / 100,
        lambda chance: chance.choice((0, -chance.randrange(1, 99), 0.001 + chance.randrange(9))),
    ),
    "account": Kind({"type": "integer"}, lambda chance: chance.randrange(10**15), lambda chance: prose(chance)),
    "tags": Kind(
        {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "maxItems": 5},
        lambda chance: list({prose(chance): None for _ in range(chance.randrange(5))}),
        lambda chance: [tag := prose(chance), word(chance), tag],
    ),
    "scores": Kind(
        {"type": "array", "items": {"type": "number", "minimum": 0}, "minItems": 1},
        lambda chance: [chance.randrange(1000) / 4 for _ in range(chance.randrange(1, 6))],
        lambda chance: chance.choice(([], [1, -chance.randrange(1, 99)], [prose(chance)])),
    ),
    "facts": Kind(
        {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
        lambda chance: {prose(chance): chance.choice((prose(chance), None)) for _ in range(chance.randrange(4))},
        lambda chance: {prose(chance): chance.randrange(99)},
    ),
    "headers": Kind(
        {"type": "object", "patternProperties": {"^x-[a-z]+$": {"type": "string"}}, "additionalProperties": False},
        lambda chance: {f"x-{chance.choice(('trace', 'user', 'team'))}": prose(chance)},
        lambda chance: {word(chance): prose(chance)},
    ),
    "flags": Kind(
        {"type": "object", "propertyNames": {"maxLength": 6}},
        lambda chance: {word(chance, chance.randrange(1, 7)): chance.random() < 0.5 for _ in range(3)},
        lambda chance: {word(chance, 12): True},
    ),
    "either": Kind(
        {"anyOf": [{"type": "string", "maxLength": 5}, {"type": "integer"}]},
        lambda chance: chance.choice((word(chance, 4), chance.randrange(10**9))),
        lambda chance: prose(chance) + "......",
    ),
    "choice": Kind(
        {"oneOf": [{"const": "none"}, {"type": "object", "properties": {"to": {"$ref": "#/$defs/mail"}}}]},
        lambda chance: chance.choice(("none", {"to": f"{word(chance)}@b.example", word(chance): prose(chance)})),
        lambda chance: prose(chance),
    ),
    "shape": Kind(
        {
            "if": {"properties": {"kind": {"const": "circle"}}, "required": ["kind"]},
            "then": {"required": ["radius"]},
            "type": "object",
            "properties": {"kind": {"enum": ["circle", "line"]}, "radius": {"type": "number", "maximum": 10}},
        },
        lambda chance: {"kind": "circle", "radius": chance.randrange(10), word(chance): prose(chance)},
        lambda chance: {"kind": "circle", word(chance): prose(chance)},
    ),
    "pair": Kind(
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
        lambda chance: [prose(chance), chance.randrange(10**6)],
        lambda chance: [prose(chance), prose(chance)],
    ),
    "safe": Kind({"type": "boolean"}, lambda chance: chance.random() < 0.5, lambda chance: prose(chance)),
    "anything": Kind(
        True,
        lambda chance: chance.choice(
            (None, prose(chance), {prose(chance): [prose(chance), chance.randrange(99), {}]}, chance.randrange(10**9))
        ),
    ),
}
DEFINITIONS: Final = {"mail": {"type": "string", "format": "email"}}


@dataclass(slots=True)
class Call:
    """One call: its tool, and its arguments as text in fragments. `members` are what else stands in its item."""

    name: str
    value: dict[str, object]
    text: str
    pieces: list[str] = field(default_factory=list)
    call_id: str = ""
    free: bool = False  # the text is no JSON
    members: dict[str, object] = field(default_factory=dict)


@dataclass(slots=True)
class Turn:
    """A healthy turn, and what makes it one. `lead` has the kinds of the items before its calls, if there are some."""

    profile: str
    chance: Chance
    schemas: dict[str, dict[str, object]]
    calls: list[Call]
    texts: list[str]
    ending: Ending = Ending.MESSAGE_END
    tool_choice: str | None = None
    parallel: bool | None = None
    prompt: str = ""
    lead: list[str] = field(default_factory=list)


def cut(text: str, chance: Chance) -> list[str]:
    """Fragments of a text: whole, two, as small as tokens, or one character each."""
    style = chance.choice(("whole", "two", "tokens", "tokens", "tokens", "characters"))
    if style == "whole" or len(text) < 2:
        return [text]
    if style == "two":
        at = chance.randrange(1, len(text))
        return [text[:at], text[at:]]
    if style == "characters":
        return list(text)
    pieces, at = [], 0
    while at < len(text):
        size = chance.randrange(1, 9)
        pieces.append(text[at : at + size])
        at += size
    if chance.random() < 0.3:
        pieces.insert(chance.randrange(len(pieces) + 1), "")
    return pieces


def written(value: object, chance: Chance) -> str:
    """The value as a model writes JSON: with or without white space and escapes."""
    separators = chance.choice(((",", ":"), (", ", ": ")))
    indent = chance.choice((None, None, None, 1))
    return json.dumps(value, ensure_ascii=chance.random() < 0.5, separators=separators, indent=indent)


def turn(profile: str, chance: Chance, id_size: int) -> Turn:
    """A turn of text and one to three calls, its arguments good and its fragments cut."""
    schemas: dict[str, dict[str, object]] = {}
    calls = []
    for number in range(chance.randrange(1, 4)):
        name = f"{chance.choice(('get', 'send', 'find'))}_{chance.choice(('weather', 'mail', 'record'))}_{number}"
        kinds = chance.sample(sorted(KINDS), chance.randrange(1, 6))
        schema: dict[str, object] = {
            "type": "object",
            "title": prose(chance),
            "properties": {kind: KINDS[kind].schema for kind in kinds},
            "required": kinds[:1],
            "$defs": DEFINITIONS,
        }
        schemas[name] = schema
        value = {kind: KINDS[kind].good(chance) for kind in kinds}
        if chance.random() < 0.2:
            schema["additionalProperties"] = False
        elif chance.random() < 0.5:
            value[f"extra {word(chance)}"] = prose(chance)
        text = written(value, chance)
        calls.append(Call(name, value, text, cut(text, chance), call_id=word(chance, id_size)))
    texts = [prose(chance) + " " for _ in range(chance.randrange(3))]
    return Turn(profile, chance, schemas, calls, texts)


def retold(one: Turn, at: int, text: str) -> None:
    """Another argument text for the call at `at`."""
    one.calls[at].text = text
    one.calls[at].pieces = cut(text, one.chance)


def strange(chance: Chance) -> list[Payload]:
    """Payloads that are none in any family."""
    return [
        [prose(chance)],
        chance.randrange(99),
        "upstream said " + prose(chance),
        '{"a": "' + word(chance),
        "{} {}",
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
    ]

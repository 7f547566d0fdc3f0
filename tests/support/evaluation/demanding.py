"""Schemas of real tools that ask several things of one value at once, and arguments that satisfy and that violate them.

A real schema (`tests/data/schemas/tools.jsonl`) declares `url` as a text. Here it is a `uri` that begins with `https://`
as well, the tags of a list differ and match a pattern, and keys that begin with `x-` may be added: what applications
write, and what one sample of one keyword cannot answer. Texts are found by chance, from the tree of an expression and
by trying; nothing here uses the search of redaction.
"""

import collections
import json
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from support.recorded.exchanges import exchange_of

from redaction.captured.exchange import Exchange, Proved
from redaction.redactor import redact
from replay.validator.schema import FORMATS, unsupported, violation
from replay.validator.schema.patterns import Anchor, Characters, Choice, PatternError, Repeat, Tree, parse

Schema = dict[str, Any]
TOOLS: Final = Path(__file__).resolve().parents[2] / "data" / "schemas" / "tools.jsonl"

# What is asked of a text whose name holds one of the words; the first row that fits counts.
_TEXTS: Final[tuple[tuple[str, tuple[Schema, ...]], ...]] = (
    ("email", ({"format": "email", "pattern": r"@[a-z]+\.(com|org)$"}, {"format": "email", "maxLength": 30})),
    (
        "url uri link endpoint",
        ({"format": "uri", "pattern": "^https://"}, {"format": "uri", "pattern": r"^https?://.+\.pdf$"}),
    ),
    ("date day", ({"format": "date", "pattern": "^20"}, {"format": "date", "not": {"pattern": "-02-29$"}})),
    (
        "time start end",
        ({"format": "date-time", "pattern": "Z$"}, {"pattern": r"^\d{2}:\d{2}", "not": {"pattern": "^24"}}),
    ),
    (
        "ip host server domain",
        ({"format": "ipv4", "pattern": r"^10\."}, {"format": "hostname", "pattern": r"\.internal$"}),
    ),
    ("password token secret key", ({"allOf": [{"pattern": "[A-Z]"}, {"pattern": "[0-9]"}, {"minLength": 8}]},)),
    (
        "path file dir folder",
        ({"pattern": "^/", "not": {"pattern": r"\.\."}}, {"allOf": [{"pattern": "^/"}, {"pattern": r"\.(csv|json)$"}]}),
    ),
    ("uuid guid", ({"format": "uuid", "pattern": "^[0-9a-f-]+$"},)),
    (
        "id",
        (
            {"pattern": "^[a-z]+_[0-9a-z]+$", "minLength": 6, "maxLength": 24},
            {"allOf": [{"pattern": "^[A-Z]"}, {"pattern": "[0-9]$"}]},
        ),
    ),
    ("color colour", ({"pattern": "^#[0-9a-fA-F]{6}$", "not": {"pattern": "^#0"}},)),
    ("code currency country lang", ({"pattern": "^[A-Z]{2,3}$", "not": {"enum": ["XX", "XXX"]}},)),
    ("name title", ({"minLength": 2, "maxLength": 40, "not": {"pattern": "[<>]"}}, {"pattern": "^[^\\s].*[^\\s]$"})),
    ("query text content message", ({"pattern": r"\S", "maxLength": 200}, {"pattern": r"^[\s\S]{1,90}$"})),
    ("", ({"anyOf": [{"pattern": "^[a-z]+$"}, {"pattern": "[0-9]", "minLength": 3}]}, {"type": "string"})),
)
_NUMBERS: Final[tuple[Schema, ...]] = (
    {"minimum": 1, "multipleOf": 5},
    {"exclusiveMinimum": 0, "maximum": 1000},
    {"allOf": [{"multipleOf": 4}, {"multipleOf": 6}], "minimum": 1},
    {"minimum": -5, "not": {"const": 0}},
)
_KEYS: Final[tuple[Schema, ...]] = (
    {"patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": False},
    {"patternProperties": {"_id$": {"type": "string", "pattern": "^[a-z0-9]+$"}, "^S_": {"type": "string"}}},
    {"propertyNames": {"pattern": "^[a-z]+(-[a-z]+)*$", "maxLength": 20}},
    {"propertyNames": {"not": {"pattern": "^_"}}, "patternProperties": {"^[a-z]{2}_[A-Z]{2}$": {"type": "string"}}},
)


def schemas(seed: int) -> list[Schema]:
    """The schemas: supported ones alone."""
    chance = random.Random(seed)
    rows = [json.loads(line) for line in TOOLS.read_text("utf-8").splitlines()]
    found = [_harder(row["schema"], "", chance) for row in rows]
    return [schema for schema in found if unsupported(schema) is None]


def _harder(schema: Any, name: str, chance: random.Random) -> Any:
    """The schema, with more that is asked of each value in it."""
    if not isinstance(schema, dict):
        return schema
    made = dict(schema)
    for word in ("anyOf", "oneOf", "allOf"):
        if isinstance(made.get(word), list):
            made[word] = [_harder(inner, name, chance) for inner in made[word]]
    kind = made.get("type")
    plain = "enum" not in made and "const" not in made
    if kind == "string" and plain and not made.keys() & {"pattern", "format"}:
        words = name.lower()
        row = next(more for hints, more in _TEXTS if not hints or any(hint in words for hint in hints.split()))
        made |= chance.choice(row)
    elif kind in ("integer", "number") and plain and not made.keys() & {"minimum", "maximum", "multipleOf"}:
        made |= chance.choice(_NUMBERS)
    elif kind == "array":
        items = _harder(made.get("items", {"type": "string"}), name, chance)
        made |= {"items": items, "uniqueItems": True}
    elif kind == "object":
        known = made.get("properties")
        if isinstance(known, dict) and known:
            made["properties"] = {key: _harder(inner, key, chance) for key, inner in known.items()}
        if chance.random() < 0.5 and not made.keys() & {"patternProperties", "propertyNames"}:
            more = chance.choice(_KEYS)
            made |= more if "propertyNames" not in more or not known else _KEYS[0]
    return made


# -- arguments


class NoValueError(Exception):
    """Chance found no value that satisfies the schema."""


def satisfying(schema: Schema, chance: random.Random) -> Any:
    """Arguments that the schema accepts; raises `NoValueError`."""
    for _ in range(40):
        try:
            value = _value(schema, schema, chance, 0)
        except NoValueError:
            continue
        if isinstance(value, dict) and violation(schema, value) is None:
            return value
    raise NoValueError


def violating(schema: Schema, chance: random.Random) -> Any:
    """Arguments of which one or two places were changed at random."""
    value = satisfying(schema, chance)
    for _ in range(chance.choice((1, 1, 2))):
        places = [*_places(value)]
        if places:
            holder, key = chance.choice(places)
            holder[key] = chance.choice(_OTHERS)(holder[key], chance)
        else:
            value[_word(chance)] = _text(chance)
        if chance.random() < 0.2:
            value[chance.choice((_word, _text))(chance)] = _text(chance)
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    waiting = [value]
    while waiting:
        here = waiting.pop()
        for key in here if isinstance(here, dict) else range(len(here)):
            yield here, key
            if isinstance(here[key], (dict, list)):
                waiting.append(here[key])


def _word(chance: random.Random) -> str:
    return "".join(chance.choice(string.ascii_lowercase) for _ in range(chance.randrange(1, 9)))


def _text(chance: random.Random) -> str:
    more = "".join(chance.choice(" -_./:@#ÄéA0Zz19\n<>") for _ in range(chance.randrange(0, 12)))
    return chance.choice((_word(chance), more, f"{_word(chance)} {more}", _word(chance) + more, more * 20))


def _changed_text(value: Any, chance: random.Random) -> Any:
    if not isinstance(value, str) or not value:
        return _text(chance)
    at = chance.randrange(len(value))
    return chance.choice((value[:at] + chance.choice("x0 -é") + value[at + 1 :], value[:at], value * 2, value.upper()))


_OTHERS: Final[tuple[Callable[[Any, random.Random], Any], ...]] = (
    _changed_text,
    _changed_text,
    lambda _, chance: _text(chance),
    lambda _, chance: chance.choice((0, -1, 7, 2.5, 10**9, 3.0, 1e30, -0.001)),
    lambda _, chance: chance.choice((None, True, [], {}, [1, 1], {"x": 1}, "")),
)


def _value(schema: Any, root: Schema, chance: random.Random, depth: int) -> Any:
    """A value that the schema may accept."""
    if schema is True or schema == {}:
        return _text(chance)
    if not isinstance(schema, dict) or depth > 8:
        raise NoValueError
    if "$ref" in schema:
        here: Any = root
        for token in str(schema["$ref"]).split("/")[1:]:
            here = here[token]
        return _value(here, root, chance, depth + 1)
    for word in ("anyOf", "oneOf"):
        if word in schema and schema.get("type") != "string":
            rest = {key: inner for key, inner in schema.items() if key != word}
            return _value({**rest, **chance.choice(schema[word])}, root, chance, depth + 1)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return chance.choice(schema["enum"])
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = chance.choice(kind) if isinstance(kind, list) else kind
    return _BY_KIND[kind](schema, root, chance, depth)


def _object(schema: Schema, root: Schema, chance: random.Random, depth: int) -> Any:
    found: dict[str, Any] = {}
    for key, inner in schema.get("properties", {}).items():
        if key in schema.get("required", ()) or chance.random() < 0.6:
            found[key] = _value(inner, root, chance, depth + 1)
    patterns = [*schema.get("patternProperties", {}).items()]
    names = schema.get("propertyNames")
    for _ in range(chance.randrange(4) if patterns or names else 0):
        pattern, inner = chance.choice(patterns) if patterns else (None, {"type": "string"})
        asked = {**(names or {}), **({"allOf": [{"pattern": pattern}]} if pattern else {})}
        key = _string({"type": "string", **asked}, root, chance, depth)
        found.setdefault(key, _value(inner, root, chance, depth + 1))
    if not schema.get("properties") and not patterns and names is None:
        found |= {_word(chance): _text(chance) for _ in range(chance.randrange(3))}
    return found


def _array(schema: Schema, root: Schema, chance: random.Random, depth: int) -> Any:
    least = schema.get("minItems", 0)
    found: list[Any] = []
    for _ in range(40):
        if len(found) >= least + chance.randrange(5):
            break
        item = _value(schema.get("items", True), root, chance, depth + 1)
        if item not in found:
            found.append(item)
    return found[: schema.get("maxItems", 99)]


def _string(schema: Schema, _: Schema, chance: random.Random, __: int) -> Any:
    parts = [schema, *schema.get("allOf", ()), *schema.get("anyOf", ())]
    asked = {key: value for key, value in schema.items() if key != "$defs"}
    expressions = [part["pattern"] for part in parts if "pattern" in part]
    for attempt in range(300):
        text = _text(chance) if attempt % 3 == 2 else ""
        if "format" in schema and attempt % 3 < 2:
            text = _OF_FORMAT.get(schema["format"], _text)(chance)
        if expressions and (attempt % 2 or "format" not in schema):
            text = "".join(_matching(one, chance) for one in chance.sample(expressions, len(expressions)))
            if attempt % 5 == 0:
                text += _word(chance)
        if violation(asked, text) is None:
            return text
    raise NoValueError


def _number(schema: Schema, _: Schema, chance: random.Random, __: int) -> Any:
    steps = [part["multipleOf"] for part in (schema, *schema.get("allOf", ())) if "multipleOf" in part]
    whole = schema.get("type") == "integer"
    low = schema.get("minimum", schema.get("exclusiveMinimum", -50))
    high = schema.get("maximum", schema.get("exclusiveMaximum", low + 1000))
    for _ in range(200):
        number = chance.uniform(low, high)
        value: Any = round(number / steps[0]) * steps[0] if steps else round(number) if whole else round(number, 2)
        if violation(schema, value) is None:
            return value
    raise NoValueError


_BY_KIND: Final[dict[str, Callable[[Schema, Schema, random.Random, int], Any]]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _number,
    "number": _number,
    "boolean": lambda _, __, chance, ___: chance.random() < 0.5,
    "null": lambda _, __, ___, ____: None,
}


def _two(chance: random.Random, most: int) -> str:
    return f"{chance.randrange(1, most):02}"


def _date(chance: random.Random) -> str:
    return f"{chance.choice((1999, 2024, 2031))}-{_two(chance, 13)}-{_two(chance, 29)}"


def _moment(chance: random.Random) -> str:
    return f"{_date(chance)}T{_two(chance, 24)}:{_two(chance, 60)}:{_two(chance, 60)}{chance.choice(('Z', '+02:00'))}"


_OF_FORMAT: Final[dict[str, Callable[[random.Random], str]]] = {
    "date": _date,
    "date-time": _moment,
    "email": lambda chance: f"{_word(chance)}.{_word(chance)}@{_word(chance)}.{chance.choice(('com', 'org', 'de'))}",
    "uri": lambda chance: (
        f"http{chance.choice(('', 's'))}://{_word(chance)}.com/{_word(chance)}{chance.choice(('', '.pdf'))}"
    ),
    "ipv4": lambda chance: f"{chance.choice((10, 192))}.{chance.randrange(256)}.{chance.randrange(256)}.7",
    "hostname": lambda chance: f"{_word(chance)}.{chance.choice(('internal', 'example'))}",
    "uuid": lambda chance: "-".join(f"{chance.randrange(16**n):0{n}x}" for n in (8, 4, 4, 4, 12)),
}
assert _OF_FORMAT.keys() <= FORMATS.keys()


def _matching(expression: str, chance: random.Random) -> str:
    """A text that the expression should match, by chance at each choice."""
    try:
        return _spelled(parse(expression), chance)
    except PatternError:
        return ""


def _spelled(tree: Tree, chance: random.Random) -> str:
    if isinstance(tree, Anchor):
        return ""
    if isinstance(tree, Characters):
        letters = [one for one in string.printable if tree.holds(one)]
        return chance.choice(letters) if letters else "é"
    if isinstance(tree, Choice):
        return _spelled(chance.choice(tree.options), chance)
    if isinstance(tree, Repeat):
        most = tree.least + 12 if tree.most is None else min(tree.most, tree.least + 12)
        return "".join(_spelled(tree.body, chance) for _ in range(chance.randint(tree.least, most)))
    return "".join(_spelled(part, chance) for part in tree.parts)


# -- what is measured


SATISFIED: Final = "arguments that satisfy"
VIOLATED: Final = "arguments that violate"
STILL_SATISFIED: Final = "changed, and still satisfy"


@dataclass(slots=True)
class Row:
    """One kind of turn: how many, proved on the most private rung, on others, and refused."""

    turns: int = 0
    canonical: int = 0
    further: int = 0
    refused: int = 0


@dataclass(slots=True)
class Demands:
    """How many schemas there are, and what became of the calls that they judge."""

    schemas: int = 0
    rows: dict[str, Row] = field(default_factory=lambda: collections.defaultdict(Row))


def exchange(schema: Schema, arguments: object, chance: random.Random) -> Exchange:
    """A call with these arguments, whole or in fragments as small as tokens."""
    text = json.dumps(arguments, ensure_ascii=chance.random() < 0.3)
    pieces = [text] if chance.random() < 0.5 else [text[at : at + 5] for at in range(0, len(text), 5)]
    choices: list[Any] = [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": one}}]}} for one in pieces]
    first = choices[0]["delta"]["tool_calls"][0]
    first["id"], first["function"]["name"] = "call_9", "t"
    choices.append({"delta": {}, "finish_reason": "tool_calls"})
    chunks = [{"id": "c1", "choices": [{"index": 0, **choice}]} for choice in choices]
    return exchange_of({"profile": "openai", "tool_schemas": {"t": schema}, "chunks": chunks})


def measure(seed: int, each: int, *, say: Callable[[str], None] = lambda _: None) -> Demands:
    """`each` calls of every schema that satisfy it, and as many that were changed. `redact` compares the verdicts."""
    found = Demands()
    for number, schema in enumerate(schemas(seed)):
        found.schemas += 1
        chance = random.Random(f"{seed} {number}")
        for make in (satisfying, violating) * each:
            try:
                arguments = make(schema, chance)
            except NoValueError:
                continue
            accepted = violation(schema, arguments) is None
            changed = STILL_SATISFIED if accepted else VIOLATED
            row = found.rows[SATISFIED if make is satisfying else changed]
            result = redact(exchange(schema, arguments, chance))
            row.turns += 1
            row.refused += not isinstance(result, Proved)
            row.canonical += isinstance(result, Proved) and result.rung == "canonical"
            row.further += isinstance(result, Proved) and result.rung != "canonical"
    say(f"several rules at one place: {found.schemas} schemas")
    return found

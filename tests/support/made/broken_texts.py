"""Argument texts that are broken at random: valid ones with characters put in, taken out, doubled and cut off."""

import json
import math
import random
from itertools import pairwise
from typing import Any, Final

from support.made import captures

from redaction.captured.exchange import Exchange
from redaction.families import FAMILIES

SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 2, "pattern": "^[A-Z]"},
        "days": {"type": "integer", "minimum": 1},
        "when": {"type": "string", "format": "date"},
        "tags": {"type": "array", "uniqueItems": True, "items": {"type": "string"}},
        "mode": {"enum": ["fast", "slow", 3]},
    },
    "required": ["city"],
}
_VALUES: Final[tuple[Any, ...]] = (
    "Oslo", "Zürich \u00e9\n", "2024-05-17", "\U0001f600 ok", "", "fast", 3, 17.25, -1e30, 0, True, None,
    ["a", "b", "a"], [], {}, {"x": [1, {"y": "z"}]}, "\ud800", float("inf"), float("nan"),
)  # fmt: skip
_OF_JSON: Final = tuple(value for value in _VALUES if not isinstance(value, float) or math.isfinite(value))
# What models and gateways put where it does not belong; each once as it stands, and by chance inside a word.
_ODD: Final = (
    *map(chr, range(0x20)), "\x7f", "\u00a0", "\ufeff", "\u2028", "\ud83d", "Infinity", "-Infinity", "NaN", "1e999",
    "undefined", "None", "True", "'", '"', "\\", "\\u", "\\ud83d", "\\x41", "//", "/*", "```", "{", "}", "[", "]", ",",
    ":", "7", "-", ".5", "01", "+1", "1.", "1e", "0x1F", " ", "\n\n", "{}", '{"a":1}', "<tool>", "…", "null", "tru",
)  # fmt: skip


def broken_text(chance: random.Random) -> str:
    """One text; some are whole by luck."""
    names = [*SCHEMA["properties"], "note", "x"]
    value = {chance.choice(names): chance.choice(_VALUES) for _ in range(chance.randrange(5))}
    whole: Any = value if chance.random() < 0.9 else [value]
    text = json.dumps(whole, ensure_ascii=chance.random() < 0.5, indent=chance.choice((None, None, 1)))
    if value and chance.random() < 0.2:
        text = text.replace("{", '{"x":1,"x":[],', 1)
    for _ in range(chance.choice((0, 0, 1, 1, 1, 2, 3))):
        at = chance.choice((0, len(text), chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)))
        odd = chance.choice(_ODD) + chance.choice(("", "", " ", chance.choice(_ODD)))
        to = min(len(text), at + chance.choice((0, 0, 0, 1, 2, 6)))
        text = text[:at] + odd + text[to:]
    return text[: chance.randrange(len(text) + 1)] if chance.random() < 0.2 else text


def pieces_of(text: str, chance: random.Random) -> list[str]:
    """The text in fragments, some of them empty."""
    if chance.random() < 0.4:
        return [text]
    at = sorted(chance.randrange(len(text) + 1) for _ in range(chance.randrange(1, 6)))
    bounds = [0, *at, len(text)]
    return [text[low:high] for low, high in pairwise(bounds)]


def turn(chance: random.Random) -> dict[str, Any]:
    """A turn with one or two calls whose arguments are broken, as a fixture of the family `openai`."""
    chunks: list[Any] = []
    for slot in range(chance.choice((1, 1, 2))):
        for number, piece in enumerate(pieces_of(broken_text(chance), chance)):
            entry: dict[str, Any] = {"index": slot, "function": {"arguments": piece}}
            if not number:
                entry |= {
                    "id": f"call_{slot}",
                    "function": {"name": chance.choice(("t", "t", "u")), "arguments": piece},
                }
            chunks.append({"id": "c", "choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]})
    chunks.append({"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    return {"profile": "openai", "tool_schemas": {"t": SCHEMA, "u": {"type": "object"}}, "chunks": chunks}


# The families whose arguments stand in the payload as an object: broken ones would break the payload.
_AS_OBJECTS: Final = frozenset(name for name, family in FAMILIES.items() if family.spoken.counted)


def exchange(profile: str, chance: random.Random) -> Exchange:
    """A turn of this family with one to three calls whose arguments are broken, or odd where they come as an object."""
    one = captures.turn(profile, chance)
    one.schemas.update({call.name: SCHEMA for call in one.calls})
    for call in one.calls:
        call.value = {chance.choice([*SCHEMA["properties"], "x"]): chance.choice(_OF_JSON) for _ in range(3)}
        call.text = json.dumps(call.value) if profile in _AS_OBJECTS else broken_text(chance)
        call.pieces = pieces_of(call.text, chance)
    return captures.exchange(one, captures.payloads(one))

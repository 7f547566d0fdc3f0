"""Canaries by the name of their place, and what of a request and of arguments holds them in every family."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from support.canaries import canary


def digits(place: str) -> int:
    """Fourteen digits, always the same for one place."""
    return 10**13 + int(hashlib.sha256(place.encode()).hexdigest(), 16) % (9 * 10**13)


def fives(text: str) -> list[str]:
    """Pieces of five characters."""
    return [text[at : at + 5] for at in range(0, len(text), 5)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What canaries are made of, by the name of their place, and how argument text is cut."""

    text: Callable[[str], str] = canary
    number: Callable[[str], int] = digits
    pieces: Callable[[str], list[str]] = fives


PLAIN: Final = Material()


class Planter:
    """Makes the canary of each place of one exchange, and remembers it."""

    def __init__(self, profile: str, material: Material) -> None:
        self._profile = profile
        self._material = material
        self.canaries: dict[str, str] = {}
        self.pieces = material.pieces

    def __call__(self, place: str) -> str:
        if place not in self.canaries:
            self.canaries[place] = self._material.text(f"{self._profile} {place}")
        return self.canaries[place]

    def line(self, place: str) -> str:
        """The canary where a line of the stream or of a header must hold it."""
        return self(place).replace("\r", " ").replace("\n", " ")

    def number(self, place: str) -> int:
        value = self._material.number(f"{self._profile} {place}")
        self.canaries[place] = str(value)
        return value

    def index(self, place: str) -> int:
        """Ten digits that may be an index."""
        value = 10**9 + self._material.number(f"{self._profile} {place}") % 10**9
        self.canaries[place] = str(value)
        return value


def schema(plant: Planter) -> dict[str, object]:
    """Prose and names in every place of a schema that must not survive."""
    return {
        "type": "object",
        "title": plant("schema title"),
        "description": plant("schema description"),
        "$comment": plant("schema comment"),
        "default": {plant("key of a default"): plant("schema default")},
        "examples": [plant("schema example"), plant.number("schema example number")],
        "x-team": plant("schema extension"),
        f"x-{plant('name of a schema extension')}": 1,
        "properties": {
            "city": {
                "type": "string",
                "description": plant("property description"),
                "default": plant("property default"),
            },
            "to": {"$ref": f"#/$defs/{plant('definition name')}"},
            "n": {"type": "integer"},
        },
        "$defs": {plant("definition name"): {"type": "string", "title": plant("definition title")}},
    }


def unsupported_schema(plant: Planter) -> dict[str, object]:
    return {
        "$id": plant("schema id"),
        plant("unknown keyword"): plant("value of an unknown keyword"),
        "pattern": f"(?={plant('pattern outside the subset')})",
        "format": plant("unknown format"),
        "$ref": f"#/components/schemas/{plant('foreign reference')}",
        "enum": plant("enum that is no list"),
        "type": plant("type that is none"),
        "required": plant("required that is no list"),
        "properties": {"a": plant("schema that is none")},
    }


def arguments(plant: Planter) -> list[str]:
    """Argument fragments that cut the canaries."""
    text = json.dumps(
        {
            "city": plant("argument value"),
            plant("argument key"): [plant("argument item"), plant.number("argument number")],
            "to": {"deep": plant("deep argument")},
            "escaped": f'\n"{plant("escaped argument")}é',
        }
    )
    return plant.pieces(text)

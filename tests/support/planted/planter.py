"""Samples of what an API says, read from `tests/data/hiding`, with a canary at each place that they name.

A sample is JSON. These marks stand in it:

    "«user message»"                      the canary of this place, in a text or in the name of a member
    "«#usage»", "«##large slot»"          its digits, and digits that can be an index
    {"@": "citation", "@what": "of x"}    a part of the sample, here with "of x" wherever it says `@what`;
                                          members beside it replace those of the part or follow them
    {"@json": {"q": "«query»"}}           the value as JSON text
    {"@pieces": "a text"}                 the pieces of a text
    {"@each": […], "@as": […]}            in a list: these for each value, which is `@it`; `@at` counts from `@from`
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from support.planted.canaries import canary


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
        if place not in self.canaries:
            self.canaries[place] = str(self._material.number(f"{self._profile} {place}"))
        return int(self.canaries[place])

    def index(self, place: str) -> int:
        """Ten digits that may be an index."""
        if place not in self.canaries:
            self.canaries[place] = str(10**9 + self._material.number(f"{self._profile} {place}") % 10**9)
        return int(self.canaries[place])


Said = Mapping[str, Any]

_MARK: Final = re.compile("«(#{0,2})(.+?)»")


class Filled:
    """A sample with canaries in the places of its marks."""

    def __init__(self, plant: Planter, parts: Said) -> None:
        self._plant = plant
        self._parts = parts

    def value(self, node: Any, said: Said) -> Any:
        """What stands there for `node`; `said` has what the words with an `@` stand for."""
        if isinstance(node, str):
            return self._text(node, said)
        if isinstance(node, list):
            return [one for inner in node for one in self._spread(inner, said)]
        if not isinstance(node, dict):
            return node
        if "@json" in node:
            return json.dumps(self.value(node["@json"], said))
        if "@pieces" in node:
            return self._plant.pieces(self.value(node["@pieces"], said))
        words = {name: self.value(one, said) for name, one in node.items() if name.startswith("@") and name != "@"}
        inside = {**said, **words}
        told = ((name, one) for name, one in node.items() if not name.startswith("@"))
        members = {self._text(name, inside): self.value(one, inside) for name, one in told}
        if "@" not in node:
            return members
        part = self.value(self._parts[node["@"]], inside)
        return {**part, **members} if isinstance(part, dict) else part

    def _spread(self, node: Any, said: Said) -> list[Any]:
        """What stands in a list for one entry of it."""
        if isinstance(node, dict) and "@each" in node:
            numbered = enumerate(self.value(node["@each"], said), node.get("@from", 0))
            return [one for at, it in numbered for one in self.value(node["@as"], {**said, "@at": at, "@it": it})]
        made = self.value(node, said)
        return made if isinstance(made, list) and isinstance(node, dict) else [made]

    def _text(self, text: str, said: Said) -> Any:
        if text in said:
            return said[text]
        for name, value in said.items():
            text = text.replace(name, value) if isinstance(value, str) else text
        whole = _MARK.fullmatch(text)
        if whole and whole[1]:
            return self._plant.number(whole[2]) if whole[1] == "#" else self._plant.index(whole[2])
        return _MARK.sub(lambda mark: self._plant(mark[2]), text)

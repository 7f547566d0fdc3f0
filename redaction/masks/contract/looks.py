"""What in the declared words of a tool looks like data of somebody, rather than like words of a contract.

An application that builds its tools from data (an enum of the user's contacts, a tenant in a description) sends that
data out with every fixture, for redaction keeps what is declared. Nobody can tell by looking, so this is no part of any
proof: it finds the usual forms, and a line asks the user to look. Knows schemas; knows no capture.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Final

from redaction.captured.exchange import ToolTold
from replay.validator.schema import KEYWORDS, Holds

_UUID: Final = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_LABEL: Final = r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)"
# Endings that words of a program seldom have; those of countries need a third label, for `sign.in` is no host.
_ENDINGS: Final = "com|net|org|io|edu|gov|internal|intranet|local|localdomain|lan|corp|cloud|example|test|invalid"
_COUNTRIES: Final = "ac|at|au|be|br|ca|ch|cn|de|dk|es|eu|fi|fr|ie|in|it|jp|kr|nl|no|nz|pl|pt|ru|se|uk|us"
_LOOKS: Final[Mapping[str, re.Pattern[str]]] = {
    "mail addresses": re.compile(r"[^\s@<>()]@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}", re.IGNORECASE),
    "UUIDs": re.compile(rf"(?<![0-9a-zA-Z]){_UUID}(?![0-9a-zA-Z])"),
    "long numbers": re.compile(r"\+[0-9](?:[ ().-]{0,2}[0-9]){6,}|(?<![0-9.])(?![0-9]*000(?![0-9]))[0-9]{6,}"),
    "host names": re.compile(
        rf"(?<![\w@.-])(?:{_LABEL}+(?:{_ENDINGS})|{_LABEL}{{2,}}(?:{_COUNTRIES})|(?:[0-9]{{1,3}}\.){{3}}[0-9]{{1,3}})"
        r"(?![\w-]|\.[a-z0-9])|[a-z]://[a-z0-9]",
        re.IGNORECASE,
    ),
}


def tool_told(name: str, schema: object) -> ToolTold:
    """What a fixture tells of a tool, as a digest, and what in it looks like data."""
    text = json.dumps(schema, default=str)
    return ToolTold(
        name=name,
        digest=hashlib.sha256(text.encode()).hexdigest(),
        looks_like=looks_like_data([name, *_words(schema)]),
    )


def looks_like_data(words: Iterable[str]) -> tuple[str, ...]:
    """What the words look like: `mail addresses`, `UUIDs`, `long numbers`, `host names`."""
    found: set[str] = set()
    for word in words:
        rest = word
        for kind, expression in _LOOKS.items():
            rest, count = expression.subn(" ", rest)  # the host of an address is no other one
            if count:
                found.add(kind)
    return tuple(kind for kind in _LOOKS if kind in found)


def _words(schema: object) -> Iterator[str]:
    """The names, listed values and expressions that a schema declares, as text."""
    waiting = [schema]
    while waiting:
        here = waiting.pop()
        if not isinstance(here, Mapping):
            continue
        for word, value in here.items():
            keyword = KEYWORDS.get(word)
            if keyword is None:
                continue
            waiting += (inner for _, inner in keyword.schemas_in(value))
            if keyword.holds is Holds.NAMED and isinstance(value, Mapping):
                yield from value
            elif word in ("enum", "const"):
                yield from _said(value)
            elif word == "pattern":
                yield str(value).replace("\\", "")


def _said(start: object) -> Iterator[str]:
    waiting = [start]
    while waiting:
        here = waiting.pop()
        if isinstance(here, Mapping):
            yield from here
            waiting += here.values()
        elif isinstance(here, list):
            waiting += here
        elif isinstance(here, (str, int, Decimal)) and not isinstance(here, bool):
            yield str(here)

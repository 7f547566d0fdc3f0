"""Secrets in the contract itself: canaries in the names and listed values of real tools, in calls of these tools.

A real schema (`tests/data/schemas/tools.jsonl`) is declared under words that hold canaries: the name of the tool, each
property, each listed text, and some listed numbers. It is called with arguments that satisfy it and that violate it,
streamed whole, in pieces as small as tokens and character by character. With `--rename-contract` no canary, and no
eight characters of a declared word, may stand in a fixture; with `values` none of a listed value; and by default none
of a tool that the turn does not name. `redact` compares the verdicts.
"""

import collections
import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from support.evaluation.demanding import TOOLS, NoValueError, Schema, satisfying, schemas, violating
from support.recorded.exchanges import exchange_of

from redaction.captured.exchange import Contract, Exchange, Refused, Words
from redaction.proof.scan import scan_fixture
from redaction.redactor import redact
from replay.validator.schema import unsupported

# What stands in every planted word, behind a word of its own.
_LETTERS: Final = "bcdfghjklmnpqrstvwz"
_SIZES: Final = (1, 5, 1_000_000)


class Site(Enum):
    """Where a canary was planted."""

    TOOL = "names of tools"
    PROPERTY = "names of properties"
    VALUE = "listed values"


@dataclass(slots=True)
class Contracts:
    """What was planted and found, by setting and site; turns, refusals and leaks of `scan`, by setting."""

    planted: dict[str, collections.Counter[Site]] = field(
        default_factory=lambda: collections.defaultdict(collections.Counter)
    )
    found: dict[str, collections.Counter[Site]] = field(
        default_factory=lambda: collections.defaultdict(collections.Counter)
    )
    turns: collections.Counter[str] = field(default_factory=collections.Counter)
    refused: collections.Counter[str] = field(default_factory=collections.Counter)
    scanned: collections.Counter[str] = field(default_factory=collections.Counter)


# The settings, and the sites of a called tool that each of them must hide.
SETTINGS: Final[Mapping[str, tuple[Contract, frozenset[Site]]]] = {
    "--rename-contract": (Contract(words=Words.NONE), frozenset(Site)),
    "--rename-contract values": (Contract(words=Words.NO_VALUES), frozenset({Site.VALUE})),
    "by default": (Contract(), frozenset()),
}


class Planter:
    """Plants canaries in one schema; equal words get one canary, so that the schema judges as it did."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._words: dict[str, str] = {}
        self.sites: dict[str, set[Site]] = collections.defaultdict(set)

    def word(self, raw: str, site: Site) -> str:
        """A planted word."""
        if raw not in self._words:
            canary = "".join(self._chance.choice(_LETTERS) for _ in range(12))
            self._words[raw] = f"{raw}_{canary}"
        self.sites[self._words[raw]].add(site)
        return self._words[raw]

    def schema(self, schema: Any) -> Any:
        """The schema with planted words. Where expressions judge names, these stay."""
        if isinstance(schema, list):
            return [self.schema(one) for one in schema]
        if not isinstance(schema, dict):
            return schema
        judged = schema.keys() & {"patternProperties", "propertyNames"}
        made: dict[str, Any] = {}
        for word, value in schema.items():
            if word == "properties" and isinstance(value, dict):
                made[word] = {
                    name if judged else self.word(name, Site.PROPERTY): self.schema(inner)
                    for name, inner in value.items()
                }
            elif word == "required" and isinstance(value, list):
                made[word] = value if judged else [self.word(name, Site.PROPERTY) for name in value]
            elif word in ("$defs", "definitions", "patternProperties") and isinstance(value, dict):
                made[word] = {name: self.schema(inner) for name, inner in value.items()}
            elif word == "enum" and isinstance(value, list):
                made[word] = [self._value(one) for one in value]
            elif word == "const":
                made[word] = self._value(value)
            else:
                made[word] = self.schema(value) if isinstance(value, (dict, list)) and word != "type" else value
        return made

    def _value(self, raw: Any) -> Any:
        return self.word(raw, Site.VALUE) if isinstance(raw, str) else raw


def tools(seed: int) -> Iterator[tuple[str, Schema]]:
    """The tools: real ones, and those of `demanding`, of which several rules speak."""
    for line in TOOLS.read_text("utf-8").splitlines():
        row = json.loads(line)
        if "$ref" not in line and unsupported(row["schema"]) is None:
            yield row["name"], row["schema"]
    yield from (("t", schema) for schema in schemas(seed) if "$ref" not in json.dumps(schema))


def exchange(
    called: tuple[str, Schema], other: tuple[str, Schema], arguments: object, chance: random.Random
) -> Exchange:
    """A call with these arguments, beside a tool that is not called."""
    text = json.dumps(arguments, ensure_ascii=chance.random() < 0.3)
    size = chance.choice(_SIZES)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    choices: list[Any] = [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": one}}]}} for one in pieces]
    first = choices[0]["delta"]["tool_calls"][0]
    first["id"], first["function"]["name"] = "call_9", called[0]
    choices.append({"delta": {}, "finish_reason": "tool_calls"})
    chunks = [{"id": "c1", "choices": [{"index": 0, **choice}]} for choice in choices]
    return exchange_of({"profile": "openai", "tool_schemas": dict([other, called]), "chunks": chunks})


def measure(seed: int, each: int, *, most: int = 1_000_000, say: Callable[[str], None] = lambda _: None) -> Contracts:
    """`each` calls of each of the first `most` tools that satisfy it, and as many that were changed; all settings."""
    found = Contracts()
    before: tuple[str, Schema, Planter] | None = None
    for number, (name, schema) in enumerate(tools(seed)):
        if number >= most:
            break
        chance = random.Random(f"{seed} {number}")
        planter = Planter(chance)
        one = (planter.word(name, Site.TOOL), planter.schema(schema))
        other = before or ("u", {}, planter)
        for make in (satisfying, violating) * each:
            try:
                arguments = make(one[1], chance)
            except NoValueError:
                continue
            made = exchange(one, other[:2], arguments, chance)
            for setting, (contract, hidden) in SETTINGS.items():
                _count(found, setting, redact(made, contract=contract), planter, hidden, other[2])
        before = (*one, planter)
    say(f"secrets in contracts: {found.turns.total()} fixtures")
    return found


def _count(
    found: Contracts, setting: str, result: Any, planter: Planter, hidden: frozenset[Site], other: Planter
) -> None:
    found.turns[setting] += 1
    if isinstance(result, Refused):
        found.refused[setting] += 1
        return
    found.scanned[setting] += any(True for _ in scan_fixture(result.fixture.data))
    text = result.fixture.data.decode()
    told = {word for word, sites in planter.sites.items() if not sites <= hidden}
    for held, sought in ((planter, hidden), (other, frozenset(Site))):
        for word, sites in held.sites.items():
            if word not in told and sites <= sought:
                for site in sites:
                    found.planted[setting][site] += 1
                    found.found[setting][site] += word[-12:] in text

"""What redaction knows of one wire family: the shape of the rows in `FAMILIES`. Knows no family and masks nothing."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from redaction.families.treatments import Rule, Table

Path: TypeAlias = tuple[str | int, ...]

# Choice and slot, whether it came after the slot's end, and a number of its own where it has no slot.
Key: TypeAlias = tuple[int, int, bool, int]


@dataclass(frozen=True, slots=True)
class Piece:
    """One fragment: the event it came in, the path to it there, and where the same text stands once more."""

    event: int
    path: Path
    text: str = field(repr=False)
    mirror: Path | None = None


class Found(NamedTuple):
    """Something about one argument text: the name of its tool, a piece of it, or both."""

    key: Key
    tool: str = ""
    piece: Piece | None = None


class Declared(NamedTuple):
    """What a request declares: tool names to JSON Schemas, the tool choice as a fixture says it, parallel calls."""

    tool_schemas: dict[str, object]
    tool_choice: str | None
    parallel: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """What the proof expects in the payloads of a family, by key name. Written apart from the table of positions."""

    keys: frozenset[str]
    words: Mapping[str, frozenset[str]]  # by the key that says them
    identifier: re.Pattern[str]  # what an id looks like
    identifier_keys: frozenset[str]
    arguments: frozenset[str]  # the keys directly under which argument text stands


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One wire family. `identifiers` has, by site, the shape of a masked id: an ordinal takes the place of `{}`."""

    table: Table
    identifiers: Mapping[str, str]
    verbatim_ids: frozenset[str] = frozenset()  # ids that say "none"
    fragments: Callable[[Sequence[object]], Iterator[Found]]  # the argument texts of a turn, in wire order
    declared: Callable[[Mapping[str, object]], Declared]
    is_whole: Callable[[Mapping[str, object]], bool]  # whether the stream is whole once this payload came
    spoken: Spoken

    @property
    def event_names(self) -> frozenset[str]:
        """The types of its payloads, by which a stream may name its events."""
        kind = self.table.get("type") if isinstance(self.table, Mapping) else None
        return kind.words if isinstance(kind, Rule) else frozenset()


def objects(value: object) -> Iterator[dict[str, object]]:
    """The objects in a list; nothing where it is none."""
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())

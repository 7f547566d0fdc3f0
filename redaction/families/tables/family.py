"""What redaction knows of one wire family: the shape of the rows in `FAMILIES`. Knows no family and masks nothing."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from redaction.families.tables.treatments import ByType, Rule, Table, Unlisted


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
    names: frozenset[str] = frozenset({"name"})  # the keys of tool names
    parted_names: bool = False  # whether a name may stand in the parts that dots divide
    indices: frozenset[str] = frozenset({"index"})
    slots: frozenset[str] = frozenset({"index"})  # those of the indices that say a choice or a slot
    counters: frozenset[str] = frozenset()
    arguments: frozenset[str]  # the keys directly under which argument text stands
    free_text: bool = False  # whether such text may be one string, and no JSON
    whole_arguments: frozenset[str] = frozenset()  # and those under which arguments stand as an object
    argument_numbers: frozenset[str] = frozenset()  # and those under which a number of theirs stands
    paths: frozenset[str] = frozenset()  # the keys of paths to places in arguments
    flags: frozenset[str] = frozenset()  # the keys of booleans that may be true
    models: frozenset[str] = frozenset({"model"})  # the keys of names of models
    unlisted: re.Pattern[str] = re.compile(r"unknown_[0-9]{1,6}")  # what a key is called that no table names
    calls: frozenset[str] = frozenset({"tool_calls"})  # the keys of lists of calls, or of one
    counted: bool = False  # whether calls are numbered over all payloads, and have no index of their own


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One wire family. `identifiers` has, by site, the shape of a masked id: an ordinal takes the place of `{}`."""

    table: Table
    identifiers: Mapping[str, str]
    verbatim_ids: frozenset[str] = frozenset()  # ids that say "none"
    call_id: str = "id"  # the key of the id of a call, around its arguments
    declared: Callable[[Mapping[str, object]], Declared]
    is_whole: Callable[[Mapping[str, object]], bool]  # whether the stream is whole once this payload came
    # What the payloads repeat of their request: a value that `declared` reads, where they do.
    repeated: Callable[[Sequence[object]], Mapping[str, object]] = lambda _: {}
    # Whether a payload brings a piece of text or reasoning, or nothing at all, and decides nothing beside it.
    is_prose: Callable[[Mapping[str, object]], bool]
    spoken: Spoken

    @property
    def event_names(self) -> frozenset[str]:
        """The types of its payloads, by which a stream may name its events."""
        table = self.table.other if isinstance(self.table, ByType) else self.table
        table = table.table if isinstance(table, Unlisted) else table
        kind = table.get("type") if isinstance(table, Mapping) else None
        return kind.words if isinstance(kind, Rule) else frozenset()


def objects(value: object) -> Iterator[dict[str, object]]:
    """The objects in a list; nothing where it is none."""
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())

"""The ways that lead to the values of one kind in the payloads of a family: its table without all else.

    table     {"id": COMPLETION_ID, "choices": [{"index": INDEX, "delta": {"content": TEXT, "name": TOOL_NAME}}]}
    to names  {"choices": [{"delta": {"name": TOOL_NAME}}]}

So that one need not walk through all of a payload. Knows tables; knows no masks, no bytes.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from redaction.families import FAMILIES
from redaction.families.tables.treatments import ByType, Formed, Rule, Table, Treatment, Unlisted

# A table of which nothing leads to a value of the kind.
_NOWHERE: Final[Table] = {}


class Found(NamedTuple):
    """A value at the end of a way: how it is treated, the keys and places to it, and the objects around it."""

    value: object
    rule: Rule
    path: tuple[str | int, ...]
    around: tuple[dict[str, object], ...]  # outermost first


@lru_cache(maxsize=32)
def ways(profile: str, treatments: frozenset[Treatment]) -> Table:
    """The table of a family without all that leads to no value treated in one of these ways."""
    return _pruned(FAMILIES[profile].table, treatments)


def follow(value: object, table: Table) -> Iterator[Found]:
    """Every value that these ways lead to, null where that stands there."""
    return _follow(value, table, (), ()) if isinstance(value, dict) else iter(())


def _follow(
    value: object, table: Table, path: tuple[str | int, ...], around: tuple[dict[str, object], ...]
) -> Iterator[Found]:
    if isinstance(table, Rule):
        yield Found(value, table, path, around)
    elif isinstance(table, list):
        for at, item in enumerate(value if isinstance(value, list) else ()):
            yield from _follow(item, table[0], (*path, at), around)
    elif isinstance(table, ByType):
        yield from _follow(value, _by_type(table, value), path, around)
    elif isinstance(value, dict):
        assert isinstance(table, dict), "no other one is left of what was pruned"
        for key, inner in table.items():
            if key in value:
                yield from _follow(value[key], inner, (*path, key), (*around, value))


def _by_type(table: ByType, value: object) -> Table:
    kind = value.get("type") if isinstance(value, dict) else None
    return table.tables.get(kind, table.other) if isinstance(kind, str) else table.other


def _pruned(table: Table, treatments: frozenset[Treatment]) -> Table:
    if isinstance(table, Rule):
        return table if table.treatment in treatments else _NOWHERE
    if isinstance(table, list):
        inner = _pruned(table[0], treatments)
        return [inner] if inner != _NOWHERE else _NOWHERE
    if isinstance(table, ByType):
        tables = {kind: _pruned(one, treatments) for kind, one in table.tables.items()}
        other = _pruned(table.other, treatments)
        leads = other != _NOWHERE or any(one != _NOWHERE for one in tables.values())
        return ByType(tables=tables, other=other) if leads else _NOWHERE
    members = table.table if isinstance(table, (Formed, Unlisted)) else table
    found = {key: _pruned(inner, treatments) for key, inner in members.items()}
    return {key: inner for key, inner in found.items() if inner != _NOWHERE}

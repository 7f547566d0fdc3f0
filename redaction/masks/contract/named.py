"""Which of the declared tools a turn names: those that a call, or a piece of one, has at a position of tool names.

    payloads    {"choices": [{"delta": {"tool_calls": [{"function": {"name": "get_"}}, …    {… "name": "weather" …
    tools       get_weather, send_email
    named       get_weather

Knows the tables of positions and names; knows no schema.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Final

from redaction.captured.threads import Threads
from redaction.families import FAMILIES
from redaction.families.treatments import ByType, Formed, Rule, Table, Treatment, Unlisted


def named_tools(profile: str, payloads: Sequence[object], threads: Threads, tools: Collection[str]) -> frozenset[str]:
    """The declared tools that a turn names, whole or in pieces; also where a finding is all that comes of it."""
    heard = {*threads.all_names, *threads.joined_names(tools)}
    if not heard.issuperset(tools):
        table = _to_names(profile)
        heard.update(name for payload in payloads for name in _names(payload, table))
    return frozenset(heard.intersection(tools))


def _names(value: object, table: Table) -> Iterator[str]:
    """Every text at a position of tool names."""
    if isinstance(table, Rule):
        if isinstance(value, str) and value:
            yield value
    elif isinstance(table, list):
        for item in value if isinstance(value, list) else ():
            yield from _names(item, table[0])
    elif isinstance(table, (ByType, Formed)):
        yield from _names(value, _chosen(table, value))
    elif isinstance(value, dict):
        members = table.table if isinstance(table, Unlisted) else table
        for key, inner in members.items():
            if key in value:
                yield from _names(value[key], inner)


def _chosen(table: ByType | Formed, value: object) -> Table:
    if isinstance(table, Formed):
        return table.table
    kind = value.get("type") if isinstance(value, dict) else None
    return table.tables.get(kind, table.other) if isinstance(kind, str) else table.other


@lru_cache(maxsize=16)
def _to_names(profile: str) -> Table:
    """The table of a family without all that leads to no tool name."""
    return _pruned(FAMILIES[profile].table)


# A table of which nothing leads to a tool name.
_NOWHERE: Final[Table] = {}


def _pruned(table: Table) -> Table:
    if isinstance(table, Rule):
        return table if table.treatment is Treatment.TOOL_NAME else _NOWHERE
    if isinstance(table, list):
        inner = _pruned(table[0])
        return [inner] if inner != _NOWHERE else _NOWHERE
    if isinstance(table, ByType):
        return ByType(tables={kind: _pruned(one) for kind, one in table.tables.items()}, other=_pruned(table.other))
    members = table.table if isinstance(table, (Formed, Unlisted)) else table
    found = {key: _pruned(inner) for key, inner in members.items()}
    leading = {key: inner for key, inner in found.items() if inner != _NOWHERE}
    return Formed(leading) if isinstance(table, Formed) and leading else leading

"""Which of the declared tools a turn names: those that a call, or a piece of one, has at a position of tool names.

    payloads    {"choices": [{"delta": {"tool_calls": [{"function": {"name": "get_"}}, …    {… "name": "weather" …
    tools       get_weather, send_email
    named       get_weather

Knows the tables of positions and names; knows no schema.
"""

from collections.abc import Collection, Sequence
from typing import Final

from redaction.captured.payloads import as_clients_read
from redaction.captured.threads import Threads
from redaction.families.tables.treatments import Treatment
from redaction.families.tables.ways import follow, ways

_NAMES: Final = frozenset({Treatment.TOOL_NAME})


def named_tools(profile: str, payloads: Sequence[object], threads: Threads, tools: Collection[str]) -> frozenset[str]:
    """The declared tools that a turn names, whole or in pieces; also where a finding is all that comes of it."""
    heard = {*threads.all_names, *threads.joined_names(tools)}
    if not heard.issuperset(tools):
        to_names = ways(profile, _NAMES)
        found = (one.value for payload in payloads for one in follow(as_clients_read(payload), to_names))
        heard.update(name for name in found if isinstance(name, str) and name)
    return frozenset(heard.intersection(tools))

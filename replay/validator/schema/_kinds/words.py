"""Parts of a schema in words: what a message quotes, cut to a length that can be read.

Only what the application declared comes here. A value that was rejected never does.
"""

import json
from decimal import Decimal
from typing import Final

from replay.validator.schema._keyword import Words

# A constraint that is longer than this is cut: a message is one readable line.
MAX_QUOTED: Final = 200
MAX_LISTED: Final = 12


def said(text: str) -> Words:
    """The words of a keyword that always says the same."""
    return lambda _schema, _place: text


def cut(text: str) -> str:
    """The text, or its beginning."""
    return text if len(text) <= MAX_QUOTED else text[:MAX_QUOTED] + "…"


def quote(value: object) -> str:
    """A value of the schema as JSON."""
    try:
        return cut(json.dumps(_plain(value), ensure_ascii=False, default=str))
    except (ValueError, RecursionError):
        return "a value of the schema"  # too long or too deep to be written, let alone read


def _plain(value: object) -> object:
    """A value that `json` writes: whole decimals as integers, others as floats near enough to read."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value


def names(listed: object) -> str:
    """Names, each in backquotes: `` `a`, `b` and 3 more``."""
    return _listed([f"`{cut(str(name))}`" for name in listed] if isinstance(listed, list) else [])


def values(listed: object) -> str:
    """Values as JSON: `1, "b" and 3 more`."""
    return _listed([quote(value) for value in listed] if isinstance(listed, list) else [])


def _listed(texts: list[str]) -> str:
    more = f" and {len(texts) - MAX_LISTED} more" if len(texts) > MAX_LISTED else ""
    return ", ".join(texts[:MAX_LISTED]) + more


def type_names(schema_type: object) -> str:
    """The value of `type`: `an integer or null`."""
    listed = schema_type if isinstance(schema_type, list) else [schema_type] if schema_type else []
    return " or ".join(_articled(str(name)) for name in listed)


def _articled(name: str) -> str:
    return name if name == "null" else f"{'an' if name[0] in 'aio' else 'a'} {name}"

"""Strict JSON in less time, where it can be shown that the value is the one that the strict reader gives.

Nothing is decided here. A text that is not clean in every respect gives no value, and the strict reader has the word.
Two ways, each of which shows it by writing the value out again with orjson:

- `_returned`: orjson reads, and what it writes is the text as it was, but for white space. So no member was dropped for
  a repeated key, no number was rounded, and every string stands there as orjson writes it.
- `_counted`: for strings that are escaped otherwise, as many writers do. The standard library reads, without the hooks
  that make strict reading slow. Every member has one colon, and no escape stands for one, so a member that was dropped
  for a repeated key is a colon that is missing in what was written. The reader stops at a fraction, an exponent, NaN.

In both, orjson refuses what is left: an integer that is no double, a lone surrogate, nesting far below the limit of a
fixture file.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import orjson

if TYPE_CHECKING:
    from collections.abc import Container

_WHITE_SPACE: Final = b" \n\r\t"
_ESCAPED_COLON: Final = rb"\u003"
# What may hold a float, or be one.
_FLOATS: Final = (float, dict, list)


def parse(data: bytes, *, floats_in: Container[str] = ()) -> dict[str, object] | None:
    """The object in `data`, exactly as strict parsing gives it; None where that cannot be shown.

    In the members that `floats_in` names, a fraction may be a float instead of a Decimal.
    """
    try:
        value = _returned(data)
        if value is None:
            value = _counted(data)
        elif isinstance(value, dict):
            for name, member in value.items():
                if name not in floats_in:
                    value[name] = _exact(member)
    except (ValueError, TypeError, RecursionError, _UncleanError):  # orjson cannot write: a TypeError
        return None
    return value if isinstance(value, dict) else None


def _returned(data: bytes) -> object:
    value: object = orjson.loads(data)
    # White space in strings goes, too: the quotes, names and numbers that are left are still as many, and the same.
    written = orjson.dumps(value).translate(None, _WHITE_SPACE)
    return value if written == data.translate(None, _WHITE_SPACE) else None


def _exact(value: object) -> object:
    """The value with a Decimal for each float. It was written as orjson writes it, so no digit is lost."""
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, _FLOATS):
                value[name] = _exact(inner)
    elif isinstance(value, list):
        value[:] = map(_exact, value)
    return value


class _UncleanError(Exception):
    """Leaves the reader; carries nothing."""


def _stop(_: str) -> object:
    raise _UncleanError


_DECODER: Final = json.JSONDecoder(parse_float=_stop, parse_constant=_stop)


def _counted(data: bytes) -> object:
    if _ESCAPED_COLON in data:
        return None
    value: object = _DECODER.decode(data.decode("utf-8"))
    return value if orjson.dumps(value).count(b":") == data.count(b":") else None

"""Strict JSON in less time, where it can be shown that the value is the one that the strict reader gives.

The standard library reads, without the hooks that make strict reading slow, and orjson writes the value out again: that
is how the leniencies of the former are found. Nothing is decided here. A text that is not clean in every respect gives
no value, and the strict reader has the word.

- A repeated key: every member has one colon, and no escape stands for one, so a member that was dropped is a colon
  that is missing in what was written.
- A fraction, an exponent, NaN: the reader stops at them. An integer that is no double: orjson cannot write it.
- A lone surrogate: orjson cannot write it. Deep nesting: it gives up long before the limit of a fixture file.
"""

from __future__ import annotations

import json
from typing import Final

import orjson

_ESCAPED_COLON: Final = rb"\u003"


class _UncleanError(Exception):
    """Leaves the reader; carries nothing."""


def _stop(_: str) -> object:
    raise _UncleanError


_DECODER: Final = json.JSONDecoder(parse_float=_stop, parse_constant=_stop)


def parse(data: bytes) -> dict[str, object] | None:
    """The object in `data`, exactly as strict parsing gives it; None where that cannot be shown."""
    if _ESCAPED_COLON in data:
        return None
    try:
        value = _DECODER.decode(data.decode("utf-8"))
        written = orjson.dumps(value)
    except (ValueError, RecursionError, orjson.JSONEncodeError, _UncleanError):
        return None
    return value if isinstance(value, dict) and written.count(b":") == data.count(b":") else None

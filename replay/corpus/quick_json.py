"""Strict JSON in less time, where it can be shown that the value is the one that the strict reader gives.

orjson reads the text and writes the value out again. Nothing is decided here: a text that does not come back as it was,
but for white space and for how characters beyond ASCII are written, gives no value, and the strict reader has the word.
What does come back has

- no repeated key: the member that was dropped is missing in what was written;
- no number that was rounded, and no needless escape of an ASCII character: they are written in another way;
- no NaN, no lone surrogate, no byte order mark, no nesting near the limit of a fixture file: orjson refuses them.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import orjson

if TYPE_CHECKING:
    from collections.abc import Container

_WHITE_SPACE: Final = b" \n\r\t"
_ASCII_ESCAPE: Final = re.compile(rb"\\u00[0-7]")
_SURROGATE_ESCAPE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
# What may hold a float, or be one.
_FLOATS: Final = (float, dict, list)


def parse(data: bytes, *, floats_in: Container[str] = ()) -> dict[str, object] | None:
    """The object in `data`, exactly as strict parsing gives it; None where that cannot be shown.

    In the members that `floats_in` names, a fraction may be a float instead of a Decimal.
    """
    try:
        value = orjson.loads(data)
        # White space in strings goes, too: the quotes, names and numbers that are left are still as many, and the same.
        written = orjson.dumps(value).translate(None, _WHITE_SPACE)
        text = _unescaped(data) if data.isascii() and not written.isascii() else data
        if not isinstance(value, dict) or written != text.translate(None, _WHITE_SPACE):
            return None
        for name, member in value.items():
            if name not in floats_in:
                value[name] = _exact(member)
    except (ValueError, TypeError, RecursionError):  # orjson cannot read, or cannot write; or the stack is deep already
        return None
    return value


def _unescaped(data: bytes) -> bytes:
    """JSON in ASCII with the characters themselves for the escapes, as orjson writes them; the tokens stay the same.

    As it is where an ASCII character is escaped, since that may be a quote. A `ValueError` for a lone surrogate.
    """
    if _ASCII_ESCAPE.search(data):
        return data
    text = data.decode("raw_unicode_escape")  # reads `\\u` with four digits, after an even number of backslashes
    if _SURROGATE_ESCAPE.search(data):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16")  # joins the pairs
    return text.encode()


def _exact(value: object) -> object:
    """The value with a Decimal for each float. It was written as orjson writes it, and `repr` has the same digits."""
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, _FLOATS):
                value[name] = _exact(inner)
    elif isinstance(value, list):
        value[:] = map(_exact, value)
    return value

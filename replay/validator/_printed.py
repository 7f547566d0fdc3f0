"""An object as `JSON.stringify` prints it, with every digit of a number: the text of a call that came as an object.

The same text stands for one value however its payload was written: `1.0`, `1e0` and `1` are `1`. A call's text has
to be known byte by byte, since limits count it and reports show it. Takes decoded values as strict parsing gives them,
and the floats of a caller that decodes to doubles. Knows no payload and no slot.
"""

import json
import math
import re
from decimal import Decimal
from typing import Final

# Where JSON.stringify changes its form: the point behind this many digits, or this many zeros behind the point.
MAX_PLAIN_DIGITS: Final = 21
MAX_LEADING_ZEROS: Final = 5
HALF_A_CHARACTER: Final = re.compile("[\ud800-\udfff]")


class _Text(str):
    """A piece that is printed already."""

    __slots__ = ()


COMMA: Final = _Text(",")
COLON: Final = _Text(":")


# What the standard library writes as JSON.stringify does, unless a number is among it that `_UNLIKE` finds.
_QUICK: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
# A fraction, an exponent or very many digits where a value stands; or half a character. A text may look so, too: then
# the way is longer, and the result the same.
_UNLIKE: Final = re.compile("[:,[]-?(?:[0-9]+[.eE]|[0-9]{22})|[\ud800-\udfff]")


def printed(value: object) -> str | None:
    """The text of a JSON value; None where none stands for it: an infinity, half a character, what is no JSON."""
    if isinstance(value, (dict, list)):
        try:
            text = _QUICK.encode(value)
        except (TypeError, ValueError, RecursionError):
            text = ""  # an exact number, an infinity, more levels than the library takes
        if text and not _UNLIKE.search(text):
            return text
    return _printed(value)


def _printed(value: object) -> str | None:
    texts: list[str] = []
    waiting: list[object] = [value]  # its own stack: nesting costs a loop, whatever came
    while waiting:
        item = waiting.pop()
        if isinstance(item, (dict, list)):
            waiting.extend(reversed(_pieces(item)))
            continue
        text = item if isinstance(item, _Text) else _scalar(item)
        if text is None:
            return None
        texts.append(text)
    return "".join(texts)


def _pieces(container: dict[object, object] | list[object]) -> list[object]:
    """A container in order: what is printed already, and the names and members that are not."""
    if isinstance(container, list):
        items = [piece for member in container for piece in (COMMA, member)]
        return [_Text("["), *items[1:], _Text("]")]
    members = [piece for name, member in container.items() for piece in (COMMA, name, COLON, member)]
    return [_Text("{"), *members[1:], _Text("}")]


def _scalar(value: object) -> str | None:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _string(value) if isinstance(value, str) else number(value)


def _string(value: str) -> str | None:
    """A string or name: the standard library escapes as JSON.stringify does, but lets half a character through."""
    return None if HALF_A_CHARACTER.search(value) else json.dumps(value, ensure_ascii=False)


def number(value: object) -> str | None:
    """The exact number as JSON.stringify would write it; None for what is none, or overflows a double."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return None
    try:
        double = float(value)
    except OverflowError:  # of an integer; a Decimal becomes an infinity
        return None
    if not math.isfinite(double):
        return None
    return _digits(value) if double else "0"


def _digits(value: float | Decimal) -> str:
    # A float stands for what it is written as, not for the sum of powers of two behind it.
    sign, figures, exponent = Decimal(repr(value) if isinstance(value, float) else value).as_tuple()
    assert isinstance(exponent, int), "the number is finite"
    written = "".join(map(str, figures)).lstrip("0")
    point = len(written) + exponent  # before the zeros at the end go: they do not move it
    return ("-" if sign else "") + _laid_out(written.rstrip("0"), point)


def _laid_out(digits: str, point: int) -> str:
    """Digits without zeros around them, and the point behind the first `point` of them."""
    if len(digits) <= point <= MAX_PLAIN_DIGITS:
        return digits.ljust(point, "0")
    if 0 < point <= MAX_PLAIN_DIGITS:
        return f"{digits[:point]}.{digits[point:]}"
    if -MAX_LEADING_ZEROS <= point <= 0:
        return f"0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"

"""An object as `JSON.stringify` prints it, with every digit of a number: the text of a call that came as an object.

The same text stands for one value however its payload was written: `1.0`, `1e0` and `1` are `1`. A call's text has
to be known byte by byte, since limits count it and reports show it. Takes decoded values as strict parsing gives them,
and the floats of a caller that decodes to doubles. Knows no payload and no slot.
"""

import json
import json.encoder
import math
import re
from collections.abc import Callable
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


# Values of these types the standard library writes as JSON.stringify does.
_ALIKE: Final = frozenset({str, bool, type(None)})
_NAMES: Final = frozenset({str})
_FEW: Final = 8
# So it does whole numbers below the first, and others between the last two.
_LARGEST: Final = 10**MAX_PLAIN_DIGITS
_LARGEST_DOUBLE: Final = 1e16
_SMALLEST_DOUBLE: Final = 1e-4
# As deep as the quick way looks. What it finds nests no deeper.
PLAIN_DEPTH: Final = 16

_LIBRARY: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
# The scanner in C behind it, which the library makes anew for each text; a container of a few levels has no cycle that
# it would have to look for.
_MAKE_IN_C: Final = getattr(json.encoder, "c_make_encoder", None)
_OPTIONS: Final = (None, None, json.encoder.encode_basestring, None, ":", ",", False, False, False)
_IN_C: Final[Callable[[object, int], tuple[str, ...]] | None] = _MAKE_IN_C(*_OPTIONS) if _MAKE_IN_C else None


def printed(value: object) -> str | None:
    """The text of a JSON value; None where none stands for it: an infinity, half a character, what is no JSON."""
    return printed_with_copy(value)[0]


def printed_with_copy(value: object) -> tuple[str | None, object]:
    """The text of a value, and a copy that is judged as what parsing that text gives; None where that is not known.

    Where the copy is there, the text need not be parsed. It nests no deeper than `PLAIN_DEPTH`.
    """
    copy = _plain(value, PLAIN_DEPTH) if type(value) in (dict, list) else None
    if copy is not None:
        text = "".join(_IN_C(copy, 0)) if _IN_C is not None else _LIBRARY.encode(copy)
        if text.isascii() or not HALF_A_CHARACTER.search(text):
            return text, copy
    return _printed(value), None


def _plain(value: object, depth: int) -> object:
    """A copy of a container of plain values; None of any other one."""
    if type(value) is dict:
        # Of many members at once; of a few that would take longer than one by one.
        if len(value) > _FEW and _ALIKE.issuperset(map(type, value.values())) and _NAMES.issuperset(map(type, value)):
            return value.copy()
        members = {}
        for name, member in value.items():
            if type(name) is not str:
                return None
            if type(member) in _ALIKE:
                members[name] = member
                continue
            copy = members[name] = _plain_member(member, depth)
            if copy is None:
                return None
        return members
    assert isinstance(value, list), "callers have looked"
    items = []
    for item in value:
        if type(item) in _ALIKE:
            items.append(item)
            continue
        copy = _plain_member(item, depth)
        if copy is None:
            return None
        items.append(copy)
    return items


def _plain_member(value: object, depth: int) -> object:
    """A number or a container that the library writes as JSON.stringify does; None of any other."""
    kind = type(value)
    if kind is int:
        return value if -_LARGEST < value < _LARGEST else None  # type: ignore[operator]
    if kind is dict or kind is list:
        return _plain(value, depth - 1) if depth > 1 else None
    if kind is float:
        return _plain_double(value)  # type: ignore[arg-type]
    if kind is Decimal:
        double = float(value)  # type: ignore[arg-type]
        return _plain_double(double) if Decimal(repr(double)) == value else None
    return None


def _plain_double(value: float) -> int | float | None:
    size = abs(value)
    if size >= _LARGEST_DOUBLE or size != size:
        return None
    if value.is_integer():
        return int(value)
    return value if size >= _SMALLEST_DOUBLE else None


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


def is_unicode(value: str) -> bool:
    """Whether a string has no half of a character."""
    return HALF_A_CHARACTER.search(value) is None


def _string(value: str) -> str | None:
    """A string or name: the standard library escapes as JSON.stringify does, but lets half a character through."""
    return None if HALF_A_CHARACTER.search(value) else json.encoder.encode_basestring(value)


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

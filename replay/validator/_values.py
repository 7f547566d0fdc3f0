"""When two JSON values are equal: numbers by value, `true` never `1`, objects without regard to order."""

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Final

# What a value is known by: its kind, and its content with the numbers of its members in their place. So a key is never
# nested deeper than its container's members, and a value that nests deep costs a loop and no stack.
_Key = tuple[str, object]

_NULL: Final[_Key] = ("null", None)


# What a double can hold lies below 2 ** 1024, and below 10 ** 309: exact arithmetic on it stays small.
MAX_BITS: Final = 1024
MAX_MAGNITUDE: Final = 308


def as_number(value: object) -> int | Decimal | None:
    """The exact number, None for what is none or too large for a double. A float stands for what it is written as."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if value.bit_length() <= MAX_BITS else None
    if isinstance(value, Decimal):
        return value if value.is_finite() and value.adjusted() <= MAX_MAGNITUDE else None
    if isinstance(value, float):
        return Decimal(repr(value)) if math.isfinite(value) else None
    return None


class Numbering:
    """Numbers for values: equal values, and only those, get equal numbers. Linear in the values given.

    `1`, `1.0` and `1e0` get one number, `true` another; `{"a": 1, "b": 2}` and `{"b": 2, "a": 1}` get one.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[_Key, int] = {}

    def of(self, value: object) -> int:
        """The number of a value, its members first."""
        return _fold(value, lambda key: self._known.setdefault(key, len(self._known)))

    def seek(self, value: object) -> int | None:
        """The number of a value that was given one before, None of any other. Remembers nothing."""
        number = _fold(value, lambda key: self._known.get(key, UNKNOWN))
        return None if number == UNKNOWN else number


# Of a value that has no number; nor has a container that holds one.
UNKNOWN: Final = -1


def _fold(value: object, number: Callable[[_Key], int]) -> int:
    """The number of a value, from those of its members."""
    if not isinstance(value, (dict, list)):
        return number(_scalar(value))
    done: list[int] = []
    waiting: list[tuple[object, bool]] = [(value, False)]
    while waiting:
        item, expanded = waiting.pop()
        if isinstance(item, dict):
            if not expanded:
                waiting.append((item, True))
                waiting.extend((member, False) for member in item.values())
                continue
            # The last member was numbered first, so it lies deepest.
            members = frozenset((name, done.pop()) for name in item)
            done.append(number(("object", members)))
        elif isinstance(item, list):
            if not expanded:
                waiting.append((item, True))
                waiting.extend((member, False) for member in item)
                continue
            done.append(number(("array", tuple(done.pop() for _ in item))))
        else:
            done.append(number(_scalar(item)))
    return done.pop()


def _scalar(value: object) -> _Key:
    if isinstance(value, str):
        return "string", value
    if isinstance(value, bool):
        return "boolean", value
    number = as_number(value)
    if number is not None:
        return "number", number
    return _NULL if value is None else ("other", type(value).__name__)


def same(left: object, right: object) -> bool:
    """Whether two JSON values are equal."""
    numbering = Numbering()
    return numbering.of(left) == numbering.of(right)

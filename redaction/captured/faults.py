"""A payload that common readers of JSON take, though it is none: its value, and the faults in it, by their places.

    {"created": NaN, "choices": []}     the value {"created": 0, "choices": []}, and at member 0 the fault `NaN`

The faults are numbers that JSON has not, and halves of a surrogate pair at an end of a text, where a pair was cut over
two events. The value is masked as any other, and then written with the same faults in the same places. A place is told
by numbers, that of a member or of an item, because masks give keys other names. Knows JSON; knows no family.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, unique
from typing import Final, TypeAlias

from replay.validator.strict_json import exact_number

# The numbers of the members and items that lead to a value.
Place: TypeAlias = tuple[int, ...]


@unique
class Fault(Enum):
    """What is no JSON in a number or a text. The value of a number is how it is written."""

    NOT_A_NUMBER = "NaN"
    INFINITY = "Infinity"
    NEGATIVE_INFINITY = "-Infinity"
    OVERFLOW = "1e999"
    NEGATIVE_OVERFLOW = "-1e999"
    LOW_HALF = "begins with the second half of a surrogate pair"
    HIGH_HALF = "ends with the first half of a surrogate pair"
    BOTH_HALVES = "both"


_LOW, _HIGH = "\udc00", "\ud800"
# What stands before and behind a text of each kind.
_HALVES: Final[Mapping[Fault, tuple[str, str]]] = {
    Fault.LOW_HALF: (_LOW, ""),
    Fault.HIGH_HALF: ("", _HIGH),
    Fault.BOTH_HALVES: (_LOW, _HIGH),
}
_KIND_OF_HALVES: Final = {(bool(low), bool(high)): fault for fault, (low, high) in _HALVES.items()}
_ENDS: Final = re.compile("([\udc00-\udfff]?)([^\ud800-\udfff]*)([\ud800-\udbff]?)", re.DOTALL)
_HALF: Final = re.compile("[\ud800-\udfff]")
# What stands inside of an object that is empty, so that there is a place for a fault in it.
_MEMBER: Final = "unknown_1"
# A payload nests less than this; what nests more stands as its break class.
_NESTING: Final = 64


@dataclass(frozen=True, slots=True)
class Faulty:
    """The value of such a payload, 0 in the place of each faulty number, and texts without the halves."""

    value: object = field(repr=False)
    faults: Mapping[Place, Fault]


class _UnreadableError(Exception):
    """A payload of which this module makes nothing."""


def read_faulty(text: str) -> Faulty | None:
    """The value of a payload and its faults; None where there is none, or where something else is wrong with it."""
    try:
        value = json.loads(
            text, parse_constant=Fault, parse_float=_number, parse_int=_number, object_pairs_hook=_members
        )
        faults: dict[Place, Fault] = {}
        sound = _sound(value, (), faults)
    except (_UnreadableError, ValueError, RecursionError):
        return None
    return Faulty(sound, faults) if faults else None


def _number(text: str) -> object:
    exact = exact_number(text)
    return exact if exact is not None else Fault.NEGATIVE_OVERFLOW if text[0] == "-" else Fault.OVERFLOW


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs) or any(map(_HALF.search, found)):
        raise _UnreadableError
    return found


def _sound(value: object, place: Place, faults: dict[Place, Fault]) -> object:
    """The value without its faults, which are filled into `faults`."""
    if len(place) > _NESTING:
        raise _UnreadableError
    if isinstance(value, dict):
        return {key: _sound(inner, (*place, at), faults) for at, (key, inner) in enumerate(value.items())}
    if isinstance(value, list):
        return [_sound(inner, (*place, at), faults) for at, inner in enumerate(value)]
    if isinstance(value, Fault):
        faults[place] = value
        return 0
    return _sound_text(value, place, faults) if isinstance(value, str) else value


def _sound_text(text: str, place: Place, faults: dict[Place, Fault]) -> str:
    match = _ENDS.fullmatch(text)
    if match is None:
        raise _UnreadableError
    if match[1] or match[3]:
        faults[place] = _KIND_OF_HALVES[bool(match[1]), bool(match[3])]
    return match[2]


def written(value: object, faults: Mapping[Place, Fault]) -> str:
    """The text of a value with these faults in it, in its one form.

    Of what has no place of its own, for it stood inside of something that is empty now, one fault is left.
    """
    return "".join(_written(value, list(faults.items())))


def has(value: object, place: Place) -> bool:
    """Whether a value has this place: else it stood inside of something that is empty now."""
    here = value
    for at in place:
        inside = list(here.values()) if isinstance(here, dict) else here
        if not isinstance(inside, list) or at >= len(inside):
            return False
        here = inside[at]
    return True


def worst(faults: Iterable[Fault]) -> Fault:
    """The fault that stands for all of these: the first of the list, which the fewest clients read."""
    return min(faults, key=_ORDER.index)


_ORDER: Final = tuple(Fault)
_Inside: TypeAlias = list[tuple[Place, Fault]]


def _written(value: object, faults: _Inside) -> Iterator[str]:
    """The text of a value, the places of the faults as they are seen from it."""
    if isinstance(value, dict):
        members = value or ({_MEMBER: None} if faults else {})
        inside = _divided(faults, len(members))
        yield "{"
        for at, (key, inner) in enumerate(members.items()):
            yield ("," if at else "") + json.dumps(key) + ":"
            yield from _written(inner, inside.get(at, []))
        yield "}"
    elif isinstance(value, list):
        items = value or ([None] if faults else [])
        inside = _divided(faults, len(items))
        yield "["
        for at, inner in enumerate(items):
            yield "," if at else ""
            yield from _written(inner, inside.get(at, []))
        yield "]"
    else:
        yield _scalar(value, worst(fault for _, fault in faults) if faults else None)


def _divided(faults: _Inside, count: int) -> dict[int, _Inside]:
    """The faults by the member that they are in: the first one where there is no such member."""
    found: dict[int, _Inside] = {}
    for place, fault in faults:
        at = place[0] if place and place[0] < count else 0
        found.setdefault(at, []).append((place[1:], fault))
    return found


def _scalar(value: object, fault: Fault | None) -> str:
    if fault is not None and fault in _HALVES:
        before, behind = _HALVES[fault]
        return json.dumps(before + (value if isinstance(value, str) else "") + behind)
    if fault is not None:
        return fault.value
    return str(value).lower() if isinstance(value, Decimal) else json.dumps(value)

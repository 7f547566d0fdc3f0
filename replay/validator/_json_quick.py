"""The quick reader of strict JSON: the C scanner of the standard library, with hooks for each of its leniencies.

It gives the value of a text that is clean in every respect. What is wrong with any other text, and where, is for the
exact reader to say (`strict_json`). Example: of `{"a": 1, "a": 2}` the scanner keeps the last member, so members are
counted. There is one, and the text has two colons: not clean.
"""

import json
import re
from collections.abc import Generator, Iterator
from decimal import Decimal, InvalidOperation
from itertools import accumulate
from typing import Final

from replay.validator._json_number import MAX_INTEGER_DIGITS, exact_number

# An escape that could be half of a pair of surrogates.
SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")
SURROGATE_IN_BYTES: Final = re.compile(SURROGATE_ESCAPE.pattern.encode())

# Any run of 309 digits covers two neighbours among every 154th character (2 * 154 < 309).
STRIDE: Final = 154
FIRST_OF_TWO_DIGITS: Final = re.compile(r"[0-9](?=[0-9])")

# Characters from which on one walk over the text is quicker than a look at the names of each object.
LARGE_TEXT: Final = 1 << 10


class _UncleanError(Exception):
    """Leaves the C scanner from inside a hook; carries nothing."""


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _UncleanError
    return found


def _fraction(text: str) -> int | Decimal:
    if len(text) < MAX_INTEGER_DIGITS and "e" not in text and "E" not in text:
        return Decimal(text)
    value = exact_number(text)
    if value is None:
        raise _UncleanError
    return value


def _constant(_: str) -> object:
    raise _UncleanError


_SCANNER: Final = json.JSONDecoder(
    object_pairs_hook=_members, parse_float=_fraction, parse_constant=_constant, strict=True
)


class _Unclean:
    """That a text is not clean, or may not be."""


UNCLEAN: Final = _Unclean()


def clean_value(text: str, max_nesting: int, utf8: bytes | None = None) -> object:
    """The value of a clean text, UNCLEAN of any other. `utf8` is the same text in bytes, where the caller has them."""
    if _may_have_a_long_number(text):
        return UNCLEAN
    try:
        return _small(text, max_nesting) if len(text) < LARGE_TEXT else _large(text, max_nesting, utf8)
    except (ValueError, RecursionError, InvalidOperation, _UncleanError):
        return UNCLEAN


def _small(text: str, max_nesting: int) -> object:
    """The value of a clean text. It looks at the names of each object."""
    value = _whole(_SCANNER, text)
    if _may_nest_deeper(text, max_nesting) and _nests_deeper(
        _marks(text.encode("utf-8", "surrogatepass")), max_nesting
    ):
        raise _UncleanError
    # Half of a pair of surrogates comes as itself or as an escape; an escape may be one of two that make a whole pair.
    if (not _encodable(text) or SURROGATE_ESCAPE.search(text) is not None) and _has_surrogate(value):
        raise _UncleanError
    return value


def _whole(scanner: json.JSONDecoder, text: str) -> object:
    """The value that all of a text is, but for the white space around it."""
    inner = text.strip(" \t\n\r")
    value: object
    value, end = scanner.raw_decode(inner)
    if end != len(inner):
        raise _UncleanError
    return value


def _may_nest_deeper(text: str, limit: int) -> bool:
    # A level has two brackets, so that most texts are too short.
    return len(text) > 2 * limit and text.count("[") + text.count("{") > limit


def _large(text: str, max_nesting: int, utf8: bytes | None) -> object:
    """The value of a clean text. It counts the members of all objects, since it walks over the text anyway."""
    data = text.encode() if utf8 is None else utf8
    counter = _counting()
    next(counter)
    hooks = json.JSONDecoder(object_hook=counter.send, parse_float=_fraction, parse_constant=_constant, strict=True)
    value = _whole(hooks, text)
    marks = _marks(data)
    # Of members with one name an object keeps the last, so it has fewer of them than the text has colons.
    if marks.count(b":") != counter.send(None) or _nests_deeper(marks, max_nesting):
        raise _UncleanError
    if b"\\" in data and SURROGATE_IN_BYTES.search(data) is not None and _has_surrogate(value):
        raise _UncleanError
    return value


def _counting() -> Generator[dict[str, object] | int | None, dict[str, object] | None, None]:
    """Gives each object back that it is sent, and at last, for None, the number of their members.

    A generator goes on sooner than a call begins.
    """
    members = 0
    found = yield None
    while found is not None:
        members += len(found)
        found = yield found
    yield members


def _may_have_a_long_number(text: str) -> bool:
    """Whether a run of digits is long: quadratic to convert, and past 4,300 an error of its own kind."""
    return len(text) >= MAX_INTEGER_DIGITS and any(
        text[sample.start() * STRIDE : sample.end() * STRIDE].isdigit()
        for sample in FIRST_OF_TWO_DIGITS.finditer(text[::STRIDE])
    )


def _encodable(text: str) -> bool:
    """Whether a text has no half of a pair of surrogates as itself: encoding is quicker than an expression."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_NO_MARK: Final = bytes(set(range(256)) - set(b'[]{}:"'))
# Brackets as those of one kind, and these as +1 and -1.
_ONE_KIND: Final = bytes.maketrans(b"[{]}", b"(())")
_STEPS: Final = bytes.maketrans(b"()", b"\x01\xff")


def _marks(data: bytes) -> bytes:
    """The brackets and colons outside the strings of a text that is known to be good JSON."""
    # Two quotes side by side hold nothing, or join two strings into one: either way what is left is inside or outside
    # as before, and there is much less of it.
    marks = _without_escapes(data).translate(None, _NO_MARK).replace(b'""', b"")
    return b"".join(marks.split(b'"')[::2])


# Bytes to a backslash. Where there are fewer of them, taking out one by one is quicker than looking for two bytes.
RARE: Final = 64


def _without_escapes(data: bytes) -> bytes:
    """A text without its escaped quotes and backslashes: a quote that is left delimits a string."""
    most = len(data) // RARE
    first, *others = data.split(b"\\", most)
    if len(others) == most:
        # Each run of backslashes begins an escape, so pairs of them go first.
        return data.replace(rb"\\", b"").replace(rb"\"", b"")
    kept = [first]
    pieces = iter(others)
    for piece in pieces:
        # What is escaped stands first in its piece. An empty one is an escaped backslash, at which the text was cut.
        kept.append(piece[1:] if piece else next(pieces, b""))
    return b"".join(kept)


# So many levels are looked for by taking the innermost brackets out of the text, time and again: few texts have more.
FEW_LEVELS: Final = 16


def _nests_deeper(marks: bytes, limit: int) -> bool:
    """Whether brackets nest deeper than this; each opens and closes, since the text is good JSON."""
    brackets = marks.translate(_ONE_KIND, b":")
    few = min(limit, FEW_LEVELS)
    for level in range(few):
        if brackets.count(b"(") <= limit - level:
            return False
        brackets = brackets.replace(b"()", b"")
    steps = memoryview(brackets.translate(_STEPS)).cast("b")
    return few + max(accumulate(steps), default=0) > limit


def _has_surrogate(value: object) -> bool:
    return not all(map(_encodable, _strings(value)))


def _strings(value: object) -> Iterator[str]:
    """Every string and member name in a value."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            yield from item
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)

"""RFC 8259 and nothing more: text to exact values, or the one code that says why not.

Two readers give the same answer. The quick one is the C scanner of the standard library with hooks for each of its
leniencies; it answers only for texts that are clean in every respect. All others go to the exact one, a loop with its
own stack that finds the first place where the text is broken. Both take time linear in the text, whatever it holds.
"""

import json
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from itertools import accumulate
from json.decoder import scanstring  # type: ignore[attr-defined]  # the strict C scanner of one string
from typing import Final, TypeAlias

from replay.validator._printed import printed
from replay.validator._values import same
from replay.validator.codes import Code

__all__ = ["NUMBER", "WHITE_SPACE", "Parsed", "exact_number", "parse", "printed", "same"]

BYTE_ORDER_MARK: Final = "\ufeff"
WHITE_SPACE: Final = re.compile(r"[ \t\n\r]*")
NUMBER: Final = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")
# An escape that could be half of a pair of surrogates.
SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")
SURROGATE: Final = re.compile("[\ud800-\udfff]")
LITERALS: Final = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}
NON_FINITE: Final = ("NaN", "Infinity", "-Infinity")

# No finite double has more than 309 digits before its point, so a longer integer overflows: it is never built.
MAX_INTEGER_DIGITS: Final = 309
# Any run of 309 digits covers two neighbours among every 154th character (2 * 154 < 309).
STRIDE: Final = 154
FIRST_OF_TWO_DIGITS: Final = re.compile(r"[0-9](?=[0-9])")

# Characters from which on one walk over the text is quicker than a look at the names of each object.
LARGE_TEXT: Final = 1 << 10

# Of several codes noted in one text, the first here is reported.
NOTED: Final = (Code.NON_FINITE_NUMBER, Code.DUPLICATE_KEY, Code.INVALID_UNICODE)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A value, or a code and the offset in characters where it arose. Never both."""

    value: object = field(default=None, repr=False)
    code: Code | None = None
    offset: int | None = None


def parse(text: str, *, max_nesting: int) -> Parsed:
    """The value of `text`: dict, list, str, int, Decimal, bool or None. Never raises.

    `max_nesting` is the deepest level allowed, the outermost array or object being 1; past it the code is
    `limit_exceeded`. `malformed_arguments` stands for text that is no JSON, and `trailing_data` for more than one.
    """
    quick = _quick(text, max_nesting)
    return quick if quick is not None else _Exact(text, max_nesting).read()


def exact_number(text: str) -> int | Decimal | None:
    """The exact value of a JSON number, None where a double cannot hold its magnitude."""
    whole, fraction, exponent = _groups(text)
    if fraction is None and exponent is None:
        if len(whole) < MAX_INTEGER_DIGITS:
            return int(whole)
        if len(whole) > MAX_INTEGER_DIGITS + 1:
            return None
    if float(text) in (float("inf"), float("-inf")):
        return None
    if fraction is None and exponent is None:
        return int(whole)
    try:
        return Decimal(text)
    except InvalidOperation:
        pass
    return _underflowing(whole, fraction or "")


def _groups(text: str) -> tuple[str, str | None, str | None]:
    match = NUMBER.fullmatch(text)
    assert match is not None, "callers pass what the grammar accepted"
    whole, fraction, exponent = match.groups()
    return whole, fraction, exponent


def _underflowing(whole: str, fraction: str) -> Decimal:
    """A number whose exponent is beyond what Decimal holds: nearer to zero than any bound, with its sign and digits."""
    digits = (whole.lstrip("-") + fraction[1:]).strip("0")
    sign = "-" if whole.startswith("-") else ""
    return Decimal(f"{sign}{digits}E-{10**17}") if digits else Decimal(0)


class _UncleanError(Exception):
    """Leaves the C scanner from inside a hook; carries nothing."""


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _UncleanError
    return found


def _fraction(text: str) -> int | Decimal:
    value = exact_number(text)
    if value is None:
        raise _UncleanError
    return value


def _constant(_: str) -> object:
    raise _UncleanError


_SCANNER: Final = json.JSONDecoder(
    object_pairs_hook=_members, parse_float=_fraction, parse_constant=_constant, strict=True
)


def _quick(text: str, max_nesting: int) -> Parsed | None:
    """What the C scanner makes of a clean text; None wherever there is anything to report, or to doubt."""
    start = _skip(text, 0)
    if _may_have_a_long_number(text):
        return None
    large = len(text) >= LARGE_TEXT
    members = 0
    try:
        if large:
            value, end, members = _scan_large(text, start)
        else:
            value, end = _SCANNER.raw_decode(text, start)
    except (ValueError, RecursionError, InvalidOperation, _UncleanError):
        return None
    if _skip(text, end) != len(text):
        return None
    if large or text.count("[") + text.count("{") > max_nesting:
        marks = _marks(text)
        if (large and marks.count(b":") != members) or _nests_deeper(marks, max_nesting):
            return None
    # Half of a pair of surrogates comes as itself or as an escape; an escape may be one of two that make a whole pair.
    if (not _encodable(text) or SURROGATE_ESCAPE.search(text) is not None) and _has_surrogate(value):
        return None
    return Parsed(value)


def _scan_large(text: str, start: int) -> tuple[object, int, int]:
    """The value, its end, and how many members its objects have: fewer than the text has colons if a name repeats.

    Counting members is quicker than comparing the names of each object, once there is a walk over the text anyway.
    """
    members = [0]
    counter = _counting(members)
    next(counter)
    decoder = json.JSONDecoder(object_hook=counter.send, parse_float=_fraction, parse_constant=_constant, strict=True)
    value, end = decoder.raw_decode(text, start)
    return value, end, members[0]


def _counting(members: list[int]) -> Generator[dict[str, object], dict[str, object], None]:
    """Gives each object back that it is sent, and counts its members: a generator goes on sooner than a call begins."""
    found = yield {}
    while True:
        members[0] += len(found)
        found = yield found


def _may_have_a_long_number(text: str) -> bool:
    """Whether a run of digits is long: quadratic to convert, and past 4,300 an error of its own kind."""
    return len(text) >= MAX_INTEGER_DIGITS and any(
        text[sample.start() * STRIDE : sample.end() * STRIDE].isdigit()
        for sample in FIRST_OF_TWO_DIGITS.finditer(text[::STRIDE])
    )


def _skip(text: str, index: int) -> int:
    match = WHITE_SPACE.match(text, index)
    assert match is not None, "the expression matches the empty string"
    return match.end()


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


def _marks(text: str) -> bytes:
    """The brackets and colons outside the strings of a text that is known to be good JSON."""
    data = text.encode("utf-8", "surrogatepass")
    # Each run of backslashes begins an escape, so pairs of them go first. A quote that is left delimits a string.
    data = data.replace(rb"\\", b"").replace(rb"\"", b"")
    # Two quotes side by side hold nothing, or join two strings into one: either way what is left is inside or outside
    # as before, and there is much less of it.
    marks = data.translate(None, _NO_MARK).replace(b'""', b"")
    return b"".join(marks.split(b'"')[::2])


# So many levels are looked for by taking the innermost brackets out of the text, time and again: few texts have more.
FEW_LEVELS: Final = 16


def _nests_deeper(marks: bytes, limit: int) -> bool:
    """Whether brackets nest deeper than this; each opens and closes, since the text is good JSON."""
    brackets = marks.translate(_ONE_KIND, b":")
    few = min(limit, FEW_LEVELS)
    for _ in range(few):
        brackets = brackets.replace(b"()", b"")
        if not brackets:
            return False
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


class _MalformedError(Exception):
    """Leaves the exact reader; carries a place and no text."""

    def __init__(self, code: Code, offset: int) -> None:
        super().__init__(code, offset)
        self.code = code
        self.offset = offset


_Container: TypeAlias = dict[str, object] | list[object]
# A container that is open, and in an object the name that its next value belongs to.
_Open: TypeAlias = tuple[_Container, str]


class _Exact:
    """The exact reader: one pass over one text, with a stack of its own."""

    __slots__ = ("limit", "noted", "text")

    def __init__(self, text: str, max_nesting: int) -> None:
        self.text = text
        self.limit = max_nesting
        self.noted: dict[Code, int] = {}

    def read(self) -> Parsed:
        start = 0
        if self.text.startswith(BYTE_ORDER_MARK):
            self.note(Code.INVALID_UNICODE, 0)
            start = 1
        try:
            value, end = self.document(_skip(self.text, start))
        except _MalformedError as error:
            code, offset = error.code, error.offset
            return Parsed(None, code, offset)
        end = _skip(self.text, end)
        if end != len(self.text):
            return Parsed(None, Code.TRAILING_DATA, end)
        for code in NOTED:
            if code in self.noted:
                return Parsed(None, code, self.noted[code])
        return Parsed(value)

    def note(self, code: Code, offset: int) -> None:
        """Notes a code that a syntax error further on outranks."""
        self.noted.setdefault(code, offset)

    def document(self, index: int) -> tuple[object, int]:
        """The value that starts at `index`, and where it ends."""
        stack: list[_Open] = []
        while True:
            value: object
            first = self.text[index : index + 1]
            if first in ("{", "["):
                value, index = self.container(first, index, stack)
                if value is None:
                    continue
            else:
                value, index = self.scalar(first, index)
            value, index = self.place(value, index, stack)
            if not stack:
                return value, index

    def container(self, first: str, index: int, stack: list[_Open]) -> tuple[_Container | None, int]:
        """An empty container and its end; or None, where the first value of one that is on the stack now starts."""
        if len(stack) >= self.limit:
            raise _MalformedError(Code.LIMIT_EXCEEDED, index)
        opened: _Container = {} if first == "{" else []
        index = _skip(self.text, index + 1)
        if self.text[index : index + 1] == ("}" if first == "{" else "]"):
            return opened, index + 1
        name = ""
        if isinstance(opened, dict):
            name, index = self.name(opened, index)
        stack.append((opened, name))
        return None, index

    def place(self, value: object, index: int, stack: list[_Open]) -> tuple[object, int]:
        """Gives a whole value to its container, and this one to its own where it ends, and so on.

        Where a container goes on, the index is that of its next value; where none is left, the end of the document.
        """
        while stack:
            container, name = stack[-1]
            if isinstance(container, dict):
                container[name] = value
            else:
                container.append(value)
            index = _skip(self.text, index)
            mark = self.text[index : index + 1]
            if mark == ",":
                index = _skip(self.text, index + 1)
                if isinstance(container, dict):
                    name, index = self.name(container, index)
                    stack[-1] = (container, name)
                break
            if mark != ("}" if isinstance(container, dict) else "]"):
                raise _MalformedError(Code.MALFORMED_ARGUMENTS, index)
            value, index = container, index + 1
            stack.pop()
        return value, index

    def name(self, container: dict[str, object], index: int) -> tuple[str, int]:
        """A member name and its colon; and where its value starts."""
        if self.text[index : index + 1] != '"':
            raise _MalformedError(Code.MALFORMED_ARGUMENTS, index)
        name, end = self.string(index)
        if name in container:
            self.note(Code.DUPLICATE_KEY, index)
        container[name] = None
        end = _skip(self.text, end)
        if self.text[end : end + 1] != ":":
            raise _MalformedError(Code.MALFORMED_ARGUMENTS, end)
        return name, _skip(self.text, end + 1)

    def scalar(self, first: str, index: int) -> tuple[object, int]:
        if first == '"':
            return self.string(index)
        if first in LITERALS:
            word, literal = LITERALS[first]
            if self.text.startswith(word, index):
                return literal, index + len(word)
        for word in NON_FINITE:
            if self.text.startswith(word, index):
                self.note(Code.NON_FINITE_NUMBER, index)
                return None, index + len(word)
        match = NUMBER.match(self.text, index)
        if match is None:
            raise _MalformedError(Code.MALFORMED_ARGUMENTS, index)
        number = exact_number(match.group())
        if number is None:
            self.note(Code.NON_FINITE_NUMBER, index)
        return number, match.end()

    def string(self, index: int) -> tuple[str, int]:
        offset: int | None = None
        try:
            text, end = scanstring(self.text, index + 1, True)  # noqa: FBT003 - positional only: strict
        except ValueError as error:
            offset = getattr(error, "pos", index)
        if offset is not None:
            raise _MalformedError(Code.MALFORMED_ARGUMENTS, offset)
        if SURROGATE.search(text) is not None:
            self.note(Code.INVALID_UNICODE, index)
        return text, end

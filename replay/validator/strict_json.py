"""RFC 8259 and nothing more: text to exact values, or the one code that says why not.

Two readers give the same answer. The quick one (`_json_quick`) answers only for texts that are clean in every respect.
All others go to the exact one, a loop with its own stack that finds the first place where the text is broken. Both take
time linear in the text, whatever it holds.
"""

import re
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]  # the strict C scanner of one string
from typing import Final, TypeAlias

from replay.validator._json_number import NUMBER, exact_number
from replay.validator._json_quick import UNCLEAN, clean_value
from replay.validator._printed import printed
from replay.validator._values import same
from replay.validator.codes import Code

__all__ = ["NUMBER", "WHITE_SPACE", "Parsed", "exact_number", "parse", "printed", "same"]

BYTE_ORDER_MARK: Final = "\ufeff"
WHITE_SPACE: Final = re.compile(r"[ \t\n\r]*")
SURROGATE: Final = re.compile("[\ud800-\udfff]")
LITERALS: Final = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}
NON_FINITE: Final = ("NaN", "Infinity", "-Infinity")

# Of several codes noted in one text, the first here is reported.
NOTED: Final = (Code.NON_FINITE_NUMBER, Code.DUPLICATE_KEY, Code.INVALID_UNICODE)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A value, or a code and the offset in characters where it arose. Never both."""

    value: object = field(default=None, repr=False)
    code: Code | None = None
    offset: int | None = None


def parse(text: str, *, max_nesting: int, utf8: bytes | None = None) -> Parsed:
    """The value of `text`: dict, list, str, int, Decimal, bool or None. Never raises.

    `max_nesting` is the deepest level allowed, the outermost array or object being 1; past it the code is
    `limit_exceeded`. `malformed_arguments` stands for text that is no JSON, and `trailing_data` for more than one.
    `utf8` is the same text in bytes, from a caller that decoded it.
    """
    value = clean_value(text, max_nesting, utf8)
    return Parsed(value) if value is not UNCLEAN else _Exact(text, max_nesting).read()


def _skip(text: str, index: int) -> int:
    match = WHITE_SPACE.match(text, index)
    assert match is not None, "the expression matches the empty string"
    return match.end()


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

"""The items of one array deep in a JSON document of any size, one at a time, within bounded memory.

In: a function that reads bytes, and where the array may stand. Out: each item's bytes, for a parser, with its offset.
What stands around the array is walked over, never held. Standard library only; knows no format that uses JSON.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from proxy_addon.importing.entries import BrokenError

# What is read at once. Larger pieces read no faster.
PIECE_BYTES: Final = 1024 * 1024

Path = tuple[str, ...]

_BOM: Final = b"\xef\xbb\xbf"
_SPACE: Final = re.compile(rb"[ \t\n\r]*+")
_IN_STRING: Final = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_SCALAR: Final = re.compile(rb'[^,:"{}\[\] \t\n\r]*+')
_BETWEEN: Final = re.compile(rb'[^"{}\[\]]*+')  # inside a value: all that opens and closes nothing

_END: Final = -1
_QUOTE, _COMMA, _COLON = b'",:'
_OPEN: Final = b"{["
_CLOSE: Final = b"}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonItem:
    """One item of an array. `data` is None where it is larger than the limit."""

    path: Path
    offset: int
    data: bytes | None = field(repr=False)


class NoListError(BrokenError):
    """A document that is whole, and has none of the lists that are looked for."""

    def __init__(self, paths: Iterable[Path]) -> None:
        super().__init__("whole document", f"no list at {', '.join('.'.join(path) for path in paths)}")


def items(read: Callable[[int], bytes], *, paths: Collection[Path], limit: int) -> Iterator[JsonItem]:
    """Every item of the arrays at `paths`; a `BrokenError` with its place where the document breaks off or has none."""
    text = _Text(read, limit)
    text.skip_mark()
    if () in paths and text.peek() == ord("["):
        yield from _elements(text, ())
    else:
        yield from _members(text, (), paths)
    if text.peek() != _END:
        raise text.broken("data after the end of the JSON document")
    if not text.arrays:
        raise NoListError(path for path in paths if path)


def _members(text: "_Text", path: Path, paths: Collection[Path]) -> Iterator[JsonItem]:
    """The items below an object: walk into what leads to an array that is wanted, and over the rest."""
    text.expect(b"{")
    if text.accept(b"}"):
        return
    while True:
        here = (*path, text.key())
        text.expect(b":")
        leads = any(longer[: len(here)] == here for longer in paths)
        if here in paths and text.peek() == ord("["):
            yield from _elements(text, here)
        elif leads and text.peek() == ord("{"):
            yield from _members(text, here, paths)
        else:
            text.value()
        if not text.accept(b","):
            text.expect(b"}")
            return


def _elements(text: "_Text", path: Path) -> Iterator[JsonItem]:
    text.expect(b"[")
    text.arrays += 1
    if text.accept(b"]"):
        return
    while True:
        text.peek()
        offset = text.offset
        text.hold()
        text.value()
        yield JsonItem(path=path, offset=offset, data=text.take())
        if not text.accept(b","):
            text.expect(b"]")
            return


class _Text:
    """The document as far as it was read. What lies before `_at` is forgotten, unless it is held and not too long."""

    def __init__(self, read: Callable[[int], bytes], limit: int) -> None:
        self.arrays = 0  # of those that are wanted
        self._read = read
        self._limit = limit
        self._buffer = bytearray()
        self._at = 0
        self._forgotten = 0  # bytes of the document before the buffer
        self._held: int | None = None

    @property
    def offset(self) -> int:
        """The offset of the next byte in the document."""
        return self._forgotten + self._at

    def broken(self, what: str) -> BrokenError:
        return BrokenError(f"byte {self.offset}", what)

    def ended(self) -> BrokenError:
        return BrokenError(f"byte {self._forgotten + len(self._buffer)}", "the JSON document ends too early")

    def skip_mark(self) -> None:
        while len(self._buffer) < len(_BOM) and self._more():
            pass
        if self._buffer.startswith(_BOM):
            self._at = len(_BOM)

    def peek(self) -> int:
        """The next byte that is no white space, not taken; `_END` where there is none."""
        while True:
            self._step(_SPACE)
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._more():
                return _END

    def accept(self, byte: bytes) -> bool:
        """Take `byte` if it comes next."""
        if self.peek() != byte[0]:
            return False
        self._at += 1
        return True

    def expect(self, byte: bytes) -> None:
        if not self.accept(byte):
            raise self.ended() if self.peek() == _END else self.broken(f"no JSON: expected {byte.decode()}")

    def key(self) -> str:
        """The name of a member."""
        if self.peek() != _QUOTE:
            self.expect(b'"')
        self.hold()
        self._string()
        data = self.take()
        try:
            name = json.loads(data or b'""')
        except ValueError:
            return ""  # a name that is no JSON string leads nowhere
        return str(name)

    def value(self) -> None:
        """Walk over one value, whatever its size. Brackets are counted; what is held is for a parser to judge."""
        depth = 0
        while True:
            first = self.peek()
            if first == _END:
                raise self.ended()
            if first == _QUOTE:
                self._string()
            elif first in _OPEN:
                depth += 1
                self._at += 1
            elif first in _CLOSE and depth:
                depth -= 1
                self._at += 1
            elif depth:
                self._run(_BETWEEN)
            elif first in (*_CLOSE, _COMMA, _COLON):
                raise self.broken("no JSON: expected a value")
            else:
                self._run(_SCALAR)
            if not depth:
                return

    def hold(self) -> None:
        """Keep what follows, for `take`."""
        self._held = self._at

    def take(self) -> bytes | None:
        """The bytes that were passed since `hold`; None where they are over the limit."""
        held, self._held = self._held, None
        if held is None or self._at - held > self._limit:
            return None
        return bytes(self._buffer[held : self._at])

    def _string(self) -> None:
        self._at += 1
        while True:
            self._step(_IN_STRING)
            if self._at < len(self._buffer) and self._buffer[self._at] == _QUOTE:
                self._at += 1
                return
            if not self._more():  # else at the end of the buffer, perhaps before a backslash whose letter comes
                raise self.ended()

    def _run(self, expression: re.Pattern[bytes]) -> None:
        while True:
            self._step(expression)
            if self._at < len(self._buffer) or not self._more():
                return

    def _step(self, expression: re.Pattern[bytes]) -> None:
        found = expression.match(self._buffer, self._at)
        assert found is not None  # every expression here matches nothing at all, too
        self._at = found.end()

    def _more(self) -> bool:
        """Read on; False at the end. Forgets first, so that the buffer never holds much more than what is held."""
        piece = self._read(PIECE_BYTES)
        if not piece:
            return False
        if self._held is not None and self._at - self._held > self._limit:
            self._held = None
        done = self._at if self._held is None else self._held
        del self._buffer[:done]
        self._forgotten += done
        self._at -= done
        if self._held is not None:
            self._held -= done
        self._buffer += piece
        return True

"""The source files of an import: the format of each, and its entries in order, through bounded memory.

What is not as it should be in a file is a `SourceError` with the path, the place and the next step. No click. What a
format needs beside the standard library is imported when a file of that format is read.
"""

import contextlib
import gzip
import json
import stat
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Final

from proxy_addon.importing.entries import (
    MAX_ENTRY_BYTES,
    Attached,
    BrokenError,
    Item,
    NoSourceError,
    SourceError,
    Unusable,
    UnusableError,
)
from proxy_addon.importing.order import Order, beginnings, in_order
from proxy_addon.importing.readers import cassettes, dumps, entry_shapes, formats, zipped
from proxy_addon.importing.readers.formats import REQUESTS, RESPONSES, Format
from proxy_addon.importing.readers.json_items import NoListError
from proxy_addon.importing.readers.json_items import items as json_items
from replay.errors import install_hint, translated

_YAML_KEYS: Final = ("", *cassettes.KEYS, REQUESTS, RESPONSES)
_PAIR: Final = ("request", "response")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file that was looked at: there, readable, and of a known format. `packed` is one whose gzip is undone first.

    `member` is the name of the HAR in an archive.
    """

    path: Path
    format: Format
    size: int
    packed: bool = False
    member: str = ""


def look(path: Path, format_: Format | None) -> Source:
    """A file as a source. `format_` stands over what it looks like."""
    no_name = SourceError(path, "cannot be read (no usable file name)")
    with _readable(path), translated(ValueError, lambda _: no_name):  # a NUL in the name
        found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        raise SourceError(path, "is a folder; name the files in it")
    if not stat.S_ISREG(found.st_mode):
        raise SourceError(path, "is no regular file; copy what it gives into one")
    with _readable(path), path.open("rb") as file:
        head = file.read(formats.HEAD_BYTES)
    if head.startswith(zipped.START):
        return _archive(path, found.st_size)
    inside = formats.unpacked(head) if head.startswith(formats.GZIP) else None
    shown = head if inside is None else inside
    # A file of nothing, or of white space, is a body without an event.
    guess = format_ or (formats.guess(shown) if shown.strip() else Format.BODY)
    if inside is not None and guess in (None, Format.BODY):
        return Source(path=path, format=Format.BODY, size=found.st_size)  # its content coding is still on it
    if guess is None:
        raise SourceError(
            path,
            "holds no exchange, payload or event stream that is known by its start; say what it is with --format",
        )
    return Source(path=path, format=guess, size=found.st_size, packed=inside is not None)


def _archive(path: Path, size: int) -> Source:
    with _readable(path):
        member = zipped.log_in(path)
    if member is None:
        raise SourceError(path, "is an archive without one HAR in it; unpack it, and name what is in it")
    return Source(path=path, format=Format.JSON, size=size, member=member)


@dataclass(slots=True)
class _Counted:
    """A file that tells how many bytes were read of it."""

    file: IO[bytes] | gzip.GzipFile = field(repr=False)
    advance: Callable[[int], None]

    def read(self, size: int = -1, /) -> bytes:
        piece = self.file.read(size)
        self.advance(len(piece))
        return piece

    def readline(self, size: int = -1, /) -> bytes:
        piece = self.file.readline(size)
        self.advance(len(piece))
        return piece


def numbered(source: Source, order: Order, advance: Callable[[int], None]) -> Iterator[tuple[int, Item]]:
    """The entries of a source that is no body, each with its number in the source.

    `advance` is told how many bytes were read. A source that can say when an entry began is read once more for that.
    """
    if order is Order.AS_THEY_STAND or source.format not in _SAYS_WHEN:
        return enumerate(entries(source, advance), 1)
    began = beginnings(entries(source, lambda _: None))
    return in_order(entries(source, advance), began)


_SAYS_WHEN: Final = frozenset({Format.JSON, Format.FLOWS})


def entries(source: Source, advance: Callable[[int], None]) -> Iterator[Item]:
    """The entries as they stand in the source."""
    read = {Format.JSON: _json, Format.LINES: _lines, Format.YAML: _yaml, Format.FLOWS: _flows}[source.format]

    def broken(error: BrokenError) -> SourceError:
        if isinstance(error, NoListError):
            return NoSourceError(source.path, f"no exchange and no stream in it: {error.what}; check the file")
        return SourceError(source.path, f"{error.place}: {error.what}; mend the file or export it again")

    with _readable(source.path), translated(BrokenError, broken), _file(source, advance) as file:
        yield from read(source, file)


def body(source: Source, *, limit: int, advance: Callable[[int], None]) -> bytes:
    """All bytes of a body; of a longer one `limit` and one more, so that redaction sees it and refuses it.

    Payloads become the events that they are in a stream.
    """
    if source.format is Format.PAYLOADS:
        return _as_events(source, limit, advance)
    with _readable(source.path), _file(source, advance) as file:
        return file.read(limit + 1)


@contextlib.contextmanager
def _file(source: Source, advance: Callable[[int], None]) -> Iterator[_Counted]:
    if source.member:
        with zipped.opened(source.path, source.member) as inner:
            yield _Counted(inner, lambda _: None)
        advance(source.size)
        return
    with source.path.open("rb") as file:
        if not source.packed:
            yield _Counted(file, advance)
            return
        broken = BrokenError("whole file", "its gzip cannot be undone")
        with translated((EOFError, zlib.error, gzip.BadGzipFile), lambda _: broken):
            yield _Counted(gzip.GzipFile(fileobj=file), lambda _: None)
        advance(source.size)


def _as_events(source: Source, limit: int, advance: Callable[[int], None]) -> bytes:
    def broken(error: BrokenError) -> SourceError:
        return SourceError(source.path, f"{error.place}: {error.what}; mend the file or export it again")

    found = b""
    with _readable(source.path), translated(BrokenError, broken), _file(source, advance) as file:
        for event in dumps.events(_payloads(file)):
            found += event
            if len(found) > limit:
                break
    return found


def _payloads(file: _Counted) -> Iterator[bytes]:
    """The texts of payloads: the items of a list, or the lines."""
    start = file.read(1)
    while start.isspace() or start in (b"\xef", b"\xbb", b"\xbf"):
        start = file.read(1)
    if start == b"[":
        again = _Again(start, file)
        for item in json_items(again.read, paths=((),), limit=MAX_ENTRY_BYTES):
            yield item.data or b""
    else:
        yield start + file.readline()
        while line := file.readline():
            yield line


@dataclass(slots=True)
class _Again:
    """A file whose first byte was taken, and is read once more."""

    first: bytes
    file: _Counted

    def read(self, size: int) -> bytes:
        first, self.first = self.first, b""
        return first or self.file.read(size)


def _json(source: Source, file: _Counted) -> Iterator[Item]:
    attached = _attached(source)
    pairs = _Pairs()
    try:
        for item in json_items(file.read, paths=formats.JSON_PATHS, limit=MAX_ENTRY_BYTES):
            name = item.path[-1] if item.path else ""
            if name in (REQUESTS, RESPONSES):
                yield from (_read(pair, attached) for pair in pairs.take(name, _value(item.data)))
            else:
                yield _parsed(item.data, attached)
    except NoListError as error:
        no_list = error
    else:
        return
    yield from _one(source, attached, no_list)


def _one(source: Source, attached: Attached, no_list: NoListError) -> Iterator[Item]:
    """The exchange that a whole document is, or the stream in it; the error where it is none."""
    with _file(source, lambda _: None) as file:
        value = _value(file.read(MAX_ENTRY_BYTES))
    try:
        yield entry_shapes.entry(value, attached)
    except UnusableError as error:
        if error.why is Unusable.NO_EXCHANGE and not entry_shapes.is_exchange(value):
            raise no_list from None
        yield error.why


def _lines(source: Source, file: _Counted) -> Iterator[Item]:
    """One exchange a line."""
    attached = _attached(source)
    while line := file.readline(MAX_ENTRY_BYTES + 1):
        if len(line) > MAX_ENTRY_BYTES:
            raise BrokenError("whole file", f"a line is longer than {MAX_ENTRY_BYTES:,} bytes")
        if line.strip():
            yield _parsed(line, attached)


class _Pairs:
    """Requests and responses that come in two lists: each response with the request of the same place."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[object]] = {REQUESTS: deque(), RESPONSES: deque()}

    def take(self, name: str, value: object) -> Iterable[object]:
        """The exchanges that this item completes."""
        self._waiting[name].append(value)
        requests, responses = self._waiting[REQUESTS], self._waiting[RESPONSES]
        while requests and responses:
            yield dict(zip(_PAIR, (requests.popleft(), responses.popleft()), strict=True))


def _attached(source: Source) -> Attached:
    return partial(zipped.attached, source.path) if source.member else _beside(source.path)


def _beside(source: Path) -> Attached:
    """Reads the files that entries name, from the folder of the source or the one above it, and from nowhere else."""

    def attached(name: str) -> bytes | None:
        around = source.parent.resolve().parent
        try:
            path = (source.parent / name).resolve()
            if not path.is_relative_to(around) or not path.is_file() or path.stat().st_size > MAX_ENTRY_BYTES:
                return None
            return path.read_bytes()
        except (OSError, ValueError):
            return None

    return attached


def _parsed(data: bytes | None, attached: Attached) -> Item:
    """An item of a JSON source. The parser is lenient on purpose: the file is another tool's, and no fixture."""
    if data is None:
        return Unusable.TOO_LARGE
    value = _value(data)
    return Unusable.NOT_READABLE if value is _NO_JSON else _read(value, attached)


_NO_JSON: Final = object()


def _value(data: bytes | None) -> object:
    try:
        return json.loads(data or b"")
    except (ValueError, RecursionError):
        return _NO_JSON


def _read(value: object, attached: Attached) -> Item:
    try:
        return entry_shapes.entry(value, attached)
    except UnusableError as error:
        return error.why
    except RecursionError:
        return Unusable.NOT_READABLE


def _yaml(source: Source, file: _Counted) -> Iterator[Item]:
    missing = SourceError(source.path, f"YAML needs PyYAML; {install_hint('import')}")
    with translated(ModuleNotFoundError, lambda _: missing):
        from proxy_addon.importing.readers import yaml_items
    if source.size > yaml_items.MAX_YAML_BYTES:
        raise SourceError(source.path, f"larger than {yaml_items.MAX_YAML_BYTES:,} bytes of YAML; split it")
    attached, pairs = _beside(source.path), _Pairs()
    for name, value in yaml_items.items(file, keys=_YAML_KEYS, single=_PAIR):
        if name in (REQUESTS, RESPONSES):
            yield from (_read(pair, attached) for pair in pairs.take(name, value))
        else:
            yield _read(value, attached)


def _flows(source: Source, file: _Counted) -> Iterator[Item]:
    missing = SourceError(source.path, f"flow files need mitmproxy; {install_hint('record')}")
    with translated(ModuleNotFoundError, lambda _: missing):
        from proxy_addon.importing.readers import flows
    yield from flows.items(file)


def _readable(path: Path) -> translated[OSError]:
    """Raises a `SourceError` in the place of what the system says of a file that cannot be read."""
    return translated(
        OSError, lambda error: SourceError(path, f"cannot be read ({error.strerror or type(error).__name__})")
    )

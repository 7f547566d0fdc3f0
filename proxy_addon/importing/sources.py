"""The source files of an import: the format of each, and its entries in order, through bounded memory.

What is not as it should be in a file is a `SourceError` with the path, the place and the next step. No click. What a
format needs beside the standard library is imported when a file of that format is read.
"""

import json
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import BinaryIO, Final

from proxy_addon.importing import cassettes, har
from proxy_addon.importing.entries import (
    MAX_ENTRY_BYTES,
    BrokenError,
    Entry,
    Item,
    SourceError,
    Unusable,
    UnusableError,
)
from proxy_addon.importing.json_items import items as json_items
from replay.errors import translated
from replay.wire.aws_event_stream import AWS_EVENT_STREAM
from replay.wire.json_array import JSON_ARRAY
from replay.wire.ndjson import NDJSON
from replay.wire.sse import SSE

# Enough of a file to tell its format.
_HEAD_BYTES: Final = 4096

_BOM: Final = b"\xef\xbb\xbf"
_FLOW: Final = re.compile(rb"[0-9]{1,12}:")
_YAML: Final = re.compile(rb"^(?:http_)?interactions:", re.MULTILINE)
_GZIP: Final = b"\x1f\x8b"

# How a raw body starts, by the framing that it has; a byte order mark left aside.
_BODIES: Final[Mapping[str, re.Pattern[bytes]]] = {
    SSE.name: re.compile(b"|".join(map(re.escape, SSE.starts))),
    NDJSON.name: re.compile(rb'\s*\{(?:"model":|[^\n]*\}[ \t\r]*\n\s*\{)'),  # no HAR, no cassette: these are one object
    JSON_ARRAY.name: re.compile(rb"\s*\[\s*\{"),
    # Lengths below 32 MiB and 128 KiB, their checksum, and the length of a header whose name begins with a colon.
    AWS_EVENT_STREAM.name: re.compile(rb"[\x00\x01][\s\S]{3}\x00[\x00-\x02][\s\S]{7}:"),
}

_JSON_PATHS: Final = (har.PATH, *((key,) for key in cassettes.KEYS))


class Format(Enum):
    """The format of a source; the value is how the command line says it."""

    BODY = "body"
    JSON = "json"  # HAR or a cassette: its keys tell
    YAML = "yaml"
    FLOWS = "flows"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file that was looked at: there, readable, and of a known format."""

    path: Path
    format: Format
    size: int


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
        head = file.read(_HEAD_BYTES)
    guess = format_ or _guess(head)
    if guess is None:
        raise SourceError(
            path, "no HAR, cassette, flow file or event stream by its start; say what it is with --format"
        )
    return Source(path=path, format=guess, size=found.st_size)


def _guess(head: bytes) -> Format | None:
    start = head.removeprefix(_BOM)
    if head.startswith(_GZIP) or any(pattern.match(start) for pattern in _BODIES.values()):
        return Format.BODY
    if start.lstrip().startswith(b"{"):
        return Format.JSON
    if _FLOW.match(head):
        return Format.FLOWS
    return Format.YAML if _YAML.search(head) else None


@dataclass(slots=True)
class _Counted:
    """A file that tells how many bytes were read of it."""

    file: BinaryIO = field(repr=False)
    advance: Callable[[int], None]

    def read(self, size: int = -1, /) -> bytes:
        piece = self.file.read(size)
        self.advance(len(piece))
        return piece


def entries(source: Source, advance: Callable[[int], None]) -> Iterator[Item]:
    """The entries of a HAR, cassette or flow file; `advance` is told how many bytes were read."""
    read = {Format.JSON: _json, Format.YAML: _yaml, Format.FLOWS: _flows}[source.format]

    def broken(error: BrokenError) -> SourceError:
        return SourceError(source.path, f"{error.place}: {error.what}; mend the file or export it again")

    with _readable(source.path), translated(BrokenError, broken), source.path.open("rb") as file:
        yield from read(source, _Counted(file, advance))


def body(source: Source, *, limit: int, advance: Callable[[int], None]) -> bytes:
    """All bytes of a body; of a longer one `limit` and one more, so that redaction sees it and refuses it."""
    with _readable(source.path), source.path.open("rb") as file:
        return _Counted(file, advance).read(limit + 1)


def _json(_: Source, file: _Counted) -> Iterator[Item]:
    for item in json_items(file.read, paths=_JSON_PATHS, limit=MAX_ENTRY_BYTES):
        yield _parsed(item.data, har.entry if item.path == har.PATH else cassettes.entry)


def _parsed(data: bytes | None, read: Callable[[object], Entry]) -> Item:
    """An item of a JSON source. The parser is lenient on purpose: the file is another tool's, and no fixture."""
    if data is None:
        return Unusable.TOO_LARGE
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return Unusable.NOT_READABLE
    return _read(value, read)


def _read(value: object, read: Callable[[object], Entry]) -> Item:
    try:
        return read(value)
    except UnusableError as error:
        return error.why
    except RecursionError:
        return Unusable.NOT_READABLE


def _yaml(source: Source, file: _Counted) -> Iterator[Item]:
    missing = SourceError(source.path, "YAML needs PyYAML; install it with: pip install 'toolreel[import]'")
    with translated(ModuleNotFoundError, lambda _: missing):
        from proxy_addon.importing import yaml_items
    if source.size > yaml_items.MAX_YAML_BYTES:
        raise SourceError(source.path, f"larger than {yaml_items.MAX_YAML_BYTES:,} bytes of YAML; split it")
    for value in yaml_items.items(file, keys=cassettes.KEYS):
        yield _read(value, cassettes.entry)


def _flows(source: Source, file: _Counted) -> Iterator[Item]:
    missing = SourceError(source.path, "flow files need mitmproxy; install it with: pip install 'toolreel[record]'")
    with translated(ModuleNotFoundError, lambda _: missing):
        from proxy_addon.importing import flows
    yield from flows.items(file)


def _readable(path: Path) -> translated[OSError]:
    """Raises a `SourceError` in the place of what the system says of a file that cannot be read."""
    return translated(
        OSError, lambda error: SourceError(path, f"cannot be read ({error.strerror or type(error).__name__})")
    )

"""The bytes of bodies, from what sources write down: text, Base64, hexadecimal digits, parsed JSON.

A source may have undone the content coding of a body and kept its headers; here both are made to agree again. Pure
functions over values that a parser gave. Nothing of a value is in what they raise.
"""

import base64
import gzip
import json
import zlib
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Final

from proxy_addon.importing.entries import Entry, Unusable, UnusableError
from proxy_addon.writing.finished import Headers
from proxy_addon.writing.redacting.decoders import decoder
from proxy_addon.writing.redacting.exchanges import MAX_REQUEST_BYTES
from replay import families
from replay.errors import translated
from replay.wire.coding import CodingError

_GZIP_MAGIC: Final = b"\x1f\x8b"
_GZIP: Final = frozenset({"gzip", "x-gzip"})

# Text encodings that a cassette may name for a body that it holds as text. What names another is UTF-8.
_ENCODINGS: Final[Mapping[str, str]] = {
    "iso-8859-1": "iso-8859-1",
    "latin-1": "iso-8859-1",
    "latin1": "iso-8859-1",
    "windows-1252": "cp1252",
}

# A body that is kept parsed is there to be read by people.
MAX_PARSED_BYTES: Final = 8 * 1024 * 1024

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)

# Enough of a body to see whether it is text.
_HEAD_BYTES: Final = 4096


def text(value: str, encoding: object = None) -> bytes:
    """The bytes of a body that the source holds as text."""
    name = _ENCODINGS.get(encoding.lower(), "utf-8") if isinstance(encoding, str) else "utf-8"
    with translated(UnicodeEncodeError, _other_encoding):
        return value.encode(name, "surrogatepass" if name == "utf-8" else "strict")


def base64_text(value: str) -> bytes:
    """The bytes of a body that the source holds as Base64, in lines or in one."""
    with translated(ValueError, _other_encoding):
        return base64.b64decode("".join(value.split()), validate=True)


def hexadecimal(value: str) -> bytes:
    """The bytes of a body that the source holds as hexadecimal digits."""
    with translated(ValueError, _other_encoding):
        return bytes.fromhex(value)


def json_value(value: object) -> bytes:
    """The bytes of a body that the source holds parsed: JSON text that says the same. Bounded: a value may repeat."""
    pieces = (piece.encode("utf-8", "surrogatepass") for piece in _ENCODER.iterencode(value))
    with translated((TypeError, ValueError, RecursionError), _other_encoding):
        return joined(pieces, limit=MAX_PARSED_BYTES)


def _other_encoding(_: Exception) -> UnusableError:
    """The error about a body that is not in the encoding that its source names."""
    return UnusableError(Unusable.ENCODING)


def joined(pieces: Iterable[bytes], *, limit: int = MAX_REQUEST_BYTES) -> bytes:
    """The pieces joined, where they are no longer than `limit` together."""
    found, size = [], 0
    for piece in pieces:
        size += len(piece)
        if size > limit:
            raise UnusableError(Unusable.TOO_LARGE)
        found.append(piece)
    return b"".join(found)


def agreeing(headers: Headers, body: bytes) -> tuple[Headers, bytes]:
    """Response headers and body that agree about the content coding.

    Browsers and many cassettes keep the headers of the wire beside a body whose coding is undone. gzip is put on again,
    so that the fixture says how the response came; of any other coding the header goes.
    """
    coding = next((value for name, value in headers if name.lower() == "content-encoding"), "").strip().lower()
    if coding in ("", "identity"):
        packed = body.startswith(_GZIP_MAGIC)  # no event stream starts so
        return ((*_without_coding(headers), ("content-encoding", "gzip")), body) if packed else (headers, body)
    if coding in _GZIP:
        return headers, body if body.startswith(_GZIP_MAGIC) or not body else gzip.compress(body, 1, mtime=0)
    return (_without_coding(headers), body) if _is_stream(body) else (headers, body)


def as_it_came(entry: Entry, body: bytes) -> tuple[bytes, ...]:
    """The body in the pieces in which it came, where the source tells them; `body` may have a coding put on again."""
    if entry.arrivals is None or entry.body is None:
        return (body,)
    pieces = [entry.body[start:end] for start, end in pairwise([0, *entry.arrivals.ends[:-1], len(entry.body)])]
    if body == entry.body:
        return tuple(pieces)
    packing = zlib.compressobj(1, wbits=31)
    packed = [packing.compress(piece) + packing.flush(zlib.Z_SYNC_FLUSH) for piece in pieces]
    return (*packed[:-1], b"".join(packed[-1:]) + packing.flush())


def agreeing_request(headers: Headers, body: bytes) -> tuple[Headers, bytes]:
    """Request headers and body that agree about the content coding.

    The header goes where the body is text already, or not there.
    """
    return (_without_coding(headers), body) if not body or _is_object(body) else (headers, body)


def start(headers: Headers, body: bytes, size: int) -> bytes | None:
    """The first bytes of a body, its coding undone, at most so many; None where that cannot be done."""
    headers, coded = agreeing(headers, body)
    coding = next((value for name, value in headers if name.lower() == "content-encoding"), None)
    found = b""
    try:
        undo = decoder(coding, limit=MAX_PARSED_BYTES)
        for at in range(0, len(coded), _HEAD_BYTES):
            found += undo.feed(coded[at : at + _HEAD_BYTES])
            if len(found) >= size:
                break
    except CodingError:
        return None
    return found[:size]


def _without_coding(headers: Headers) -> Headers:
    return tuple((name, value) for name, value in headers if name.lower() != "content-encoding")


def _is_object(body: bytes) -> bool:
    """Whether the body starts as a JSON object and is text throughout. No compressed body of any length is."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return body.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n").startswith(b"{")


def _is_stream(body: bytes) -> bool:
    """Whether the body starts as a stream of any family, in text. No compressed stream of any length does."""
    head = body[:_HEAD_BYTES].removeprefix(b"\xef\xbb\xbf")
    try:
        head[:-4].decode("utf-8")  # the end may be in the middle of a character
    except UnicodeDecodeError as error:
        if error.start < len(head[:-4]) - 4:
            return False
    return any(head.startswith(framing.starts) for framing in families.FRAMINGS)

"""The format of a source, by what it holds: its start is looked at, never its name.

In: the first bytes of a file. Out: a `Format`, or None. Example: `[{"scope": …}]` is JSON, since its first item is an
exchange of nock; `[{"choices": …}]` are payloads; and `[{"candidates": …}]` is the body of a response.
"""

import json
import re
import zlib
from collections.abc import Mapping
from enum import Enum
from typing import Final

from proxy_addon.importing.readers import cassettes, dumps, entry_shapes, har, whole_responses
from replay import families
from replay.wire.aws_event_stream import AWS_EVENT_STREAM
from replay.wire.framing import Framing
from replay.wire.json_array import JSON_ARRAY
from replay.wire.ndjson import NDJSON
from replay.wire.sse import SSE

# Enough of a file to tell its format; of JSON, its first item.
HEAD_BYTES: Final = 4 * 1024 * 1024
_START_BYTES: Final = 4096

_BOM: Final = b"\xef\xbb\xbf"
_FLOW: Final = re.compile(rb"[0-9]{1,12}:")
_YAML: Final = re.compile(
    rb"^(?:http_interactions|interactions|requests|responses|request|response):"
    rb"|^-[ \n]+(?:request|response|scope|method|path|index):",
    re.MULTILINE,
)
GZIP: Final = b"\x1f\x8b"

# How a raw body starts, by the framing that it has; a byte order mark left aside.
_BODIES: Final[Mapping[str, re.Pattern[bytes]]] = {
    SSE.name: re.compile(b"|".join(map(re.escape, SSE.starts))),
    NDJSON.name: re.compile(rb'\s*\{(?:"model":|[^\n]*\}[ \t\r]*\n\s*\{)'),  # no HAR, no cassette: these are one object
    JSON_ARRAY.name: re.compile(rb"\s*\[\s*\{"),
    # Lengths below 32 MiB and 128 KiB, their checksum, and the length of a header whose name begins with a colon.
    AWS_EVENT_STREAM.name: re.compile(rb"[\x00\x01][\s\S]{3}\x00[\x00-\x02][\s\S]{7}:"),
}
_DECODER: Final = json.JSONDecoder(strict=False)
# LangChain's cassettes have requests and responses apart, in two lists of the same order.
REQUESTS, RESPONSES = "requests", "responses"
# Where exchanges stand in a JSON document: a list alone, HAR, cassettes, the Azure test proxy, WireMock.
JSON_PATHS: Final = (
    (),
    har.PATH,
    *((key,) for key in cassettes.KEYS),
    ("Entries",),
    ("mappings",),
    (REQUESTS,),
    (RESPONSES,),
)
_HOLDERS: Final = frozenset(path[0] for path in JSON_PATHS if path)
# The members of exchanges, where the first item is longer than what was read.
_OF_EXCHANGES: Final = re.compile(r'"(?:request|response|scope|RequestUri)"\s*:')


class Format(Enum):
    """The format of a source; the value is how the command line says it."""

    BODY = "body"
    JSON = "json"  # a HAR file, a cassette, the exchanges of other tools: what is in it tells
    LINES = "lines"  # the same, one exchange a line
    PAYLOADS = "payloads"  # the payloads of one stream: one a line, or a list of them
    YAML = "yaml"
    FLOWS = "flows"


def guess(head: bytes) -> Format | None:
    """The format of a file with this start; None where it is none that is known."""
    start = head.removeprefix(_BOM)
    first = start.lstrip()[:1]
    if first == b"[":
        return _of_list(start)
    if first == b"{":
        return _of_object(start)
    if any(pattern.match(start) for pattern in _BODIES.values()):
        return Format.BODY
    if _FLOW.match(head):
        return Format.FLOWS
    return Format.YAML if _YAML.search(head[:_START_BYTES]) else None


def unpacked(head: bytes) -> bytes:
    """The start of a gzipped file, unpacked as far as it goes; nothing where it cannot be."""
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, HEAD_BYTES)
    except zlib.error:
        return b""


def _of_list(start: bytes) -> Format | None:
    text = start.decode("utf-8", "replace").lstrip()
    if not text[1:].lstrip().startswith("{"):
        return None
    first = _value(text[1:].lstrip())
    if first is None:
        return Format.JSON if _OF_EXCHANGES.search(text) else Format.BODY
    if entry_shapes.is_exchange(first):
        return Format.JSON
    return Format.BODY if _is_body(first, JSON_ARRAY) or dumps.family(first) is None else Format.PAYLOADS


def _of_object(start: bytes) -> Format:
    """The format of a file that starts with an object: the whole of it, or one a line."""
    line, _, rest = start.lstrip().partition(b"\n")
    first = _whole(line)
    if first is not None and rest.lstrip()[:1] == b"{":
        if dumps.family(first) is not None and not _is_body(first, NDJSON):
            return Format.PAYLOADS
        is_log = entry_shapes.is_exchange(first) or dumps.entry(first) is not None
        return Format.LINES if is_log else Format.BODY
    whole = first if first is not None else _whole(start)
    if isinstance(whole, dict) and whole_responses.why(whole) is not None and not _is_known(whole):
        return Format.JSON if _HOLDERS & whole.keys() else Format.BODY
    if isinstance(whole, dict) and not rest.strip() and not _is_known(whole) and _BODIES[NDJSON.name].match(start):
        return Format.BODY
    if whole is None and _BODIES[NDJSON.name].match(start):
        return Format.BODY
    return Format.JSON


def _is_body(payload: object, framing: Framing) -> bool:
    """Whether a family that sends such payloads frames them so itself."""
    return any(framing in families.FAMILIES[one].framings for one in families.look_of(payload))


def _is_known(value: dict[str, object]) -> bool:
    return entry_shapes.is_exchange(value) or dumps.entry(value) is not None


def _whole(text: bytes) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _value(text: str) -> object:
    try:
        return _DECODER.raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None

"""Bodies of AWS event streams, written after the format and not with the product's own writer."""

import base64
import json
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from zlib import crc32

_TEXT: Final = 7


def message(headers: Mapping[str, str], payload: bytes) -> bytes:
    """One message with these headers, all of them text."""
    block = b""
    for name, text in headers.items():
        value = text.encode()
        block += bytes([len(name.encode())]) + name.encode() + bytes([_TEXT]) + struct.pack(">H", len(value)) + value
    lengths = struct.pack(">II", len(block) + len(payload) + 16, len(block))
    whole = lengths + struct.pack(">I", crc32(lengths)) + block + payload
    return whole + struct.pack(">I", crc32(whole))


def event(kind: str, data: bytes, **headers: str) -> bytes:
    """One event of this type; `headers` stand beside those that every event has."""
    usual = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    return message({**usual, **headers}, data)


def carried(data: bytes, **members: object) -> bytes:
    """One event that carries these bytes for a vendor; `members` stand beside them."""
    return event("chunk", json.dumps({"bytes": base64.b64encode(data).decode(), **members}).encode())


def _message_of(payload: object) -> bytes:
    if isinstance(payload, dict) and len(payload) == 1 and 0 < len(next(iter(payload)).encode()) < 1 << 15:
        [(kind, value)] = payload.items()
        return event(kind, json.dumps(value).encode())
    # What no event can be, a carrier can hold; a string is sent as the text it is.
    bare = isinstance(payload, str) and not payload.startswith("{")
    return carried((str(payload) if bare else json.dumps(payload)).encode("utf-8", "surrogatepass"))


def event_body(payloads: Sequence[object]) -> bytes:
    """A body whose messages stand for these payloads."""
    return b"".join(map(_message_of, payloads))


def payloads(body: bytes) -> Iterator[object]:
    """What the messages of a body say, one for each; no check is made."""
    at = 0
    while at < len(body):
        total, headers = struct.unpack_from(">II", body, at)
        named = re.search(rb":event-type\x07..([A-Za-z-]+)", body[at + 12 : at + 12 + headers], re.DOTALL)
        value = json.loads(body[at + 12 + headers : at + total - 4])
        kind = named[1].decode() if named is not None else "error"
        yield json.loads(base64.b64decode(value["bytes"])) if kind == "chunk" else {kind: value}
        at += total


def inside(body: bytes) -> bytes:
    """All that the messages of a body carry in base64, decoded."""
    return b"\n".join(map(base64.b64decode, re.findall(rb'"bytes": "([A-Za-z0-9+/=]*)"', body)))

"""AWS event streams: frames with two checksums and typed headers, as Amazon Bedrock sends them.

Goes in: the bytes of an `application/vnd.amazon.eventstream` body, cut anywhere. Comes out: its messages, in order; and
back: messages to bytes with right checksums. Knows frames and headers; knows no provider, and of JSON only where a
payload stands. A frame on the wire, with numbers in big-endian order and checksums CRC-32:

    00 00 00 ..    length of the whole frame
    00 00 00 ..    length of the headers
    .. .. .. ..    checksum of these eight bytes: with it, 12 bytes are enough to refuse what is no frame
    headers        each: length of its name, name, type; of a string its length in two bytes, then the string.
                   `:message-type` says `event`, and `:event-type` which: `contentBlockStop`
    payload        {"contentBlockIndex":0}
    .. .. .. ..    checksum of all before it

A frame whose checks fail says nothing about where the next one begins, and clients stop there. So it becomes one broken
frame, and nothing behind it is read.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from decimal import Decimal
from types import NoneType
from typing import TYPE_CHECKING, Final
from zlib import crc32

from .framing import (
    BROKEN,
    MAX_EVENT_BYTES,
    EventTooLongError,
    Frame,
    LineEnd,
    Payloads,
    RenderError,
    Tail,
    carried,
    decoded,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

__all__ = [
    "AWS_EVENT_STREAM",
    "EVENT",
    "AwsEventStream",
    "AwsEventStreams",
    "carries",
    "chunk",
    "message",
]

# Of the AWS implementations: what is larger is refused by every client.
MAX_HEADER_BYTES: Final = 128 * 1024
MAX_PAYLOAD_BYTES: Final = 24 * 1024 * 1024

_PRELUDE: Final = struct.Struct(">III")  # total length, headers length, checksum of these two
_CHECKSUM: Final = struct.Struct(">I")
_AROUND: Final = _PRELUDE.size + _CHECKSUM.size

# Header type -> bytes of its value; None where the length stands before it.
_VALUE_BYTES: Final[Mapping[int, int | None]] = {
    0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 6: None, 7: None, 8: 8, 9: 16,
}  # fmt: skip
_STRING: Final = 7

# What a message is, as its `:message-type` says, and the header that says which.
EVENT: Final = "event"
EXCEPTION: Final = "exception"
ERROR: Final = "error"
_NAMED_BY: Final[Mapping[str, str]] = {EVENT: ":event-type", EXCEPTION: ":exception-type", ERROR: ":error-code"}
# The member of `error` under which the name of an exception or error stands in the array.
_MEMBERS: Final[Mapping[str, str]] = {EXCEPTION: "type", ERROR: "code"}
# Event types that do not stand for themselves: framing, and a payload of the vendor's in base64.
INITIAL_RESPONSE: Final = "initial-response"
CHUNK: Final = "chunk"

_DECODER: Final = json.JSONDecoder()

# The JSON values that a reader gives; a text that it gives stands for a broken payload, as anything else does.
_JSON: Final = (dict, list, bool, int, float, Decimal, NoneType)


class AwsEventStream:
    """A body being read: feed it in pieces, close it once. Time and memory are linear in what is fed."""

    def __init__(self, *, limit: int = MAX_EVENT_BYTES) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._lost = False  # a check failed: nothing behind it is read
        self._too_long = False

    def feed(self, piece: bytes) -> list[Frame]:
        """The frames that `piece` completes; raises `EventTooLongError`, then and ever after."""
        if self._too_long:
            raise EventTooLongError(self._limit)
        if self._lost:
            return []
        self._buffer += piece
        found: list[Frame] = []
        start = 0
        while not self._lost and len(self._buffer) - start >= _PRELUDE.size:
            total = self._checked_total(start)
            if total is None:
                self._lost = True
                found.append(BROKEN)
            elif len(self._buffer) - start < total:
                break
            else:
                frame = _frame(bytes(self._buffer[start : start + total]))
                self._lost = frame is None
                found.append(BROKEN if frame is None else frame)
                start += total
        del self._buffer[:start]
        return found

    def close(self) -> Tail:
        """Say that the body ended. A frame that is not whole never arrived; the tail says that it was there."""
        if self._too_long:
            raise EventTooLongError(self._limit)
        return Tail(pending=self._lost or bool(self._buffer), comments=0)

    def _checked_total(self, start: int) -> int | None:
        """The length of the frame that starts here, as soon as its prelude is there; None where a check fails."""
        total, headers, checksum = _PRELUDE.unpack_from(self._buffer, start)
        if checksum != crc32(self._buffer[start : start + 8]):
            return None
        payload = total - headers - _AROUND
        if payload < 0 or payload > MAX_PAYLOAD_BYTES or headers > MAX_HEADER_BYTES:
            return None
        if total > self._limit:
            self._too_long = True
            raise EventTooLongError(self._limit)
        return int(total)


def _frame(raw: bytes) -> Frame | None:
    """The frame in `raw`, whose prelude was checked; None where another check fails."""
    body = raw[: -_CHECKSUM.size]
    if _CHECKSUM.unpack(raw[-_CHECKSUM.size :])[0] != crc32(body):
        return None
    payload_at = _PRELUDE.size + _PRELUDE.unpack_from(raw)[1]
    headers = _headers(body[_PRELUDE.size : payload_at])
    return None if headers is None else _message(headers, body[payload_at:])


def _headers(block: bytes) -> dict[str, str] | None:
    """The headers whose value is a string; one that is none reads as "". None where the block is not sound."""
    found: dict[str, str] = {}
    try:
        for name, value in _each_header(block):
            if name in found:
                return None
            found[name] = value
    except (IndexError, KeyError, UnicodeDecodeError, struct.error):
        return None
    return found


def _each_header(block: bytes) -> Iterator[tuple[str, str]]:
    """Name and value of each header; raises one of four errors where the block ends early or holds what is none."""
    at = 0
    while at < len(block):
        size = block[at]
        name = block[at + 1 : at + 1 + size]
        at += 1 + size
        kind = block[at]
        length = _VALUE_BYTES[kind]
        at += 1
        if length is None:
            (length,) = struct.unpack_from(">H", block, at)
            at += 2
        value = block[at : at + length]
        at += length
        if len(value) < length:
            raise IndexError
        yield name.decode("utf-8"), value.decode("utf-8") if kind == _STRING else ""


def _message(headers: Mapping[str, str], payload: bytes) -> Frame:
    """A sound frame as what it says; a broken one where it does not say what it is."""
    kind = headers.get(":message-type", "")
    name = headers.get(_NAMED_BY.get(kind, ""), "")
    if not name:
        return BROKEN
    if kind in _MEMBERS:
        # The message of the provider is not kept: it may quote the request.
        return Frame(kind=kind, event=name, data=json.dumps({_MEMBERS[kind]: name}), levels=1)
    return decoded(payload, kind=kind, event=name, levels=0 if name == CHUNK else 1)


def collect(frames: Iterable[Frame], read: Callable[[Frame], object]) -> Payloads:
    """The payloads of `frames`: an event under its type, an error under `error`, a chunk as what its base64 holds.

    `read` gives the JSON value of a frame's data, or whatever stands for a broken one; a bare string is one of these.
    """
    kept: list[Frame] = []
    items: list[object] = []
    for frame in frames:
        if frame.kind == EVENT and frame.event == INITIAL_RESPONSE:
            continue
        kept.append(frame)
        items.append(_payload(frame, read))
    return Payloads(items=items, frames=kept, done=0)


def _payload(frame: Frame, read: Callable[[Frame], object]) -> object:
    value = read(frame)
    if frame.broken or not isinstance(value, _JSON):
        return value
    if frame.kind == EVENT and frame.event == CHUNK:
        return read(_inside(value))
    return {frame.event if frame.kind == EVENT else "error": value}


def _inside(chunk: object) -> Frame:
    """What a chunk holds in base64, as a frame of its own; a broken one where it holds nothing of the kind."""
    coded = chunk.get("bytes") if isinstance(chunk, dict) else None
    if not isinstance(coded, str):
        return BROKEN
    try:
        raw = base64.b64decode(coded.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        return BROKEN
    return decoded(raw)


def carries(frames: Iterable[Frame]) -> bool:
    """Whether some of the messages are chunks, which carry the payloads of a vendor's own API."""
    return any(frame.kind == EVENT and frame.event == CHUNK for frame in frames)


def render(event: Frame) -> bytes:
    """The bytes of one frame, with the headers that a client looks at and right checksums."""
    if event.broken:
        raise RenderError("a frame")
    named_by = _NAMED_BY.get(event.kind)
    if named_by is None or not event.event:
        raise RenderError(":message-type")
    headers = {named_by: event.event, ":content-type": "application/json", ":message-type": event.kind}
    block = b"".join(_header(name, text) for name, text in headers.items())
    payload = b"{}" if event.kind in _MEMBERS else carried(event.data, "a payload").encode("utf-8")
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise RenderError("a payload")
    prelude = struct.pack(">II", len(block) + len(payload) + _AROUND, len(block))
    whole = prelude + _CHECKSUM.pack(crc32(prelude)) + block + payload
    return whole + _CHECKSUM.pack(crc32(whole))


def message(payload: object, text: str) -> Frame | None:
    """The message that stands in an array as this payload, whose JSON text is given; None where no message does."""
    if not isinstance(payload, dict) or len(payload) != 1:
        return None
    ((name, value),) = payload.items()
    if name == "error":
        return _exception(value)
    _, at = _DECODER.raw_decode(text, text.index('"'))
    return Frame(kind=EVENT, event=name, data=text[text.index(":", at) + 1 : text.rindex("}")].strip())


def _exception(value: object) -> Frame | None:
    """The exception or error of which nothing is kept but what it is called."""
    for kind, member in _MEMBERS.items():
        if isinstance(value, dict) and value.keys() == {member} and isinstance(value[member], str) and value[member]:
            return Frame(kind=kind, event=value[member], data=json.dumps(value))
    return None


def chunk(payload: str) -> Frame:
    """The frame that carries a vendor's payload, given as JSON text."""
    coded = base64.b64encode(carried(payload, "a payload").encode("utf-8")).decode("ascii")
    return Frame(kind=EVENT, event=CHUNK, data=json.dumps({"bytes": coded}, separators=(",", ":")))


def _header(name: str, text: str) -> bytes:
    value = carried(text, name).encode("utf-8")
    if len(value) >= 1 << 15:
        raise RenderError(name)
    return bytes([len(name)]) + name.encode("ascii") + bytes([_STRING]) + struct.pack(">H", len(value)) + value


class AwsEventStreams:
    """The framing of AWS event streams."""

    name: Final = "eventstream"
    forms: Final = ("eventstream", "eventstream-chunks")
    marked: Final = False
    content_type: Final = "application/vnd.amazon.eventstream"
    starts: Final = (b"\x00", b"\x01")  # of the total length, which is below 32 MiB

    def open(self, *, limit: int = MAX_EVENT_BYTES) -> AwsEventStream:
        """A reader of one body."""
        return AwsEventStream(limit=limit)

    def form(self, frames: Sequence[Frame]) -> str:
        """Whether its messages are events that stand for themselves, or chunks that carry a vendor's payloads."""
        return self.forms[carries(frames)]

    def collect(self, frames: Iterable[Frame], read: Callable[[Frame], object]) -> Payloads:
        """The payloads of messages, as the service model names them."""
        return collect(frames, read)

    def render(self, event: Frame, *, line_end: LineEnd = LineEnd.LF) -> bytes:  # noqa: ARG002 - it has no lines
        """The bytes of one frame."""
        return render(event)

    def end_marker(self, *, line_end: LineEnd = LineEnd.LF) -> bytes:  # noqa: ARG002
        """Nothing: a body just ends."""
        return b""

    def end_of(self, body: bytes) -> int:
        """The end of the body: no byte of it is white space."""
        return len(body)

    def is_end_marker(self, text: str) -> bool:  # noqa: ARG002
        """No text is one."""
        return False


AWS_EVENT_STREAM: Final = AwsEventStreams()

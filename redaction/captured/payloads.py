"""The payloads of a response body: the content coding is undone, the bytes are framed, each payload is read strictly.

In: the bytes as they came over the wire. Out: a JSON value for each event. A payload that could not stand in a fixture
file becomes a `Broken`, which says in which way it is no JSON; `{"city":"Os`, where nothing follows, is
`Break.TRUNCATED` and stands in the fixture as `{"x":`. Its text is kept nowhere else. One that clients read all the
same has the value that they read (`captured.faults`). Knows bytes and JSON; knows no provider.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Protocol

from redaction.captured import json_tokens
from redaction.captured.exchange import Reason, Refused
from redaction.captured.faults import Faulty, read_faulty
from replay.validator import Code
from replay.validator.strict_json import parse
from replay.wire.coding import CodingError, ContentDecoder, Undecodable, decoder
from replay.wire.framing import WHITE_SPACE, EventTooLongError, Frame, Framing, Stream, Tail, chosen
from replay.wire.sse import DONE

# Where a payload stands in a fixture, two levels are around it; the file may nest 512 (`docs/fixture-format.md`).
PAYLOAD_NESTING: Final = 510


class Break(Enum):
    """In which way a payload is no JSON; the value is the text that stands for all such payloads in a fixture."""

    TRUNCATED = '{"x":'
    MALFORMED = '{"x":x}'
    PROSE = "x"
    EMPTY = ""
    TWO_DOCUMENTS = "{} {}"
    TRAILING = "{}x"
    DUPLICATE_KEY = '{"x":0,"x":0}'
    NON_FINITE = '{"x":NaN}'
    SURROGATE = '{"x":"\\ud800"}'
    BYTE_ORDER_MARK = "\ufeff{}"
    BAD_UTF8 = '{"x":"\ufffd"}'
    BARE_STRING = '"x"'
    TOO_DEEP = "[" * (PAYLOAD_NESTING + 1) + "]" * (PAYLOAD_NESTING + 1)
    DONE = DONE  # an end marker that another event follows


@dataclass(frozen=True, slots=True)
class Broken:
    """A payload that is no JSON value, or none that a fixture could hold. `text` is raw.

    `faulty` is what clients read all the same, where they read it.
    """

    kind: Break
    text: str = field(repr=False)
    faulty: Faulty | None = None


def as_clients_read(payload: object) -> object:
    """The value that clients read of a payload, of a capture or of a fixture, where it is a text that they read."""
    if isinstance(payload, Broken):
        return payload if payload.faulty is None else payload.faulty.value
    faulty = read_faulty(payload) if isinstance(payload, str) else None
    return payload if faulty is None else faulty.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A response body, read.

    `payloads` are JSON values or `Broken`, in wire order; `frames` has the frame of each. `done` counts the end markers
    that came last and are no payloads, `markers` has their frames; `torn` says that the content coding ended early.
    `framing` is the one that the body has, and `start` its first bytes behind white space.
    """

    payloads: list[object] = field(repr=False)
    frames: list[Frame] = field(repr=False)
    tail: Tail
    done: int
    torn: bool
    framing: Framing
    start: bytes = field(repr=False)
    markers: tuple[Frame, ...] = field(default=(), repr=False)


# Bytes of a coded body given to the decoder at once, so that a bomb stops soon after its bound.
_SLICE: Final = 64 * 1024
# Of a body's start: enough to tell one framing from another.
_START: Final = 8


class UndoCoding(Protocol):
    """Makes the decoder of a content coding, as `replay.wire.coding.decoder` does for those it knows."""

    def __call__(self, content_coding: str | None, *, limit: int) -> ContentDecoder:
        """The decoder; raises `CodingError` where the coding is not known."""
        ...


class _Reader:
    """A body in one of several framings: its start says which, and white space before that says nothing."""

    def __init__(self, framings: Sequence[Framing], limit: int) -> None:
        self._framings = framings
        self._limit = limit
        self._held = b""  # of a body whose framing is not known yet
        self._stream: Stream | None = None
        self.framing = framings[0]
        self.start = b""

    def feed(self, piece: bytes) -> list[Frame]:
        if len(self.start) < _START:
            self.start = (self.start + (piece if self.start else piece.lstrip(WHITE_SPACE))[:_START])[:_START]
        if self._stream is not None:
            return self._stream.feed(piece)
        self._held += piece
        found = chosen(self._held, self._framings)
        return [] if found is None else self._begin(found)

    def close(self) -> tuple[list[Frame], Tail]:
        """The frames that only the end completes, and what is left."""
        frames = [] if self._stream is not None else self._begin(self.framing)
        assert self._stream is not None, "it is open now"
        tail = self._stream.close()
        return [*frames, *tail.frames], tail

    def _begin(self, framing: Framing) -> list[Frame]:
        self.framing = framing
        self._stream = framing.open(limit=self._limit)
        return self._stream.feed(self._held)


def read_body(
    body: bytes, content_coding: str | None, *framings: Framing, limit: int, undo: UndoCoding = decoder
) -> Body | Refused:
    """The payloads of a whole body of at most `limit` decoded bytes; a refusal where it cannot be read.

    `framings` are those that it may have, the usual one first.
    """
    reader = _Reader(framings, limit)
    frames: list[Frame] = []
    torn = False
    try:
        coding = undo(content_coding, limit=limit)
        for start in range(0, len(body), _SLICE):
            frames += reader.feed(coding.feed(body[start : start + _SLICE]))
        coding.close()
    except CodingError as error:
        if error.why is not Undecodable.TRUNCATED:
            reason = Reason.BODY_LIMIT if error.why is Undecodable.OVER_LIMIT else Reason.CODING
            return Refused(reason=reason, note=error.why.value)
        torn = True
    except EventTooLongError:
        return Refused(reason=Reason.BODY_LIMIT, note="one event is longer than the limit")
    last, tail = reader.close()
    framing = reader.framing
    collected = framing.collect([*frames, *last], read_payload)
    payloads = [
        Broken(Break.DONE, item) if isinstance(item, str) and framing.is_end_marker(item) else item
        for item in collected.items
    ]
    return Body(
        payloads=payloads,
        frames=collected.frames,
        tail=tail,
        done=collected.done,
        torn=torn,
        framing=framing,
        start=reader.start,
        markers=collected.markers,
    )


def read_payload(frame: Frame) -> object:
    """The JSON value of a frame's data, or a `Broken` that says in which way it is none."""
    text = frame.data
    if frame.broken:
        return Broken(Break.PROSE, text)
    if not frame.utf8:
        return Broken(Break.BAD_UTF8, text)
    if text.startswith("\ufeff"):
        return Broken(Break.BYTE_ORDER_MARK, text)
    parsed = parse(text, max_nesting=PAYLOAD_NESTING - frame.levels)
    if parsed.code is not None:
        kind = _break(text, parsed.code, parsed.offset or 0)
        return Broken(kind, text, read_faulty(text) if kind in _READ_BY_CLIENTS else None)
    if isinstance(parsed.value, str):
        return Broken(Break.BARE_STRING, text)
    return parsed.value


_BREAKS: Final = {
    Code.LIMIT_EXCEEDED: Break.TOO_DEEP,
    Code.NON_FINITE_NUMBER: Break.NON_FINITE,
    Code.DUPLICATE_KEY: Break.DUPLICATE_KEY,
    Code.INVALID_UNICODE: Break.SURROGATE,
}


# Of these a payload keeps its form: clients read it.
_READ_BY_CLIENTS: Final = frozenset({Break.NON_FINITE, Break.SURROGATE})


def _break(text: str, code: Code, offset: int) -> Break:
    """In which way `text` is no JSON, of which the strict reader says `code` at `offset`."""
    if code in _BREAKS:
        return _BREAKS[code]
    if not text.strip():
        return Break.EMPTY
    rest = text[offset:].strip()
    if code is Code.TRAILING_DATA:
        return Break.TWO_DOCUMENTS if rest[:1] in ("{", "[") else Break.TRAILING
    # The strict reader names the start of a token that it could not finish; the total one knows that the text ended.
    if json_tokens.read(text).stop is json_tokens.Stop.TRUNCATED:
        return Break.TRUNCATED
    return Break.PROSE if not text[:offset].strip() else Break.MALFORMED

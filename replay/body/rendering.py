"""A fixture to the frames of its body, in the form that its `transport` recorded. Knows fixtures; knows no HTTP.

The text of a payload is taken from the file as it stands, never written anew: escapes, number forms and member order
survive, and the file's layout does not.

What the recording says only of itself is written in a fixed form: a comment is empty, an id is the position of its
event, a retry is `RETRY`, and an event half received is `HALF_EVENT`. None of them ever matters to the verdict.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from replay.corpus.loading import spans
from replay.families import FAMILIES
from replay.validator import InvalidFixture, strict_json
from replay.validator.limits import MAX_FIXTURE_NESTING
from replay.wire.framing import Frame, LineEnd

from .packing import CODINGS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeGuard

    from replay.corpus.loading import Loaded
    from replay.wire.framing import Framing

# The fixture and its array are two levels of the file.
PAYLOAD_NESTING: Final = MAX_FIXTURE_NESTING - 2
# A line end in a payload and the indent beside it: the file's layout, not the wire's. No string holds a raw one.
_BETWEEN_TOKENS: Final = re.compile(r"[ \t]*[\r\n][ \t\r\n]*")
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
RETRY: Final = "3000"
# The beginning of an event that never arrived whole: a client that takes it for one finds no JSON in it.
HALF_EVENT: Final = b'data: {"x":'
COMPLETE: Final = "complete"
# An end marker is sent as often as it was recorded; a number past this is no recording.
MAX_DONE: Final = 1_000_000

STATUS: Final = 200
# The recorder keeps a content type only where it is a known one of event streams; another is `other` in a fixture.
OTHER_CONTENT_TYPE: Final = "application/octet-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A response before it is cut and framed. Holds captured data, so its repr shows none of it.

    `frames` joined are the body before its content coding: one frame an event, the byte order mark with the first, an
    event half received as the last.
    """

    status: int
    content_type: str | None
    coding: str  # one of `packing.CODINGS`
    frames: tuple[bytes, ...] = field(repr=False)
    stream_end: str = COMPLETE


def render(loaded: Loaded) -> Rendered:
    """The response of a fixture that is one. What `transport` leaves out is as providers do it."""
    envelope = loaded.envelope
    assert not isinstance(envelope, InvalidFixture), "no envelope, no response"
    told = _object(loaded.value.get("transport"))
    end = envelope.stream_end or COMPLETE
    return Rendered(
        status=_status(told.get("status")),
        content_type=_content_type(told, FAMILIES[envelope.profile].framing.content_type),
        coding=_coding(told.get("content_coding")),
        frames=tuple(_frames(loaded, told, end)),
        stream_end=end,
    )


def _frames(loaded: Loaded, told: Mapping[str, object], end: str) -> list[bytes]:
    envelope = loaded.envelope
    assert not isinstance(envelope, InvalidFixture)
    family = FAMILIES[envelope.profile]
    texts = _texts(loaded, family.framing)
    names = _names(told.get("event_names"), envelope.payloads, usual="type" if family.named else None)
    comments = {at: count for at, count in _pairs(told.get("comments")) if at < len(texts)}
    ids, retries = _positions(told.get("ids")), _positions(told.get("retries"))
    events = [
        Frame(
            data=text,
            event=names[at],
            comments=comments.get(at, 0),
            id=str(at) if at in ids else None,
            retry=RETRY if at in retries else None,
        )
        for at, text in enumerate(texts)
    ]
    ends = _line_ends(told.get("line_ends"))
    found = [family.framing.render(event, line_end=ends[at % len(ends)]) for at, event in enumerate(events)]
    done = _done(told.get("done"), usual=int(family.done and end == COMPLETE))
    found += [family.framing.end_marker(line_end=ends[at % len(ends)]) for at in range(len(found), len(found) + done)]
    if told.get("unterminated_event") is True:
        found.append(HALF_EVENT)
    if told.get("byte_order_mark") is True:
        found[:1] = [BYTE_ORDER_MARK + b"".join(found[:1])]
    return found


def _texts(loaded: Loaded, framing: Framing) -> list[str]:
    """The text of each payload on the wire.

    A string in the array stands for a payload that is no JSON value, and is sent as it is; where that would be read as
    something else (it is JSON, or an end marker that nothing follows), or has no form on the wire, as a JSON string.
    """
    found = []
    text = loaded.text
    elements = [text[start:end] for start, end in spans(text)]
    last = len(elements)
    while last and elements[last - 1].startswith('"') and framing.is_end_marker(elements[last - 1][1:-1]):
        last -= 1
    for at, element in enumerate(elements):
        text = _BETWEEN_TOKENS.sub("", element)
        if element.startswith('"'):
            said = strict_json.parse(element, max_nesting=1).value
            assert isinstance(said, str), "the file was read strictly"
            if framing.is_end_marker(said):
                text = said if at < last else text
            elif "\r" not in said and reading(said) == said:
                text = said
        found.append(text)
    return found


def reading(text: str) -> object:
    """The value of a payload; the text itself where it could not stand in a fixture file."""
    parsed = strict_json.parse(text, max_nesting=PAYLOAD_NESTING)
    return text if parsed.code is not None else parsed.value


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _status(told: object) -> int:
    return told if _is_count(told) and 200 <= told <= 599 else STATUS


def _content_type(told: Mapping[str, object], usual: str) -> str | None:
    kind = told.get("content_type", usual)
    if kind == "other":
        return OTHER_CONTENT_TYPE
    return kind if isinstance(kind, str) and kind.isascii() and kind.isprintable() else None


def _coding(told: object) -> str:
    return told if isinstance(told, str) and told in CODINGS else "identity"


def _done(told: object, *, usual: int) -> int:
    """The number of end markers: as recorded, or else as usual in such a stream."""
    return told if _is_count(told) and told <= MAX_DONE else usual


def _names(told: object, payloads: object, *, usual: str | None) -> list[str]:
    """The event name of each payload: as recorded; else its type, where `usual` or the recording says `type`."""
    assert isinstance(payloads, list)
    if isinstance(told, list) and len(told) == len(payloads):
        return [name if _is_name(name) else "" for name in told]
    if "type" not in (told, usual):
        return [""] * len(payloads)
    kinds = [payload.get("type") if isinstance(payload, dict) else None for payload in payloads]
    return [kind if _is_name(kind) else "" for kind in kinds]


def _is_name(value: object) -> TypeGuard[str]:
    """Whether this can be the name of an event: words, with dots between them."""
    return isinstance(value, str) and all(part.isidentifier() for part in value.split("."))


def _line_ends(told: object) -> list[LineEnd]:
    """Those recorded; several take turns, a frame each, since where each stood is not recorded."""
    known = [end for end in LineEnd if isinstance(told, list) and end.value in told]
    return known or [LineEnd.LF]


def _positions(told: object) -> frozenset[int]:
    return frozenset(at for at in told if _is_count(at)) if isinstance(told, list) else frozenset()


def _pairs(told: object) -> list[tuple[int, int]]:
    pairs = told if isinstance(told, list) else []
    return [
        (pair[0], pair[1])
        for pair in pairs
        if isinstance(pair, list) and len(pair) == 2 and _is_count(pair[0]) and _is_count(pair[1])
    ]


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and value >= 0

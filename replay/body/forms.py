r"""The payloads of a fixture to the frames of its body: one function for each form of a framing.

In: the payloads with their JSON texts, and what `transport` says of how they came. Out: the bytes of each frame, one a
payload, then what stands behind them. Knows framings; knows no HTTP and no fixture file. `[{"a":1},{"b":2}]` as
`json`, which is one array of the two, is the frames `[{"a":1}`, `\n,\r\n{"b":2}` and `\n]\n`.

A payload that is no JSON value stands in a fixture as a string, and is sent as that text where its framing reads it
back as one broken payload. Where it would be read as something else, a text is sent that is broken too: the verdict is
the same, and what comes behind it still arrives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from replay.wire import aws_event_stream
from replay.wire.aws_event_stream import AWS_EVENT_STREAM
from replay.wire.framing import BROKEN, Frame, LineEnd, RenderError
from replay.wire.json_array import JSON_ARRAY
from replay.wire.ndjson import NDJSON
from replay.wire.sse import DONE, SSE, render_blocks

from .transport import RETRY, Transport, reading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# The beginning of a payload that never arrived whole: a client that takes it for one finds no JSON in it.
HALF_PAYLOAD: Final = b'{"x":'
HALF_EVENT: Final = b"data: " + HALF_PAYLOAD
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
# An object that is no JSON, and ends all the same.
BROKEN_OBJECT: Final = '{"x":x}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a body is made of: payloads, the JSON text of each without the file's layout, and how they came."""

    payloads: Sequence[object] = field(repr=False)
    texts: Sequence[str] = field(repr=False)
    transport: Transport


def framed(form: str, told: Told) -> list[bytes]:
    """The frames of a body of this form, one of `FORMS`: one for each payload first."""
    return FORMS[form](told)


def _events(told: Told) -> list[bytes]:
    """Server-sent events, with the end markers that were framing."""
    transport = told.transport
    ends = transport.line_ends
    found: list[bytes] = []
    for at, event in enumerate(_frames(told)):
        end = ends[at % len(ends)]
        rendered = SSE.render(event, line_end=end)
        if found and found[-1].endswith(b"\r") and rendered.startswith(b"\n"):
            rendered = SSE.render(event, line_end=LineEnd.CR)  # else the two would be one line end
        found.append(rendered)
    if transport.bare_marker and transport.done:
        last = ends[(len(found) - 1) % len(ends)].raw
        found[-1] = found[-1].removesuffix(last)
    elif found:
        behind = transport.blocks.get(len(found), ())
        found[-1] += render_blocks(behind, line_end=LineEnd.CR if found[-1].endswith(b"\r") else ends[-1])
    found += [HALF_EVENT] * (transport.half and not transport.bare_marker)
    if transport.byte_order_mark:
        found[:1] = [BYTE_ORDER_MARK + b"".join(found[:1])]
    return found


def _frames(told: Told) -> list[Frame]:
    """The event of each payload and each end marker, with what stood beside its data."""
    transport = told.transport
    names = transport.names(told.payloads)
    comments, blocks, lines = transport.comments, transport.blocks, transport.data_lines
    ids, retries = transport.ids, transport.retries
    events = [
        Frame(
            data=in_lines(text, lines.get(at, 1)),
            event=names[at],
            comments=comments.get(at, 0),
            blocks=tuple(blocks.get(at, ())),
            id=str(at) if at in ids else None,
            retry=RETRY if at in retries else None,
        )
        for at, text in enumerate(_event_texts(told))
    ]
    markers = range(len(events), len(events) + transport.done)
    return events + [Frame(data=DONE, blocks=tuple(blocks.get(at, ()))) for at in markers]


# A string, which may be broken; else a place between two tokens: a space, or what ends one.
_BETWEEN_TOKENS: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|([ {}\[\],:])', re.DOTALL)


def in_lines(text: str, count: int) -> str:
    """The text of a payload in so many lines, divided between tokens, where a line end is white space to a reader.

    Spaces are taken first: those of `{} {}` stand between two documents, which is where some clients divide them.
    """
    wanted = count - 1 - text.count("\n")
    if wanted <= 0 or SSE.is_end_marker(text):
        return text
    between = [match for match in _BETWEEN_TOKENS.finditer(text) if match[1]]
    places = sorted(match.end() for match in sorted(between, key=lambda one: one[1] != " ")[:wanted])
    parts = [text[start:end] for start, end in pairwise([0, *places, len(text)])]
    return "\n".join(parts) + "\n" * (wanted - len(places))


def _event_texts(told: Told) -> list[str]:
    """The text of each payload as an event has it.

    A string that would be read as something else (it is JSON, or an end marker that nothing follows), or has no form on
    the wire, is sent as a JSON string.
    """
    last = len(told.payloads)
    while last and _is_end_marker(told.payloads[last - 1]):
        last -= 1
    found = []
    for at, (payload, text) in enumerate(zip(told.payloads, told.texts, strict=True)):
        if not isinstance(payload, str):
            found.append(text)
        elif SSE.is_end_marker(payload):
            found.append(payload if at < last else text)
        else:
            found.append(text if "\r" in payload else _broken(payload, text))
    return found


def _broken(payload: object, text: str) -> str:
    """The text of a payload; that of a string is the string itself, where it is read as broken."""
    return payload if isinstance(payload, str) and reading(payload) == payload else text


def _is_end_marker(payload: object) -> bool:
    return isinstance(payload, str) and SSE.is_end_marker(payload)


def _lines(told: Told) -> list[bytes]:
    """One payload a line."""
    ends = [end for end in told.transport.line_ends if end is not LineEnd.CR] or [LineEnd.LF]
    texts = [
        payload if isinstance(payload, str) and _is_a_line(payload) else text
        for payload, text in zip(told.payloads, told.texts, strict=True)
    ]
    found = [NDJSON.render(Frame(data=text), line_end=ends[at % len(ends)]) for at, text in enumerate(texts)]
    return found + [HALF_PAYLOAD] * told.transport.half


def _is_a_line(text: str) -> bool:
    """Whether this broken payload is read back from a line of its own."""
    return "\n" not in text and "\r" not in text and bool(text.strip(" \t")) and reading(text) == text


def _array(told: Told) -> list[bytes]:
    """One array; each payload with what stands before it."""
    found = [
        (JSON_ARRAY.separator if at else JSON_ARRAY.opening) + JSON_ARRAY.render(Frame(data=element))
        for at, element in enumerate(_elements(told))
    ]
    if told.transport.half:
        found.append((JSON_ARRAY.separator if found else JSON_ARRAY.opening) + HALF_PAYLOAD)
    elif told.transport.unclosed:
        found = found or [JSON_ARRAY.opening]
    else:
        found.append((b"" if found else JSON_ARRAY.opening) + JSON_ARRAY.closing)
    return found


def _elements(told: Told) -> list[str]:
    """The text of each payload as an element. Behind one that is none, nothing is read, so it can only be the last."""
    pairs = list(zip(told.payloads, told.texts, strict=True))
    texts = [_broken(payload, text) for payload, text in pairs]
    found = [text if _is_an_element(text) else BROKEN_OBJECT for text in texts[:-1]]
    return found + [text if _is_read_as_one(text) else BROKEN_OBJECT for text in texts[-1:]]


def _is_an_element(text: str) -> bool:
    """Whether this text is read as one element, so that what stands behind it is read too."""
    return _read_behind(text, JSON_ARRAY.separator) == [Frame(data=text)]


def _is_read_as_one(text: str) -> bool:
    """Whether this text at the end of an array is read as one payload, if only as one that is broken."""
    return _read_behind(text, JSON_ARRAY.closing) in ([Frame(data=text)], [BROKEN])


def _read_behind(text: str, end: bytes) -> list[Frame]:
    return JSON_ARRAY.open().feed(JSON_ARRAY.opening + text.encode("utf-8") + end)


def _object(told: Told) -> list[bytes]:
    """One object, which is the whole body; as an array where there is more or less than one."""
    if len(told.payloads) != 1 or not isinstance(told.payloads[0], dict):
        return _array(told)
    return [told.texts[0].encode("utf-8")]


def _messages(told: Told) -> list[bytes]:
    """Messages of an event stream, each event under its type; what no message stands for as a chunk."""
    pairs = zip(told.payloads, told.texts, strict=True)
    return [_message(payload, text, aws_event_stream.message(payload, text)) for payload, text in pairs] + _half(told)


def _chunks(told: Told) -> list[bytes]:
    """Messages of an event stream whose payloads are a vendor's own, each in a chunk; exceptions are no chunks."""
    pairs = zip(told.payloads, told.texts, strict=True)
    return [_message(payload, text, _exception(payload, text)) for payload, text in pairs] + _half(told)


def _exception(payload: object, text: str) -> Frame | None:
    found = aws_event_stream.message(payload, text)
    return None if found is None or found.kind == aws_event_stream.EVENT else found


def _message(payload: object, text: str, found: Frame | None) -> bytes:
    if found is not None:
        try:
            return AWS_EVENT_STREAM.render(found)
        except RenderError:
            pass  # a name that no header can carry
    return AWS_EVENT_STREAM.render(aws_event_stream.chunk(_broken(payload, text)))


def _half(told: Told) -> list[bytes]:
    whole = AWS_EVENT_STREAM.render(aws_event_stream.chunk(HALF_PAYLOAD.decode()))
    return [whole[:-1]] * told.transport.half


# By the names that `transport.framing` has.
FORMS: Final[Mapping[str, Callable[[Told], list[bytes]]]] = {
    "sse": _events,
    "ndjson": _lines,
    "json": _array,
    "json-object": _object,
    "eventstream": _messages,
    "eventstream-chunks": _chunks,
}

"""A fixture to the bytes of a body as its provider streams it, and such bytes back to payloads.

Text is taken from the file as it stands, never written anew, so escapes, number forms and member order survive. What
`transport` says about framing is followed where it is understood; it never matters to the verdict.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from .loading import spans
from .validator import InvalidFixture, strict_json
from .validator.limits import MAX_FIXTURE_NESTING
from .wire.coding import decoder
from .wire.payloads import DONE, collect
from .wire.render import frame
from .wire.sse import EventStream, Frame, LineEnd

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .loading import Loaded

# The fixture and its array are two levels of the file.
PAYLOAD_NESTING: Final = MAX_FIXTURE_NESTING - 2
# A line end in a payload and the indent beside it: the file's layout, not the wire's. No string holds a raw one.
_BETWEEN_TOKENS: Final = re.compile(r"[ \t]*[\r\n][ \t\r\n]*")
# Of a body that this module itself has rendered, so it never counts; the decoder asks for one.
_BODY_LIMIT: Final = 1 << 40
_GZIP: Final = 31  # zlib's window size for the gzip format, without a clock time in its header


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A rendered body: all bytes as sent, and how they are coded. Captured data, so its repr shows none of it."""

    data: bytes = field(repr=False)
    coding: str  # as `transport.content_coding` says


def texts(loaded: Loaded) -> list[str]:
    """The text of each payload on the wire.

    A string in the array stands for a payload that is no JSON value, and is sent as it is; where that would be read as
    something else (it is JSON, or an end marker that nothing follows), or has no form on the wire, as a JSON string.
    """
    found = []
    text = loaded.text
    elements = [text[start:end] for start, end in spans(text)]
    last = len(elements)
    while last and elements[last - 1] == f'"{DONE}"':
        last -= 1
    for at, element in enumerate(elements):
        text = _BETWEEN_TOKENS.sub("", element)
        if element.startswith('"'):
            said = strict_json.parse(element, max_nesting=1).value
            assert isinstance(said, str), "the file was read strictly"
            if said == DONE:
                text = said if at < last else text
            elif "\r" not in said and _reading(said) == said:
                text = said
        found.append(text)
    return found


def body(loaded: Loaded) -> Body:
    """The body of a fixture that is one."""
    assert not isinstance(loaded.envelope, InvalidFixture), "no envelope, no stream"
    transport = loaded.value.get("transport")
    told = transport if isinstance(transport, dict) else {}
    sent = texts(loaded)
    names = _names(told.get("event_names"), loaded)
    end = _line_end(told.get("line_ends"))
    done = told.get("done", 0 if loaded.envelope.profile == "anthropic" else 1)
    frames = [Frame(data=text, event=name) for text, name in zip(sent, names, strict=True)]
    frames += [Frame(data=DONE)] * (done if isinstance(done, int) and 0 <= done <= len(sent) + 1 else 0)
    data = b"".join(frame(one, line_end=end) for one in frames)
    if told.get("content_coding") != "gzip":
        return Body(data=data, coding="identity")
    packer = zlib.compressobj(wbits=_GZIP)
    return Body(data=packer.compress(data) + packer.flush(), coding="gzip")


def frames(pieces: Iterable[bytes], coding: str) -> list[Frame]:
    """The events in a body that arrives in these pieces."""
    stream, unpack = EventStream(), decoder(coding, limit=_BODY_LIMIT)
    found: list[Frame] = []
    for piece in pieces:
        found += stream.feed(unpack.feed(piece))
    unpack.close()
    stream.close()
    return found


def payloads(found: Sequence[Frame]) -> list[object]:
    """The payload array that the events stand for."""
    return collect(found, lambda one: _reading(one.data)).items


def _reading(text: str) -> object:
    """The value of a payload; the text itself where it could not stand in a fixture file."""
    parsed = strict_json.parse(text, max_nesting=PAYLOAD_NESTING)
    return text if parsed.code is not None else parsed.value


def _names(told: object, loaded: Loaded) -> list[str]:
    """The event name of each payload: as recorded; else its type, where the family names its events."""
    assert not isinstance(loaded.envelope, InvalidFixture)
    items = loaded.envelope.payloads
    if isinstance(told, list) and len(told) == len(items):
        return [name if isinstance(name, str) and name.isidentifier() else "" for name in told]
    if told != "type" and loaded.envelope.profile != "anthropic":
        return [""] * len(items)
    kinds = [item.get("type") if isinstance(item, dict) else None for item in items]
    return [kind if isinstance(kind, str) and kind.isidentifier() else "" for kind in kinds]


def _line_end(told: object) -> LineEnd:
    known = [end for end in LineEnd if isinstance(told, list) and told == [end.value]]
    return known[0] if known else LineEnd.LF

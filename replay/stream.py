"""A fixture to the bytes of a body as its provider streams it, and such bytes back to payloads.

What `transport` says about framing and coding is followed where it is understood; it never matters to the verdict.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from .packing import packer
from .rendering import reading, render
from .wire.coding import decoder
from .wire.payloads import collect
from .wire.sse import EventStream, Frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .loading import Loaded

# Those that the standard library can undo; a body of another coding is given without it.
_CODINGS: Final = frozenset({"identity", "gzip", "deflate"})
# Of a body that this module itself has rendered, so it never counts; the decoder asks for one.
_BODY_LIMIT: Final = 1 << 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A rendered body: all bytes as sent, and how they are coded. Captured data, so its repr shows none of it."""

    data: bytes = field(repr=False)
    coding: str


def body(loaded: Loaded) -> Body:
    """The body of a fixture that is one."""
    rendered = render(loaded)
    coding = rendered.coding if rendered.coding in _CODINGS else "identity"
    packing = packer(coding)
    return Body(data=packing.pack(b"".join(rendered.frames)) + packing.end(), coding=coding)


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
    return collect(found, lambda one: reading(one.data)).items

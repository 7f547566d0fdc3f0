"""A fixture to the bytes of a body as its provider streams it, and such bytes back to payloads.

Framing and coding are those that `transport` recorded, where they are known here; neither matters to the verdict.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from replay.validator import InvalidFixture
from replay.wire.coding import decoder

from .packing import packer
from .rendering import render
from .transport import reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from replay.corpus.loading import Loaded
    from replay.wire.framing import Frame, Framing

# Those that the standard library can undo; a body of another coding is given without it.
_CODINGS: Final = frozenset({"identity", "gzip", "deflate"})
# Of a body that this module itself has rendered, so it never counts; the decoder asks for one.
_BODY_LIMIT: Final = 1 << 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A rendered body: all bytes as sent, and how they are coded and framed. Captured data: its repr shows none."""

    data: bytes = field(repr=False)
    coding: str
    framing: Framing


def body(loaded: Loaded) -> Body:
    """The body of a fixture that is one."""
    assert not isinstance(loaded.envelope, InvalidFixture), "no envelope, no body"
    rendered = render(loaded)
    coding = rendered.coding if rendered.coding in _CODINGS else "identity"
    packing = packer(coding)
    data = packing.pack(b"".join(rendered.frames)) + packing.end()
    return Body(data=data, coding=coding, framing=rendered.framing)


def frames(pieces: Iterable[bytes], of: Body) -> list[Frame]:
    """The frames in the body `of` that arrives in these pieces."""
    stream, unpack = of.framing.open(), decoder(of.coding, limit=_BODY_LIMIT)
    found: list[Frame] = []
    for piece in pieces:
        found += stream.feed(unpack.feed(piece))
    unpack.close()
    return [*found, *stream.close().frames]


def payloads(found: Sequence[Frame], of: Body) -> list[object]:
    """The payload array that the frames of the body `of` stand for."""
    return of.framing.collect(found, lambda one: reading(one.data)).items

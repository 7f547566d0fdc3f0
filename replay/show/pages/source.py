"""The files that a page was drawn of, as they stand in it: whoever has the page has them, and can draw it again.

They stand in one element that nothing shows and nothing runs: JSON, packed, as Base64. A page says nothing beside them
that drawing them again would not say, and so `toolreel scan` can prove it: the files are data only, and the rest is
what `replay.show.redraw` makes of them.
"""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import TYPE_CHECKING, Any, Final

from replay.show.picture.reading import Source
from replay.validator import Allowance

from .markup import Markup, tag

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# A page is mostly payloads that repeat each other. Packed they are a tenth of the size, at any level.
_LEVEL: Final = 6


@unique
class View(StrEnum):
    """What a page shows."""

    TURN = "turn"
    FOLDER = "folder"
    PAIR = "pair"
    WITH_PIN = "with pin"


@unique
class Of(StrEnum):
    """Which command the turns of a folder's page were collected by."""

    SHOW = "show"
    REPLAY = "replay"
    DIFF = "diff"
    PYTEST = "pytest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """All that a page is a function of."""

    view: View
    of: Of
    sources: Sequence[Source]


def element(drawn: Drawn) -> Markup:
    """The element that holds it."""
    return tag("script", packed(_text(drawn).encode("ascii")), type="application/json", class_="source")


def packed(data: bytes) -> Markup:
    """Bytes as a script unpacks them: raw deflate, as Base64."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return Markup(base64.b64encode(packer.compress(data) + packer.flush()).decode("ascii"))


def _text(drawn: Drawn) -> str:
    """ASCII, in the one form that `scan` expects. What is no UTF-8 stands as lone surrogates, so no byte is lost."""
    turns = [
        {
            "path": source.path,
            "fixture": source.fixture.decode("utf-8", "surrogateescape"),
            "pin": _beside(source.pin),
            "outcomes": _beside(source.outcomes),
            "accept": [name.value for name in source.accept],
        }
        for source in drawn.sources
    ]
    return json.dumps({"view": drawn.view.value, "of": drawn.of.value, "turns": turns}, separators=(",", ":"))


def _beside(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")


def read(text: str) -> Drawn:
    """What `element` was given, from the JSON in it; a `ValueError` or `KeyError` for any other text."""
    value = json.loads(text)
    return Drawn(view=View(value["view"]), of=Of(value["of"]), sources=[_source(one) for one in value["turns"]])


def _source(one: Mapping[str, Any]) -> Source:
    pin, outcomes = one["pin"], one["outcomes"]
    return Source(
        path=one["path"],
        fixture=_bytes(one["fixture"]),
        pin=None if pin is None else _bytes(pin),
        outcomes=None if outcomes is None else _bytes(outcomes),
        accept=tuple(Allowance(name) for name in one["accept"]),
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")

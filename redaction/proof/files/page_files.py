"""The page that `toolreel show` writes, as a proof sees it: the files in it, and whether it says anything beside them.

A page holds the exact bytes of each fixture that it shows, of its pin and of its outcomes, packed in one element. These
are proved like files. Everything else of the page is what the same version of `show` draws of them; it has to be the
same once it is drawn again. Knows nothing of how a page is drawn. Names of files stand in a page as they are on disk.
"""

import base64
import binascii
import json
import re
import zlib
from dataclasses import dataclass, field
from typing import Any, Final

# How a page begins. Of other pages in a folder nothing is said.
START: Final = (
    b'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="toolreel show">'
)
_SOURCE: Final = re.compile(rb'<script type="application/json" class="source">([^<]*)</script>')
_PACKED: Final = re.compile(rb'(?<=">)([A-Za-z0-9+/=]*)(?=</script>)')
# A name as a file system gives it: on one line, and of a fixture.
_PATH: Final = re.compile(r"[^\x00-\x1f\x7f]{1,4096}\.json")
_MEMBERS: Final = ["view", "of", "turns"]
_TURN: Final = ["path", "fixture", "pin", "outcomes", "accept"]
# Unpacked, some ten pages of the largest size that a folder's page should have.
_MOST: Final = 1024 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The files of one turn in a page."""

    path: str
    fixture: bytes = field(repr=False)
    pin: bytes | None = field(repr=False)
    outcomes: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The packed files of a page, unpacked: as text for who draws it again, and one by one."""

    source: bytes = field(repr=False)
    held: tuple[Held, ...]


def read(data: bytes) -> Page | None:
    """The files in a page; None where it has none, or says something in how they are written."""
    found = _SOURCE.findall(data)
    source = _unpacked(found[0]) if data.startswith(START) and len(found) == 1 else None
    if source is None:
        return None
    try:
        value = json.loads(source)
        held = tuple(_held(turn) for turn in value["turns"])
        in_form = list(value) == _MEMBERS and all(list(turn) == _TURN for turn in value["turns"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not in_form or json.dumps(value, separators=(",", ":")).encode("ascii") != source:
        return None
    return Page(source=source, held=held) if all(_PATH.fullmatch(one.path) for one in held) else None


def same(page: bytes, drawn: bytes) -> bool:
    """Whether a page is what was drawn again, however its parts are packed: another machine may pack otherwise."""
    return _plain(page) == _plain(drawn)


def _plain(page: bytes) -> list[bytes]:
    """A page in pieces, every second one the content of an element that is packed; unpacked where it can be."""
    pieces = _PACKED.split(page)
    pieces[1::2] = [piece if (plain := _unpacked(piece)) is None else b"=" + plain for piece in pieces[1::2]]
    return pieces


def _unpacked(text: bytes) -> bytes | None:
    """Raw deflate in Base64, unpacked; None where there is anything beside it, or it is too long."""
    try:
        packed = base64.b64decode(text, validate=True)
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        data = unpacker.decompress(packed, _MOST)
    except (binascii.Error, zlib.error):
        return None
    whole = unpacker.eof and not unpacker.unused_data and base64.b64encode(packed) == text
    return data if whole else None


def _held(turn: dict[str, Any]) -> Held:
    pin, outcomes = turn["pin"], turn["outcomes"]
    return Held(
        path=turn["path"],
        fixture=_bytes(turn["fixture"]),
        pin=None if pin is None else _bytes(pin),
        outcomes=None if outcomes is None else _bytes(outcomes),
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")

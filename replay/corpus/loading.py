"""The bytes of a fixture file to its envelope, the client that it came from, and the places of its payloads.

A file is parsed once, strictly. One that is no fixture has an `InvalidFixture` for its envelope; nothing is raised.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from replay.validator import Envelope, InvalidFixture, read_envelope, strict_json
from replay.validator.envelope import FIXTURE_VERSION, envelope_from
from replay.validator.limits import MAX_FIXTURE_NESTING
from replay.validator.profiles import ARRAYS

from . import quick_json
from .pins import Adapter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A fixture as it was read. Holds captured text, so its repr shows none of it."""

    data: bytes = field(repr=False)
    envelope: Envelope | InvalidFixture = field(repr=False)
    adapter: Adapter | None = None
    newer: int | None = None  # the `fixture_version`, where it is a later one than this version reads
    broken_at: int = 0  # characters before the place that is no strict JSON; 0 where all of it is
    value: Mapping[str, object] = field(default_factory=dict, repr=False)  # {} where the file is no JSON object

    @property
    def text(self) -> str:
        """The file as text; "" where it is no UTF-8."""
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError:
            return ""


def load(data: bytes) -> Loaded:
    """The fixture in `data`; any bytes give one."""
    value: object = quick_json.parse(data, floats_in=ARRAYS)  # there a float is as good: it is what was written
    if value is None:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return Loaded(data=data, envelope=read_envelope(data))
        parsed = strict_json.parse(text, max_nesting=MAX_FIXTURE_NESTING)
        if parsed.code is not None:
            return Loaded(data=data, envelope=read_envelope(data), broken_at=parsed.offset or 0)
        value = parsed.value
    if not isinstance(value, dict):
        return Loaded(data=data, envelope=envelope_from(value))
    version = value.get("fixture_version")
    return Loaded(
        data=data,
        envelope=envelope_from(value),
        adapter=_adapter(value.get("capture")),
        newer=version if type(version) is int and version > FIXTURE_VERSION else None,
        value=value,
    )


def _adapter(capture: object) -> Adapter | None:
    """The adapter that the recorder recognised; None where it names none, or in another shape."""
    found = capture.get("adapter") if isinstance(capture, dict) else None
    if not isinstance(found, dict):
        return None
    name, version = found.get("name"), found.get("version")
    if not isinstance(name, str) or not isinstance(version, str):
        return None
    return Adapter(name=name, version=version)


def line_of(loaded: Loaded, event: int | None) -> int:
    """The line of the file, from 1, where an event stands; that of the last event for None.

    Where the file is no strict JSON, the line where it breaks; 1 where there is no such event.
    """
    if loaded.broken_at or isinstance(loaded.envelope, InvalidFixture):
        return 1 + loaded.text.count("\n", 0, loaded.broken_at)
    start, text = 0, loaded.text
    for at, (begin, _) in enumerate(spans(text)):
        start = begin
        if at == event:
            break
    return 1 + text.count("\n", 0, start)


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each element of the payload array stands in the text of a fixture, in characters.

    The text is one whose envelope was read: an object with exactly one of the arrays, and no member twice.
    """
    at = _skip(text, 0) + 1
    while text[at := _skip(text, at)] != "}":
        name, at = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)  # behind the colon
        if name in ARRAYS:
            yield from _elements(text, at)
            return
        _, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        at += text[at] == ","


def _elements(text: str, at: int) -> Iterator[tuple[int, int]]:
    at = _skip(text, at + 1)
    while text[at] != "]":
        _, end = _DECODER.raw_decode(text, at)
        yield at, end
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    match = strict_json.WHITE_SPACE.match(text, at)
    assert match is not None, "the expression matches the empty string"
    return match.end()

"""A call as the kinds know it, whatever the family: its slot, id, tool and the JSON text of its arguments."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

# One decoded payload of a stream.
Payload: TypeAlias = Any
# The members that hold a text of arguments, in every family that has such texts.
ARGUMENT_TEXTS: Final = frozenset({"arguments", "partial_json", "delta", "input"})
# Of the digest by which a derived fixture names its source.
_DIGEST_DIGITS: Final = 12


def digest(data: bytes) -> str:
    """How `capture.derived` names the fixture with these bytes."""
    return hashlib.sha256(data).hexdigest()[:_DIGEST_DIGITS]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One healthy call. `slot` is its number on the wire, `text` the whole JSON text of its arguments."""

    slot: int
    id: str
    name: str
    text: str = field(repr=False)


def thirds(text: str) -> list[str]:
    """A text in up to three fragments, none of them empty, of which the first is one character."""
    if len(text) < 3:
        return list(text)
    half = (len(text) + 1) // 2
    return [text[:1], text[1:half], text[half:]]

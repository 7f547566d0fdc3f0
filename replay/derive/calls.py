"""A call as the kinds know it, whatever the family: its slot, id, tool and the JSON text of its arguments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

# One decoded payload of a stream.
Payload: TypeAlias = Any


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

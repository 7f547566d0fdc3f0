"""What can be done to any turn without changing what it says: twins of a kind.

A client that refuses `{"a":1` in three fragments may take it where a ping stands between them. So each kind can be told
so, too; the verdict is that of the kind, with its events counted anew.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from .kinds.kind import COMMENTED, PINGED, TEXTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .calls import Payload
    from .kinds.kind import Made
    from .recording import Recording
    from .wires.wire import Wire

# What becomes of one payload: itself, with what stands before and behind it, or its parts.
Spread: TypeAlias = Callable[["Wire", "Payload"], "list[Payload]"]


def twin(one: Recording, made: Made, name: str) -> Made | None:
    """The turn with this done to it; None where that would change nothing, or cannot be done to it."""
    if not made.numbered or one.profile not in TWINS[name][0]:
        return None
    if name == "comments":
        return replace(made, comments=tuple(range(len(made.payloads)))) if not made.comments else None
    spread, first = TWINS[name][1], len(one.wire.lead)
    parts = [[payload] if at < first else spread(one.wire, payload) for at, payload in enumerate(made.payloads)]
    starts = _starts(parts, made.payloads)
    payloads = [payload for part in parts for payload in part]
    if payloads == made.payloads:
        return None
    expected = tuple(
        finding if finding.event is None else replace(finding, event=starts[finding.event]) for finding in made.expected
    )
    comments = tuple(starts[event] for event in made.comments)
    return replace(made, payloads=payloads, expected=expected, comments=comments)


def _starts(parts: Sequence[Sequence[Payload]], payloads: Sequence[Payload]) -> list[int]:
    """Where each payload, or the first of its parts, stands now."""
    found, at = [], 0
    for part, payload in zip(parts, payloads, strict=True):
        found.append(at + (part.index(payload) if payload in part else 0))
        at += len(part)
    return found


def _with_ping(wire: Wire, payload: Payload) -> list[Payload]:
    return [*wire.ping(), payload]


def _in_characters(wire: Wire, payload: Payload) -> list[Payload]:
    return _in_pieces(wire, payload, list)


def _with_empty(wire: Wire, payload: Payload) -> list[Payload]:
    return _in_pieces(wire, payload, lambda text: [text, ""])


def _in_pieces(wire: Wire, payload: Payload, cut: Callable[[str], list[str]]) -> list[Payload]:
    place = wire.fragment(payload) if isinstance(payload, dict) else None
    if place is None or not isinstance(place[0][place[1]], str) or not place[0][place[1]]:
        return [payload]
    found = []
    for piece in cut(place[0][place[1]]):
        again = copy.deepcopy(payload)
        holder, member = wire.fragment(again) or ({}, "")
        holder[member] = piece
        found.append(again)
    return found


def _unchanged(_: Wire, payload: Payload) -> list[Payload]:
    return [payload]


# By the name of the legal kind that does the same to a healthy turn: the families, and what becomes of a payload.
TWINS: Final[Mapping[str, tuple[frozenset[str], Spread]]] = {
    "pings": (PINGED, _with_ping),
    "comments": (COMMENTED, _unchanged),
    "every-character": (TEXTS, _in_characters),
    "empty-deltas": (TEXTS, _with_empty),
}

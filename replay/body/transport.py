"""What `transport` of a fixture says of how its body came, read leniently: what is missing or odd is as usual.

Example: `"line_ends": ["crlf"]` gives CRLF; `"line_ends": "x"` gives LF, as every provider sends. Knows no framing and
no fixture file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from replay.validator import strict_json
from replay.validator.limits import MAX_FIXTURE_NESTING
from replay.wire.framing import Block, LineEnd

from .packing import CODINGS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeGuard

# The fixture and its array are two levels of the file.
PAYLOAD_NESTING: Final = MAX_FIXTURE_NESTING - 2
COMPLETE: Final = "complete"
# An end marker is sent as often as it was recorded; a number past this is no recording.
MAX_DONE: Final = 1_000_000
STATUS: Final = 200
# What is sent for a retry time, of which a fixture says that there was one.
RETRY: Final = "3000"
# The recorder keeps a content type only where it is a known one of streams; another is `other` in a fixture.
OTHER_CONTENT_TYPE: Final = "application/octet-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usual:
    """What a stream of the family is like where nothing is recorded."""

    named: bool  # whether each event has the name of its payload's type, where nothing of the transport is recorded
    done: int  # how many end markers there are
    whole: bool  # whether it came to its end


@dataclass(frozen=True, slots=True)
class Transport:
    """The member `transport`, read. Its repr shows nothing of it."""

    _told: Mapping[str, object] = field(repr=False)
    _usual: Usual

    @property
    def form(self) -> object:
        """The form of the framing, as the fixture says it."""
        return self._told.get("framing")

    @property
    def status(self) -> int:
        """The HTTP status."""
        told = self._told.get("status")
        return told if _is_count(told) and 200 <= told <= 599 else STATUS

    def content_type(self, usual: str) -> str | None:
        """The content type; None where the response had none."""
        kind = self._told.get("content_type", usual)
        if kind == "other":
            return OTHER_CONTENT_TYPE
        return kind if isinstance(kind, str) and kind.isascii() and kind.isprintable() else None

    @property
    def coding(self) -> str:
        """The content coding, one of `packing.CODINGS`."""
        told = self._told.get("content_coding")
        return told if isinstance(told, str) and told in CODINGS else "identity"

    @property
    def done(self) -> int:
        """The number of end markers."""
        told = self._told.get("done")
        return told if _is_count(told) and told <= MAX_DONE else self._usual.done

    @property
    def half(self) -> bool:
        """Whether the body ended inside a payload."""
        return self._told.get("unterminated_event") is True

    @property
    def bare_marker(self) -> bool:
        """Whether the last end marker has no blank line behind it."""
        return self._told.get("unterminated_done") is True

    @property
    def unclosed(self) -> bool:
        """Whether what opened the body was not closed."""
        return self._told.get("unclosed", not self._usual.whole) is True

    @property
    def byte_order_mark(self) -> bool:
        """Whether the body began with one."""
        return self._told.get("byte_order_mark") is True

    @property
    def comments(self) -> Mapping[int, int]:
        """How many comments stood before an event, by its number."""
        return dict(_pairs(self._told.get("comments")))

    @property
    def data_lines(self) -> Mapping[int, int]:
        """In how many lines the data of an event came, by its number, where it was more than one."""
        return {at: min(count, MAX_DONE) for at, count in _pairs(self._told.get("data_lines"))}

    @property
    def blocks(self) -> Mapping[int, Sequence[Block]]:
        """The blocks without data before an event or end marker, by its number, or behind the last one."""
        told = self._told.get("blocks")
        found: dict[int, list[Block]] = {}
        for run in told if isinstance(told, list) else []:
            if isinstance(run, list) and len(run) == 3 and _is_count(run[0]) and _is_count(run[1]):
                found.setdefault(run[0], []).extend([_block(run[0], run[2])] * min(run[1], MAX_DONE))
        return found

    @property
    def ids(self) -> frozenset[int]:
        """The numbers of the events that had an id."""
        return _positions(self._told.get("ids"))

    @property
    def retries(self) -> frozenset[int]:
        """The numbers of the events that had a retry time."""
        return _positions(self._told.get("retries"))

    @property
    def line_ends(self) -> list[LineEnd]:
        """Those recorded; several take turns, a frame each, since where each stood is not recorded."""
        told = self._told.get("line_ends")
        known = [end for end in LineEnd if isinstance(told, list) and end.value in told]
        return known or [LineEnd.LF]

    def names(self, payloads: Sequence[object]) -> list[str]:
        """The event name of each payload: as recorded; else its type, where that is usual or recorded as `type`."""
        told = self._told.get("event_names")
        if isinstance(told, list) and len(told) == len(payloads):
            return [name if _is_name(name) else "" for name in told]
        if told != "type" and not self._usual.named:
            return [""] * len(payloads)
        kinds = [payload.get("type") if isinstance(payload, dict) else None for payload in payloads]
        return [kind if _is_name(kind) else "" for kind in kinds]


def _block(at: int, told: object) -> Block:
    what = told if isinstance(told, dict) else {}
    name, comments = what.get("event"), what.get("comments")
    return Block(
        event=name if _is_name(name) else "",
        id=str(at) if what.get("id") is True else None,
        retry=RETRY if what.get("retry") is True else None,
        comments=min(comments, MAX_DONE) if _is_count(comments) else 0,
    )


def reading(text: str) -> object:
    """The value of a payload; the text itself where it could not stand in a fixture file."""
    parsed = strict_json.parse(text, max_nesting=PAYLOAD_NESTING)
    return text if parsed.code is not None else parsed.value


def _is_name(value: object) -> TypeGuard[str]:
    """Whether this can be the name of an event: words, with dots or hyphens between them."""
    return isinstance(value, str) and all(part.isidentifier() for part in value.replace("-", ".").split("."))


def _positions(told: object) -> frozenset[int]:
    return frozenset(at for at in told if _is_count(at)) if isinstance(told, list) else frozenset()


def _pairs(told: object) -> list[tuple[int, int]]:
    pairs = told if isinstance(told, list) else []
    return [
        (pair[0], pair[1])
        for pair in pairs
        if isinstance(pair, list) and len(pair) == 2 and _is_count(pair[0]) and _is_count(pair[1])
    ]


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and value >= 0

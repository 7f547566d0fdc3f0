"""What a body turns out to be that is no stream of the family that it is said to be.

In: the bytes of a response body and the wire family. Out: why it cannot be used, or None. Example:
`{"error": {"message": "…"}}` of the family `openai` is an error response, and no event is in it. Looks at the start of
a body alone, however long it is. Nothing of it is kept or said.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from proxy_addon.importing import bodies
from proxy_addon.importing.entries import Unusable
from proxy_addon.importing.readers import whole_responses
from proxy_addon.writing.finished import Headers
from replay import families
from replay.families import CARRIERS, FAMILIES
from replay.validator.strict_json import parse
from replay.wire.framing import EventTooLongError, Frame, Framing, chosen

# Enough of a body to see what it is.
HEAD_BYTES: Final = 256 * 1024
# A payload nests less.
_MAX_NESTING: Final = 200
# Of the payloads, so many are asked which family they are of: the first may be a ping, or broken.
_ASKED: Final = 20
_MARK: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Found:
    """Why a body cannot be used. `note` says more, in closed words."""

    why: Unusable
    note: str = ""


def unusable(profile: str, headers: Headers, body: bytes) -> Found | None:
    """Why a body, perhaps coded, is no stream of this family; None where it is one, or may be.

    It may be one where its coding cannot be undone: redaction then refuses it, and says why.
    """
    plain = bodies.start(headers, body, HEAD_BYTES + 1)
    if plain is None:
        return None
    head, whole = plain[:HEAD_BYTES].removeprefix(_MARK), len(plain) <= HEAD_BYTES
    if not head.strip():
        return Found(Unusable.NO_EVENT)
    if head.lstrip()[:1] in (b"{", b"[") and not families.starts(profile, head):
        return _elsewhere(head) or Found(_document(head, whole=whole))
    framing = chosen(head, FAMILIES[profile].framings) or FAMILIES[profile].framing
    frames = _frames(framing, head, whole=whole)
    if any(_has_many(frame) for frame in frames[:_ASKED]):
        return Found(Unusable.LINES)
    if not frames:
        return _elsewhere(head) or (_without_events(head) if whole else None)
    if CARRIERS.intersection(framing.forms):
        return None  # what it carries decides
    found = looks_like(_payloads(framing, frames))
    if not found or profile in found:
        return None
    return _of_another(found)


def no_stream(body: bytes) -> Unusable | None:
    """Why a body is no stream at all, of which no family is known; None where it may be one.

    It is short, or the start of a longer one.
    """
    head = body[:HEAD_BYTES].removeprefix(_MARK)
    if not head.strip():
        return Unusable.NO_EVENT
    if head.lstrip()[:1] == b"{":
        found = _document(head, whole=len(body) <= HEAD_BYTES)
        return None if found is Unusable.NO_STREAM else found
    return Unusable.LINES if _are_lines(head) else None


def _of_another(found: Sequence[str]) -> Found:
    return Found(Unusable.OTHER_FAMILY, f"they look like {' or '.join(found)}; name theirs with --profile")


def _elsewhere(head: bytes) -> Found | None:
    """A stream of another family, in a framing that the one that was said has not; None where it is none.

    Lines of JSON from Ollama are no event stream, say.
    """
    found = families_of(head)
    return _of_another(found) if found else None


def _without_events(head: bytes) -> Found:
    return Found(Unusable.LINES if _are_lines(head) else Unusable.NO_EVENT)


def looks_like(payloads: Sequence[object]) -> tuple[str, ...]:
    """The families that the payloads can be of, by the first payload that says so."""
    for payload in payloads:
        found = families.look_of(payload)
        if found:
            return found
    return ()


def families_of(body: bytes) -> tuple[str, ...]:
    """The families that a body can be a stream of, whatever its framing."""
    head = (bodies.start((), body, HEAD_BYTES) or b"").removeprefix(_MARK)
    for framing in families.FRAMINGS:
        if head.startswith(framing.starts):
            frames = _frames(framing, head, whole=False)
            # Of a carrier the family that owns its framing is said: what it carries is found from there.
            carried = framing.form(frames) in CARRIERS
            found = tuple(FAMILIES) if carried else looks_like(_payloads(framing, frames))
            if found:
                return tuple(one for one in found if framing in FAMILIES[one].framings)
    return ()


def _frames(framing: Framing, head: bytes, *, whole: bool) -> list[Frame]:
    stream = framing.open()
    try:
        frames = stream.feed(head)
        return [*frames, *stream.close().frames] if whole else frames
    except EventTooLongError:
        return []


def _payloads(framing: Framing, frames: Sequence[Frame]) -> list[object]:
    """The first payloads, as they stand in the array of a fixture; of one that is no JSON, its text."""
    return framing.collect(frames[:_ASKED], _value).items


def _value(frame: Frame) -> object:
    parsed = parse(frame.data, max_nesting=_MAX_NESTING)
    return frame.data if parsed.code is not None else parsed.value


def _has_many(frame: Frame) -> bool:
    """Whether an event holds several payloads, a line each: what stood between them is gone."""
    lines = [line for line in frame.data.split("\n") if line]
    return len(lines) > 1 and all(_is_object(line) for line in lines)


def _are_lines(head: bytes) -> bool:
    """Whether the lines of an event stream are all there, and only what divides its events is not."""
    data = [line.partition(b":")[2] for line in head.splitlines() if line.startswith(b"data:")]
    return sum(_is_object(line.decode("utf-8", "replace")) for line in data) > 1


def _is_object(text: str) -> bool:
    parsed = parse(text.strip(), max_nesting=_MAX_NESTING)
    return parsed.code is None and isinstance(parsed.value, dict)


def _document(head: bytes, *, whole: bool) -> Unusable:
    """What a body is that has no framing of its family: one JSON document, most of the time."""
    if not head.lstrip().startswith((b"{", b"[")):
        return Unusable.NO_STREAM
    try:
        value = json.loads(head) if whole else None
    except (ValueError, RecursionError):
        return Unusable.NO_STREAM
    return whole_responses.why(value) or Unusable.NO_STREAM

"""Proof before writing: the finished bytes of a fixture, looked at once more by code that made none of them.

In: the bytes, and everything raw that the capture held. Out: None, or the first leak, by kind and place, never by
content. The verdict is compared by the caller, with the validator. Nothing inside the data can switch this off.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from redaction.captured.argument_texts import argument_texts
from redaction.captured.exchange import Exchange
from redaction.captured.payloads import Body, Broken
from redaction.captured.request import Request
from redaction.families import FAMILIES
from redaction.proof.grams import Index
from redaction.proof.readback import distinct_lines
from redaction.proof.tripwire import Tripwire, views
from redaction.proof.vocabulary import Vocabulary, vocabulary_of
from replay.validator import Envelope


class Leak(Enum):
    """What a gate can find."""

    VOCABULARY = "a value outside the closed vocabulary"
    RAW_TEXT = "raw text"
    TRIPWIRE = "what a secret scanner takes for one"


@dataclass(frozen=True, slots=True)
class FoundLeak:
    """A leak: its kind, and the class of the place in closed words."""

    kind: Leak
    place: str


# Fragments are judged assembled; in the file their pieces say nothing by themselves. By profile.
_FRAGMENTS: Final = {
    profile: re.compile(rf'"(?:{"|".join(sorted(family.spoken.arguments))})":"(?:[^"\\]|\\.)*+"')
    for profile, family in FAMILIES.items()
}


def inspect(
    data: bytes,
    fixture: object,
    envelope: Envelope,
    exchange: Exchange,
    request: Request,
    body: Body,
    *,
    tripwire: Tripwire | None,
) -> FoundLeak | None:
    """The first leak in `data`, the finished file that reads back as `fixture` and is `envelope`, or None."""
    vocabulary = vocabulary_of(fixture)
    texts = argument_texts(envelope.profile, envelope.payloads)
    for stranger in (*vocabulary.strangers, *vocabulary.in_arguments(texts)):
        return FoundLeak(Leak.VOCABULARY, stranger.place)
    without_fragments = _FRAGMENTS[envelope.profile].sub("", distinct_lines(data))
    raw = _raw_text([without_fragments, *texts], vocabulary, _sensitive(exchange, request, body))
    if raw is None and tripwire is not None:
        for rule in tripwire.rules(views(data, texts)):
            return FoundLeak(Leak.TRIPWIRE, rule)
    return raw


def _raw_text(views: list[str], vocabulary: Vocabulary, sensitive: Iterator[tuple[str, str]]) -> FoundLeak | None:
    index = Index(views, vocabulary.explains)
    if index.empty:
        return None
    seen: set[str] = set()
    for place, raw in sensitive:
        if raw not in seen:
            seen.add(raw)
            if index.holds(raw):
                return FoundLeak(Leak.RAW_TEXT, place)
    return None


def _sensitive(exchange: Exchange, request: Request, body: Body) -> Iterator[tuple[str, str]]:
    """Every raw text of the capture, with the class of its place."""
    for value in exchange.secrets:
        yield "header or query", value
    yield "header or query", exchange.user_agent or ""
    yield "header or query", exchange.content_type or ""
    for text in _texts(request.value):
        yield "request", text
    for payload in body.payloads:
        if isinstance(payload, Broken):
            yield "payload that is no JSON", payload.text
        else:
            for text in _texts(payload):
                yield "response", text
    for text in argument_texts(exchange.profile, body.payloads):
        yield "arguments", text
    for frame in body.frames:
        yield "event name or id", frame.event
        yield "event name or id", frame.id or ""


def _texts(start: object) -> Iterator[str]:
    """Every string, key and long number in a JSON value."""
    waiting = [start]
    while waiting:
        here = waiting.pop()
        if isinstance(here, str):
            yield here
        elif isinstance(here, Mapping):
            yield from here
            waiting += here.values()
        elif isinstance(here, list):
            waiting += here
        elif here is not None and not isinstance(here, bool):
            yield str(here)

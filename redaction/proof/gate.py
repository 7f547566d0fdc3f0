"""Proof before writing: the finished bytes of a fixture, looked at once more by code that did not make them.

In: the bytes, and all that is raw in the capture. Out: None, or the refusal that the first leak leads to; it names the
kind of the leak and the class of its place, and never the value.

The gate trusts no mask, so it does not ask how a value came about. It asks two things of what stands in the file, and
either of them would do if the other one were blind. An example: a mask forgot a name, and the file has the argument
text `{"query":"mara lindqvist"}`.

    1. vocabulary   Every key, string and number of the file must be a word of the protocol, a word that the tool
                    schemas in the file declare, or a placeholder. `query` is declared; `mara lindqvist` is none of
                    these, so it is a leak, an "argument string".
    2. raw text     No eight characters of any raw value may stand in the file. The gate lists all runs of eight
                    characters of the file (`mara lin`, `ara lind`, and so on), leaves out what the vocabulary explains
                    (a declared word says nothing), and goes through the raw values of the capture. The arguments of the
                    model say `mara lin`, so there is a leak, from the "arguments".

Two fragments, `{"query":"mara li` and `ndqvist"}`, would hide the name from both. So argument texts are joined before
they are looked at, and the fragments themselves are left out. Last, where the extra `scan` is installed, a secret
scanner looks at the file too. Whether the verdict is the same is proved by the caller, with the validator. Nothing that
stands in the data can switch any of this off.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from redaction.captured.exchange import Reason, Refused
from redaction.captured.faults import read_faulty
from redaction.captured.judged_capture import Captured
from redaction.captured.payloads import Body, Broken, as_clients_read
from redaction.families import FAMILIES
from redaction.proof.assembled import assembled, leaks_in
from redaction.proof.grams import Index
from redaction.proof.readback import distinct_lines
from redaction.proof.tripwire import Tripwire, views
from redaction.proof.words.vocabulary import vocabulary_of
from replay.validator import Envelope
from replay.validator.strict_json import parse
from replay.wire.framing import Block, Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A file as it would be written: its bytes, the value that they read back as, and that value as a turn."""

    data: bytes = field(repr=False)
    value: object = field(repr=False)
    envelope: Envelope = field(repr=False)


# Fragments are judged assembled; in the file their pieces say nothing by themselves. By profile.
_FRAGMENTS: Final = {
    profile: re.compile(rf'"(?:{"|".join(sorted(family.spoken.arguments)) or "(?!)"})":"(?:[^"\\]|\\.)*+"')
    for profile, family in FAMILIES.items()
}


def inspect(file: Finished, captured: Captured, tripwire: Tripwire | None) -> Refused | None:
    """The refusal that the first leak in the file leads to; None where there is no leak."""
    vocabulary = vocabulary_of(file.value)
    ways = assembled(file.envelope.profile, file.envelope.payloads, vocabulary.tools)
    leaks, texts = leaks_in(vocabulary, ways)
    for leak in (*vocabulary.leaks, *leaks):
        return Refused(reason=Reason.VOCABULARY, note=leak.place)
    without_fragments = _FRAGMENTS[file.envelope.profile].sub("", _payloads_as_read(distinct_lines(file.data)))
    place = _raw_text(Index([without_fragments, *texts], vocabulary.explains), captured)
    place = place or _raw_number(vocabulary.made_up_numbers(texts), captured)
    if place is not None:
        return Refused(reason=Reason.RAW_TEXT, note=place)
    for rule in tripwire.rules(views(file.data, texts)) if tripwire is not None else ():
        return Refused(reason=Reason.TRIPWIRE, note=rule)
    return None


def _payloads_as_read(lines: str) -> str:
    """The lines of a file, each payload that is no JSON and that clients read as they read it: its text."""
    return "\n".join(_as_read(line) if line.startswith('"{') else line for line in lines.split("\n"))


def _as_read(line: str) -> str:
    text = parse(line.removesuffix(","), max_nesting=1).value
    return text if isinstance(text, str) and read_faulty(text) is not None else line


def _raw_text(index: Index, captured: Captured) -> str | None:
    """Where in the capture the first raw text stands that the index holds; None where it holds none."""
    if index.empty:
        return None
    seen: set[str] = set()
    for place, raw in _sensitive(captured):
        if raw not in seen:
            seen.add(raw)
            if index.holds(raw):
                return place
    return None


# A number as it is written in any text.
_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


def _raw_number(made_up: Collection[Decimal], captured: Captured) -> str | None:
    """Where in the capture one of the numbers stands that the file has and nobody declared; None where none does.

    The vocabulary explains such a number, and so it is not in the index. It may be the raw one all the same: where two
    bounds are neighbours there is no other one between them.
    """
    if not made_up:
        return None
    for place, raw in _sensitive(captured):
        if any(Decimal(match[0]) in made_up for match in _NUMBER.finditer(raw)):
            return place
    return None


def _sensitive(captured: Captured) -> Iterator[tuple[str, str]]:
    """Every raw text of a capture, with the class of the place where it stands."""
    exchange, body = captured.exchange, captured.body
    for value in (*exchange.secrets, exchange.user_agent or "", exchange.content_type or ""):
        yield "header or query", value
    for text in _texts(captured.request.value):
        yield "request", text
    for payload in body.payloads:
        if isinstance(payload, Broken):
            yield "payload that is no JSON", payload.text
        for text in _texts(as_clients_read(payload)):
            yield "response", text
    for way in assembled(exchange.profile, body.payloads, captured.schemas.keys(), captured.threads):
        for _, text in way:
            yield "arguments", text
    for one in _marked(body):
        yield "event name or id", one.event
        yield "event name or id", one.id or ""


def _marked(body: Body) -> Iterator[Frame | Block]:
    """All that can have a name and an id: events, end markers, and the blocks between them."""
    for frame in (*body.frames, *body.markers):
        yield frame
        yield from frame.blocks
    yield from body.tail.blocks


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

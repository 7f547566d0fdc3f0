"""Proof that a file holds data only, without the raw data: what `toolreel scan` asks of each fixture and pin.

In: the bytes of a fixture, and of its pin where there is one. Out: each place that says what no fixture may say, with
the rule that found it; never the value. Knows the two gate parts that need no capture; knows no disk.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from replay.validator import InvalidFixture, read_envelope
from replay.validator.strict_json import parse

from .fragments import argument_texts
from .outcomes import strangers
from .readback import read_back
from .tripwire import Tripwire, views
from .vocabulary import Stranger, vocabulary_of

# A pin nests its calls and findings two levels deep; more than a few is no pin.
_PIN_NESTING = 16


@dataclass(frozen=True, slots=True)
class Hit:
    """One place of a file that must not be published: its class, the event where it is in one, and the rule."""

    rule: str
    place: str
    event: int | None = None


def scan_fixture(data: bytes, tripwire: Tripwire | None = None) -> Iterator[Hit]:
    """What stands in a fixture file beyond the closed vocabulary."""
    envelope = read_envelope(data)
    if isinstance(envelope, InvalidFixture):
        yield Hit("structure", "file")
        return
    vocabulary = vocabulary_of(read_back(data))
    texts = argument_texts(envelope.profile, envelope.payloads)
    yield from map(_hit, vocabulary.strangers)
    yield from map(_hit, vocabulary.in_arguments(texts))
    if tripwire is not None:
        yield from (Hit(rule, "file") for rule in tripwire.rules(views(data, texts)))


def scan_pin(data: bytes, fixture: bytes) -> Iterator[Hit]:
    """What the calls of a pin say beyond the vocabulary of its fixture."""
    pin = parse(data.decode("utf-8", "replace"), max_nesting=_PIN_NESTING).value
    if not isinstance(pin, dict) or isinstance(read_envelope(fixture), InvalidFixture):
        yield Hit("structure", "file")
        return
    yield from map(_hit, vocabulary_of(read_back(fixture)).of_calls(pin.get("calls")))


def scan_outcomes(data: bytes) -> Iterator[Hit]:
    """What the pinned outcomes of clients say beyond names, versions and outcomes."""
    yield from (Hit("closed vocabulary", place) for place in strangers(data))


def _hit(stranger: Stranger) -> Hit:
    return Hit("closed vocabulary", stranger.place, stranger.event)

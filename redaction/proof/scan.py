"""Proof that a file holds data only, without the raw data: what `toolreel scan` asks of each fixture and pin.

In: the bytes of a fixture, and of its pin where there is one. Out: each place that says what no fixture may say, with
the rule that found it; never the value. Knows the two gate parts that need no capture; knows no disk.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from redaction.captured.argument_texts import argument_texts
from redaction.fixture import canonical_of
from redaction.proof import outcome_files, pin_files
from redaction.proof.canonical_form import is_plain
from redaction.proof.readback import read_back
from redaction.proof.tripwire import Tripwire, views
from redaction.proof.vocabulary import Stranger, vocabulary_of
from replay.validator import InvalidFixture, read_envelope


@dataclass(frozen=True, slots=True)
class Hit:
    """One place of a file that must not be published: its class, the event where it is in one, and the rule."""

    rule: str
    place: str
    event: int | None = None


_LAYOUT = Hit("layout", "white space, escapes or numbers")


def scan_fixture(data: bytes, tripwire: Tripwire | None = None) -> Iterator[Hit]:
    """What a fixture file says beyond the closed vocabulary; that its layout says more, where nothing else does."""
    envelope = read_envelope(data)
    if isinstance(envelope, InvalidFixture):
        yield Hit("structure", "file")
        return
    fixture = read_back(data)
    vocabulary = vocabulary_of(fixture)
    texts = argument_texts(envelope.profile, envelope.payloads)
    found = [*map(_hit, vocabulary.strangers), *map(_hit, vocabulary.in_arguments(texts))]
    yield from found
    if not found and not is_plain(data, canonical_of(fixture)):
        yield _LAYOUT
    if tripwire is not None:
        yield from (Hit(rule, "file") for rule in tripwire.rules(views(data, texts)))


def scan_pin(data: bytes, fixture: bytes) -> Iterator[Hit]:
    """What a pin says that is not of its closed form, with the vocabulary of its fixture."""
    envelope = read_envelope(fixture)
    if isinstance(envelope, InvalidFixture):
        yield Hit("structure", "fixture of the pin")
        return
    vocabulary = vocabulary_of(read_back(fixture))
    yield from _in_form(data, list(pin_files.strangers(data, vocabulary, len(envelope.payloads))), pin_files.laid_out)


def scan_outcomes(data: bytes) -> Iterator[Hit]:
    """What the pinned outcomes of clients say beyond names, versions and outcomes."""
    yield from _in_form(data, list(outcome_files.strangers(data)), outcome_files.laid_out)


def _in_form(data: bytes, places: list[str], laid_out: Callable[[bytes], bytes]) -> Iterator[Hit]:
    """A hit for each of the places; that the layout says more, where there is none."""
    yield from (Hit("closed vocabulary", place) for place in places)
    if not places and not is_plain(data, laid_out(data)):
        yield _LAYOUT


def _hit(stranger: Stranger) -> Hit:
    return Hit("closed vocabulary", stranger.place, stranger.event)

"""Proof that a file holds data only, without the raw data: what `toolreel scan` asks of each fixture, pin and page.

In: the bytes of a fixture, of its pin where there is one, or of a page that `toolreel show` drew of them. Out: the
leaks, each with its place and the rule that found it; never the value. Asks the vocabulary of the gate, and the layout.
The search for raw text is the part of the gate that is left out, for it needs the capture. Knows no disk.
"""

from collections.abc import Callable, Iterator
from typing import Final

from redaction.captured.argument_texts import argument_texts
from redaction.fixture import canonical_of
from redaction.proof.assembled import assembled, leaks_in
from redaction.proof.files import outcome_files, page_files, pin_files
from redaction.proof.files.canonical_form import is_plain
from redaction.proof.leak import Leak
from redaction.proof.readback import read_back
from redaction.proof.tripwire import Tripwire, views
from redaction.proof.words.vocabulary import vocabulary_of
from replay.validator import InvalidFixture, judge, read_envelope

_LAYOUT: Final = Leak("white space, escapes or numbers", rule="layout")
STRUCTURE: Final = "structure"
# The words of another fixture are strange to this one and leak nothing of it: `replay` is to be asked first.
STALE: Final = Leak("the pin is not of this fixture; run `toolreel replay` first", rule="stale pin")


def scan_fixture(data: bytes, tripwire: Tripwire | None = None) -> Iterator[Leak]:
    """What a fixture file says beyond the closed vocabulary; that its layout says more, where nothing else does."""
    envelope = read_envelope(data)
    if isinstance(envelope, InvalidFixture):
        yield Leak("file", rule=STRUCTURE)
        return
    fixture = read_back(data)
    vocabulary = vocabulary_of(fixture)
    ways = assembled(envelope.profile, envelope.payloads, vocabulary.tools)
    leaks, texts = leaks_in(vocabulary, ways)
    found = [*vocabulary.leaks, *leaks]
    yield from found
    if not found and not is_plain(data, canonical_of(fixture)):
        yield _LAYOUT
    if tripwire is not None:
        yield from (Leak("file", rule=rule) for rule in tripwire.rules(views(data, texts)))


def scan_pin(data: bytes, fixture: bytes) -> Iterator[Leak]:
    """What a pin says that is not of its closed form, with the vocabulary of its fixture.

    Of a pin that is surely of another one it is said that it is stale, and what it says beyond the form of every pin.
    """
    envelope = read_envelope(fixture)
    if isinstance(envelope, InvalidFixture):
        yield Leak("fixture of the pin", rule=STRUCTURE)
        return
    vocabulary = vocabulary_of(read_back(fixture))
    texts = argument_texts(envelope.profile, envelope.payloads)
    found = list(pin_files.leaks(data, vocabulary, len(envelope.payloads), texts))
    if found and pin_files.is_stale(data, judge(envelope), len(envelope.payloads)):
        yield STALE
        yield from (Leak(place) for place in found if place in pin_files.OF_ANY)
        return
    yield from _in_form(data, found, pin_files.laid_out)


def scan_outcomes(data: bytes) -> Iterator[Leak]:
    """What the pinned outcomes of clients say beyond names, versions and outcomes."""
    yield from _in_form(data, list(outcome_files.leaks(data)), outcome_files.laid_out)


def scan_page(
    data: bytes, draw: Callable[[bytes], bytes], tripwire: Tripwire | None = None
) -> Iterator[tuple[str | None, Leak]]:
    """What a page of `toolreel show` says beyond data: each leak, and in which of the files in the page it is.

    `draw` draws a page of the packed files in one. It is asked once these are proved, and never else.
    """
    page = page_files.read(data)
    if page is None:
        yield None, Leak("page", rule=STRUCTURE)
        return
    clean = True
    for held in page.held:
        for leak in _held(held, tripwire):
            clean = False
            yield held.path, leak
    if clean and not page_files.same(data, draw(page.source)):
        yield None, Leak("page, beside the files in it", rule="not as this version draws it")


def _held(held: page_files.Held, tripwire: Tripwire | None) -> Iterator[Leak]:
    yield from scan_fixture(held.fixture, tripwire)
    if held.pin is not None:
        yield from scan_pin(held.pin, held.fixture)
    if held.outcomes is not None:
        yield from scan_outcomes(held.outcomes)


def _in_form(data: bytes, places: list[str], laid_out: Callable[[bytes], bytes]) -> Iterator[Leak]:
    """A leak for each of the places; where there is none, that the layout says more."""
    yield from map(Leak, places)
    if not places and not is_plain(data, laid_out(data)):
        yield _LAYOUT

"""Turns that end at a byte limit of the rules: the widths of their argument fragments are told, and nothing else is."""

import json
import random
import string

import pytest
from support.made import captures
from support.nightly import at_night

from redaction.captured.exchange import Exchange, Proved
from redaction.families import FAMILIES
from redaction.proof.scan import scan_fixture
from redaction.redactor import redact
from replay.validator import Code
from replay.validator.limits import Limits

# The families whose arguments come as one object have no fragments whose widths could be told.
IN_FRAGMENTS = [name for name, family in FAMILIES.items() if not family.spoken.counted]
BLOCK = 1_000
SECRET = "Lymphoma-4471"
# What a text is made of, by the number of bytes that each character has: two alphabets.
LETTERS = {
    1: (string.ascii_lowercase, string.ascii_uppercase + string.digits),
    2: ("äöü", "éèß"),
    3: ("日本語", "的是了"),
}


def block(which: int, seed: int) -> str:
    """A thousand characters, as wide as those of every block with this seed, of one of the alphabets."""
    widths, chance = random.Random(seed), random.Random(which)
    return "".join(chance.choice(LETTERS[widths.choice((*[1] * 30, 2, 3))][which]) for _ in range(BLOCK))


def over(profile: str, which: int, *, last: str = "") -> Exchange:
    """A turn with one call that is longer than the rules read."""
    one = captures.turn(profile, random.Random(profile))
    del one.calls[1:]
    [call] = one.calls
    pieces, size = [], 0
    while size <= Limits().max_slot_bytes:
        pieces.append(block(which, len(pieces)) * (200 + len(pieces)))
        size += len(pieces[-1].encode())
    said = SECRET if which else "Ms Miller 007"
    call.pieces = [f'{{"note":"{said}', *pieces, f'{last}"}}']
    call.text = "".join(call.pieces)
    call.value = json.loads(call.text)
    return captures.exchange(one, captures.payloads(one))


def proved(exchange: Exchange) -> Proved:
    found = redact(exchange)
    assert isinstance(found, Proved), found
    assert Code.LIMIT_EXCEEDED in {finding.code for finding in found.report.findings}
    assert not list(scan_fixture(found.fixture.data))
    return found


@pytest.mark.parametrize("profile", at_night(IN_FRAGMENTS, but=["openai"]))
def test_two_turns_over_a_limit_whose_fragments_are_as_wide_have_one_fixture(profile: str) -> None:
    one, two = proved(over(profile, 0)), proved(over(profile, 1))
    assert one.rung == two.rung == "exact_lengths"
    assert one.fixture.data == two.fixture.data
    assert SECRET not in one.fixture.data.decode()
    told = json.loads(one.fixture.data)["capture"]
    assert told["rung"] == "exact_lengths"
    wider = proved(over(profile, 0, last="wide"))
    assert len(wider.fixture.data) > len(one.fixture.data)

"""Streamed turns as providers send them, from a seed, and one fault operator for each kind of finding.

A turn is text, then one to three calls of declared tools whose arguments satisfy their schemas, in fragments as small
as tokens. Every operator takes a healthy turn and gives payloads in which, at the least, its finding is reported.
Asks the row of a family how it tells a turn.
"""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from support.families import FAMILIES
from support.recorded.exchanges import body_of, content_type
from support.streamed import pieces
from support.streamed.family import Fault, wanted
from support.streamed.pieces import Chance, Payload, Turn, prose, word

from redaction.captured.exchange import Ending, Exchange
from replay.validator import Code

PROFILES: Final = tuple(FAMILIES)


def turn(profile: str, chance: Chance) -> Turn:
    """A healthy turn of this profile."""
    one = pieces.turn(profile, chance, FAMILIES[profile].id_size)
    FAMILIES[profile].dress(one)
    return one


def payloads(one: Turn) -> list[Payload]:
    """The turn on the family."""
    return FAMILIES[one.profile].tell(one)


def _fault(code: str, one: Turn) -> list[Payload]:
    return FAMILIES[one.profile].faults[code](one)


def _having(code: str) -> tuple[str, ...]:
    return tuple(name for name, family in FAMILIES.items() if code in family.faults)


# For each code the operator that brings it about, and the profiles that have it.
FAULTS: Final[Mapping[str, tuple[Fault, tuple[str, ...]]]] = {
    code.value: (partial(_fault, code.value), _having(code.value)) for code in Code if code is not Code.INVALID_FIXTURE
}


def exchange(one: Turn, found: Sequence[Payload]) -> Exchange:
    """The turn as it was recorded, with its request."""
    family, text = FAMILIES[one.profile], prose(one.chance)
    request = {"model": family.model, "stream": True, **family.ask(wanted(one, text)), **family.more(one, text)}
    return Exchange(
        profile=one.profile,
        provider=one.profile,
        request_body=json.dumps(request).encode(),
        content_type=content_type(one.profile),
        body=body_of(one.profile, found, done=family.done and one.ending is Ending.MESSAGE_END),
        ending=one.ending,
        secrets=(f"Bearer {word(one.chance, 40)}",),
    )


def clean(profile: str, chance: Chance) -> Exchange:
    """A healthy exchange."""
    one = turn(profile, chance)
    return exchange(one, payloads(one))


def faulty(code: str, profile: str, chance: Chance) -> Exchange:
    """An exchange in which this code is to be found."""
    one = turn(profile, chance)
    found = _fault(code, one)
    return exchange(one, found)

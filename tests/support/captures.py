"""Streamed turns as providers send them, from a seed, and one fault operator for each kind of finding.

A turn is text, then one to three calls of declared tools whose arguments satisfy their schemas, in fragments as small
as tokens. Every operator takes a healthy turn and gives payloads in which, at the least, its finding is reported.
Asks the row of a family how it tells a turn; the rows are in `support.streamed`.
"""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from support.exchanges import sse_body
from support.streamed import pieces
from support.streamed.blocks import ANTHROPIC
from support.streamed.chat import MISTRAL, OPENAI
from support.streamed.family import Fault, Wire
from support.streamed.pieces import Chance, Payload, Turn, prose, word
from support.streamed.responses import RESPONSES

from redaction.captured.exchange import Ending, Exchange
from replay.validator import Code

WIRES: Final[Mapping[str, Wire]] = {
    "openai": OPENAI,
    "mistral": MISTRAL,
    "anthropic": ANTHROPIC,
    "openai-responses": RESPONSES,
}
PROFILES: Final = tuple(WIRES)


def turn(profile: str, chance: Chance) -> Turn:
    """A healthy turn of this profile."""
    one = pieces.turn(profile, chance, WIRES[profile].id_size)
    WIRES[profile].dress(one)
    return one


def payloads(one: Turn) -> list[Payload]:
    """The turn on the wire."""
    return WIRES[one.profile].tell(one)


def _fault(code: str, one: Turn) -> list[Payload]:
    return WIRES[one.profile].faults[code](one)


# For each code the operator that brings it about, and the profiles that have it.
FAULTS: Final[Mapping[str, tuple[Fault, tuple[str, ...]]]] = {
    code.value: (partial(_fault, code.value), tuple(name for name, wire in WIRES.items() if code.value in wire.faults))
    for code in Code
    if code is not Code.INVALID_FIXTURE
}


def exchange(one: Turn, found: Sequence[Payload]) -> Exchange:
    """The turn as it was recorded, with its request."""
    wire = WIRES[one.profile]
    request = {"model": wire.model, "stream": True, **wire.asked(one, prose(one.chance))}
    return Exchange(
        profile=one.profile,
        provider=one.profile,
        request_body=json.dumps(request).encode(),
        content_type="text/event-stream",
        body=sse_body(found, done=wire.done and one.ending is Ending.MESSAGE_END),
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

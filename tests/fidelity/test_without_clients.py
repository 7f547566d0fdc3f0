"""What simple clients execute of a turn is the same for its masked form: thousands of turns that are not as they
should be, in a second each hundred. Real clients are asked in `test_clients.py`."""

import json
import random

import pytest
from support.made import adversarial
from support.nightly import examples
from support.readings.naive_clients import executed

from redaction.captured.exchange import Proved
from redaction.redactor import redact

SEED = 20_261_130


def _payloads(body: bytes) -> list[object]:
    found = [line.removeprefix(b"data: ") for line in body.split(b"\n") if line.startswith(b"data: {")]
    return [json.loads(one) for one in found]


def _served(chunks: list[object]) -> list[object]:
    """The payloads of a fixture as clients read them: one that is no strict JSON stands there as its text."""
    return [json.loads(one) if isinstance(one, str) else one for one in chunks]


@pytest.mark.parametrize("kind", adversarial.KINDS)
def test_simple_clients_execute_the_same_of_the_masked_turn(kind: str) -> None:
    for number in range(examples(40)):
        exchange = adversarial.exchange(kind, random.Random(f"{SEED} {kind} {number}"))
        found = redact(exchange)
        assert isinstance(found, Proved), (kind, number, found)
        raw = executed(_payloads(exchange.body), adversarial.TOOLS)
        masked = executed(_served(json.loads(found.fixture.data)["chunks"]), adversarial.TOOLS)
        assert raw == masked or found.unfaithful, (kind, number)
        assert raw == masked, (kind, number, found.unfaithful)

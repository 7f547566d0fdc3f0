"""Captures with one observation have one fixture: what the observation leaves out does not reach a byte of the file.

An observation is taken from a capture (every profile, healthy or with any fault), changed at random where a wire can
differ, and filled twice with other values, keys, ids, texts, lengths, prose, spelling, white space, numbers of use,
models of one family, prompts, headers, comments, names and framing.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from observation.observation import Free, Json, Members, Node, Observation, Same, observe
from support import shared
from support.made import adversarial, captures
from support.made.filling import fill
from support.made.mutations import CARRIED, load, mutants
from support.made.nonsense import UnfillableError
from support.nightly import examples, nightly, thirds
from support.planted.canaries import PIECE
from support.planted.hiding import hidden
from support.readings import streams
from support.recorded.exchanges import exchange_of

from redaction.captured.exchange import Exchange, Proved, Reason
from redaction.families import FAMILIES
from redaction.redactor import redact
from replay import families as wire

SEED = 20_241_107
PROFILES = tuple(FAMILIES)
FRAMING = {profile: wire.FAMILIES[profile].framing for profile in PROFILES}
CODES = sorted(captures.FAULTS)


def observed(exchange: Exchange) -> Observation:
    found = observe(exchange)
    assert found is not None
    return found


def result(exchange: Exchange) -> bytes | Reason:
    """The fixture, at the default setting; else why there is none."""
    found = redact(exchange)
    return found.fixture.data if isinstance(found, Proved) else found.reason


# What a block without data can have.
BLOCKS = (
    {},
    {"comments": 1},
    {"comments": 2, "event": "ping", "id": True},
    {"event": "x"},
    {"id": True},
    {"id": True, "retry": True},
)


def other_wire(one: Observation, chance: random.Random) -> Observation:
    """The same turn on another wire: line ends, content coding, and beside events names, comments and marks."""
    events = range(len(one.payloads))
    some = [at for at in events if chance.random() < 0.3]
    transport: dict[str, Any] = dict(one.transport)
    transport["status"] = chance.choice((200, 200, 201, 500))
    transport["content_type"] = chance.choice((None, "other", "text/event-stream", "text/event-stream; charset=utf-8"))
    transport["content_coding"] = chance.choice(("identity", "identity", "gzip", "deflate"))
    transport["line_ends"] = chance.choice((["lf"], ["crlf"], ["cr"], ["crlf", "lf"], ["cr", "crlf", "lf"]))
    marked = FRAMING[one.profile].marked
    binary = transport["framing"] in ("eventstream", "eventstream-chunks")
    if binary:
        transport["line_ends"] = []
    elif not marked:
        transport["line_ends"] = chance.choice((["lf"], ["crlf"], ["crlf", "lf"]))
    elif some:
        transport["comments"] = [[at, chance.randrange(1, 4)] for at in some]
        transport["data_lines"] = [[at, chance.randrange(2, 5)] for at in events if chance.random() < 0.2]
        places = range(len(one.payloads) + transport["done"] + 1)
        transport["blocks"] = [
            [at, chance.randrange(1, 4), chance.choice(BLOCKS)] for at in places if chance.random() < 0.2
        ]
        transport["ids"] = [at for at in events if chance.random() < 0.3]
        transport["retries"] = [at for at in events if chance.random() < 0.1]
        transport["event_names"] = [chance.choice(("", "x", "message", "error", "ping")) for _ in events]
    elif all(isinstance(node, Members) and dict(node.members).get("type") for node in one.payloads):
        transport["event_names"] = "type"
    if marked and chance.random() < 0.3:
        transport["byte_order_mark"] = True
    capture: dict[str, Any] = dict(one.capture)
    capture["model"] = chance.choice(("gpt-4o", "gpt-4", "claude", "claude-sonnet-4", "unknown-model", "mistral"))
    capture["provider"] = chance.choice(("openai", "custom", "my-gateway"))
    capture["mode"] = chance.choice(("reverse", "forward", "import"))
    if chance.random() < 0.5:
        capture["adapter"] = {"name": chance.choice(("openai-python", "curl", "mistralai-python")), "version": "1.2.3"}
    if chance.random() < 0.3 and capture["stream_end"] == "upstream_disconnected":
        transport["unterminated_event"] = True
    mixed = with_strangers_inside if binary else with_strangers
    payloads = tuple(mixed(node, chance) for node in one.payloads)
    return replace(one, transport=transport, capture=capture, payloads=payloads)


def with_strangers(node: Node, chance: random.Random) -> Node:
    """The payload with members that no table names, some of the same name."""
    if not isinstance(node, Members):
        return node
    members = [(key, with_strangers(inner, chance)) for key, inner in node.members]
    if chance.random() < 0.2:
        kind = chance.choice([Json.TEXT, Json.NUMBER, Json.BOOLEAN, Json.LIST, Json.OBJECT])
        members.insert(chance.randrange(len(members) + 1), (Same("member", 1000 + chance.randrange(5)), Free(kind)))
    return Members(tuple(members))


def with_strangers_inside(node: Node, chance: random.Random) -> Node:
    """The same of an event whose one member is its type: another beside it would make it no event."""
    if not isinstance(node, Members):
        return node
    return Members(tuple((key, with_strangers(inner, chance)) for key, inner in node.members))


@settings(max_examples=examples(120), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(PROFILES), st.sampled_from(["clean", *CODES]), st.integers(0, 2**32))
def test_two_fillings_of_one_observation_give_one_fixture(profile: str, code: str, seed: int) -> None:
    assume(code == "clean" or profile in captures.FAULTS[code][1])
    chance = random.Random(seed)
    start = captures.clean(profile, chance) if code == "clean" else captures.faulty(code, profile, chance)
    observation = other_wire(observed(start), chance)
    try:
        one, two = fill(observation, chance), fill(observation, chance)
    except UnfillableError:
        assume(False)
    assert observed(one) == observed(two)
    assert one.body != two.body
    assert result(one) == result(two)


@pytest.mark.parametrize("kind", adversarial.KINDS)
def test_a_turn_that_clients_take_in_several_ways_and_a_filling_of_it_have_one_fixture(kind: str) -> None:
    for number in range(examples(6)):
        chance = random.Random(f"{SEED} {kind} {number}")
        exchange = adversarial.exchange(kind, chance)
        observation = observed(exchange)
        other = fill(observation, chance)
        assert observed(other) == observation, number
        assert result(other) == result(exchange), number


def recorded() -> Iterator[tuple[str, Exchange]]:
    """Exchanges that nobody made for this: the cases, and recorded streams of a size that is quickly done."""
    for path in sorted((Path(shared.ROOT) / "tests" / "data" / "cases").glob("*.json")):
        try:
            yield path.stem, exchange_of(json.loads(path.read_bytes()))
        except (AssertionError, KeyError, TypeError, ValueError):
            continue  # a pin, or a file that is no envelope on purpose
    for stream in streams.read(streams.BUNDLED):
        request = stream.request.encode() if stream.request else None
        yield (
            stream.name,
            Exchange(profile=stream.profile, provider=stream.upstream, request_body=request, body=stream.body),
        )
    for profile in PROFILES:
        yield f"a canary in every place, {profile}", hidden(profile).exchange


EXCHANGES = dict(recorded())


@pytest.mark.parametrize("name", thirds(EXCHANGES))
def test_a_capture_and_a_filling_of_its_observation_give_one_fixture(name: str) -> None:
    exchange = EXCHANGES[name]
    if not exchange.body:
        assert result(exchange) is Reason.NO_EVENTS  # no file, so nothing is told
        return
    observation = observed(exchange)
    other = fill(observation, random.Random(name))
    assert observed(other) == observation
    assert result(other) == result(exchange)


@nightly
def test_damaged_cases_and_fillings_of_their_observations_have_one_fixture() -> None:
    """Shapes that no generator thinks of: members of every type in every place, indices and words that are none."""
    compared = 0
    for number, mutant in enumerate(mutants(load(CARRIED), seed=SEED, count=1_000)):
        try:
            exchange = exchange_of(mutant)
        except (AssertionError, KeyError, TypeError, ValueError):
            continue  # no envelope, so no traffic
        observation = observe(exchange)
        if observation is None:
            continue
        other = fill(observation, random.Random(number))
        assert observed(other) == observation, number
        assert result(other) == result(exchange), number
        compared += 1
    assert compared > 800


@pytest.mark.parametrize("profile", PROFILES)
def test_an_observation_holds_nothing_of_what_hides(profile: str) -> None:
    planted = hidden(profile)
    shown = repr(observed(planted.exchange))
    pieces = {
        place
        for place, secret in planted.canaries.items()
        for at in range(len(secret) - PIECE + 1)
        if secret[at : at + PIECE] in shown
    }
    assert not pieces


@pytest.mark.parametrize("profile", PROFILES)
def test_nearly_every_observation_can_be_filled(profile: str) -> None:
    """A generator that gave up would leave the property above without its hard examples."""
    failed, tried = 0, examples(40)
    for seed in range(tried):
        chance = random.Random(seed)
        observation = observed(captures.clean(profile, chance))
        try:
            fill(observation, chance)
        except UnfillableError:
            failed += 1
    assert failed <= tried // 20

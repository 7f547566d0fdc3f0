"""Reads and times that a fixture keeps: the grid and the places are told, and nothing else of how a body came."""

import json
import random
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from observation.observation import observe
from support.made import captures
from support.made.filling import fill
from support.made.nonsense import UnfillableError
from support.nightly import examples

from proxy_addon.demo.bundled import bundled
from redaction.captured.exchange import Arrivals, Exchange, Kept, Pieces, Proved
from redaction.captured.judged_capture import understood
from redaction.captured.network import network
from redaction.families import FAMILIES
from redaction.fixture import canonical_of
from redaction.proof.scan import scan_fixture
from redaction.redactor import MAX_BODY_BYTES, redact
from replay.body.rendering import render
from replay.corpus.loading import load
from replay.judging import recut
from replay.serve.cutting import Cuts, Mode, pieces, read_ends
from replay.wire.coding import decoder

TURNS = {turn.case: turn for turn in bundled()}
BOTH = (Kept.TIMES, Kept.READS)


def exchange(name: str) -> Exchange:
    turn = TURNS[name]
    return Exchange(
        profile=turn.profile,
        provider="custom",
        request_body=json.dumps(turn.request).encode(),
        body=turn.response_body(),
    )


def fixture(found: Exchange, kept: Sequence[Kept] = BOTH) -> bytes:
    proved = redact(found, kept=kept)
    assert isinstance(proved, Proved)
    assert not list(scan_fixture(proved.fixture.data))
    return proved.fixture.data


def came(size: int, chance: random.Random) -> Arrivals:
    """A body of this size, read in a few pieces at any time."""
    cuts = sorted(chance.sample(range(1, size), min(12, size - 1)))
    return Arrivals(ends=(*cuts, size), times=tuple(sorted(chance.randrange(9_000) for _ in (*cuts, size))))


@pytest.mark.parametrize("name", TURNS)
def test_what_is_served_as_it_was_read_is_read_in_the_same_places_again(name: str) -> None:
    chance = random.Random(name)
    found = exchange(name)
    for _ in range(examples(2)):
        first = load(fixture(replace(found, arrivals=came(len(found.body), chance))))
        rendered = render(first)
        sent = pieces(rendered, Cuts(mode=Mode.READS), first.value["transport"])
        assert b"".join(piece.data for piece in sent) == b"".join(rendered.frames)
        at = 0
        ends = tuple(at := at + len(piece.data) for piece in sent)
        times = tuple(piece.at or 0 for piece in sent)
        body = b"".join(rendered.frames)
        again = load(fixture(replace(found, body=body, arrivals=Arrivals(ends=ends, times=times))))
        assert read_ends(render(again), again.value["transport"]) == list(ends)
        assert again.value["transport"]["milliseconds"] == list(times)
        assert recut.bug(first, recut.Cuts(number=3), seed=b"") is None


@pytest.mark.parametrize("name", TURNS)
def test_times_alone_are_those_of_the_events(name: str) -> None:
    found = exchange(name)
    loaded = load(fixture(replace(found, arrivals=came(len(found.body), random.Random(name))), [Kept.TIMES]))
    transport = loaded.value["transport"]
    assert "reads" not in transport
    sent = pieces(render(loaded), Cuts(), transport)
    assert [piece.at for piece in sent][: len(transport["milliseconds"])] == transport["milliseconds"]
    assert all(at % 100 == 0 for at in transport["milliseconds"])
    assert all(piece.at is not None for piece in pieces(render(loaded), Cuts(mode=Mode.ALL), transport))


@pytest.mark.parametrize("name", TURNS)
def test_without_the_options_nothing_of_the_network_is_kept_and_the_shape_is_the_same(name: str) -> None:
    found = exchange(name)
    known = replace(found, arrivals=came(len(found.body), random.Random(name)))
    assert fixture(known, ()) == fixture(found, ()) == fixture(found)
    one, two = redact(known, kept=BOTH), redact(found, pieces=Pieces.EXACT)
    assert isinstance(one, Proved)
    assert isinstance(two, Proved)
    assert one.fixture.digest == two.fixture.digest


def test_reads_of_a_coded_body_end_where_the_decoder_had_come_to() -> None:
    plain = exchange("openai-one-call")
    half = len(plain.body) // 2
    packing = zlib.compressobj(wbits=31)
    one = packing.compress(plain.body[:half]) + packing.flush(zlib.Z_SYNC_FLUSH)
    two = packing.compress(plain.body[half:]) + packing.flush()
    ends = (len(one) - 1, len(one), len(one) + 3, len(one) + len(two))
    packed = replace(
        plain, body=one + two, content_coding="gzip", arrivals=Arrivals(ends=ends, times=(0, 100, 200, 300))
    )
    told = load(fixture(packed)).value["transport"]
    expected = replace(plain, arrivals=Arrivals(ends=(half, len(plain.body)), times=(100, 300)))
    assert told["reads"][-1] == load(fixture(expected)).value["transport"]["reads"][-1]
    assert load(fixture(expected)).value["transport"]["reads"][0] in told["reads"]
    assert len(told["reads"]) == len(told["milliseconds"])


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_every_place_of_an_event_stream_is_told(end: bytes) -> None:
    body = b'data: {"a":"\\u00fc\xc3\xbc"}\n\ndata: [DONE]\n\n'.replace(b"\n", end)
    found = replace(exchange("openai-one-call"), body=body, arrivals=Arrivals(ends=tuple(range(1, len(body) + 1))))
    both = understood(found, limit=MAX_BODY_BYTES)
    assert isinstance(both, tuple)
    told = network(*both, BOTH, limit=MAX_BODY_BYTES, undo=decoder)
    assert told.reads is not None
    names = [f"{at}{place.value[:2]}" for at, place in told.reads]
    assert names[:5] == ["0fi"] * 5
    event = body.index(b"data: [DONE]")
    assert names[event - 1] == "0fr"
    assert names[body.index(b"\xc3")] == "0ut"
    assert names[body.index(b"\\")] == "0es"
    assert names[body.index(b'a"')] == "0st"
    assert names[-1] == "1fr"
    if end == b"\r\n":
        assert names[event - 2] == "0li"
        assert names[event - 4] == "0li"


# The forms in which white space at the end is nothing; in an event stream each blank line is told.
@pytest.mark.parametrize(
    ("name", "form", "behind"),
    [
        ("gemini-one-call", "json", b" \r\n\t\n"),
        ("ollama-one-call", "ndjson", b"  \n\n "),
    ],
)
def test_nothing_is_told_of_white_space_at_the_end(name: str, form: str, behind: bytes) -> None:
    body = b"".join(render(load(fixture(exchange(name), ())), form).frames)
    ends = (len(body) // 2, len(body))
    found = replace(exchange(name), body=body, arrivals=Arrivals(ends=ends, times=(100, 200)))
    later = tuple(range(len(body) + 1, len(body) + len(behind) + 1))
    times = (100, 200, *(300 for _ in later))
    longer = replace(found, body=body + behind, arrivals=Arrivals(ends=(*ends, *later), times=times))
    assert fixture(longer) == fixture(found)


def positions(found: Exchange) -> dict[tuple[int, str], list[int]]:
    """The positions of each class in a body, end included."""
    known = replace(found, arrivals=Arrivals(ends=tuple(range(1, len(found.body) + 1))))
    both = understood(known, limit=MAX_BODY_BYTES)
    assert isinstance(both, tuple)
    told = network(*both, [Kept.READS], limit=MAX_BODY_BYTES, undo=decoder)
    assert told.reads is not None
    by_class = defaultdict(list)
    for position, (at, place) in enumerate(told.reads, start=1):
        by_class[at, place.value].append(position)
    return by_class


@settings(max_examples=examples(40, part=20), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(tuple(FAMILIES)), st.integers(0, 2**32))
def test_two_captures_of_one_observation_read_in_the_same_places_have_one_fixture(profile: str, seed: int) -> None:
    chance = random.Random(seed)
    observation = observe(captures.clean(profile, chance))
    assert observation is not None
    try:
        two = [fill(observation, chance) for _ in range(2)]
    except UnfillableError:
        assume(False)
    assume(all(one.content_coding in (None, "identity") for one in two))
    there = [positions(one) for one in two]
    common = sorted(there[0].keys() & there[1].keys(), key=lambda one: one[0])
    wanted = sorted(chance.sample(common, min(6, len(common))), key=lambda one: one[0])
    wanted = [one for at, one in enumerate(wanted) if at == 0 or one[0] > wanted[at - 1][0]]
    cells = sorted(chance.randrange(40) for _ in (*wanted, "end"))
    fixtures = []
    for one, known in zip(two, there, strict=True):
        ends = (*(chance.choice(known[place]) for place in wanted), len(one.body))
        times = tuple(100 * cell for cell in cells)
        jitter = chance.randrange(100)  # within one step of the grid
        arrivals = Arrivals(ends=ends, times=tuple(time + jitter for time in times))
        fixtures.append(redact(replace(one, arrivals=arrivals), kept=BOTH))
    first, second = fixtures
    assert isinstance(first, Proved)
    assert isinstance(second, Proved)
    assert first.fixture.data == second.fixture.data


def leaks(value: Mapping[str, object]) -> list[object]:
    data = canonical_of(value)
    assert data is not None
    return list(scan_fixture(data))


def test_scan_finds_a_time_between_the_steps_and_reads_that_no_recorder_writes() -> None:
    found = exchange("openai-one-call")
    value = load(fixture(replace(found, arrivals=came(len(found.body), random.Random(1))))).value
    transport, capture = value["transport"], value["capture"]
    assert not leaks(value)
    times, reads = transport["milliseconds"], transport["reads"]
    odd = [
        {"milliseconds": [*times[:-1], times[-1] + 1]},
        {"milliseconds": times[::-1]},
        {"milliseconds": times[:-1]},
        {"milliseconds": [float(at) for at in times]},
        {"reads": [[at, "mara.lin"] for at, _ in reads]},
        {"reads": reads[::-1]},
        {"reads": [[at, place, 7] for at, place in reads]},
        {"reads": [[at + 1000, place] for at, place in reads]},
    ]
    for other in odd:
        assert leaks({**value, "transport": {**transport, **other}}), other
    for other in ({"timing": "1ms"}, {"reads": "bytes"}, {"timing": None}):
        assert leaks({**value, "capture": {**capture, **other}}), other
    for name in ("timing", "reads"):
        bare = {key: word for key, word in capture.items() if key != name}
        assert leaks({**value, "capture": bare}), name

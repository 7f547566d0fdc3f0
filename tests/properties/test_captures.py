"""The turns that other tests are fed with: a healthy one passes, a faulty one has the finding that it is made for."""

import json
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import pytest
from support.families import FAMILIES
from support.made import captures
from support.nightly import examples
from support.readings import streams
from support.streamed.pieces import Turn

from redaction.captured.exchange import Ending
from replay.families import array
from replay.validator import Code, Envelope, Report, envelope_from, judge

TURNS: Final = examples(30)


def report(one: Turn, payloads: Sequence[Any]) -> Report:
    """The verdict on a turn, with the tools and the choice that its request declares."""
    request = json.loads(captures.exchange(one, payloads).request_body or b"{}")
    capture: dict[str, object] = {"stream_end": "complete" if one.ending is Ending.MESSAGE_END else "other"}
    if (choice := streams.tool_choice(request)) is not None:
        capture["tool_choice"] = choice
    if (parallel := streams.parallel(request)) is not None:
        capture["parallel_tool_calls"] = parallel
    turn = {"profile": one.profile, "tool_schemas": streams.tools(request), "capture": capture}
    envelope = envelope_from({**turn, array(one.profile): list(payloads)})
    assert isinstance(envelope, Envelope)
    return judge(envelope)


@pytest.mark.parametrize("profile", captures.PROFILES)
def test_a_healthy_turn_passes(profile: str) -> None:
    for seed in range(TURNS):
        one = captures.turn(profile, random.Random(seed))
        found = report(one, captures.payloads(one))
        assert found.executable, (seed, found.findings)
        request = json.loads(captures.exchange(one, []).request_body or b"{}")
        assert streams.tools(request) == one.schemas
        told = [(call.name, FAMILIES[profile].reported(call.text)) for call in one.calls]
        assert [(call.name, call.arguments) for call in found.calls] == told


@pytest.mark.parametrize("profile", captures.PROFILES)
@pytest.mark.parametrize("code", captures.FAULTS)
def test_a_faulty_turn_has_its_finding(code: str, profile: str) -> None:
    make, profiles = captures.FAULTS[code]
    if profile not in profiles:
        pytest.skip("no turn of this profile can have it")
    missed = []
    for seed in range(TURNS):
        one = captures.turn(profile, random.Random(f"{code} {seed}"))
        found = report(one, make(one))
        if code not in {finding.code for finding in found.findings}:
            missed.append((seed, [finding.code.value for finding in found.findings]))
    assert missed == []


@pytest.mark.parametrize("profile", captures.PROFILES)
def test_a_fault_is_alone_in_most_turns(profile: str) -> None:
    """Or one fault would hide what becomes of another."""
    others: Counter[str] = Counter()
    turns = 0
    for code, (make, profiles) in captures.FAULTS.items():
        for seed in range(6 if profile in profiles else 0):
            one = captures.turn(profile, random.Random(f"{code} {seed}"))
            others.update({finding.code.value for finding in report(one, make(one)).findings} - {code})
            turns += 1
    assert others.total() < turns, others


def test_every_code_that_traffic_can_have_has_a_fault() -> None:
    assert captures.FAULTS.keys() == {code.value for code in Code if code is not Code.INVALID_FIXTURE}
    assert all(profiles for _, profiles in captures.FAULTS.values())
